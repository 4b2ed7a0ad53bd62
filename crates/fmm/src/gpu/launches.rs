//! Launches of this crate: threads of a block, sets of points, the way of summing pairs, and errors of the drivers.

use expansions::operators::PairAccuracy;
use kernels_gpu::sort::{MAX_KEYS, SortError};
use kernels_gpu::tree::{Sets, TreeError};

use crate::api::Error;
use crate::engine::PointCounts;

/// Threads of a block where each has one point: eight such blocks fill a multiprocessor of 2048 threads.
pub(crate) const THREADS: u32 = 256;

/// The sets of points in one array of these numbers.
pub(crate) const fn sets_of(counts: PointCounts) -> Sets {
    match counts.one_set {
        true => Sets::One,
        false => Sets::Two { n_sources: counts.n_sources },
    }
}

/// The tree's error as one of this crate.
pub(crate) fn refusal(error: TreeError) -> Error {
    match error {
        TreeError::Points(error) => Error::Tree(error),
        TreeError::Machine(error) | TreeError::Sort(SortError::Machine(error)) => {
            Error::Device(error)
        }
        TreeError::Sort(SortError::TooManyKeys { count }) => too_many(count),
    }
}

/// Refusal of more points than kernels number.
pub(crate) const fn too_many(found: usize) -> Error {
    Error::TooManyPoints { found, largest: MAX_KEYS }
}

/// Way of summing pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairs {
    /// Softening in the caller's unit.
    pub(super) softening: f64,
    /// Accuracy of 1/r; f32 has all its digits.
    pub(super) accuracy: PairAccuracy,
}

/// Content of the sums before near pairs are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    /// Anything, which is overwritten.
    Empty,
    /// Sums over heavy charges, which are added to.
    Begun,
}
