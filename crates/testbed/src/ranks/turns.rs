//! Ranks that take turns: threads of which one computes at a time, each with a clock of its own turns.
//!
//! A machine with fewer cores than ranks measures nothing true while all ranks run at once: they share caches and cores,
//! and a stage that waits for others counts their work as its own. Here a rank computes only while it holds the baton, and
//! gives the baton away before it waits for messages. So each rank has the pool of threads, and the caches, for itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use distributed::{Communicator, Error, Fault, Message, Pending, Traffic, threads};

/// Communicator of one rank among those that take turns.
#[derive(Debug)]
pub struct Turns {
    inner: Arc<dyn Communicator>,
    turn: Turn,
    posted: AtomicU64,
}

/// The right to compute, which one rank has at a time.
#[derive(Debug, Default)]
struct Baton {
    is_taken: Mutex<bool>,
    freed: Condvar,
}

/// Time of a rank's turns.
#[derive(Debug, Default)]
struct Clock {
    before: Duration,
    since: Option<Instant>,
}

/// A rank's hold of the baton.
#[derive(Clone, Debug)]
struct Turn {
    baton: Arc<Baton>,
    clock: Arc<Mutex<Clock>>,
}

/// Gives the baton away when a rank ends, even by a panic.
struct Ending<'a>(&'a Turn);

/// Messages that a rank waits for without the baton.
#[derive(Debug)]
struct Waiting {
    pending: Box<dyn Pending>,
    turn: Turn,
}

/// Runs `rank` on `size` ranks that take turns, and returns their results by rank.
///
/// # Errors
///
/// Errors of [`threads::run`].
pub fn run<R: Send>(size: usize, rank: impl Fn(&Arc<Turns>) -> R + Sync) -> Result<Vec<R>, Error> {
    let baton = Arc::new(Baton::default());
    threads::run(size, |inner| {
        let turn = Turn { baton: baton.clone(), clock: Arc::default() };
        let turns = Arc::new(Turns { inner, turn, posted: AtomicU64::new(0) });
        turns.turn.take();
        let _ending = Ending(&turns.turn);
        rank(&turns)
    })
}

impl Turns {
    /// Seconds for which this rank computed so far; waiting does not count.
    pub fn seconds(&self) -> f64 {
        let clock = lock(&self.turn.clock);
        let now = clock.since.map_or(Duration::ZERO, |since| since.elapsed());
        (clock.before + now).as_secs_f64()
    }

    /// Messages sent to other ranks so far, those without content included, which [`Traffic`] does not count. Messages
    /// that agree on faults are left out.
    pub fn posted(&self) -> u64 {
        self.posted.load(Ordering::Relaxed)
    }

    /// Runs a step and returns its seconds beside its result.
    pub fn time<R>(&self, step: impl FnOnce() -> R) -> (R, f64) {
        let start = self.seconds();
        let result = step();
        (result, self.seconds() - start)
    }
}

impl Communicator for Turns {
    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn post(&self, messages: Vec<Message>, sources: &[usize]) -> Result<Box<dyn Pending>, Error> {
        let others = messages.iter().filter(|message| message.rank != self.rank()).count();
        self.posted.fetch_add(others as u64, Ordering::Relaxed);
        let pending = self.inner.post(messages, sources)?;
        Ok(Box::new(Waiting { pending, turn: self.turn.clone() }))
    }

    fn agree(&self, fault: Option<&str>) -> Result<Option<Fault>, Error> {
        self.turn.without(|| self.inner.agree(fault))
    }

    fn traffic(&self) -> Traffic {
        self.inner.traffic()
    }
}

impl Pending for Waiting {
    fn finish(self: Box<Self>) -> Result<Vec<Vec<u8>>, Error> {
        let Self { pending, turn } = *self;
        turn.without(|| pending.finish())
    }
}

impl Turn {
    fn take(&self) {
        let mut is_taken = lock(&self.baton.is_taken);
        while *is_taken {
            is_taken = self.baton.freed.wait(is_taken).unwrap_or_else(PoisonError::into_inner);
        }
        *is_taken = true;
        lock(&self.clock).since = Some(Instant::now());
    }

    fn give(&self) {
        let mut clock = lock(&self.clock);
        if let Some(since) = clock.since.take() {
            clock.before += since.elapsed();
        }
        *lock(&self.baton.is_taken) = false;
        self.baton.freed.notify_one();
    }

    /// Waits while another rank computes.
    fn without<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.give();
        let result = wait();
        self.take();
        result
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.give();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn one_rank_computes_at_a_time_and_waiting_takes_no_time() {
        let (inside, nap) = (AtomicUsize::new(0), Duration::from_millis(20));
        let compute = || {
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two ranks compute");
            std::thread::sleep(nap);
            inside.fetch_sub(1, Ordering::SeqCst);
        };
        let start = Instant::now();
        let results = run(4, |turns| {
            compute();
            turns.barrier()?;
            compute();
            Ok::<_, Error>((turns.seconds(), turns.posted()))
        });
        let wall = start.elapsed().as_secs_f64();
        for result in results.unwrap() {
            let (seconds, posted) = result.unwrap();
            assert!(seconds >= 2.0 * nap.as_secs_f64() && seconds < wall / 2.0);
            // log₂ 4 messages of a barrier.
            assert_eq!(posted, 2);
        }
    }

    #[test]
    fn a_rank_that_panics_does_not_keep_the_baton() {
        let result = run(3, |turns| assert_ne!(turns.rank(), 1));
        assert!(matches!(result, Err(Error::Panicked { rank: 1, .. })));
    }
}
