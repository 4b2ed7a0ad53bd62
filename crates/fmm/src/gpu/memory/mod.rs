//! Memory of a plan on a device: estimated before it is made, reserved when the tree is known.
//!
//! Each array of `kernels_gpu` and of the pipeline is a term. A test compares the peak with what is allocated.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use kernels_gpu::direct::share_vectors;
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::operators::coefficients::groups;
use kernels_gpu::sort::{MAX_KEYS, Sortable};
use kernels_gpu::walk::moments::{multipole_vectors, raw_vectors};

use crate::api::{DeviceMemory, Error};
use crate::choose::{Algorithm, Chooser, Scheme, TreeStatistics};
use crate::engine::{COARSEST_FAR_LEVEL, PointCounts, Signs, TreeSize};
use crate::gpu::Number;
use crate::gpu::expected_memory;
use crate::gpu::form::{Expansions, Form};
use crate::gpu::host_slices::packed_len;
use crate::gpu::keeping::Keeping;
use crate::gpu::pipeline::Pipeline;
use crate::gpu::together_memory::Together;

/// Bytes of a key, and of an index.
const KEY: f64 = 8.0;
const INDEX: f64 = 4.0;

/// Bytes of a box: points, parent, children by octant, which there are, level, key.
const BOX: f64 = 16.0 + 4.0 + 32.0 + 4.0 + 4.0 + 8.0;

/// Items that the making of lists notes of a leaf, and colleagues of a box.
const NOTED: f64 = 64.0;
const COLLEAGUES: f64 = 27.0;

/// Receivers of a task of near pairs.
const TASK: f64 = 96.0;

/// Counts of a tile of boxes over its points.
const COUNTS: f64 = 177.0 / 2048.0;

/// Bytes of picks and shares of the check, of looks at points, charges and results, and of arrays of fixed length. Checks of few
/// sources have a thousand picks of 128 bytes.
const FIXED: f64 = 349_184.0 + 131_072.0;

/// Memory of the points that a plan had before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// Bytes that are there between evaluations.
    pub(super) held: usize,
    /// Bytes that were found for them by the estimate, which may be some percent more than their tree then took.
    pub(super) granted: usize,
    pub(super) keeping: Keeping,
}

/// The size of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    pub(super) counts: PointCounts,
    pub(super) size: TreeSize,
    /// Boxes above the deepest level.
    upper: f64,
    /// Items of all lists.
    items: f64,
    pub(super) expansions: Expansions,
    /// Vectors of four numbers for shares of direct sums.
    shares: usize,
    /// Bytes of a number.
    pub(super) float_bytes: usize,
}

/// Memory of points by a scheme, before their tree is known.
pub(super) fn demand_of<T>(counts: PointCounts, scheme: &Scheme) -> Demand {
    let size = TreeSize::expected(scheme.tree.depth, scheme.tree.enlarged, counts.n_points());
    Demand::expected::<T>(counts, Expansions::of(scheme), size)
}

/// The scheme of points of a dimension as it will be on their tree if they are evenly spread: the tree tells the form of M2L.
pub(super) fn likely_scheme(
    chooser: &Chooser,
    counts: PointCounts,
    (scheme, dimension): (Scheme, f64),
    signs: Option<Signs>,
) -> Scheme {
    let even = TreeStatistics::even(counts, scheme, dimension);
    even.refined(chooser, signs).unwrap_or(scheme)
}

/// Least memory that a plan of the host's points can do with: sums by lists take their place. The direct sum needs them for
/// errors at some receivers, and walks keep them beside an earlier gradient.
pub(super) fn least(scheme: &Scheme) -> Keeping {
    match scheme.algorithm {
        Algorithm::Fmm { .. } | Algorithm::TreecodeLists { .. } => Keeping::Least,
        Algorithm::Direct | Algorithm::TreecodeWalk(_) => Keeping::Phase,
    }
}

/// Bytes of each phase.
struct Phases {
    /// Points as they came.
    waiting: f64,
    /// Points in tree order, and their permutation.
    gathered: f64,
    permutation: f64,
    sort: f64,
    boxes: f64,
    lists: f64,
    listing: f64,
    expansions: f64,
    sums: f64,
    /// Sums through expansions, where they have memory of their own, and shares of direct sums.
    more: f64,
    /// Leaves of the receivers.
    leaves: f64,
    /// Errors to expect.
    expected: f64,
    field: f64,
    charges: f64,
    tables: f64,
}

