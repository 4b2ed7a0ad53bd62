//! The treecode on a device: θ and order for a tolerance, and the launches.

use expansions::order::Signs;
use kernels_gpu::device::{Vec4, ViewMut};
use kernels_gpu::machine::Machine;
use kernels_gpu::tree::Tree;
use kernels_gpu::walk::groups::GROUP;
use kernels_gpu::walk::{self, WalkArrays, WalkError, WalkOptions};
use octree::{Depth, ListOptions};

use super::Number;
use super::laps::Laps;
use super::pipeline::{Pipeline, Shape};
use crate::stopwatch::{Seconds, Stage};
use crate::treecode::{ErrorModel, FIRST_THETA};
use crate::{Error, Opening, Tolerance, tuning};

/// Orders p of the kernels: monopoles, quadrupoles, octupoles and hexadecapoles.
const ORDERS: [usize; 4] = [1, 3, 4, 5];

/// Points in a leaf of a walked tree, at most.
const LEAF: usize = 16;

/// A criterion and an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) opening: Opening,
    pub(super) order: usize,
    /// The error to expect.
    pub(super) error: f64,
}

impl Rule {
    /// The rule of least cost for what was asked.
    pub(super) fn new(
        tolerance: Tolerance,
        asked: Option<Opening>,
        by_hand: bool,
        signs: Signs,
    ) -> Result<Self, Error> {
        if let Some(parameter) = asked.and_then(Opening::parameter)
            && !(parameter > 0.0 && parameter.is_finite())
        {
            return Err(Error::Opening { parameter });
        }
        let limit = match tolerance {
            Tolerance::L2(limit) => limit,
            Tolerance::Order(order) if ORDERS.contains(&order) => {
                let opening = asked.unwrap_or(Opening::Nakasato { theta: 0.6 });
                let model = ErrorModel::new(opening, by_hand);
                let error = model.map_or(0.0, |model| model.expected(order, signs));
                return Ok(Self { opening, order, error });
            }
            Tolerance::Order(_) => {
                return Err(Error::NotOnGpu {
                    what: "treecodes of this order",
                    cure: "choose order 1, 3, 4 or 5, or Device::Cpu",
                });
            }
            Tolerance::Guaranteed(_) => return Err(Error::NoGuarantee),
        };
        let angles = (2..=20).map(|k| Opening::Nakasato { theta: 0.05 * f64::from(k) });
        let openings: Vec<Opening> = match asked {
            Some(opening) => vec![opening],
            None => angles.collect(),
        };
        let mut best: Option<(f64, Self)> = None;
        for opening in openings {
            let Some(model) = ErrorModel::new(opening, by_hand) else { continue };
            for order in ORDERS {
                let cost = cost(opening, order);
                let error = model.expected(order, signs);
                if 2.0 * error <= limit && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, Self { opening, order, error }));
                }
            }
        }
        let parameter = asked.and_then(Opening::parameter).unwrap_or(0.1);
        match best {
            Some((_, rule)) => Ok(rule),
            None => Err(Error::OpeningTooWide { tolerance: limit, parameter }),
        }
    }

    /// The walk whose gradient stands in for that of an evaluation before, where one is needed.
    pub(super) fn first(self) -> Option<Self> {
        let opening = Opening::BarnesHut { theta: FIRST_THETA };
        matches!(self.opening, Opening::Relative { .. }).then_some(Self { opening, ..self })
    }

    fn options(&self, softening: f64, least: f64, mixed: bool) -> Result<WalkOptions, Error> {
        let opening = match self.opening {
            Opening::BarnesHut { theta } => walk::Opening::BarnesHut { theta },
            Opening::Nakasato { theta } => walk::Opening::Nakasato { theta },
            Opening::Relative { alpha } => walk::Opening::Relative { alpha },
            Opening::Neighbours => return Err(Error::NoGuarantee),
        };
        let order = self.order;
        let few = [1, 2, 3, 5][order.saturating_sub(2).min(3)];
        Ok(WalkOptions { opening, order, few, mixed, softening, least })
    }
}

