//! Sums of a group of receivers: its walk, and the cells and sources that it lists.

use std::iter::Sum;
use std::ops::{Add, Range};
use std::time::Instant;

use expansions::operators::{Cells, PointSums, Sources, m2p_cells, p2p};
use octree::Aabb;
use octree::walk::{GroupWalk, WalkCell};

use crate::api::{Report, Seconds, Stage};
use crate::cpu::cells::{CellData, CellShape};
use crate::cpu::clumps::Clumps;
use crate::cpu::expected::CellErrors;
use crate::cpu::expected::Expected;
use crate::cpu::geometry::Geometry;
use crate::cpu::geometry::receivers::Segment;
use crate::cpu::passes::Passes;
use crate::cpu::peers::walks::{GroupPart, SeenPoints};
use crate::engine::Scalar;

/// Counts of walks, and the seconds that their threads spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WalkCounts {
    /// Pairs of cell and receiver.
    pub(crate) m2p_pairs: u64,
    /// Pairs of source and receiver.
    pub(crate) p2p_pairs: u64,
    /// Seconds of listing, M2P and P2P.
    pub(super) seconds: [f64; 3],
}

impl WalkCounts {
    /// Writes the counts of pairs to a report.
    pub(crate) fn report(&self, report: &mut Report) {
        (report.m2p_pairs, report.p2p_pairs) = (self.m2p_pairs, self.p2p_pairs);
    }
}

impl Add for WalkCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            m2p_pairs: self.m2p_pairs + other.m2p_pairs,
            p2p_pairs: self.p2p_pairs + other.p2p_pairs,
            seconds: [0, 1, 2].map(|i| self.seconds[i] + other.seconds[i]),
        }
    }
}

impl Sum for WalkCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// Buffers that one thread uses for group after group. Cells act in floats of type `F`.
#[derive(Default)]
pub(super) struct Scratch<T, F> {
    /// Accepted cells and opened leaves of the group.
    walk: GroupWalk,
    /// Cells that act on the group on lists.
    listed: Vec<u32>,
    /// Sources that act one by one, as tree positions.
    runs: Vec<Range<usize>>,
    /// Positions and charges of these sources.
    near: [Vec<T>; 4],
    /// Centres of the cells, from the group's middle.
    centers: [Vec<F>; 3],
    /// Charges of cells that act as monopoles.
    charges: Vec<F>,
    /// Receivers, from the group's middle.
    receivers: [Vec<F>; 3],
    /// Sums over cells.
    sums: [Vec<F>; 4],
}

/// Way in which cells and sources of a group are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// On the lists of the FMM.
    Lists,
    /// By a walk of the group.
    Walks,
}

/// Input of the sums of all groups, whatever floats their cells act in.
#[derive(Clone, Copy)]
pub(super) struct Common<'a, 'p, T> {
    pub(super) passes: &'a Passes<'p, T>,
    pub(super) by: Listing,
    /// Magnitudes of the gradient for [`Opening::Relative`](crate::Opening::Relative), in tree order.
    pub(super) gradients: &'a [f64],
    pub(super) seen: Seen<'a, T>,
    pub(super) cells: &'a CellData<T>,
}

/// Points that walks see: those of the process, or those of others, too.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a, T> {
    sources: [&'a [T]; 3],
    charges: &'a [T],
    clumps: &'a Clumps,
    /// Groups of which the process has a part.
    cut_groups: &'a [GroupPart],
}

impl<'a, T: Scalar> Seen<'a, T> {
    /// The points of a geometry, with charges in tree order.
    pub(super) fn all_of(geometry: &'a Geometry<T>, charges: &'a [T]) -> Self {
        let sources = geometry.sources().slices(0..geometry.sources().len());
        Self { sources, charges, clumps: &geometry.clumps, cut_groups: &[] }
    }

    /// Points of several processes.
    pub(super) fn of_others_too(seen: &'a SeenPoints<T>) -> Self {
        let SeenPoints { coordinates, charges, clumps, cut_groups } = seen;
        let sources = coordinates.each_ref().map(Vec::as_slice);
        Self { sources, charges, clumps, cut_groups }
    }

    /// The part of a group that the process has, if others have the rest.
    fn cut_group(&self, segment: &Segment) -> Option<&'a GroupPart> {
        self.cut_groups.iter().find(|part| part.start == segment.receivers.start)
    }
}

