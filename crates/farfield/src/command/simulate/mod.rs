//! `farfield simulate`: particles under their gravity, from a file to a folder of snapshots.
//!
//! | file | what |
//! |---|---|
//! | `arguments.rs` | the arguments |
//! | `settings.rs` | what a run is made of, kept in its folder so that it can be resumed |
//! | `defaults.rs` | softening and step for a system |
//! | `folder.rs` | the files of a run, and the order in which they are written |
//! | `diagnostics.rs` | the table of conserved quantities |
//! | `mover.rs` | what moves the particles: the cores, or a GPU in whose memory they stay |
//! | `run.rs` | the loop over outputs |
//! | `account.rs` | the line that tells of the end by a signal |
//! | `writer.rs` | the thread that writes an output while the next steps run |
//! | `error.rs` | errors of simulations |

mod account;
mod arguments;
mod defaults;
mod diagnostics;
mod error;
mod folder;
mod mover;
mod run;
mod settings;
mod writer;

use fmm::Fmm;

pub(crate) use arguments::Arguments;
pub(crate) use error::Error;

use super::arguments::precision::Precision;
use super::arguments::threads;
use super::{report, same_file};
use folder::{Folder, NewRun};
use formats::Snapshot;
use run::{Start, are_at_rest};
use settings::Settings;

/// Runs or resumes a simulation.
pub(crate) fn run(arguments: &Arguments) -> Result<(), super::error::Error> {
    arguments.check()?;
    same_file::refuse_stdin([&arguments.input])?;
    same_file::refuse_stdout(&arguments.snapshots)?;
    threads::start(arguments.threads)?;
    let mut folder = Folder::new(&arguments.snapshots);
    folder.lock()?;
    let (settings, state, resumed) = match (folder.settings()?, arguments.resume) {
        (Some(_), false) => return Err(Error::Begun { folder: arguments.snapshots.clone() }.into()),
        (Some(settings), true) => {
            settings.check_equal(arguments)?;
            // Where the run began since the lock above.
            folder.lock()?;
            (settings, state_of_model(arguments, &folder)?, true)
        }
        (None, _) => {
            let initial = initial(arguments)?;
            let settings = Settings::new(arguments, &initial)?;
            report::warn_of_softenings(&arguments.input, settings.softening);
            if are_at_rest(&initial.velocities) {
                report::warn_of_velocities(&arguments.input);
            }
            (settings, initial, false)
        }
    };
    let outputs = settings.outputs(arguments)?;
    let done = settings.output_at(state.time);
    settings.check_end(arguments, outputs, done)?;
    let new = (!resumed).then_some(NewRun {
        input: &arguments.input,
        settings: &settings,
        again: arguments.resume,
    });
    if let Some(new) = &new
        && folder.check_free(new).is_err()
    {
        // They may be those of a run that began since the lock above, and locked the folder before it wrote a file.
        folder.lock()?;
        folder.check_free(new)?;
    }
    let fmm =
        Fmm::new().method(settings.method).device(settings.device).tolerance(settings.tolerance);
    let fmm = arguments.memory_limit.limit(fmm);
    let start = Start { fmm, state, new, done, outputs };
    let outcome = match settings.precision {
        Precision::F64 => run::run::<f64>(&settings, &mut folder, start),
        Precision::F32 => run::run::<f32>(&settings, &mut folder, start),
    };
    if outcome.is_err() {
        folder.abandon();
    }
    outcome
}

/// The particles of INITIAL.
fn initial(arguments: &Arguments) -> Result<Snapshot, formats::Error> {
    formats::read_selected_snapshot(&arguments.input, &arguments.columns.selection())
}

/// The state of the run in a folder. Refuses an INITIAL of another model; it may be missing, because the state has what a run
/// goes on from.
fn state_of_model(arguments: &Arguments, folder: &Folder) -> Result<Snapshot, super::error::Error> {
    let path = &arguments.input;
    let count = || initial(arguments).map(|initial| initial.positions.len());
    let found = path.exists().then(count).transpose()?;
    let state = folder.state()?;
    match (found, state.positions.len()) {
        (Some(found), kept) if found != kept => {
            let (path, folder) = (path.clone(), arguments.snapshots.clone());
            Err(Error::OtherModel { path, found, folder, kept }.into())
        }
        _ => Ok(state),
    }
}
