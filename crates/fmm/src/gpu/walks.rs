//! The treecode on a device: θ and order for a tolerance, and the launches.

use expansions::order::Signs;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::Machine;
use kernels_gpu::tree::Tree;
use kernels_gpu::walk::{self, Treecode, WalkError, WalkOptions};
use octree::{Depth, ListOptions};

use super::Number;
use super::laps::Laps;
use super::pipeline::Shape;
use crate::stopwatch::Stage;
use crate::treecode::ErrorModel;
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
        if matches!(asked, Some(Opening::Relative { .. })) {
            return Err(Error::NotOnGpu {
                what: "walks relative to an earlier gradient",
                cure: "choose another Opening or Device::Cpu",
            });
        }
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

    fn options(&self, softening: f64, least: f64, signs: Signs) -> Result<WalkOptions, Error> {
        let opening = match self.opening {
            Opening::BarnesHut { theta } => walk::Opening::BarnesHut { theta },
            Opening::Nakasato { theta } => walk::Opening::Nakasato { theta },
            Opening::Neighbours | Opening::Relative { .. } => return Err(Error::NoGuarantee),
        };
        let order = if self.order == 1 { 0 } else { self.order - 1 };
        let few = [1, 2, 3, 5][order.saturating_sub(1).min(3)];
        Ok(WalkOptions { opening, order, few, mixed: signs == Signs::Mixed, softening, least })
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
pub(super) fn shape(depth: Option<Depth>) -> Shape {
    let depth = depth.unwrap_or(Depth::Adaptive { leaf_capacity: LEAF });
    Shape { depth, enlarged: 1.0, list_options: ListOptions::default(), locals: false }
}

/// Cells nearer than this are opened, since multipoles are not softened.
pub(super) fn least_distance(rule: Rule, softening: f64, tolerance: f64) -> f64 {
    if rule.order == 1 { 0.0 } else { tuning::unsoftened_distance(softening, tolerance) }
}

/// What a walk is given, in the tree's order and unit.
pub(super) struct Walk<'a, M: Machine, T: Number> {
    pub(super) machine: &'a M,
    pub(super) tree: &'a Tree<M>,
    /// What the caller's lengths are multiplied by in the tree's unit.
    pub(super) unit: f64,
    pub(super) sources: View<Vec4<T>>,
    pub(super) receivers: View<Vec4<T>>,
    pub(super) softening: f64,
    pub(super) least: f64,
    pub(super) signs: Signs,
}

impl<M: Machine, T: Number> Walk<'_, M, T> {
    /// Writes the sums of all receivers.
    pub(super) fn run(
        self,
        treecode: &mut Treecode<M, T>,
        rule: Rule,
        sums: ViewMut<Vec4<T>>,
        counts: ViewMut<u64>,
        laps: &mut Laps<'_, M>,
    ) -> Result<(), Error> {
        let Self { machine, tree, sources, receivers, .. } = self;
        let mut options = rule.options(self.softening, self.least, self.signs)?;
        options.mixed |= rounds_centres::<M, T>(tree, rule.error);
        treecode.expand(machine, tree, self.unit, sources, options).map_err(refusal)?;
        laps.end(Stage::P2m)?;
        let walked = treecode.walk(machine, tree, sources, receivers, options, sums, counts);
        walked.map_err(refusal)?;
        Ok(laps.end(Stage::Walk)?)
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