/// Walks of all groups.
pub(super) struct GroupSums<'a, 'p, T, F> {
    pub(super) common: Common<'a, 'p, T>,
    pub(super) multipoles: &'a Cells<F>,
    /// Cells nearer than this share of a group's extent are opened: `F` has too few digits for them.
    pub(super) least_share: f64,
    /// Errors to expect of the cells, if a check asks for them and cells tell them.
    pub(super) errors: Option<CellErrors>,
}

impl<'a, 'p, T: Scalar, F: Scalar> GroupSums<'a, 'p, T, F> {
    /// The walks of all groups. Cells nearer than a share of a group's extent are opened; where errors are `foreseen`, a check may ask
    /// for those to expect.
    pub(super) fn new(
        common: Common<'a, 'p, T>,
        multipoles: &'a Cells<F>,
        (least_share, foreseen): (f64, bool),
        seconds: &mut Seconds,
    ) -> Self {
        let errors = seconds.time(Stage::Check, || {
            foreseen.then(|| CellErrors::new(&common.cells.shapes, multipoles)).flatten()
        });
        Self { common, multipoles, least_share, errors }
    }

    /// Adds to the sums of one group, and writes the errors to expect, unless cells do not tell them.
    pub(super) fn group(
        &self,
        segment: &Segment,
        (mut sums, expected): (PointSums<'_, T>, &mut [Expected]),
        scratch: &mut Scratch<T, F>,
    ) -> WalkCounts {
        let (passes, geometry) = (self.common.passes, self.common.passes.geometry);
        let receivers = geometry.receivers().slices(segment.receivers.clone());
        let clock = Instant::now();
        let cut = self.common.seen.cut_group(segment);
        let group = cut.map_or_else(|| bounds(receivers), |part| part.bounds);
        self.list(segment, &group, scratch);
        let listed = clock.elapsed().as_secs_f64();

        let n_cells = self.act(&group, receivers, &mut sums, scratch);
        if let Some(errors) = &self.errors {
            let cells = self.acting(&scratch.walk, &scratch.listed);
            errors.write((&self.common.cells.shapes, cells), &group, receivers, expected);
        }
        let acted = clock.elapsed().as_secs_f64();

        // Leaves are short: their sources are brought together, so that P2P has one long run.
        let [near @ .., charges] = &mut scratch.near;
        let Seen { sources: [x, y, z], charges: q, .. } = self.common.seen;
        let [nx, ny, nz] = near;
        for (to, from) in [(nx, x), (ny, y), (nz, z), (charges, q)] {
            to.clear();
            scratch.runs.iter().for_each(|run| to.extend_from_slice(&from[run.clone()]));
        }
        let [x, y, z, q] = &scratch.near;
        let sources = Sources { coordinates: [x, y, z], charges: &[q] };
        let run = 0..q.len();
        passes.pairs(&sources, &[run], receivers, std::slice::from_mut(&mut sums));
        let n_receivers = segment.receivers.len() as u64;
        let n_sources = q.len();
        WalkCounts {
            m2p_pairs: n_receivers * n_cells as u64,
            p2p_pairs: n_receivers * n_sources as u64,
            seconds: [listed, acted - listed, clock.elapsed().as_secs_f64() - acted],
        }
    }

    /// Lists cells and sources that act on a group.
    fn list(&self, segment: &Segment, group: &Aabb, scratch: &mut Scratch<T, F>) {
        if self.common.by == Listing::Lists {
            let Scratch { listed: cells, runs, .. } = scratch;
            let geometry = self.common.passes.geometry;
            let (tree, lists) = (&geometry.tree, &geometry.lists);
            cells.clear();
            let mut level = Some(segment.leaf);
            while let Some(b) = level {
                cells.extend_from_slice(lists.far().row(b));
                level = tree.parent(b);
            }
            cells.extend_from_slice(lists.m2p().row(segment.leaf));
            self.common.passes.near_runs(segment.leaf, runs);
            return;
        }
        let seen = &self.common.seen;
        let factor = match self.common.gradients.get(segment.receivers.clone()) {
            Some(gradients) if !gradients.is_empty() => {
                let here = || gradients.iter().copied().fold(f64::INFINITY, f64::min);
                reach_factor(seen.cut_group(segment).map_or_else(here, |part| part.gradient))
            }
            _ => 1.0,
        };
        let least2 = least_squared(self.least_share, group.extent());
        let opens = |_, cell: &CellShape| cell.is_opened_for(group, factor, least2);
        let shapes = &self.common.cells.shapes;
        let clumps = seen.clumps.of_leaf(segment.leaf);
        if clumps.clone().next().is_none() {
            scratch.walk.walk(shapes, opens);
        } else {
            // Cells with sources of the clumps are opened, so that the clumps' leaves can be left out.
            let is_clumped =
                |cell: &CellShape| clumps.clone().any(|clump| clump.has_sources_in(cell.sources()));
            scratch.walk.walk(shapes, |b, cell| opens(b, cell) || is_clumped(cell));
        }
        scratch.walk.source_runs(&mut scratch.runs);
        clumps.for_each(|clump| clump.take_from_runs(&mut scratch.runs));
    }

    /// The cells that act on a group.
    fn acting<'c>(&self, walk: &'c GroupWalk, listed: &'c [u32]) -> &'c [u32] {
        match self.common.by {
            Listing::Lists => listed,
            Listing::Walks => walk.cells(),
        }
    }

    /// Adds potential and gradient due to the listed cells, computed in `F` and from the middle of the group.
    /// Returns the number of cells.
    fn act(
        &self,
        group: &Aabb,
        receivers: [&[T]; 3],
        sums: &mut PointSums<'_, T>,
        scratch: &mut Scratch<T, F>,
    ) -> usize {
        let Scratch { walk, listed, centers, charges, receivers: from_middle, sums: parts, .. } =
            scratch;
        let cells = self.acting(walk, listed);
        let middle = [0, 1, 2].map(|axis| 0.5 * (group.min[axis] + group.max[axis]));
        for (axis, middle) in middle.into_iter().enumerate() {
            let shapes = &self.common.cells.shapes;
            let center = |cell: &u32| F::narrow(shapes[*cell as usize].center[axis] - middle);
            centers[axis].clear();
            centers[axis].extend(cells.iter().map(center));
            from_middle[axis].clear();
            from_middle[axis].extend(receivers[axis].iter().map(|x| F::narrow(x.widen() - middle)));
        }
        for (k, part) in parts.iter_mut().enumerate() {
            part.clear();
            let n = if k == 0 || sums.with_gradient() { receivers[0].len() } else { 0 };
            part.resize(n, F::ZERO);
        }
        let [potential, x, y, z] = parts;
        let mut part = PointSums { potential, gradient: [x, y, z] };
        let centers = centers.each_ref().map(Vec::as_slice);
        let from_middle = from_middle.each_ref().map(Vec::as_slice);
        let (passes, accuracy) = (self.common.passes, self.common.passes.accuracy);
        if passes.tables.order() == 1 && self.common.by == Listing::Walks {
            charges.clear();
            let charge = |cell: &u32| F::narrow(self.common.cells.charges[*cell as usize]);
            charges.extend(cells.iter().map(charge));
            let sources = Sources { coordinates: centers, charges: &[charges] };
            let softening = F::narrow(passes.softening.widen());
            let part = std::slice::from_mut(&mut part);
            let run = 0..charges.len();
            p2p(&sources, &[run], from_middle, softening, accuracy, part);
        } else {
            m2p_cells(self.multipoles, cells, centers, from_middle, accuracy, &mut part);
        }
        let [x, y, z] = &mut sums.gradient;
        let sums = [&mut *sums.potential, x, y, z];
        for (sums, part) in sums.into_iter().zip(&*parts) {
            for (sum, part) in sums.iter_mut().zip(part) {
                *sum += T::narrow(part.widen());
            }
        }
        cells.len()
    }
}

/// The factor of cells' reach for a group whose smallest magnitude of the earlier gradient this is.
pub(crate) fn reach_factor(gradient: f64) -> f64 {
    gradient.sqrt().recip()
}

/// The squared distance below which cells are opened for a group of an extent, a share of which it is.
pub(crate) fn least_squared(share: f64, extent: f64) -> f64 {
    (share * extent).powi(2)
}

/// The bounding box of a group.
pub(crate) fn bounds<T: Scalar>(receivers: [&[T]; 3]) -> Aabb {
    let extreme = |pick: fn(T, T) -> T| {
        receivers.map(|c| c.iter().copied().reduce(pick).map_or(0.0, T::widen))
    };
    Aabb { min: extreme(T::min), max: extreme(T::max) }
}
