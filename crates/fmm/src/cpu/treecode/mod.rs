//! The treecode: for each group of receivers, a list of cells that act as a whole and of sources
//! that act one by one.

mod cells;
mod cost;
mod groups;
mod model;
mod opening;
mod tables;
mod walk;

use std::ops::Add;
use std::time::Instant;

use rayon::prelude::*;

use crate::passes::Passes;
use crate::stopwatch::{Seconds, Stage};
use crate::tasks::{Segment, Sums, split_sums};
use crate::workspace::Workspace;
use crate::{Outputs, Scalar};

pub(crate) use cells::CellData;
use cells::Tables;
pub(crate) use groups::walk_tasks;
pub(crate) use model::{ErrorModel, default_opening};
pub use opening::Opening;
pub(crate) use walk::WalkCounts;
use walk::{Common, Scratch, Walk};

/// How to walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkRules {
    pub(crate) opening: Opening,
    /// Cells nearer than this, in the plan's unit, are opened.
    pub(crate) least: f64,
    /// The error that cells may have, 0 for as little as can be.
    pub(crate) tolerance: f64,
}

/// θ of the evaluation that goes before one by [`Opening::Relative`].
pub(crate) const FIRST_THETA: f64 = 0.7;

/// The smallest tolerance for which cells act in f32.
const SHORT: f64 = 1e-5;

/// Over the tolerance, the share of a group's extent that a cell has to be away to act in f32: rounding, by
/// about 2⁻²² of the extent, then takes a twentieth of the tolerance.
const SHORT_SHARE: f64 = 5e-6;

impl<T: Scalar> Passes<'_, T> {
    /// Sums by the treecode, in tree order, from charges in tree order. `previous` has the gradients of the
    /// evaluation before, in the caller's order and units, for [`Opening::Relative`].
    pub(crate) fn run_treecode(
        &self,
        rules: &WalkRules,
        previous: &[&[[T; 3]]],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> WalkCounts {
        let walk = |(k, previous): (usize, &&[[T; 3]])| {
            let gradients = match rules.opening {
                Opening::Relative { .. } => self.gradients(k, rules, previous, workspace, seconds),
                _ => Vec::new(),
            };
            self.walk_vector(k, rules, &gradients, workspace, seconds)
        };
        previous.iter().enumerate().map(walk).fold(WalkCounts::default(), Add::add)
    }

    /// |∇Φ| at each receiver in tree order: from the evaluation before, or from a coarse one.
    fn gradients(
        &self,
        k: usize,
        rules: &WalkRules,
        previous: &[[T; 3]],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> Vec<f64> {
        let order = self.hierarchy.tree.receiver_permutation();
        if previous.len() == order.len() {
            let unit = self.hierarchy.unit.gradient(workspace.charge_units[k]);
            return order.iter().map(|i| magnitude(previous[*i as usize]) / unit).collect();
        }
        let first = WalkRules { opening: Opening::BarnesHut { theta: FIRST_THETA }, ..*rules };
        let with_gradient = Passes { outputs: Outputs::PotentialAndGradient, ..*self };
        with_gradient.walk_vector(k, &first, &[], workspace, seconds);
        let [x, y, z] = &workspace.sums[k].gradient;
        x.iter().zip(y).zip(z).map(|((x, y), z)| magnitude([*x, *y, *z])).collect()
    }

    /// The k-th vector's sums.
    fn walk_vector(
        &self,
        k: usize,
        rules: &WalkRules,
        gradients: &[f64],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> WalkCounts {
        let Workspace { charges, multipoles, cells, sums, .. } = workspace;
        let (hierarchy, charges) = (self.hierarchy, charges[k].as_slice());
        let operators = self.operators;
        let tables = Tables { harmonics: &operators.harmonics, gradient: &operators.gradient };
        let WalkRules { opening, least, tolerance } = *rules;
        let sums = &mut sums[k..=k];
        self.reset(sums, seconds);
        let walks = opening != Opening::Neighbours;
        let short = walks && T::BITS > <f32 as lanes::Real>::BITS && tolerance >= SHORT;
        if walks {
            seconds.time(Stage::P2m, || {
                cells.update(hierarchy, charges, opening, least);
                if operators.order() > 1 {
                    cells.expand(hierarchy, charges, short, &tables);
                }
            });
        } else {
            self.upward(charges, multipoles, seconds);
            let row_length = self.row_length();
            seconds.time(Stage::M2m, || cells.take(hierarchy, multipoles, row_length, &tables));
        }
        let common = Common { passes: self, opening, gradients, charges, cells };
        if short {
            let least_share = SHORT_SHARE / tolerance;
            Walk { common, multipoles: &cells.short, least_share }.run(sums, seconds)
        } else {
            Walk { common, multipoles: &cells.multipoles, least_share: 0.0 }.run(sums, seconds)
        }
    }
}

impl<T: Scalar, F: Scalar> Walk<'_, '_, T, F> {
    /// Adds to the sums of all groups.
    fn run(&self, sums: &mut [Sums<T>], seconds: &mut Seconds) -> WalkCounts {
        let start = Instant::now();
        let tasks = &self.common.passes.hierarchy.tasks;
        let parts = split_sums(sums, tasks);
        let counts = tasks
            .par_iter()
            .zip(parts)
            .map_init(Scratch::default, |scratch, (task, mut sums)| {
                let of_segment = |counts: WalkCounts, segment: &Segment| {
                    let sums = sums.iter_mut().map(|sums| sums.part(task.part(segment)));
                    sums.fold(counts, |counts, sums| counts + self.group(segment, sums, scratch))
                };
                task.segments.iter().fold(WalkCounts::default(), of_segment)
            })
            .reduce(WalkCounts::default, Add::add);

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

fn magnitude<T: Scalar>([x, y, z]: [T; 3]) -> f64 {
    x.widen().hypot(y.widen()).hypot(z.widen())
}
