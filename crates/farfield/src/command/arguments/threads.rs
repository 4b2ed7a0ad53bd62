//! The threads that compute.

use std::num::NonZeroUsize;
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::command::error::Error;

/// Threads for each core at most. More than one gains nothing; a few help to test that results do not depend on them.
const PER_CORE: usize = 4;
/// Threads that may always be asked for, so that commands run unchanged on small machines.
const ALWAYS: usize = 64;
/// Variable by which rayon takes a number of threads.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Threads of a process.
#[derive(Clone, Copy)]
pub(crate) enum Threads {
    /// The number asked for.
    Asked(usize),
    /// The number of cores, one thread each.
    Cores(usize),
}

impl Threads {
    /// The number asked for by argument or variable, or else one for each core.
    pub(crate) fn asked(argument: Option<NonZeroUsize>) -> Result<Threads, Error> {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let limit = ALWAYS.max(PER_CORE * cores);
        let by_variable = || std::env::var(VARIABLE).ok()?.parse().ok();
        let (name, count) = match argument {
            Some(count) => ("--threads", count.get()),
            None => (VARIABLE, by_variable().unwrap_or(0)),
        };
        match count {
            // 0 stands for one thread a core.
            0 => Ok(Threads::Cores(cores)),
            _ if count > limit => Err(Error::TooManyThreads { name, count, limit, cores }),
            _ => Ok(Threads::Asked(count)),
        }
    }
}

/// Starts the threads asked for, or else one for each core.
pub(crate) fn start(asked: Option<NonZeroUsize>) -> Result<(), Error> {
    let (Threads::Asked(count) | Threads::Cores(count)) = Threads::asked(asked)?;
    ThreadPoolBuilder::new().num_threads(count).build_global().map_err(Error::Threads)
}

/// Threads of one rank.
pub(crate) fn pool(count: usize) -> Result<ThreadPool, Error> {
    ThreadPoolBuilder::new().num_threads(count).build().map_err(Error::Threads)
}