/// Vectors of four numbers for shares of the direct sum, where the scheme or a tree of one box takes it.
fn shares(counts: PointCounts, expansions: Expansions, boxes: f64) -> usize {
    match expansions {
        Expansions::OnLists(form) if form.order == 0 || boxes <= 1.0 => {
            share_vectors(counts.n_sources, counts.n_receivers)
        }
        _ => 0,
    }
}

impl Demand {
    /// A plan of so many points in a tree of this size.
    pub(super) fn expected<T>(counts: PointCounts, expansions: Expansions, size: TreeSize) -> Self {
        let items = match expansions {
            Expansions::OnLists(_) => size.leaves() * size.list_lengths()[0],
            Expansions::OfCells(_) => 0.0,
        };
        let upper = size.families;
        let shares = shares(counts, expansions, size.boxes);
        Self { counts, size, upper, items, expansions, shares, float_bytes: size_of::<T>() }
    }

    /// Number of points, both sets together.
    pub(super) fn n_points(&self) -> usize {
        self.counts.n_points()
    }

    fn phases(&self, keeping: Keeping) -> Phases {
        let PointCounts { n_sources, n_receivers, one_set } = self.counts;
        let (sources, receivers) = (n_sources as f64, n_receivers as f64);
        let points = if one_set { sources } else { sources + receivers };
        let (number, boxes, leaves) =
            (self.float_bytes as f64, self.size.boxes, self.size.leaves().max(1.0));
        let vector = 4.0 * number;
        let sorter = u64::sorter_bytes(self.n_points(), u64::BITS) as f64;
        let apart = if one_set { 0.0 } else { points * (2.0 * INDEX + KEY) };
        let by_boxes = INDEX * points * (1.0 + COUNTS) + INDEX * boxes;
        let permutation = INDEX * points;
        let (more, labels, expected) = match self.expansions {
            Expansions::OnLists(form) if form.order > 0 => {
                let more = if keeping < Keeping::Least { receivers * vector } else { 0.0 };
                (more, receivers * INDEX, boxes * expected_memory::BYTES as f64)
            }
            _ => (0.0, 0.0, 0.0),
        };
        let more = more + self.shares as f64 * vector;
        let tasks = leaves + receivers / TASK;
        let rows = INDEX * (2.0 * leaves + boxes);
        let (lists, listing) = match self.expansions {
            Expansions::OnLists(_) if boxes <= 1.0 => (0.0, 0.0),
            Expansions::OnLists(_) => (
                rows + INDEX * (COLLEAGUES * boxes + self.items + tasks + receivers / TASK),
                rows + INDEX * NOTED * leaves + 3.0 * INDEX * tasks,
            ),
            Expansions::OfCells(_) => (4.0 * INDEX * receivers, 0.0),
        };
        let (expansions, tables) = match self.expansions {
            Expansions::OnLists(form) if form.order > 0 => {
                let [of_family, of_box] = form.scratch_numbers().map(|n| n as f64 * number);
                let of_box = 2.0 * groups(form.order) as f64 * vector + of_box;
                (boxes * of_box + self.upper * of_family, form.table_numbers() * number)
            }
            Expansions::OnLists(_) => (0.0, 0.0),
            Expansions::OfCells(order) => {
                let cell = raw_vectors(order) + multipole_vectors(order) + 1;
                (boxes * (cell as f64 * vector + number), 0.0)
            }
        };
        // Points on their way into the tree, three numbers each, are in the memory of the field; where that is given back, they
        // take less than the sort does later.
        let field = match keeping {
            Keeping::All => receivers.max(packed_len(self.n_points()) as f64) * vector,
            Keeping::Phase | Keeping::Least => receivers * vector,
        };
        Phases {
            waiting: points * vector,
            gathered: points * vector,
            permutation,
            sort: KEY * points + sorter + by_boxes + apart,
            boxes: BOX * boxes + INDEX * leaves,
            lists,
            listing,
            expansions,
            sums: receivers * vector,
            more,
            leaves: labels,
            expected,
            field,
            charges: sources * number,
            tables: tables + FIXED,
        }
    }

