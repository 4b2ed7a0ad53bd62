//! The threads that compute.

use std::num::NonZeroUsize;
use std::thread;

use rayon::ThreadPoolBuilder;

use super::error::Error;

/// Threads for each core at most. More than one gains nothing; a few help to test that results do not depend on them.
const PER_CORE: usize = 4;
/// Threads that may always be asked for, so that commands run unchanged on small machines.
const ALWAYS: usize = 64;
/// Variable by which rayon takes a number of threads.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts the threads asked for, or else one for each core.
pub(crate) fn start(asked: Option<NonZeroUsize>) -> Result<(), Error> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let limit = ALWAYS.max(PER_CORE * cores);
    let by_variable = || std::env::var(VARIABLE).ok()?.parse().ok();
    let (name, count) = match asked {
        Some(count) => ("--threads", count.get()),
        None => (VARIABLE, by_variable().unwrap_or(0)),
    };
    if count > limit {
        return Err(Error::TooManyThreads { name, count, limit, cores });
    }
    // 0 stands for one thread a core.
    let pool = ThreadPoolBuilder::new().num_threads(if count == 0 { cores } else { count });
    pool.build_global().map_err(Error::Threads)
}
