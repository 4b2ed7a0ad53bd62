//! Points on their way to a device's engine: looked at, and merged where many coincide.

use super::beyond::{check_f64, may_be_beyond_f32};
use super::crowding::are_crowded;
use super::places::{Merged, Picked};
use crate::api::{Error, Precision, Request};
use crate::engine::{PointSets, Scalar};
use crate::ranks::{Group, Whole};

/// Points as the device's engine gets them.
pub(super) struct Prepared<T> {
    /// Places, and a point of each, where points are merged.
    pub(super) merged: Option<(Merged, Picked<T>)>,
    /// Whether there are too many near pairs for a GPU.
    pub(super) outgrown: bool,
}

impl<T: Scalar> Prepared<T> {
    /// Looks at points, merges them where many coincide and, if asked for, tells whether they outgrow a GPU. Collective.
    pub(super) fn new(
        ranks: Option<&Group>,
        points: &PointSets<'_, T>,
        asks_size: bool,
    ) -> Result<Self, Error> {
        let mut prepared = Self { merged: None, outgrown: false };
        let Some(whole) = Whole::new(ranks, points)? else { return Ok(prepared) };
        if let Some(merged) = Merged::new(&whole)? {
            let picked = merged.pick(points);
            prepared.merged = Some((merged, picked));
        }
        if asks_size && let Some(whole) = Whole::new(ranks, &prepared.points(points))? {
            prepared.outgrown = are_crowded(&whole)?;
        }
        Ok(prepared)
    }

    /// Whether f32 may not serve the points that an engine gets. Those of f64 beyond that are refused. Collective.
    pub(super) fn are_beyond_f32(
        &self,
        ranks: Option<&Group>,
        points: &PointSets<'_, T>,
        request: &Request,
    ) -> Result<bool, Error> {
        match T::PRECISION {
            Precision::F32 => may_be_beyond_f32(ranks, &self.points(points), request.softening),
            Precision::F64 => check_f64(ranks, points, request.softening).map(|()| false),
        }
    }

    /// A point of each place, or all points.
    pub(super) fn points<'a>(&'a self, all: &PointSets<'a, T>) -> PointSets<'a, T> {
        match &self.merged {
            Some((_, (sources, receivers))) => {
                PointSets { sources, receivers: receivers.as_deref() }
            }
            None => *all,
        }
    }
}
