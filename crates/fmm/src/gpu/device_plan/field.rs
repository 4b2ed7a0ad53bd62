//! The field of a plan over memory of a device.

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{DeviceSlice, Machine};

use super::DevicePlan;
use crate::api::{Error, PlanStep, Report, Seconds};
use crate::engine::{Heavy, Scalar};
use crate::gpu::Number;
use crate::gpu::evaluation::{Account, Outcome, Taken};
use crate::gpu::pipeline::looks::refuse_not_finite;

impl<M, T> DevicePlan<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// The field of the charges at the receivers, (∂Φ/∂x, ∂Φ/∂y, ∂Φ/∂z, Φ) in the order of the points, on the device. The
    /// memory is written again by the next evaluation.
    ///
    /// # Errors
    ///
    /// Errors of [`Plan::evaluate`](crate::Plan::evaluate); [`Error::StepMissing`]: points without a tree, or sources without
    /// charges.
    pub fn evaluate(&mut self) -> Result<DeviceSlice<'_, Vec4<T>>, Error> {
        if !self.state().build.is_built() {
            return Err(Error::StepMissing { step: PlanStep::Build });
        }
        if self.n_charges != self.counts.n_sources {
            return Err(Error::StepMissing { step: PlanStep::SetCharges });
        }
        let Self { engine, counts, heavy, facts, report, .. } = self;
        let mut guard = engine.state();
        let state = &mut *guard;
        let all = state.charges.view(counts.n_sources);
        let none = Heavy::default();
        let (light, heavy) = match heavy.len() > 0 && engine.tree.expands {
            true => (state.light.view(counts.n_sources), &*heavy),
            false => (all, &none),
        };
        let taken = Taken { all, light, heavy, facts: *facts };
        let mut account = Account {
            report: Report { n_vectors: 1, ..engine.report.clone() },
            seconds: Seconds::default(),
            earlier: None,
        };
        let outcome = engine.attempt(state, facts.kind(), &taken, &mut account, None)?;
        let Outcome { error, overflowed } = outcome;
        let field = state.field.view(counts.n_receivers);
        if overflowed || !engine.request.is_relative() {
            let results = state.pipeline.look_at_results(field)?;
            refuse_not_finite::<T>(0, &results, engine.request.outputs)?;
        }
        *report = Report { estimated_error: error, ..account.ended(heavy.len()) };
        self.n_field = counts.n_receivers;
        drop(guard);
        Ok(self.field())
    }

    /// The field of the last evaluation; empty where there was none of the points.
    #[expect(unsafe_code, reason = "the field stands behind the lock of the engine")]
    pub fn field(&self) -> DeviceSlice<'_, Vec4<T>> {
        let field = self.engine.state().field.view(self.n_field);
        // SAFETY: the memory of the field is the plan's. It is written, grows and ends in calls that borrow the plan alone.
        unsafe { DeviceSlice::from_view(field, self.engine.machine.order()) }
    }
}
