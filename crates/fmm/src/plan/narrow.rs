//! Plans for positions and charges of f64, whatever the float type of the sums.

use std::sync::Arc;

use bytemuck::Pod;
use distributed::Communicator;

use crate::Plan;
use crate::api::{Error, Field, Request, SampledError};
use crate::engine::{Call, CallKind, PointSets, Scalar, Workspace};
use crate::plan::resized;

impl<T: Scalar> Plan<T> {
    /// A plan in T for positions of f64. Collective.
    pub(crate) fn of_f64(
        request: Request,
        ranks: Option<&Arc<dyn Communicator>>,
        points: &PointSets<'_, f64>,
    ) -> Result<Self, Error> {
        Ok(Self::with_engine(request, points, T::engine_of_f64(request, ranks, points)?))
    }

    /// Field of charges in f64 by a plan of [`Fmm::plan_f32`](crate::Fmm::plan_f32). They are rounded to f32 and the field is
    /// compared with that of the charges as given: where charges cancel so far that rounding misses the tolerance, the sums are
    /// those of f64. By a plan in f64, the field of [`Self::evaluate`].
    ///
    /// ```
    /// use fmm::Fmm;
    ///
    /// // Two charges that differ by less than f32 tells, seen from afar.
    /// let sources = [[0.0; 3], [0.0, 1e-9, 0.0]];
    /// let plan = Fmm::new().tolerance(1e-4).plan_f32((&sources, &[[1.0, 0.0, 0.0]]))?;
    /// let field = plan.evaluate_f64(&[1.0, -1.0 + 1e-9])?;
    /// assert!((field.potential[0] / 1e-9 - 1.0).abs() < 1e-4);
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate`], also for a charge beyond f32; [`Error::ChargesOfF64`] for a plan of positions in f32.
    pub fn evaluate_f64(&self, charges: &[f64]) -> Result<Field<T>, Error> {
        let mut field = Field::default();
        self.evaluate_f64_into(charges, &mut field, &mut Workspace::new())?;
        Ok(field)
    }

    /// The field of [`Self::evaluate_f64`], into a field and a workspace that are used again.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate_f64`]; the field is left as it was.
    pub fn evaluate_f64_into(
        &self,
        charges: &[f64],
        field: &mut Field<T>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.fields_of_f64(&[charges], std::slice::from_mut(field), workspace)
    }

    /// The fields of [`Self::evaluate_f64`] of several charge vectors at once, as [`Self::evaluate_many`].
    ///
    /// ```
    /// use fmm::Fmm;
    ///
    /// let plan = Fmm::new().tolerance(1e-4).plan_f32(&[[0.0; 3], [2.0, 0.0, 0.0]])?;
    /// let fields = plan.evaluate_many_f64(&[&[1.0, 3.0], &[-4.0, 0.0]])?;
    /// assert_eq!(fields[0].potential, [1.5, 0.5]);
    /// assert_eq!(fields[1].potential, [0.0, -2.0]);
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate_f64`], with the number of the vector; no vectors give no fields.
    pub fn evaluate_many_f64(&self, charges: &[&[f64]]) -> Result<Vec<Field<T>>, Error> {
        let mut fields = Vec::new();
        self.evaluate_many_f64_into(charges, &mut fields, &mut Workspace::new())?;
        Ok(fields)
    }

    /// The fields of [`Self::evaluate_many_f64`], into fields and a workspace that are used again. There will be as many
    /// fields as charge vectors.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate_many_f64`]; the fields are left as they were, in number too.
    pub fn evaluate_many_f64_into(
        &self,
        charges: &[&[f64]],
        fields: &mut Vec<Field<T>>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        resized(fields, charges.len(), |fields| self.fields_of_f64(charges, fields, workspace))
    }

    /// Fields of charges in f64, one a vector. Collective.
    fn fields_of_f64(
        &self,
        charges: &[&[f64]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let vectors: Option<Vec<&[T]>> = charges.iter().map(|charges| same(charges)).collect();
        if let Some(vectors) = vectors {
            return self.fields_of(&vectors, fields, workspace);
        }
        let rounded: Vec<Vec<T>> = charges.iter().map(|charges| rounded(charges)).collect();
        let vectors: Vec<&[T]> = rounded.iter().map(Vec::as_slice).collect();
        let rounded = self.consented(
            Call::of_vectors(CallKind::EvaluateF64, vectors.len()),
            self.charges(&vectors, None),
        )?;
        let done = self.engine.evaluate_rounded(&rounded, charges, fields, workspace);
        done.map_err(|error| error.softened_by(self.softening))
    }

    /// The error of [`Self::sample_error`] for a field of [`Self::evaluate_f64`], against the charges as given.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::sample_error`] and [`Self::evaluate_f64`].
    pub fn sample_error_f64(
        &self,
        charges: &[f64],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        if let Some(charges) = same(charges) {
            return self.sample_error(charges, field, count);
        }
        self.consented(
            Call::of(CallKind::SampleErrorF64),
            self.check_field(&rounded(charges), field),
        )?;
        self.engine.sample_error_given(charges, field, count)
    }
}

fn rounded<T: Scalar>(charges: &[f64]) -> Vec<T> {
    /// Charges that one task rounds.
    const TASK: usize = parallel::min_length(0.7);
    parallel::collect(charges.len(), TASK, |i| T::narrow(charges[i]))
}

/// Values of type `A` as those of type `B`, where both are f64 or f32 or points of these; `None` where one is of f32 alone.
pub(super) fn same<A: Pod, B: Pod>(values: &[A]) -> Option<&[B]> {
    (size_of::<A>() == size_of::<B>()).then(|| bytemuck::cast_slice(values))
}
