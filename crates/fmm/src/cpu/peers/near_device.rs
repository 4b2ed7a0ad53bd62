//! Interface to a device that sums near pairs while the cores do the rest.

use std::fmt;

use expansions::operators::PointSums;

use crate::api::Error;
#[cfg(feature = "gpu")]
use crate::cpu::geometry::Geometry;
#[cfg(feature = "gpu")]
use crate::engine::Scalar;

/// Points and their near pairs, in tree order and in the plan's unit.
#[cfg(feature = "gpu")]
#[derive(Clone, Debug)]
pub(crate) struct NearPairs<'a, T> {
    /// Coordinates x, y and z of the sources.
    pub(crate) sources: [&'a [T]; 3],
    /// Coordinates x, y and z of the receivers; `None`: the receivers are the sources.
    pub(crate) receivers: Option<[&'a [T]; 3]>,
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub(crate) range: Vec<[u32; 4]>,
    /// The leaves, one a row.
    pub(crate) leaves: &'a [u32],
    /// Row k of `items` is that of the k-th leaf: `offsets[k]..offsets[k + 1]`.
    pub(crate) offsets: Vec<usize>,
    /// Boxes whose sources act on the receivers of a leaf (list U).
    pub(crate) items: Vec<u32>,
    /// Plummer softening.
    pub(crate) softening: f64,
}

/// Pairs to sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Pairs of the near lists.
    Near,
    /// All pairs.
    All,
}

/// A device that sums pairs of the points that it was given.
pub(crate) trait NearDevice<T>: fmt::Debug + Send + Sync {
    /// Launches the sums of charge vectors, in tree order, asynchronously.
    fn start<'a>(
        &'a self,
        charges: &[&[T]],
        reach: Reach,
    ) -> Result<Box<dyn Pending<T> + 'a>, Error>;

    /// Memory of the points and of one evaluation, in bytes.
    fn bytes(&self) -> usize;
}

/// Sums that a device is computing.
pub(crate) trait Pending<T> {
    /// Waits until the sums are there.
    fn wait(&mut self) -> Result<(), Error>;

    /// Adds the sums to those of each vector, in tree order.
    fn add_to(&mut self, sums: &mut [PointSums<'_, T>]) -> Result<(), Error>;
}

#[cfg(feature = "gpu")]
impl<'a, T: Scalar> NearPairs<'a, T> {
    /// Near pairs of a geometry; `softening` is in the caller's unit.
    pub(crate) fn new(geometry: &'a Geometry<T>, softening: f64) -> Self {
        let (tree, lists) = (&geometry.tree, &geometry.lists);
        let (sources, receivers) = (geometry.sources(), geometry.receivers());
        let range = |b: usize| {
            let (sources, receivers) = (tree.sources(b), tree.receivers(b));
            [sources.start, sources.end, receivers.start, receivers.end].map(|place| place as u32)
        };
        let rows = || tree.leaves().iter().map(|leaf| lists.near().row(*leaf as usize));
        let ends = rows().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        });
        let receivers = receivers.slices(0..receivers.len());
        Self {
            sources: sources.slices(0..sources.len()),
            receivers: (!tree.sources_are_receivers()).then_some(receivers),
            range: (0..tree.n_boxes()).map(range).collect(),
            leaves: tree.leaves(),
            offsets: std::iter::once(0).chain(ends).collect(),
            items: rows().flatten().copied().collect(),
            softening: geometry.unit.shrink(softening),
        }
    }
}
