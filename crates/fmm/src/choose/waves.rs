//! Plane waves that are sent together: their numbers, and the families of a slab.

use std::sync::OnceLock;

use expansions::MAX_ORDER;
use expansions::operators::Waves;

use super::wave_error;

/// Bytes of the waves that a slab sends, at least: four slabs are kept, in the caches of the cores, and a slab is some 0.5 ms of
/// work, well worth a start of all threads.
const SLAB_BYTES: usize = 1 << 19;

/// Most numbers that a family sends at once. Found once for each order: the quadratures are text, whose reading takes as
/// long as a small sum.
pub(crate) fn sent_numbers(order: usize) -> usize {
    static NUMBERS: [OnceLock<usize>; MAX_ORDER + 1] = [const { OnceLock::new() }; MAX_ORDER + 1];
    *NUMBERS[order].get_or_init(|| Waves::<f64>::longest(order, wave_error(order)))
}

/// Families of a slab, at least, at an order in floats of so many bytes.
pub(super) fn wave_slab(order: usize, float_bytes: usize) -> usize {
    (SLAB_BYTES / float_bytes / sent_numbers(order).max(1)).max(1)
}
