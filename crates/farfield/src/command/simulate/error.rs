//! Errors of simulations; each message ends with the cure.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{option} of {value:?} makes no simulation; give a positive number")]
    NotPositive { option: &'static str, value: f64 },
    #[error("a softening length of {0:?} makes no sense; give 0 or a positive length")]
    Softening(f64),
    #[error(
        "steps of {integrator} follow from the softening, which is 0; give one with --softening, or choose leapfrog"
    )]
    NoLength { integrator: String },
    #[error(
        "--accuracy is for adaptive and block steps and the integrator is {integrator}; drop it"
    )]
    NoAccuracy { integrator: String },
    #[error("{}: {source}", .path.display())]
    System { path: PathBuf, source: nbody::SystemError },
    #[error("INITIAL {} lies where the run writes; move it, or name another folder with --snapshots", .path.display())]
    Input { path: PathBuf },
    #[error("{} is there without the state of a run; remove it, or name another folder with --snapshots", .path.display())]
    Occupied { path: PathBuf },
    #[error("another run works in {}; wait for its end, or name another folder with --snapshots", .folder.display())]
    Locked { folder: PathBuf },
    #[error("{} has {found} particles and the run in {} has {kept}; give its INITIAL, or name another folder with --snapshots", .path.display(), .folder.display())]
    OtherModel { path: PathBuf, found: usize, folder: PathBuf, kept: usize },
    #[error("{} has a run already; add --resume, or name another folder with --snapshots", .folder.display())]
    Begun { folder: PathBuf },
    #[error("the run in {} has {option} {kept}, not {given}; resume it without {option}, or name another folder with --snapshots", .folder.display())]
    Changed { folder: PathBuf, option: &'static str, kept: String, given: String },
    #[error("a time of {time:?} is no multiple of the {interval:?} between snapshots of the run in {}; choose {nearest:?}", .folder.display())]
    Interval { folder: PathBuf, time: f64, interval: f64, nearest: f64 },
    #[error("the run in {} has reached the time {reached:?}, beyond {time:?}; choose a longer --time", .folder.display())]
    Past { folder: PathBuf, time: f64, reached: f64 },
    #[error(
        "{outputs:.3e} outputs are more than the 1e9 that a run can have; choose fewer with --outputs, or a shorter --time"
    )]
    ManyOutputs { outputs: f64 },
    #[error(
        "{steps:.3e} steps of {step:?} are more than the 1e12 that a run can have; choose a longer --step, or a shorter --time"
    )]
    ManySteps { steps: f64, step: f64 },
    #[error(
        "a step of {step:?} is lost beside the time {time:?}; choose a longer --step, or fewer --outputs"
    )]
    LostStep { step: f64, time: f64 },
    #[error("{} cannot be made ({source}); name another folder with --snapshots", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("{}: {what}; name another folder with --snapshots, and start anew", .path.display())]
    Damaged { path: PathBuf, what: String },
}
