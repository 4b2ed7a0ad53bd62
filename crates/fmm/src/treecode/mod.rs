//! The treecode: for each group of receivers, a list of cells that act as a whole and of sources
//! that act one by one.

mod cells;
mod model;
mod opening;
mod tables;

use std::ops::Range;
use std::time::Instant;

use expansions::operators::{PointSums, Sources, m2p_cells};
use octree::Aabb;
use octree::walk::Interactions;
use rayon::prelude::*;

use crate::passes::Passes;
use crate::stopwatch::{Seconds, Stage};
use crate::tasks::{Segment, Sums, split_sums};
use crate::workspace::Workspace;
use crate::{Outputs, Scalar};

pub(crate) use cells::CellData;
use cells::Tables;
pub(crate) use model::{ErrorModel, default_opening};
pub use opening::Opening;

/// What a walk counted, and the seconds its threads spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WalkCounts {
    /// Pairs of cell and receiver.
    pub(crate) m2p_pairs: u64,
    /// Pairs of source and receiver.
    pub(crate) p2p_pairs: u64,
    /// Listing, M2P, P2P.
    seconds: [f64; 3],
}

impl WalkCounts {
    fn and(self, other: Self) -> Self {
        Self {
            m2p_pairs: self.m2p_pairs + other.m2p_pairs,
            p2p_pairs: self.p2p_pairs + other.p2p_pairs,
            seconds: [0, 1, 2].map(|i| self.seconds[i] + other.seconds[i]),
        }
    }
}

/// Buffers that one thread uses for group after group.
#[derive(Default)]
struct Scratch<T> {
    interactions: Interactions,
    cells: Vec<u32>,
    runs: Vec<Range<usize>>,
    /// Centres and charges of cells that act as monopoles.
    monopoles: [Vec<T>; 4],
}

/// θ of the evaluation that goes before one by [`Opening::Relative`].
const FIRST_THETA: f64 = 0.7;

