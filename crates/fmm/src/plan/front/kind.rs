//! Kinds of engines that a front may hold, and how each is made.

use std::sync::Arc;

use super::widened::Widened;
use crate::api::{Device, Error, Request};
use crate::engine::{Engine, PointSets, Scalar};
use crate::ranks::Group;

/// Kind of the engine that a front holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// The engine of a device: the cores where points outgrow a GPU.
    Of(Device),
    /// The one for positions in f64.
    Widened,
}

/// The engine of a kind, or of a rank with one. The cores stand in for a GPU only where it is there and could have taken the
/// request.
pub(super) fn engine_of_kind<T: Scalar>(
    request: Request,
    ranks: Option<&Group>,
    kind: Kind,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
    let device = match kind {
        Kind::Of(device) => device,
        Kind::Widened => {
            let ranks = ranks.map(Group::shared);
            return T::engine_of_f64(request, ranks.as_ref(), &Widened::new(points).sets());
        }
    };
    let make = |request, points: &PointSets<'_, T>| match ranks {
        Some(group) => T::rank_engine(request, group.shared(), points),
        None => T::device_engine(request, points),
    };
    if device != request.device {
        make(request, &PointSets { sources: &[], receivers: None })?;
    }
    make(Request { device, ..request }, points)
}
