//! A plan: everything about a sum that does not depend on the charges.

mod account;
mod charges;
mod host;
pub(crate) mod remote;
pub(crate) mod request;

use expansions::order::Signs;
use octree::{InteractionLists, Octree};

use crate::device::Device;
use crate::report::Report;
use crate::stopwatch::{Seconds, Stage};
use crate::verify::SampledError;
use crate::{Error, Field, Fmm, Scalar, Workspace, gpu};
use charges::signs_of_vectors;
use host::HostPlan;

/// Points, tree and lists, ready for any charges.
///
/// A plan may be shared among threads. On the CPU, evaluations run in the caller's rayon pool and give the
/// same bits for any number of threads; on a GPU, they take turns, and so do several charge vectors.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    n_sources: usize,
    n_receivers: usize,
    /// Whether the receivers are the sources.
    one_set: bool,
    engine: Engine<T>,
}

/// What evaluates.
#[derive(Clone, Debug)]
enum Engine<T> {
    Host(Box<HostPlan<T>>),
    Gpu(Box<gpu::Plan<T>>),
}

impl<T: Scalar> Plan<T> {
    pub(crate) fn new(
        settings: Fmm,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<Self, Error> {
        let softening = settings.softening;
        if !(softening >= 0.0 && softening.is_finite()) {
            return Err(Error::Softening { softening });
        }
        let engine = match settings.device {
            Device::Cpu | Device::Hybrid(_) | Device::EmulatedHybrid => {
                Engine::Host(Box::new(HostPlan::new(settings, sources, receivers)?))
            }
            Device::Cuda(_) | Device::Emulated => {
                Engine::Gpu(Box::new(gpu::Plan::new(settings, sources, receivers)?))
            }
        };
        Ok(Self {
            n_sources: sources.len(),
            n_receivers: receivers.map_or(sources.len(), <[_]>::len),
            one_set: receivers.is_none(),
            engine,
        })
    }

    /// Potential and gradient of `charges`, one a source in the order of the positions.
    ///
    /// # Errors
    ///
    /// Charges of the wrong number or not finite.
    pub fn evaluate(&self, charges: &[T]) -> Result<Field<T>, Error> {
        let mut field = Field::default();
        self.evaluate_into(charges, &mut field, &mut Workspace::new())?;
        Ok(field)
    }

    /// As [`Self::evaluate`], into a field and a workspace that are used again: from the second time
    /// on, no large memory is allocated. [`Opening::Relative`](crate::Opening::Relative) takes the gradient that
    /// `field` holds for that of the evaluation before.
    ///
    /// # Errors
    ///
    /// Charges of the wrong number or not finite; the field is left as it was.
    pub fn evaluate_into(
        &self,
        charges: &[T],
        field: &mut Field<T>,
        workspace: &mut Workspace<T>,
    ) -> Result<(), Error> {
        self.evaluate_vectors(&[charges], std::slice::from_mut(field), workspace)
    }

    /// The fields of several charge vectors at once, which costs less than one after the other: where the cores sum
    /// pairs, a distance serves up to 16 vectors. Each field is the one of [`Self::evaluate`] but for rounding, and has
    /// the same bits whatever the number of vectors, if there are several and either all or none have charges of both
    /// signs. [`Fmm::vectors`] makes the plan for them.
    ///
    /// # Errors
    ///
    /// As [`Self::evaluate`].
    pub fn evaluate_many(&self, charges: &[&[T]]) -> Result<Vec<Field<T>>, Error> {
        let mut fields = Vec::new();
        self.evaluate_many_into(charges, &mut fields, &mut Workspace::new())?;
        Ok(fields)
    }

    /// As [`Self::evaluate_many`], into fields and a workspace that are used again. There will be as
    /// many fields as charge vectors.
    ///
    /// # Errors
    ///
    /// As [`Self::evaluate`].
    pub fn evaluate_many_into(
        &self,
        charges: &[&[T]],
        fields: &mut Vec<Field<T>>,
        workspace: &mut Workspace<T>,
    ) -> Result<(), Error> {
        fields.resize_with(charges.len(), Field::default);
        self.evaluate_vectors(charges, fields, workspace)
    }

    fn evaluate_vectors(
        &self,
        charges: &[&[T]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace<T>,
    ) -> Result<(), Error> {
        if charges.is_empty() {
            return Ok(());
        }
        let mut seconds = Seconds::default();
        let stage = match self.engine {
            Engine::Host(_) => Stage::Other,
            Engine::Gpu(_) => Stage::Transfer,
        };
        let signs = seconds.time(stage, || signs_of_vectors(charges, self.n_sources))?;
        match &self.engine {
            Engine::Host(plan) => {
                let mixed = signs.contains(&Signs::Mixed);
                let signs = if mixed { Signs::Mixed } else { Signs::Same };
                plan.evaluate(charges, signs, fields, workspace, seconds)
            }
            Engine::Gpu(plan) => plan.evaluate(charges, &signs, fields, seconds),
        }
    }

    /// Moves the points, as many as before: the tree is built anew, settings and tables are kept.
    /// For plans with separate receivers see [`Self::update_positions_between`].
    ///
    /// # Errors
    ///
    /// Positions of another number or not finite, or a plan with separate receivers; the plan is
    /// left as it was.
    pub fn update_positions(&mut self, positions: &[[T; 3]]) -> Result<(), Error> {
        if !self.one_set {
            return Err(Error::WrongSets(
                "the plan has separate receivers; use update_positions_between",
            ));
        }
        self.rebuild(positions, None)
    }

    /// Moves sources and receivers of a plan made by [`Fmm::plan_between`].
    ///
    /// # Errors
    ///
    /// Positions of another number or not finite, or a plan whose receivers are its sources; the
    /// plan is left as it was.
    pub fn update_positions_between(
        &mut self,
        sources: &[[T; 3]],
        receivers: &[[T; 3]],
    ) -> Result<(), Error> {
        if self.one_set {
            return Err(Error::WrongSets(
                "the plan's receivers are its sources; use update_positions",
            ));
        }
        self.rebuild(sources, Some(receivers))
    }

    fn rebuild(&mut self, sources: &[[T; 3]], receivers: Option<&[[T; 3]]>) -> Result<(), Error> {
        let expect = |set, found, expected| match found == expected {
            true => Ok(()),
            false => Err(Error::PositionCount { set, found, expected }),
        };
        expect("source", sources.len(), self.n_sources)?;
        if let Some(receivers) = receivers {
            expect("receiver", receivers.len(), self.n_receivers)?;
        }
        match &mut self.engine {
            Engine::Host(plan) => plan.rebuild(sources, receivers),
            Engine::Gpu(plan) => plan.rebuild(sources, receivers),
        }
    }

    /// The error of `field`, which came from `charges`, against the direct sum in f64 at about
    /// `count` receivers spread over the domain. Costs `count` times the number of sources. A plan on a GPU sums there,
    /// but for [`Method::Direct`](crate::Method::Direct), which the cores check.
    ///
    /// # Errors
    ///
    /// Charges of the wrong number or not finite, or a field of another size.
    pub fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        signs_of_vectors(&[charges], self.n_sources)?;
        let expected = self.n_receivers;
        let [potential, gradient] = [field.potential.len(), field.gradient.len()];
        let sizes = [potential, if field.gradient.is_empty() { potential } else { gradient }];
        if let Some(found) = sizes.into_iter().find(|size| *size != expected) {
            return Err(Error::FieldSize { found, expected });
        }
        match &self.engine {
            Engine::Host(plan) => Ok(plan.sample_error(charges, field, count)),
            Engine::Gpu(plan) => plan.sample_error(charges, field, count),
        }
    }

    /// What was chosen and counted, and how long planning took.
    pub fn report(&self) -> &Report {
        match &self.engine {
            Engine::Host(plan) => &plan.report,
            Engine::Gpu(plan) => plan.report(),
        }
    }

    /// The tree, of one box for [`Method::Direct`](crate::Method::Direct); `None` where it is in a GPU's
    /// memory.
    pub fn octree(&self) -> Option<&Octree> {
        match &self.engine {
            Engine::Host(plan) => Some(&plan.hierarchy.tree),
            Engine::Gpu(_) => None,
        }
    }

    /// The interaction lists; `None` where they are in a GPU's memory.
    pub fn lists(&self) -> Option<&InteractionLists> {
        match &self.engine {
            Engine::Host(plan) => Some(&plan.hierarchy.lists),
            Engine::Gpu(_) => None,
        }
    }
}
