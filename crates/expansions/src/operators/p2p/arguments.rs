//! Arguments of the sum over pairs one way.

use core::ops::Range;

use super::PairAccuracy;
use crate::operators::PointSums;

/// Charges at points, given by coordinate.
///
/// Pairs closer than 1e-102 (f64) or 6e-13 (f32), for which 1/r³ might overflow, count as coincident; with softening those whose
/// r² is zero in the float type. Bring positions to a unit in which their extent is of order 1.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a, T> {
    /// x, y and z of each source.
    pub coordinates: [&'a [T]; 3],
    /// Vectors of charges, at least one, each with one charge a source.
    pub charges: &'a [&'a [T]],
}

/// Arguments of [`p2p`](super::p2p()).
#[derive(Debug)]
pub struct P2p<'a, 's, T> {
    pub(super) sources: &'a Sources<'a, T>,
    pub(super) runs: &'a [Range<usize>],
    pub(super) receivers: [&'a [T]; 3],
    pub(super) softening: T,
    pub(super) accuracy: PairAccuracy,
    pub(super) sums: &'a mut [PointSums<'s, T>],
}
