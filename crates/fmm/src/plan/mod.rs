//! A plan: everything about a sum that does not depend on the charges.
//!
//! | file | what |
//! |---|---|
//! | `builder.rs` | the request that plans are made from |
//! | `points.rs` | points as callers have them |
//! | `moves.rs` | points that move |
//! | `narrow.rs` | plans in f32 for positions of f64 |
//! | `engines.rs` | engines by device, and what is instantiated for each float type |
//! | `front/` | the engine that a plan holds, whatever the device |

mod builder;
mod engines;
mod front;
mod moves;
mod narrow;
mod points;

use std::sync::Arc;

use distributed::Communicator;
use octree::{InteractionLists, Octree};

use crate::api::{Error, Field, Opening, Report, Request, SampledError};
use crate::engine::{Call, CallKind, Charges, Engine, PointSets, Scalar, Workspace};
pub use builder::Fmm;
pub use points::{Point, Points};

/// Points, tree and lists of N sources and M receivers, ready for any charges. [`Fmm::plan`] makes it.
///
/// Charges are slices of N numbers in the order of the sources, results have M entries in the order of the receivers;
/// the order inside the tree is never visible. An evaluation costs O(N·M), O(M log N) or O(N + M), as the method has it,
/// and [`Self::report`] says which.
///
/// A plan may be shared among threads, and clones share its memory. On the CPU, evaluations run in the caller's rayon
/// pool and give the same bits for any number of threads; on a GPU, they take turns. Several charge vectors share the distances of pairs, on a
/// GPU up to four those of near pairs.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    n_sources: usize,
    n_receivers: usize,
    /// Whether the receivers are the sources.
    one_set: bool,
    softening: f64,
    engine: Arc<dyn Engine<T>>,
}

impl<T: Scalar> Plan<T> {
    /// A plan of one rank of several, or of all points. Collective.
    pub(crate) fn new(
        request: Request,
        ranks: Option<&Arc<dyn Communicator>>,
        points: &PointSets<'_, T>,
    ) -> Result<Self, Error> {
        Ok(Self::with_engine(request, points, T::engine(request, ranks, points)?))
    }

    /// A plan by an engine that has these points.
    fn with_engine<P>(
        request: Request,
        points: &PointSets<'_, P>,
        engine: Arc<dyn Engine<T>>,
    ) -> Self {
        Self {
            n_sources: points.sources.len(),
            n_receivers: points.n_receivers(),
            one_set: points.receivers.is_none(),
            softening: request.softening,
            engine,
        }
    }

