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
    let ranks = ranks.map(Group::shared);
    let ranks = ranks.as_ref();
    let device = match kind {
        Kind::Of(device) => device,
        Kind::Widened => {
            return T::engine_of_f64(request, ranks, &Widened::new(points).sets());
        }
    };
    if device != request.device {
        T::device_engine(request, ranks, &PointSets { sources: &[], receivers: None })?;
    }
    T::device_engine(Request { device, ..request }, ranks, points)
}
