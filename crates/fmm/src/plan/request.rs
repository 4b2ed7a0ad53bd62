//! From a request and points to what is to be built.

use octree::{Cube, Depth};

use crate::accuracy::Goal;
use crate::hierarchy::Shape;
use crate::treecode::ErrorModel;
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

/// The shape of the tree for these points.
pub(super) fn shape<T: Scalar>(
    settings: &Fmm,
    goal: &Goal,
    method: Method,
    opening: Option<Opening>,
    sources: &[[T; 3]],
    receivers: Option<&[[T; 3]]>,
) -> Shape {
    let n_points = sources.len().max(receivers.map_or(0, <[_]>::len));
    let (order, softening) = (goal.largest_order(), settings.softening);
    if opening.is_some_and(|opening| opening != Opening::Neighbours) {
        return tuning::walk_shape(settings.depth, settings.group_capacity);
    }
    let depth = match (method, settings.depth) {
        (Method::Direct, _) => Some(Depth::Uniform(0)),
        (_, None) if softening > 0.0 => {
            let points = sources.iter().chain(receivers.unwrap_or_default());
            // Positions without a cube are for the tree to refuse: it names the point.
            let cube = Cube::bounding(points.map(|point| point.map(T::widen))).ok();
            let depth = |cube: Cube| {
                tuning::softened_depth(
                    order,
                    goal.is_proven(),
                    goal.pair_accuracy(),
                    softening,
                    goal.tolerance(),
                    cube.side(),
                )
            };
            cube.map(depth)
        }
        (_, chosen) => chosen,
    };
    let shape = tuning::shape(
        order,
        goal.is_proven(),
        goal.pair_accuracy(),
        depth,
        n_points,
        size_of::<T>(),
    );
    if opening.is_some() { tuning::without_locals(shape) } else { shape }
}