impl<T: Scalar> Passes<'_, T> {
    /// Sums by the treecode, in tree order, from charges in tree order.
    pub(crate) fn run_treecode(
        &self,
        opening: Opening,
        least: f64,
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> WalkCounts {
        let mut counts = WalkCounts::default();
        for k in 0..self.n_vectors {
            let gradients = match opening {
                Opening::Relative { .. } => self.gradients(k, least, workspace, seconds),
                _ => Vec::new(),
            };
            let walked = self.walk_vector(k, opening, least, &gradients, workspace, seconds);
            counts = counts.and(walked);
            if let (Opening::Relative { .. }, Outputs::PotentialAndGradient) =
                (opening, self.outputs)
            {
                let magnitudes = magnitudes(&workspace.sums[k]);
                let unit = self.hierarchy.unit.gradient(workspace.charge_units[k]);
                let rank = &self.hierarchy.receiver_rank;
                workspace.previous[k] =
                    rank.iter().map(|at| magnitudes[*at as usize] * unit).collect();
            }
        }
        counts
    }

    /// |∇Φ| at each receiver in tree order: from the evaluation before, or from a coarse one.
    fn gradients(
        &self,
        k: usize,
        least: f64,
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> Vec<f64> {
        let order = self.hierarchy.tree.receiver_order();
        if workspace.previous[k].len() == order.len() {
            let unit = self.hierarchy.unit.gradient(workspace.charge_units[k]);
            let previous = &workspace.previous[k];
            return order.iter().map(|index| previous[*index as usize] / unit).collect();
        }
        let first = Opening::BarnesHut { theta: FIRST_THETA };
        let with_gradient = Passes { outputs: Outputs::PotentialAndGradient, ..*self };
        with_gradient.walk_vector(k, first, least, &[], workspace, seconds);
        magnitudes(&workspace.sums[k])
    }

    /// The k-th vector's sums.
    fn walk_vector(
        &self,
        k: usize,
        opening: Opening,
        least: f64,
        gradients: &[f64],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> WalkCounts {
        let Workspace { charges, multipoles, cells, sums, .. } = workspace;
        let (hierarchy, charges) = (self.hierarchy, charges[k].as_slice());
        let operators = self.operators;
        let tables = Tables { harmonics: &operators.harmonics, gradient: &operators.gradient };
        if opening == Opening::Neighbours {
            let one = Passes { n_vectors: 1, ..*self };
            one.upward(std::slice::from_ref(&charges), multipoles, seconds);
            let row_length = one.row_length();
            seconds.time(Stage::M2m, || cells.take(hierarchy, multipoles, row_length, &tables));
        } else {
            seconds.time(Stage::P2m, || {
                cells.update(hierarchy, charges, opening, least, &tables);
            });
        }
        let sums = &mut sums[k..=k];
        self.reset(sums, seconds);
        let start = Instant::now();
        let tasks = &hierarchy.tasks;
        let parts = split_sums(sums, tasks);
        let walk = Walk { passes: self, opening, gradients, charges, cells };
        let counts = tasks
            .par_iter()
            .zip(parts)
            .map_init(Scratch::default, |scratch, (task, mut sums)| {
                let of_segment = |counts: WalkCounts, segment: &Segment| {
                    let sums = sums.iter_mut().map(|sums| sums.part(task.part(segment)));
                    sums.fold(counts, |counts, sums| counts.and(walk.group(segment, sums, scratch)))
                };
                task.segments.iter().fold(WalkCounts::default(), of_segment)
            })
            .reduce(WalkCounts::default, WalkCounts::and);

        // The threads' seconds overlap: the stages get their shares of the wall clock's.
        let wall = start.elapsed().as_secs_f64();
        let total = counts.seconds.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        for (stage, spent) in [Stage::Walk, Stage::M2p, Stage::P2p].into_iter().zip(counts.seconds)
        {
            seconds.add(stage, wall * spent / total);
        }
        counts
    }
}

/// |∇Φ| of each receiver.
fn magnitudes<T: Scalar>(sums: &Sums<T>) -> Vec<f64> {
    let [x, y, z] = &sums.gradient;
    let magnitude = |((x, y), z): ((&T, &T), &T)| x.widen().hypot(y.widen()).hypot(z.widen());
    x.iter().zip(y).zip(z).map(magnitude).collect()
}

/// A walk of all receivers.
struct Walk<'a, 'p, T> {
    passes: &'a Passes<'p, T>,
    opening: Opening,
    /// For [`Opening::Relative`], in tree order.
    gradients: &'a [f64],
    charges: &'a [T],
    cells: &'a CellData<T>,
}

impl<T: Scalar> Walk<'_, '_, T> {
    /// Adds to the sums of one group.
    fn group(
        &self,
        segment: &Segment,
        mut sums: PointSums<'_, T>,
        scratch: &mut Scratch<T>,
    ) -> WalkCounts {
        let (passes, hierarchy) = (self.passes, self.passes.hierarchy);
        let receivers = hierarchy.receivers().slices(segment.receivers.clone());
        let sources = hierarchy.sources();
        let coordinates = sources.slices(0..sources.len());

        let clock = Instant::now();
        self.list(segment, receivers, scratch);
        let listed = clock.elapsed().as_secs_f64();

        let order = passes.operators.order();
        if order == 1 && self.opening != Opening::Neighbours {
            let [x, y, z, q] = &scratch.monopoles;
            let sources = Sources { coordinates: [x, y, z], charges: &[q] };
            let run = 0..q.len();
            passes.pairs(&sources, &[run], receivers, std::slice::from_mut(&mut sums));
        } else {
            m2p_cells(&self.cells.multipoles, &scratch.cells, receivers, &mut sums);
        }
        let translated = clock.elapsed().as_secs_f64();

        let sources = Sources { coordinates, charges: &[self.charges] };
        passes.pairs(&sources, &scratch.runs, receivers, std::slice::from_mut(&mut sums));
        let n_receivers = segment.receivers.len() as u64;
        let n_sources: usize = scratch.runs.iter().map(ExactSizeIterator::len).sum();
        WalkCounts {
            m2p_pairs: n_receivers * scratch.cells.len() as u64,
            p2p_pairs: n_receivers * n_sources as u64,
            seconds: [listed, translated - listed, clock.elapsed().as_secs_f64() - translated],
        }
    }

    /// Lists what acts on a group.
    fn list(&self, segment: &Segment, receivers: [&[T]; 3], scratch: &mut Scratch<T>) {
        let Scratch { interactions, cells, runs, monopoles } = scratch;
        let hierarchy = self.passes.hierarchy;
        let (tree, lists) = (&hierarchy.tree, &hierarchy.lists);
        cells.clear();
        if self.opening == Opening::Neighbours {
            let mut level = Some(segment.leaf);
            while let Some(b) = level {
                cells.extend_from_slice(lists.far.row(b));
                level = tree.parent(b);
            }
            cells.extend_from_slice(lists.m2p.row(segment.leaf));
            self.passes.near_runs(segment.leaf, runs);
            return;
        }
        let group = bounds(receivers);
        let factor = match self.gradients.get(segment.receivers.clone()) {
            Some(gradients) if !gradients.is_empty() => {
                gradients.iter().copied().fold(f64::INFINITY, f64::min).sqrt().recip()
            }
            _ => 1.0,
        };
        let shapes = &self.cells.shapes;
        interactions.gather(tree, &group, &|group: &Aabb, cell: usize| {
            shapes[cell].is_opened_for(group, factor)
        });
        cells.extend_from_slice(interactions.cells());
        runs.clear();
        runs.extend(
            interactions.particles().iter().map(|run| run.start as usize..run.end as usize),
        );
        if self.passes.operators.order() == 1 {
            let CellData { centers: [x, y, z], charges, .. } = self.cells;
            for (to, from) in monopoles.iter_mut().zip([x, y, z, charges]) {
                to.clear();
                to.extend(cells.iter().map(|cell| from[*cell as usize]));
            }
        }
    }
}

/// The bounding box of a group.
fn bounds<T: Scalar>(receivers: [&[T]; 3]) -> Aabb {
    let extreme = |pick: fn(T, T) -> T| {
        receivers.map(|c| c.iter().copied().reduce(pick).map_or(0.0, T::widen))
    };
    Aabb { min: extreme(T::min), max: extreme(T::max) }
}
