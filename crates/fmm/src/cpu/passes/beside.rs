//! Passes side by side: near pairs need nothing of the far field, and fill the gaps at the ends of its passes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::api::{Seconds, Stage};

/// Seconds of all threads together.
#[derive(Debug, Default)]
pub(super) struct BusyTime {
    nanoseconds: AtomicU64,
}

impl BusyTime {
    /// Runs `work` and counts its time.
    pub(super) fn time<R>(&self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    fn seconds(&self) -> f64 {
        1e-9 * self.nanoseconds.load(Ordering::Relaxed) as f64
    }
}

/// Runs the passes of the far field, which count their seconds, and the near pairs on the threads of the pool.
///
/// The wall clock's seconds are shared out: P2P gets those that all threads would have taken for it, each stage of the far
/// field its part of the others.
pub(super) fn side_by_side(
    far: impl FnOnce(&mut Seconds) + Send,
    near: impl FnOnce(&BusyTime) + Send,
    seconds: &mut Seconds,
) {
    let (start, span) = (Instant::now(), tracing::Span::current());
    let (mut of_far, busy) = (Seconds::default(), BusyTime::default());
    let near = || {
        span.in_scope(|| {
            let _span = Stage::P2p.span();
            near(&busy);
        });
    };
    parallel::join(|| far(&mut of_far), near);
    let wall = start.elapsed().as_secs_f64();
    let p2p = wall.min(busy.seconds() / rayon::current_num_threads() as f64);
    *seconds = *seconds + of_far.with_total(wall - p2p);
    seconds.add(Stage::P2p, p2p);
}
