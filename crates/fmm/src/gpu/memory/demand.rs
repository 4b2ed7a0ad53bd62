//! The size of a plan, and the memory that it takes.

use std::ops::RangeInclusive;

use kernels_gpu::direct::share_vectors;
use kernels_gpu::machine::Launcher;
use kernels_gpu::sort::MAX_KEYS;

use super::keeping::Keeping;
use crate::api::{DeviceMemory, Error};
use crate::choose::{Algorithm, Chooser, Scheme, TreeStatistics};
use crate::engine::{ChargeKind, PointCounts, TreeSize};
use crate::gpu::launches::too_many;
use crate::gpu::pipeline::form::Expansions;

/// Memory of the points that a plan had before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// Bytes that are there between evaluations.
    pub(crate) held: usize,
    /// Bytes that were found for them by the estimate, which may be some percent more than their tree then took.
    pub(crate) granted: usize,
    pub(crate) keeping: Keeping,
}

/// The size of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) counts: PointCounts,
    pub(crate) size: TreeSize,
    /// Boxes above the deepest level.
    pub(crate) upper: f64,
    /// Items of all lists.
    pub(crate) items: f64,
    pub(crate) expansions: Expansions,
    /// Vectors of four numbers for shares of direct sums.
    pub(crate) shares: usize,
    /// Bytes of a number.
    pub(crate) float_bytes: usize,
}

/// Memory of points by a scheme, before their tree is known.
pub(crate) fn demand_of<T>(counts: PointCounts, scheme: &Scheme) -> Demand {
    let size = TreeSize::expected(scheme.shape.depth, scheme.shape.enlarged, counts.n_points());
    Demand::expected::<T>(counts, Expansions::of(scheme), size)
}

/// The scheme of points of a dimension as it will be on their tree if they are evenly spread: the tree tells the form of M2L.
pub(crate) fn likely_scheme(
    chooser: &Chooser,
    counts: PointCounts,
    (scheme, dimension): (Scheme, f64),
    kind: Option<ChargeKind>,
) -> Scheme {
    let size = TreeSize::expected(scheme.shape.depth, scheme.shape.enlarged, counts.n_points());
    let even = TreeStatistics::of_size(&size, counts, scheme, dimension);
    even.refined(chooser, kind).unwrap_or(scheme)
}

/// Least memory that a plan of the host's points can do with: sums by lists take their place. The direct sum needs them for
/// errors at some receivers, and walks keep them beside an earlier gradient.
pub(crate) fn least(scheme: &Scheme) -> Keeping {
    match scheme.algorithm {
        Algorithm::Fmm { .. } | Algorithm::TreecodeLists { .. } => Keeping::Least,
        Algorithm::Direct | Algorithm::TreecodeWalk(_) => Keeping::Phase,
    }
}

/// Vectors of four numbers for shares of the direct sum, where the scheme or a tree of one box takes it.
pub(crate) fn shares(counts: PointCounts, expansions: Expansions, boxes: f64) -> usize {
    match expansions {
        Expansions::OnLists(form) if form.order == 0 || boxes <= 1.0 => {
            share_vectors(counts.n_sources, counts.n_receivers)
        }
        _ => 0,
    }
}

impl Demand {
    /// A plan of so many points in a tree of this size.
    pub(crate) fn expected<T>(counts: PointCounts, expansions: Expansions, size: TreeSize) -> Self {
        let items = match expansions {
            Expansions::OnLists(_) => size.leaves() * size.list_lengths()[0],
            Expansions::OfCells(_) => 0.0,
        };
        let upper = size.families;
        let shares = shares(counts, expansions, size.boxes);
        Self { counts, size, upper, items, expansions, shares, float_bytes: size_of::<T>() }
    }

    /// Number of points, both sets together.
    pub(crate) fn n_points(&self) -> usize {
        self.counts.n_points()
    }

    /// Memory by part, and its peak.
    pub(crate) fn memory(&self, keeping: Keeping) -> DeviceMemory {
        let of = self.phases(keeping);
        let all = [
            of.waiting + of.charges,
            of.sort,
            of.gathered + of.permutation + of.boxes,
            of.lists + of.listing,
            of.expansions,
            of.sums + of.more + of.leaves + of.expected + of.field,
            of.tables,
        ];
        let most = |phases: &[f64]| phases.iter().copied().fold(0.0, f64::max);
        let always = of.permutation + of.boxes + of.tables;
        let listed = of.gathered + of.lists;
        let far = of.expansions + of.sums + of.more + of.leaves;
        let peak = match keeping {
            Keeping::All => all.iter().sum::<f64>(),
            Keeping::Phase => {
                let phases = [of.sort, listed + of.listing, listed + far + of.expected];
                always + of.waiting + of.field + of.charges + most(&phases)
            }
            Keeping::Least => {
                let building = of.waiting + most(&[of.sort, listed + of.listing]);
                let evaluating = most(&[
                    of.sums + of.charges,
                    far,
                    far - of.leaves + of.expected,
                    of.sums + of.expected + of.field,
                ]);
                always + building.max(listed + evaluating)
            }
        };
        let [points, sort, tree, lists, expansions, results, tables] =
            all.map(|part| part as usize);
        let peak = peak as usize;
        let taken_in = [1; 2];
        DeviceMemory { points, sort, tree, lists, expansions, results, tables, peak, taken_in }
    }

    /// The most that can be kept so that the plan fits on `machine`, some of whose memory it had `before`, and within a limit;
    /// no less than `least`. Refuses what does not fit. Asks the device only for more than before, which takes long.
    pub(crate) fn keeping<M: Launcher>(
        &self,
        machine: &M,
        Before { held, granted, keeping: kept }: Before,
        limit: Option<usize>,
        least: Keeping,
    ) -> Result<Keeping, Error> {
        if self.n_points() > MAX_KEYS {
            return Err(too_many(self.n_points()));
        }
        let usual = if held > 0 { kept.min(least) } else { Keeping::All };
        let limit = limit.unwrap_or(usize::MAX);
        let needed = self.memory(usual).peak;
        let at_hand = if usual < Keeping::Least { held.max(granted) } else { held };
        if needed <= at_hand.min(limit) {
            return Ok(usual);
        }
        let free = machine.free_bytes()?.saturating_add(held).min(limit);
        self.keeping_within(free, usual..=least)
    }

    /// The first of these ways that takes no more than `free` bytes.
    pub(crate) fn keeping_within(
        &self,
        free: usize,
        ways: RangeInclusive<Keeping>,
    ) -> Result<Keeping, Error> {
        let all = [Keeping::All, Keeping::Phase, Keeping::Least];
        let fits = |way: &Keeping| ways.contains(way) && self.memory(*way).peak <= free;
        let needed = self.memory(*ways.end()).peak;
        all.into_iter().find(fits).ok_or(Error::DeviceMemory { needed, free })
    }

    /// Bytes that are there when the lists stand and nothing has been evaluated.
    pub(crate) fn standing(&self, keeping: Keeping) -> usize {
        let of = self.phases(keeping);
        let scratch = if keeping == Keeping::All { of.sort + of.listing } else { 0.0 };
        (of.waiting + of.gathered + of.permutation + of.boxes + of.lists + scratch) as usize
    }

    /// Bytes that are there between evaluations.
    pub(crate) fn held(&self, keeping: Keeping) -> usize {
        let of = self.phases(keeping);
        match keeping {
            Keeping::All | Keeping::Phase => self.memory(keeping).peak,
            Keeping::Least => (of.gathered + of.permutation + of.boxes + of.lists) as usize,
        }
    }
}