/// Operations of a receiver: cells grow as θ⁻³, a cell of order p costs that many pairs.
fn cost(opening: Opening, order: usize) -> f64 {
    let theta = opening.parameter().unwrap_or(1.0);
    let cell = match order {
        1 => 1.0,
        3 => 2.4,
        4 => 4.4,
        _ => 7.5,
    };
    theta.powi(-3) * (cell + 0.3)
}

/// The tree of walks.
pub(super) fn shape(depth: Option<Depth>, group_capacity: Option<usize>) -> Shape {
    Shape {
        depth: depth.unwrap_or(Depth::Adaptive { leaf_capacity: LEAF }),
        enlarged: 1.0,
        list_options: ListOptions::default(),
        locals: false,
        walk_group: Some(group_capacity.unwrap_or(GROUP as usize)),
    }
}

/// Cells nearer than this are opened, since multipoles are not softened.
pub(super) fn least_distance(rule: Rule, softening: f64, tolerance: f64) -> f64 {
    if rule.order == 1 { 0.0 } else { tuning::unsoftened_distance(softening, tolerance) }
}

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Writes the field by walks of a tree that was built to be walked; cells nearer than `least` are opened. A criterion
    /// that is relative to an earlier gradient finds that in `field`. Returns the seconds of each stage, and the pairs of
    /// receivers with cells and with sources.
    pub(super) fn evaluate_by_walks(
        &mut self,
        rule: Rule,
        softening: f64,
        least: f64,
        signs: Signs,
        field: ViewMut<Vec4<T>>,
    ) -> Result<(Seconds, [u64; 2]), Error> {
        let mut seconds = Seconds::default();
        let machine = self.machine.clone();
        let mut laps = Laps::start(&machine)?;
        let n_receivers = self.tree.n_receivers();
        self.sums.reserve(&machine, n_receivers)?;
        self.counts.upload(&machine, &[0, 0])?;
        let mixed = signs == Signs::Mixed || rounds_centres::<M, T>(&self.tree, rule.error);
        let options = rule.options(self.unit.shrink(softening), self.unit.shrink(least), mixed)?;
        let sources = self.sorted_sources();
        let arrays = WalkArrays {
            sources,
            receivers: self.sorted_receivers(),
            before: field.read_only(),
            before_factor: T::from_f64(self.unit.gradient(self.charge_unit).recip()),
            field: self.sums.view_mut(n_receivers),
            counts: self.counts.view_mut(2),
        };
        let (treecode, tree, unit) = (&mut self.treecode, &self.tree, self.unit.shrink(1.0));
        treecode.expand(&machine, tree, unit, sources, options).map_err(refusal)?;
        laps.end(Stage::P2m)?;
        treecode.walk(&machine, tree, options, arrays).map_err(refusal)?;
        laps.end(Stage::Walk)?;
        let more = self.heavy_field(softening)?;
        laps.end(Stage::P2p)?;
        self.scatter(more, field)?;
        laps.end(Stage::Other)?;
        laps.count(&mut seconds)?;
        let mut counts = [0; 2];
        self.counts.download(&machine, &mut counts)?;
        Ok((seconds, counts))
    }
}

/// Whether points are so far from the origin that rounded centres of charge leave masses with dipoles of some weight.
fn rounds_centres<M: Machine, T: Number>(tree: &Tree<M>, error: f64) -> bool {
    let (cube, epsilon) =
        (tree.cube(), if size_of::<T>() == 4 { 2f64.powi(-24) } else { 2f64.powi(-53) });
    let largest = cube.corner().iter().fold(0.0, |a: f64, c| a.max(c.abs()));
    let smallest_side = cube.side() * 0.5f64.powi(tree.n_levels() as i32);
    largest * epsilon > 16.0 * error * smallest_side
}

fn refusal(error: WalkError) -> Error {
    match error {
        WalkError::Machine(error) => Error::Device(error),
        _ => Error::NotOnGpu { what: "treecodes of this order", cure: "choose Device::Cpu" },
    }
}
