//! Work that runs on the caller's pool as a whole, and values that are made there once.

use std::sync::OnceLock;

/// Points from which on a sum enters the pool as a whole. An entry from outside takes some 10 µs, and a sum of so many
/// points a hundred times as long.
const MANY: usize = 1 << 10;

/// Runs the work of a sum over so many points on a thread of the caller's pool. Parallel passes of a thread outside it would
/// each wait for a thread of the pool to begin and to end, 200 times in a step of a simulation.
pub(crate) fn on_pool<R: Send>(points: usize, work: impl FnOnce() -> R + Send) -> R {
    if points < MANY {
        return work();
    }
    let span = tracing::Span::current();
    rayon::scope(|_| span.in_scope(work))
}

/// The value of a cell, made when first needed. Several threads may make it, and one is kept: a thread that makes it on the
/// pool may begin other work there which needs it too, and would wait for itself.
pub(crate) fn made_once<V>(cell: &OnceLock<V>, make: impl FnOnce() -> V) -> &V {
    if let Some(value) = cell.get() {
        return value;
    }
    let made = make();
    cell.get_or_init(|| made)
}