    /// Charges of an evaluation, with facts about them unless the engine looks at them.
    fn charges<'a>(
        &self,
        vectors: &'a [&'a [T]],
        earlier: Option<&'a [[T; 3]]>,
    ) -> Result<Charges<'a, T>, Error> {
        match vectors.len() == 1 && self.engine.looks_at_charges() {
            true => Charges::unseen(vectors, self.n_sources, earlier),
            false => Charges::new(vectors, self.n_sources, earlier),
        }
    }

    /// Agrees with all ranks that none refuses a call and that all make the same; gives what is `here`.
    fn consented<R>(&self, call: Call, here: Result<R, Error>) -> Result<R, Error> {
        match here {
            Ok(here) => self.engine.consent(None, call).map(|()| here),
            // Ranks may refuse for another reason, which is the first one then.
            Err(refusal) => {
                Err(self.engine.consent(Some(refusal.clone()), call).err().unwrap_or(refusal))
            }
        }
    }

    fn fields(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        if fields.is_empty() {
            return Ok(());
        }
        let done = self.engine.evaluate(charges, fields, workspace);
        done.map_err(|error| error.softened_by(self.softening))
    }

    /// Field of `charges`, one a source in the order of the positions, in a new [`Field`].
    ///
    /// Where no attempt that was worth its time kept the tolerance, the field is the best one, and
    /// [`Report::excess`] tells by how much it misses.
    ///
    /// # Errors
    ///
    /// - [`Error::ChargeCount`], [`Error::ChargeNotFinite`]: charges of the wrong number or not finite.
    /// - [`Error::OpeningTooWide`], [`Error::WalksOutOfReach`], [`Error::OrderOnDevice`]: charges of both signs, or few that
    ///   outweigh the others, where the plan's criterion or device keeps the tolerance for charges of one sign only.
    /// - `Error::Device`: a failure of the GPU.
    pub fn evaluate(&self, charges: &[T]) -> Result<Field<T>, Error> {
        let mut field = Field::default();
        self.evaluate_into(charges, &mut field, &mut Workspace::new())?;
        Ok(field)
    }

    /// Field of `charges`, into a field and a workspace that are used again: from the second time on, no large memory is
    /// allocated on cores and on a GPU that holds all points. Ranks, points in parts and [`Fmm::plan_f32`] make new arrays.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate`]; the field is left as it was.
    pub fn evaluate_into(
        &self,
        charges: &[T],
        field: &mut Field<T>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.fields_of(&[charges], std::slice::from_mut(field), workspace)
    }

    /// Field of `charges` by [`Opening::Relative`] with an earlier gradient at the receivers: in a simulation,
    /// that of the step before. Saves the coarse walk that stands in for it otherwise.
    ///
    /// ```
    /// use fmm::{Field, Fmm, Opening, Treecode, Workspace};
    ///
    /// # let positions: Vec<[f64; 3]> =
    /// #     (0..500).map(|i| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * f64::from(i)).fract())).collect();
    /// # let masses = vec![1.0 / 500.0; 500];
    /// let relative = Treecode::new().opening(Opening::Relative { alpha: 1e-3 });
    /// let plan = Fmm::new().method(relative).tolerance(1e-3).plan(&positions)?;
    /// let (mut now, mut workspace) = (plan.evaluate(&masses)?, Workspace::new());
    /// let mut next = Field::default();
    /// for _step in 0..2 {
    ///     plan.evaluate_after_into(&masses, &now.gradient, &mut next, &mut workspace)?;
    ///     std::mem::swap(&mut now, &mut next);
    /// }
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate`]; [`Error::EarlierGradientSize`] for an earlier gradient of another number of
    /// receivers; [`Error::EarlierGradientUnused`] for a plan by another criterion.
    pub fn evaluate_after(
        &self,
        charges: &[T],
        earlier_gradient: &[[T; 3]],
    ) -> Result<Field<T>, Error> {
        let mut field = Field::default();
        self.evaluate_after_into(charges, earlier_gradient, &mut field, &mut Workspace::new())?;
        Ok(field)
    }

    /// The field of [`Self::evaluate_after`], into a field and a workspace that are used again.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate_after`]; the field is left as it was.
    pub fn evaluate_after_into(
        &self,
        charges: &[T],
        earlier_gradient: &[[T; 3]],
        field: &mut Field<T>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let vectors = [charges];
        let charges = self.consented(
            Call::of_vectors(CallKind::Evaluate, 1),
            self.charges_after(earlier_gradient, &vectors),
        )?;
        self.fields(&charges, std::slice::from_mut(field), workspace)
    }

    /// Charges with an earlier gradient, which the plan's criterion takes.
    fn charges_after<'a>(
        &self,
        earlier_gradient: &'a [[T; 3]],
        vectors: &'a [&'a [T]],
    ) -> Result<Charges<'a, T>, Error> {
        if !matches!(self.report().opening, Some(Opening::Relative { .. })) {
            return Err(Error::EarlierGradientUnused);
        }
        let (found, expected) = (earlier_gradient.len(), self.n_receivers);
        if found != expected {
            return Err(Error::EarlierGradientSize { found, expected });
        }
        self.charges(vectors, Some(earlier_gradient))
    }

    /// The fields of several charge vectors at once, which costs less than one after the other: a distance
    /// serves several vectors. Each field is the one of [`Self::evaluate`] but for
    /// rounding. A field has the same bits in any batch of two or more vectors for which the report tells the same method and
    /// order: the vector with the largest error decides. [`Fmm::vectors`] makes the plan for them.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate`], with the number of the vector; no vectors give no fields.
    pub fn evaluate_many(&self, charges: &[&[T]]) -> Result<Vec<Field<T>>, Error> {
        let mut fields = Vec::new();
        self.evaluate_many_into(charges, &mut fields, &mut Workspace::new())?;
        Ok(fields)
    }

    /// Fields of several charge vectors at once, by [`Self::evaluate_many`], into fields and a workspace that are used
    /// again. There will be as many fields as charge vectors.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate_many`]; the fields are left as they were, in number too.
    pub fn evaluate_many_into(
        &self,
        charges: &[&[T]],
        fields: &mut Vec<Field<T>>,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        resized(fields, charges.len(), |fields| self.fields_of(charges, fields, workspace))
    }

    /// Fields of charges, one a vector. Collective.
    fn fields_of(
        &self,
        charges: &[&[T]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let charges = self.consented(
            Call::of_vectors(CallKind::Evaluate, charges.len()),
            self.charges(charges, None),
        )?;
        self.fields(&charges, fields, workspace)
    }

    /// The error of `field`, which came from `charges`, against the direct sum in f64 at about
    /// `count` receivers spread over the domain; on cores in double-double arithmetic, of some 12 ns a pair with AVX-512, where the sum
    /// cancels so far that rounding in f64 is in doubt for the tolerance. Costs `count` times the number of sources. A plan on GPUs sums there.
    /// The cores check [`Method::Direct`](crate::Method::Direct) on one GPU that has all points.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::evaluate`], and [`Error::FieldSize`] for a field of another number of receivers.
    pub fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.consented(Call::of(CallKind::SampleError), self.check_field(charges, field))?;
        self.engine.sample_error(charges, field, count)
    }

    /// Refuses charges and fields that do not fit the plan.
    fn check_field(&self, charges: &[T], field: &Field<T>) -> Result<(), Error> {
        Charges::check(&[charges], self.n_sources)?;
        let expected = self.n_receivers;
        let [potential, gradient] = [field.potential.len(), field.gradient.len()];
        let sizes = [potential.max(gradient), potential, gradient];
        // An output that was not asked for is empty.
        let wrong = |size: &usize| *size != expected && (*size != 0 || sizes[0] == 0);
        if let Some(found) = sizes.into_iter().find(wrong) {
            return Err(Error::FieldSize { found, expected });
        }
        Ok(())
    }

    /// Report of the plan: choices, counts of boxes and pairs, and seconds of planning. A treecode's walks count pairs when
    /// they are evaluated.
    pub fn report(&self) -> &Report {
        self.engine.report()
    }

    /// The tree, of one box for [`Method::Direct`](crate::Method::Direct); `None` where it is in a GPU's
    /// memory, where coincident points are merged, since its points are then places, and for points of f32 so close that they
    /// are summed as those of [`Fmm::plan_f32`].
    pub fn octree(&self) -> Option<&Octree> {
        self.engine.tree().map(|(tree, _)| tree)
    }

    /// The interaction lists, without the near pairs of clumps; `None` where [`Self::octree`] is.
    pub fn lists(&self) -> Option<&InteractionLists> {
        self.engine.tree().map(|(_, lists)| lists)
    }
}

/// Calls `fill` with as many fields as there are charge vectors; where that fails, the fields are as many as before.
fn resized<T: Scalar>(
    fields: &mut Vec<Field<T>>,
    n_vectors: usize,
    fill: impl FnOnce(&mut [Field<T>]) -> Result<(), Error>,
) -> Result<(), Error> {
    let before = fields.len();
    if n_vectors > before {
        fields.resize_with(n_vectors, Field::default);
    }
    let done = fill(&mut fields[..n_vectors]);
    fields.truncate(if done.is_ok() { n_vectors } else { before });
    done
}

impl<T: Scalar> Field<T> {
    /// The gradient as points or vectors of another type, such as `nalgebra::Vector3`. Costs nothing.
    pub fn gradient_as<P: Point<Scalar = T>>(&self) -> &[P] {
        P::from_arrays(&self.gradient)
    }
}