    /// Memory by part, and its peak.
    pub(super) fn memory(&self, keeping: Keeping) -> DeviceMemory {
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
    pub(super) fn keeping<M: Machine>(
        &self,
        machine: &M,
        Before { held, granted, keeping: kept }: Before,
        limit: Option<usize>,
        least: Keeping,
    ) -> Result<Keeping, Error> {
        if self.n_points() > MAX_KEYS {
            return Err(Error::TooManyPoints);
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
    pub(super) fn keeping_within(
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
    fn standing(&self, keeping: Keeping) -> usize {
        let of = self.phases(keeping);
        let scratch = if keeping == Keeping::All { of.sort + of.listing } else { 0.0 };
        (of.waiting + of.gathered + of.permutation + of.boxes + of.lists + scratch) as usize
    }

    /// Bytes that are there between evaluations.
    fn held(&self, keeping: Keeping) -> usize {
        let of = self.phases(keeping);
        match keeping {
            Keeping::All | Keeping::Phase => self.memory(keeping).peak,
            Keeping::Least => (of.gathered + of.permutation + of.boxes + of.lists) as usize,
        }
    }
}

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Whether the tree is deep enough for anything to be far from anything.
    pub(super) fn has_far(&self) -> bool {
        let own = || self.tree.n_levels();
        self.ghosts.as_ref().map_or_else(own, |ghosts| ghosts.n_all_levels) > COARSEST_FAR_LEVEL
    }

    /// Takes the memory of an evaluation by expansions, and makes their tables, whose place it returns; there is none in a
    /// tree without far boxes.
    pub(super) fn reserve(&mut self, form: Form) -> Result<Option<usize>, MachineError> {
        let order = form.order;
        let (n_boxes, n_receivers) = (self.list_tree().n_boxes(), self.tree.n_receivers());
        self.sums.reserve(&self.machine, n_receivers)?;
        if !self.has_far() {
            return Ok(None);
        }
        let place = self.prepare(form)?;
        let scratch = self.scratch_length(place);
        self.scratch.reserve(&self.machine, scratch)?;
        let own = groups(order) * self.tree.n_boxes();
        self.multipole.reserve(&self.machine, own)?;
        self.local.reserve(&self.machine, groups(order) * n_boxes)?;
        if let Some(ghosts) = &mut self.ghosts {
            ghosts.reserve(&self.machine, groups(order))?;
        }
        if self.keeping < Keeping::Least {
            self.reserve_expected()?;
            self.more.reserve(&self.machine, n_receivers)?;
        }
        self.leaf_of.reserve(&self.machine, n_receivers)?;
        Ok(Some(place))
    }

    /// Memory of the plan by part.
    pub(super) fn memory(&self, expansions: Expansions) -> DeviceMemory {
        let together = self.together.as_ref().map_or(0, Together::bytes);
        let memory = self.demand(expansions).memory(self.keeping);
        let (results, peak) = (memory.results + together, memory.peak + together);
        DeviceMemory { results, peak, ..memory }
    }

    /// Bytes of the plan that are there between evaluations.
    pub(super) fn held(&self, expansions: Expansions) -> usize {
        self.demand(expansions).held(self.keeping)
    }

    /// Keeps less, where a tree that stands takes more than was `granted` and does not fit beside what other plans have; so
    /// many bytes of this one are `waiting` outside the pipeline, besides its points. Refuses what does not fit if no less than
    /// `least` is kept.
    pub(super) fn keep_what_fits(
        &mut self,
        expansions: Expansions,
        granted: usize,
        waiting: usize,
        (limit, least): (Option<usize>, Keeping),
    ) -> Result<(), Error> {
        let demand = self.demand(expansions);
        if demand.memory(self.keeping).peak <= granted {
            return Ok(());
        }
        let taken = demand.standing(self.keeping).saturating_add(waiting);
        let free = self.machine.free_bytes()?.saturating_add(taken);
        let free = free.min(limit.unwrap_or(usize::MAX));
        self.keeping = demand.keeping_within(free, self.keeping..=least)?;
        self.end_sort();
        self.end_lists();
        Ok(())
    }

    /// The size of the plan, now that tree and lists stand.
    fn demand(&self, expansions: Expansions) -> Demand {
        let tree = self.list_tree();
        let (n_boxes, n_leaves) = (tree.n_boxes(), tree.n_leaves());
        let families = n_boxes.saturating_sub(n_leaves) as f64;
        let deepest = 8 * tree.n_levels().saturating_sub(1);
        let counts = PointCounts {
            n_sources: tree.n_sources(),
            n_receivers: tree.n_receivers(),
            one_set: tree.sources_are_receivers(),
        };
        Demand {
            counts,
            size: TreeSize { boxes: n_boxes as f64, families },
            // What a sum before took stays.
            shares: shares(counts, expansions, n_boxes as f64).max(self.direct.share_vectors()),
            upper: f64::from(tree.level_starts().get(deepest).copied().unwrap_or_default()),
            items: self.lists.n_items().iter().sum::<usize>() as f64,
            expansions,
            float_bytes: size_of::<T>(),
        }
    }
}
