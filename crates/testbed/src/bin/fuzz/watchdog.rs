//! End of a process whose input does not come to an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time after which an input counts as hanging; that for making a failure small is part of it.
const LONGEST: Duration = Duration::from_secs(300);

/// Iteration at work, which a thread looks at.
pub(crate) struct Watchdog(Arc<AtomicU64>);

impl Watchdog {
    /// Starts the thread; `rerun` is the command that runs an iteration again.
    pub(crate) fn start(rerun: String) -> Self {
        let current = Arc::new(AtomicU64::new(u64::MAX));
        let watched = Arc::clone(&current);
        std::thread::spawn(move || {
            let mut last = u64::MAX;
            loop {
                std::thread::sleep(LONGEST);
                let now = watched.load(Ordering::Relaxed);
                if now == last && now != u64::MAX {
                    println!("Slow: no end within {LONGEST:?}\n    {rerun} {now}");
                    std::process::exit(2);
                }
                last = now;
            }
        });
        Self(current)
    }

    /// Notes the iteration that begins.
    pub(crate) fn begin(&self, iteration: u64) {
        self.0.store(iteration, Ordering::Relaxed);
    }
}
