//! Errors that end the command early; each message ends with the cure.

pub(crate) mod drawing;
pub(crate) mod usage;
pub(crate) mod wording;

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    File(#[from] formats::Error),
    #[error(transparent)]
    Request(#[from] fmm::Error),
    #[error("an opening criterion is the treecode's and the method is {0}; add --method treecode")]
    NotATreecode(fmm::Method),
    #[error("{parameter} is no parameter of this criterion; use it with --criterion {of}")]
    NoSuchParameter { parameter: &'static str, of: &'static str },
    #[error("{place}: {what} of {value:e} is beyond f32; choose --precision f64 or a larger unit")]
    Overflow { place: String, what: &'static str, value: f64 },
    #[error(
        "{place}: the largest charge, {value:e}, is below the range of f32; choose --precision f64 or a smaller unit"
    )]
    Underflow { place: String, value: f64 },
    #[error("{place}: {source}")]
    Point { place: String, source: fmm::Error },
    #[error(
        "{name} {count} is beyond the {limit} threads that {cores} cores can use; choose fewer"
    )]
    TooManyThreads { name: &'static str, count: usize, limit: usize, cores: usize },
    #[error(
        "cannot start threads ({0}); choose fewer with --threads, or raise the limit of processes"
    )]
    Threads(#[source] rayon::ThreadPoolBuildError),
    #[error("{0} points do not fit into memory; take fewer, or raise the memory limit")]
    Memory(usize),
    #[error("the output {} is an input; name another file", .output.display())]
    OutputIsInput { output: PathBuf },
    #[error("stdin holds one set of points; give a file for INPUT or for --receivers")]
    StdinTwice,
    #[error("stdin is read by evaluate and tree alone; name a file")]
    Stdin,
    #[error("stdout, which - stands for, takes the report alone; name another output")]
    Stdout,
    #[error(transparent)]
    Communication(#[from] distributed::Error),
    #[error("{message}")]
    FirstRank { message: String },
    #[error(transparent)]
    Rank(distributed::Fault),
    #[error("rank {rank}, whose receivers begin at {place}: {message}")]
    RankAt { rank: usize, place: String, message: String },
    #[cfg(feature = "mpi")]
    #[error("only evaluate runs over ranks; start {0} as one process")]
    OneProcess(&'static str),
    #[cfg(feature = "mpi")]
    #[error(
        "the launcher started {launched} processes that do not know each other; use the launcher of the MPI that farfield was built with"
    )]
    Launcher { launched: usize },
    #[cfg(not(feature = "mpi"))]
    #[error(
        "{launched} processes were started, and this build has no MPI, so that each would do all of the work; build with --features mpi, or start one process with --ranks {launched}"
    )]
    NoMpi { launched: usize },
    #[error(transparent)]
    Picture(#[from] pictures::Error),
    #[error(transparent)]
    Drawing(#[from] drawing::Error),
    #[error(transparent)]
    Simulation(#[from] super::simulate::Error),
    #[error(transparent)]
    Step(#[from] nbody::StepError),
    #[error(transparent)]
    Device(#[from] farfield::DeviceError),
    #[error(transparent)]
    King(#[from] nbody::models::KingError),
    #[error("{parameter} is a parameter of {of} alone; drop it")]
    NotOfShape { parameter: &'static str, of: &'static str },
    #[error("cannot write the report ({0}); check where stdout goes")]
    Report(#[source] io::Error),
}
