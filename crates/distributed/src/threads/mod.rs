//! Ranks that are threads of this process.
//!
//! Ranks block on condition variables, so that hundreds of ranks run on few cores. Where each rank has a core, a rank looks
//! for its messages for some time first, because a thread that sleeps wakes late.
//!
//! A rank computes in parallel by `pool.install(…)` of a rayon pool that the caller made. One pool may serve all ranks, because
//! `install` blocks the thread of the rank only, while the workers of the pool serve whoever asked. Inside of `install` of such
//! a pool the communicator is not called: a blocked worker is lost to the other ranks, and with all workers blocked nothing
//! moves. In a pool of the rank's own it may be.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, ScopedJoinHandle, available_parallelism, scope};
use std::time::Duration;

use crate::agree::panic_text;
use crate::endpoint::{Endpoint, Frame, Inbox, Link};
use crate::{Communicator, Error};

/// Largest number of ranks. Exchanges among all ranks take the square of the number in messages: 262 144 for many ranks,
/// a tenth of a second.
pub const MOST_RANKS: usize = 512;

/// Stack of a rank, in bytes. Ranks compute in a pool with stacks of its own; 1 MiB is enough for a program's closures in
/// between; stacks reserve addresses, of which the system gives what is touched.
const STACK: usize = 1 << 20;

/// Time that a rank looks for a message before it blocks, where each rank has a core: twice what a thread takes to wake.
const PATIENCE: Duration = Duration::from_micros(100);

/// Runs `rank` on `size` ranks, each on a thread, and returns their results by rank.
///
/// A rank that returns or panics leaves: ranks that wait for its messages get [`Error::Left`]. After a panic outside of
/// [`crate::phase`] all other ranks end first, then the error is [`Error::Panicked`] of the lowest rank.
///
/// ```
/// let sums = distributed::threads::run(4, |communicator| {
///     let mut sum = [communicator.rank() as u64];
///     distributed::reduce(&*communicator, distributed::Reduction::Sum, &mut sum)?;
///     Ok::<_, distributed::Error>(sum[0])
/// })?;
/// assert_eq!(sums, vec![Ok(6); 4]);
/// # Ok::<(), distributed::Error>(())
/// ```
///
/// # Errors
/// [`Error::RankCount`], [`Error::Thread`], [`Error::Panicked`].
pub fn run<R: Send>(
    size: usize,
    rank: impl Fn(Arc<dyn Communicator>) -> R + Sync,
) -> Result<Vec<R>, Error> {
    if size == 0 || size > MOST_RANKS {
        return Err(Error::RankCount { size });
    }
    let has_cores = available_parallelism().is_ok_and(|cores| size <= cores.get());
    let patience = if has_cores { PATIENCE } else { Duration::ZERO };
    let inboxes: Arc<[Arc<Inbox>]> =
        (0..size).map(|rank| Arc::new(Inbox::new(rank, size, patience))).collect();
    let endpoints: Vec<Arc<Endpoint<Inboxes>>> = (0..size)
        .map(|rank| {
            let link = Inboxes { rank, inboxes: inboxes.clone() };
            Arc::new(Endpoint::new(rank, size, inboxes[rank].clone(), link))
        })
        .collect();
    let rank = &rank;
    scope(|scope| {
        let mut threads = Vec::with_capacity(size);
        let mut failure = None;
        // Endpoints of ranks without a thread are dropped here, which wakes the ranks that run.
        for (number, endpoint) in endpoints.into_iter().enumerate() {
            let body = move || run_rank(&endpoint, rank);
            let builder = Builder::new().name(format!("rank {number}")).stack_size(STACK);
            match builder.spawn_scoped(scope, body) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    failure = Some(Error::Thread { rank: number, reason: error.to_string() });
                    break;
                }
            }
        }
        let results = join(threads);
        failure.map_or(results, Err)
    })
}

/// Runs one rank, which leaves at the end even if clones of its communicator live on.
fn run_rank<R>(
    endpoint: &Arc<Endpoint<Inboxes>>,
    rank: &impl Fn(Arc<dyn Communicator>) -> R,
) -> Result<R, String> {
    let communicator: Arc<dyn Communicator> = endpoint.clone();
    let result = catch_unwind(AssertUnwindSafe(|| rank(communicator)));
    endpoint.leave();
    result.map_err(|panic| panic_text(&*panic))
}

/// Waits for all ranks; their results, or the lowest panic.
fn join<R>(threads: Vec<ScopedJoinHandle<'_, Result<R, String>>>) -> Result<Vec<R>, Error> {
    let ends: Vec<Result<R, String>> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap_or_else(|panic| Err(panic_text(&*panic))))
        .collect();
    let named = ends.into_iter().enumerate();
    named.map(|(rank, end)| end.map_err(|message| Error::Panicked { rank, message })).collect()
}

/// Link to the inboxes of all threads.
#[derive(Debug)]
struct Inboxes {
    rank: usize,
    inboxes: Arc<[Arc<Inbox>]>,
}

impl Link for Inboxes {
    fn send(&self, frames: Vec<(usize, Frame)>) {
        for (to, frame) in frames {
            self.inboxes[to].deliver(self.rank, frame);
        }
    }

    fn is_one_process(&self) -> bool {
        true
    }
}
