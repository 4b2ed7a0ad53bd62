//! Points that move: other positions for a plan that stands.

use std::sync::Arc;

use super::front::Widened;
use super::narrow::same;
use super::{Plan, Point, Points};
use crate::api::Error;
use crate::engine::{Call, CallKind, PointSets, Scalar, build};

impl<T: Scalar> Plan<T> {
    /// Moves the points, as many as before: the tree is built anew, settings and tables are kept. Takes what
    /// [`Fmm::plan`](crate::Fmm::plan) took: `&positions`, or `(&sources, &receivers)`. A clone of the plan keeps the old points.
    ///
    /// Positions are f32 or f64. A plan by [`Fmm::plan_f32`](crate::Fmm::plan_f32) loses no digit of either, and one in f64 widens f32:
    ///
    /// ```
    /// use fmm::Fmm;
    ///
    /// let mut plan = Fmm::new().tolerance(1e-4).plan_f32(&[[0.0; 3], [1.0, 0.0, 0.0]])?;
    /// plan.update_positions(&[[1e6, 0.0, 0.0], [1e6 + 0.01, 0.0, 0.0]])?; // one place in f32
    /// let field = plan.evaluate(&[1.0, 1.0])?;
    /// assert!((field.potential[0] / 100.0 - 1.0).abs() < 1e-4);
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::PositionCount`], [`Error::Tree`], [`Error::PairTooClose`], [`Error::SofteningTooLong`]: positions of another number,
    /// not finite, or that no sum serves;
    /// [`Error::ReceiversMissing`], [`Error::ReceiversUnexpected`]: one set for a plan of two and the reverse;
    /// [`Error::PositionsOfF64`]: positions in f64 for a plan of positions in f32. The plan is left as it was.
    /// [`Error::MemoryLimit`], [`Error::DeviceMemory`], `Error::Device`: no memory for the tree of the new points, or a failure of
    /// the GPU. A plan on GPUs may have lost the old points after any refusal; it says so ([`Error::PointsLost`]) until points are
    /// accepted.
    /// [`Error::Rank`]: any of these on any rank.
    pub fn update_positions<'a, P: Point + 'a>(
        &mut self,
        points: impl Into<Points<'a, P>>,
    ) -> Result<(), Error> {
        self.move_to(&points.into().sets())
    }

    fn move_to<U: Scalar>(&mut self, points: &PointSets<'_, U>) -> Result<(), Error> {
        if let Some(points) = same_points(points) {
            self.consent_to_counts(CallKind::Move, &points)?;
            return build(&mut self.engine, &points);
        }
        let Some(points) = same_points(points) else {
            return self.move_to(&Widened::new(points).sets());
        };
        self.consent_to_counts(CallKind::MoveF64, &points)?;
        match Arc::get_mut(&mut self.engine) {
            Some(engine) => engine.build_f64(&points)?,
            None => self.engine = self.engine.rebuilt_f64(&points)?,
        }
        Ok(())
    }

    /// Agrees with all ranks that their points are as many as before.
    fn consent_to_counts<U: Scalar>(
        &self,
        kind: CallKind,
        points: &PointSets<'_, U>,
    ) -> Result<(), Error> {
        self.consented(
            Call::of(kind),
            points.check_counts(self.n_sources, self.n_receivers, self.one_set),
        )
    }
}

/// Points in `U` as points in `V`; `None` where these are other floats.
fn same_points<'a, U: Scalar, V: Scalar>(points: &PointSets<'a, U>) -> Option<PointSets<'a, V>> {
    let sources = same(points.sources)?;
    Some(PointSets { sources, receivers: points.receivers.and_then(same) })
}
