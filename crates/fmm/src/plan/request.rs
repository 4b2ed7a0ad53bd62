//! From a request and points to what is to be built.

use octree::{Cube, Depth};
use rayon::prelude::*;

use crate::accuracy::Goal;
use crate::choices::Outputs;
use crate::hierarchy::Shape;
use crate::spread::Spread;
use crate::treecode::ErrorModel;
use crate::tuning::{Pairs, Prices};
use crate::{Error, Fmm, Method, Opening, Scalar, treecode, tuning};

/// The treecode's criterion.
pub(super) fn opening_of(settings: &Fmm) -> Result<Opening, Error> {
    let by_default = || treecode::default_opening(settings.tolerance, walks_by_hand(settings));
    let opening = settings.opening.unwrap_or_else(by_default);
    match opening.parameter() {
        Some(parameter) if !(parameter > 0.0 && parameter.is_finite()) => {
            Err(Error::Opening { parameter })
        }
        _ => Ok(opening),
    }
}

/// What errors to expect of the treecode's walks.
pub(super) fn error_model(settings: &Fmm, opening: Option<Opening>) -> Option<ErrorModel> {
    ErrorModel::new(opening?, walks_by_hand(settings))
}

fn walks_by_hand(settings: &Fmm) -> bool {
    settings.depth.is_some() || settings.group_capacity.is_some()
}

/// What pairs and expansions cost on the devices that are asked for.
pub(super) fn prices(settings: &Fmm, goal: &Goal, one_set: bool, dimension: f64) -> Prices {
    let (order, accuracy) = (goal.largest_order(goal.usual_far_field()), goal.pair_accuracy());
    let gradient = settings.outputs == Outputs::PotentialAndGradient;
    let pairs = Pairs { accuracy, mutual: one_set, gradient, vectors: settings.vectors };
    let proven = goal.is_proven();
    if settings.device.is_hybrid() {
        Prices::of_hybrid(order, pairs, proven, dimension)
    } else {
        Prices::of_cores(order, pairs, proven, dimension)
    }
}

/// The depth that is set by hand, or the one to which softening limits leaves of `leaf_capacity` points.
pub(crate) fn asked_depth<T: Scalar>(
    settings: &Fmm,
    goal: &Goal,
    leaf_capacity: usize,
    sources: &[[T; 3]],
    receivers: Option<&[[T; 3]]>,
) -> Option<Depth> {
    let softening = settings.softening;
    if settings.depth.is_some() || softening == 0.0 {
        return settings.depth;
    }
    let points = sources.par_iter().chain(receivers.unwrap_or_default());
    let corners = points.map(|point| [point.map(T::widen); 2]).reduce_with(|[a, b], [c, d]| {
        let along = |axis: usize| (a[axis].min(c[axis]), b[axis].max(d[axis]));
        let ends = [0, 1, 2].map(along);
        [ends.map(|(low, _)| low), ends.map(|(_, high)| high)]
    });
    // Positions without a cube are for the tree to refuse: it names the point.
    let cube = Cube::bounding(corners.unwrap_or_default()).ok()?;
    Some(tuning::softened_depth(leaf_capacity, softening, goal.tolerance(), cube.side()))
}

/// The shape of the tree for these points.
pub(super) fn shape<T: Scalar>(
    settings: &Fmm,
    goal: &Goal,
    method: Method,
    opening: Option<Opening>,
    sources: &[[T; 3]],
    receivers: Option<&[[T; 3]]>,
) -> Shape {
    if opening.is_some_and(|opening| opening != Opening::Neighbours) {
        return tuning::walk_shape(settings.depth, settings.group_capacity);
    }
    let spread = match receivers {
        _ if method == Method::Direct => Spread::even(sources.len()),
        Some(receivers) if receivers.len() > sources.len() => Spread::of(receivers),
        _ => Spread::of(sources),
    };
    let prices = prices(settings, goal, receivers.is_none(), spread.dimension());
    let depth = match method {
        Method::Direct => Some(Depth::Uniform(0)),
        _ => asked_depth(settings, goal, prices.leaf_capacity(), sources, receivers),
    };
    let shape = tuning::shape(&prices, depth, &spread, size_of::<T>());
    if opening.is_some() { tuning::without_locals(shape) } else { shape }
}
