//! Walks: criterion and order of the treecode for a tolerance.

#[cfg(feature = "gpu")]
use octree::Cube;
use octree::walk::Criterion;
use octree::{Depth, ListOptions};

use super::abilities::Treecodes;
use super::errors::WalkErrors;
use super::{Chooser, PointStatistics, TreeShape, TreeStatistics, Unexpanded, Walk};
use crate::api::{Error, Precision, Tolerance, Treecode};
use crate::engine::{ChargeKind, PointCounts};

/// Opening angles that are tried: multiples of this up to 1. Costs change by a tenth from one to the next.
const ANGLE_STEP: f64 = 0.05;

/// The smallest of them, in steps: below, a walk opens nearly everything.
const FIRST_ANGLE: u32 = 2;

/// The opening angle of walks whose order is set by hand, as in Nakasato's tables.
const THETA_OF_ORDERS: f64 = 0.6;

/// Cells that act on a receiver, some 250, whose errors average: together they have a 16th of a single one's.
#[cfg(feature = "gpu")]
const AVERAGED_CELLS: f64 = 16.0;

/// Whether cells of a walk on a device, about rounded centres of charge, have dipoles that count beside an error: charges of both
/// signs have, and masses in a cube of so many levels that is far from the origin.
#[cfg(feature = "gpu")]
pub(crate) fn cells_have_dipoles(
    kind: ChargeKind,
    precision: Precision,
    error: f64,
    (cube, n_levels): (&Cube, usize),
) -> bool {
    let largest = cube.corner().iter().fold(0.0, |a: f64, c| a.max(c.abs()));
    let smallest_side = cube.side() * 0.5f64.powi(n_levels as i32);
    let rounding = largest * precision.unit_roundoff();
    kind == ChargeKind::Unlike || rounding > AVERAGED_CELLS * error * smallest_side
}

impl Chooser {
    /// The walk of least cost for a tolerance, by the criterion asked for or by the best angle.
    pub(super) fn walk(
        &self,
        asked: Option<Criterion>,
        tolerance: Tolerance,
        kind: ChargeKind,
        counts: PointCounts,
        unexpanded: Unexpanded,
    ) -> Result<Walk, Error> {
        let orders = match self.abilities.treecodes {
            Treecodes::None => return Err(Error::TreecodeOnHybrid),
            Treecodes::OnLists => return Err(Error::WalkOverGpus),
            Treecodes::Walks(orders) => orders,
        };
        let limit = match tolerance {
            Tolerance::L2(limit) => limit,
            Tolerance::Guaranteed(_) => return Err(Error::NoGuarantee),
            Tolerance::Order(order) => {
                orders.check(order)?;
                let criterion = asked.unwrap_or(Criterion::Nakasato { theta: THETA_OF_ORDERS });
                return Ok(self.with_limits(criterion, order, 0.0));
            }
        };
        let angles = FIRST_ANGLE..=(1.0 / ANGLE_STEP).round() as u32;
        let angles = angles.rev().map(|k| Criterion::Nakasato { theta: ANGLE_STEP * f64::from(k) });
        let criteria: Vec<Criterion> = match asked {
            Some(criterion) => vec![criterion],
            None => angles.collect(),
        };
        let mut best: Option<(f64, Walk)> = None;
        for criterion in criteria {
            let errors = self.walk_errors(criterion, counts.n_sources);
            let Some(order) = orders.smallest(|order| errors.keeps(limit, order, kind)) else {
                continue;
            };
            let mut walk = self.with_limits(criterion, order, limit);
            walk.asked = asked.is_some();
            if !walk.asked {
                walk.fewest_sources = self.costs.fewest_sources(walk, self.pair_accuracy());
            }
            let seconds = self.walk_seconds(walk, counts, unexpanded);
            if best.is_none_or(|(least, _)| seconds < least) {
                best = Some((seconds, walk));
            }
        }
        let refusal = match asked.map(Criterion::parameter) {
            Some(parameter) => Error::OpeningTooWide { tolerance: limit, parameter },
            None => Error::WalksOutOfReach { tolerance: limit },
        };
        best.map(|(_, walk)| walk).ok_or(refusal)
    }

    /// Seconds of a walk, without sorting.
    pub(super) fn walk_seconds(
        &self,
        walk: Walk,
        counts: PointCounts,
        unexpanded: Unexpanded,
    ) -> f64 {
        let [n_sources, n_receivers] = [counts.n_sources, counts.n_receivers].map(|n| n as f64);
        let accuracy = self.pair_accuracy();
        // Monopoles are softened.
        let near = if walk.order == 1 { 0.0 } else { unexpanded.by_walks };
        self.costs.walk(walk, accuracy, n_sources, n_receivers)
            + near * n_receivers * self.costs.one_way(accuracy)
    }

    /// Seconds of a source and of a receiver in a walk, on a tree that stands.
    pub(crate) fn walk_work(&self, walk: Walk, tree: &TreeStatistics) -> [f64; 2] {
        let seconds = |n_receivers| {
            let counts = PointCounts { n_receivers, ..tree.counts };
            self.walk_seconds(walk, counts, tree.scheme.shape.unexpanded)
        };
        let of_sources = seconds(0);
        [of_sources / tree.counts.n_sources.max(1) as f64, seconds(1) - of_sources]
    }

    fn with_limits(&self, criterion: Criterion, order: usize, rounding: f64) -> Walk {
        // Monopoles are softened; other cells act where softening does not matter.
        let unsoftened_from = if order == 1 { 0.0 } else { self.unsoftened_distance() };
        let is_double = self.abilities.precision == Precision::F64;
        let f32_cells = is_double && rounding >= self.costs.walk.f32_cells_from;
        let fewest_sources = Walk::FEWEST_SOURCES;
        Walk {
            criterion,
            order,
            unsoftened_from,
            rounding,
            f32_cells,
            fewest_sources,
            asked: false,
        }
    }

    /// Errors of walks by a criterion.
    pub(super) fn walk_errors(&self, criterion: Criterion, n_sources: usize) -> WalkErrors {
        WalkErrors::new(criterion, self.request.walks_by_hand(), n_sources)
    }

    /// The tree of walks.
    pub(super) fn walk_shape(&self, points: &PointStatistics<'_>) -> TreeShape {
        let leaf_capacity = self.costs.walk.leaf_capacity;
        let group = self.request.treecode().and_then(Treecode::asked_group_capacity);
        let group = group.unwrap_or(self.costs.walk.group_capacity);
        TreeShape {
            depth: self.request.depth.unwrap_or(Depth::Adaptive { leaf_capacity }),
            enlarged: 1.0,
            list_options: ListOptions::default(),
            far_chunk: 1,
            wave_slab: 1,
            group_capacity: Some(group.min(self.abilities.largest_group)),
            unexpanded: self.unexpanded(points),
        }
    }
}
