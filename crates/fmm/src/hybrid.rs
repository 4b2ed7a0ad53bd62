//! Near pairs on another device while the cores do the rest: what the two say to each other.

use std::fmt;
use std::sync::Arc;

use expansions::operators::PointSums;

use crate::hierarchy::Hierarchy;
use crate::{Error, Scalar};

/// Points and their near pairs, in tree order and in the plan's unit.
#[derive(Clone, Debug)]
pub struct NearPairs<'a, T> {
    /// x, y and z of the sources.
    pub sources: [&'a [T]; 3],
    /// x, y and z of the receivers; `None`: they are the sources.
    pub receivers: Option<[&'a [T]; 3]>,
    /// Of each box: source begin, source end, receiver begin, receiver end.
    pub range: Vec<[u32; 4]>,
    /// The leaves, one a row.
    pub leaves: &'a [u32],
    /// Row k of `items` is that of the k-th leaf: `offsets[k]..offsets[k + 1]`.
    pub offsets: Vec<usize>,
    /// The boxes whose sources act (U).
    pub items: Vec<u32>,
    /// Plummer softening.
    pub softening: f64,
}

/// Which pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of the lists.
    Near,
    /// All.
    All,
}

/// What sums pairs of the points that it was given.
pub trait PairDevice<T>: fmt::Debug + Send + Sync {
    /// Sets it to work on some vectors of charges, in tree order, and returns while it works.
    fn start<'a>(
        &'a self,
        charges: &[&[T]],
        reach: Reach,
    ) -> Result<Box<dyn Pending<T> + 'a>, Error>;

    /// The same device with other points.
    fn with(&self, pairs: &NearPairs<'_, T>) -> Result<Arc<dyn PairDevice<T>>, Error>;

    /// What it is called.
    fn name(&self) -> &str;

    /// Memory in bytes.
    fn bytes(&self) -> usize;
}

/// Sums that are being made.
pub trait Pending<T> {
    /// Waits until they are there.
    fn wait(&mut self) -> Result<(), Error>;

    /// Adds them to the sums of each vector, in tree order.
    fn add_to(&mut self, sums: &mut [PointSums<'_, T>]) -> Result<(), Error>;
}

impl<'a, T: Scalar> NearPairs<'a, T> {
    /// Those of `hierarchy`; `softening` is in the caller's unit.
    pub(crate) fn new(hierarchy: &'a Hierarchy<T>, softening: f64) -> Self {
        let (tree, lists) = (&hierarchy.tree, &hierarchy.lists);
        let (sources, receivers) = (hierarchy.sources(), hierarchy.receivers());
        let range = |b: usize| {
            let (sources, receivers) = (tree.sources(b), tree.receivers(b));
            [sources.start, sources.end, receivers.start, receivers.end].map(|place| place as u32)
        };
        let rows = || tree.leaves().iter().map(|leaf| lists.near.row(*leaf as usize));
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
            softening: hierarchy.unit.shrink(softening),
        }
    }
}
