//! The treecode: for each group of receivers, a list of cells that act as a whole and of sources
//! that act one by one.

mod group_sums;

use std::time::Instant;

use expansions::operators::PointSums;
use parallel::Scratches;

use super::buffers::Buffers;
use super::cells::CellTables;
use super::geometry::receivers::{ReceiverTask, Segment, Sums};
use super::passes::Passes;
use super::peers::walks::OwnWalks;
use crate::api::{Error, Outputs, Seconds, Stage};
use crate::choose::Walk;
use crate::cpu::expected::Expected;
use crate::engine::Scalar;
use group_sums::{Common, GroupSums, Listing, Scratch, Seen};
pub(crate) use group_sums::{WalkCounts, bounds, least_squared, reach_factor};

/// Over the tolerance, the share of a group's extent that a cell has to be away to act in f32: rounding, by
/// about 2⁻²² of the extent, then takes a twentieth of the tolerance: 20 · 2⁻²² = 4.8e-6, see "Cells in f32" of
/// docs/theory/formulas.md.
const F32_SHARE: f64 = 5e-6;

/// Order up to which sums by lists, or by the tables' own criterion, are checked without errors to expect: tables know
/// these errors, and to foresee them would take a tenth of the sums of so low orders. But where charges may hide errors, those of cells
/// may be one receiver's.
const CALIBRATED: usize = 6;

impl<T: Scalar> Passes<'_, T> {
    /// Sums by the treecode on the FMM's lists, in tree order, from charges in tree order. Fails where multipoles of other
    /// processes do not come.
    pub(super) fn run_treecode_on_lists(
        &self,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<WalkCounts, Error> {
        (0..self.n_vectors).map(|k| self.lists_vector(k, buffers, seconds)).sum()
    }

    /// Sums by the treecode's walks, in tree order, from charges in tree order. `earlier` is an earlier gradient in the
    /// caller's order and units, for [`Opening::Relative`](crate::Opening::Relative). Fails where cells of other processes do
    /// not come.
    pub(super) fn run_walks(
        &self,
        walk: &Walk,
        earlier: Option<&[[T; 3]]>,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<WalkCounts, Error> {
        let sum_vector = |k: usize| {
            let gradients = match walk.first() {
                Some(first) => self.gradients(k, &first, earlier, buffers, seconds)?,
                None => Vec::new(),
            };
            self.walk_vector(k, walk, &gradients, buffers, seconds)
        };
        (0..self.n_vectors).map(sum_vector).sum()
    }

    /// |∇Φ| at each receiver in tree order: of the earlier gradient, or by a coarse walk.
    fn gradients(
        &self,
        k: usize,
        first: &Walk,
        earlier: Option<&[[T; 3]]>,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<Vec<f64>, Error> {
        if let Some(earlier) = earlier {
            let unit = self.geometry.unit.gradient(buffers.charge_units[k]);
            let permutation = self.geometry.tree.receiver_permutation();
            let of_place = |i: &u32| magnitude(earlier[*i as usize]) / unit;
            return Ok(permutation.iter().map(of_place).collect());
        }
        let with_gradient =
            Passes { outputs: Outputs::PotentialAndGradient, checked: false, ..*self };
        with_gradient.walk_vector(k, first, &[], buffers, seconds)?;
        let [x, y, z] = &buffers.sums[k].gradient;
        Ok(x.iter().zip(y).zip(z).map(|((x, y), z)| magnitude([*x, *y, *z])).collect())
    }

    /// Sums of the k-th vector on lists: multipoles of boxes, as cells about the boxes' centres.
    fn lists_vector(
        &self,
        k: usize,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<WalkCounts, Error> {
        let Buffers { charges, multipoles, cells, sums, .. } = buffers;
        let (geometry, charges) = (self.geometry, charges[k].as_slice());
        let (tables, order) = (self.cell_tables(), self.tables.order());
        self.reset(&mut sums[k..=k], seconds);
        self.upward(charges, multipoles, seconds);
        if let Some(peers) = self.peers {
            seconds.time(Stage::Exchange, || {
                peers.start(multipoles, order)?.finish(multipoles, order)
            })?;
        }
        let row_length = self.row_length();
        seconds.time(Stage::M2m, || cells.take(geometry, multipoles, row_length, &tables));
        let seen = Seen::all_of(geometry, charges);
        let common = Common { passes: self, by: Listing::Lists, gradients: &[], seen, cells };
        let foreseen = self.foresees(false);
        let groups = GroupSums::new(common, &cells.multipoles, (0.0, foreseen), seconds);
        Ok(groups.run(&mut sums[k], seconds))
    }

    /// Sums of the k-th vector by walks.
    fn walk_vector(
        &self,
        k: usize,
        walk: &Walk,
        gradients: &[f64],
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<WalkCounts, Error> {
        let Buffers { charges, cells, sums, seen, .. } = buffers;
        let (geometry, charges) = (self.geometry, charges[k].as_slice());
        let (tables, order) = (self.cell_tables(), self.tables.order());
        let Walk { rounding, f32_cells, .. } = *walk;
        let least = geometry.unit.shrink(walk.unsoftened_from);
        self.reset(&mut sums[k..=k], seconds);
        let sums = &mut sums[k];
        let least_share = if f32_cells { F32_SHARE / rounding } else { 0.0 };
        let seen = match self.walk_peers {
            Some(peers) => {
                let own =
                    OwnWalks { geometry, tables, walk, least, least_share, gradients, charges };
                peers.make_cells(&own, cells, seen, seconds)?;
                Seen::of_others_too(seen)
            }
            None => {
                seconds.time(Stage::P2m, || {
                    cells.update(geometry, charges, walk, least);
                    if order > 1 {
                        cells.expand(walk, geometry, charges, &tables, geometry.tree.n_boxes());
                    }
                });
                Seen::all_of(geometry, charges)
            }
        };
        // Monopoles alone have no multipoles.
        let foreseen = order > 1 && self.foresees(walk.asked);
        let common = Common { passes: self, by: Listing::Walks, gradients, seen, cells };
        let checks = (least_share, foreseen);
        Ok(match f32_cells {
            true => GroupSums::new(common, &cells.short, checks, seconds).run(sums, seconds),
            false => GroupSums::new(common, &cells.multipoles, checks, seconds).run(sums, seconds),
        })
    }

    /// Whether a check needs errors to expect of cells, by a criterion that was asked for or by the tables' own.
    fn foresees(&self, asked: bool) -> bool {
        let by_tables = !asked && !self.may_hide_errors;
        self.checked && !(by_tables && self.tables.order() <= CALIBRATED)
    }

    fn cell_tables(&self) -> CellTables<'_, T> {
        CellTables { harmonics: &self.tables.harmonics, gradient: self.tables.gradient() }
    }
}

impl<T: Scalar, F: Scalar> GroupSums<'_, '_, T, F> {
    /// Adds to the sums of all groups.
    fn run(&self, sums: &mut Sums<T>, seconds: &mut Seconds) -> WalkCounts {
        let start = Instant::now();
        let tasks = &self.common.passes.geometry.tasks;
        let parts = sums.split_with_expected(tasks, self.errors.is_some());
        let scratches = Scratches::default();
        let of_task = |_, (task, part): (&ReceiverTask, (PointSums<'_, T>, &mut [Expected]))| {
            let (mut sums, expected) = part;
            scratches.with(Scratch::default, |scratch| {
                let of_segment = |counts: WalkCounts, segment: &Segment| {
                    let part = task.part(segment);
                    let expected = expected.get_mut(part.clone()).unwrap_or_default();
                    counts + self.group(segment, (sums.part(part), expected), scratch)
                };
                task.segments.iter().fold(WalkCounts::default(), of_segment)
            })
        };
        let counts = parallel::map_parts(tasks.iter().zip(parts), of_task);
        let counts: WalkCounts = counts.into_iter().sum();

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
