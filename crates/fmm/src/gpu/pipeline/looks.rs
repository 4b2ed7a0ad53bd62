//! Looks of a device at charges before a sum and at results behind it, so that cores do nothing but copy them.

use kernels_gpu::check::{ChargeFacts, ResultFacts};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Launcher, MachineError};

use super::Pipeline;
use crate::api::{Error, Output, Outputs};
use crate::engine::{Scalar, VectorFacts};
use crate::gpu::Number;

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// Facts about a vector of charges, or the index of the first that is not finite. The host waits.
    pub(crate) fn look_at_charges(
        &mut self,
        charges: View<T>,
    ) -> Result<Result<VectorFacts, usize>, MachineError> {
        let facts = self.checks.inspector.facts(&self.machine, charges)?;
        let ChargeFacts { largest, signs: [above, below], not_finite, shares, unit } = facts;
        // The device tells the larger of both magnitudes.
        let end = |is_there: bool| if is_there { largest } else { 0.0 };
        let facts = VectorFacts { low: -end(below), high: end(above), shares, share_unit: unit };
        Ok(not_finite.map_or(Ok(facts), Err))
    }

    /// Facts about a vector that came from the host and is on the device. The host waits.
    pub(crate) fn look_at_vector(
        &mut self,
        on_device: View<T>,
        (vector, charges): (usize, &[T]),
    ) -> Result<VectorFacts, Error>
    where
        T: Scalar,
    {
        self.look_at_charges(on_device)?.map_err(|index| {
            let value = charges[index].widen();
            Error::ChargeNotFinite { vector, index, value }
        })
    }

    /// Facts about a field in the caller's order: the first results that are not finite and, where the sources are the
    /// receivers, the forces on their charges. The host waits.
    pub(crate) fn look_at_results(
        &mut self,
        field: View<Vec4<T>>,
    ) -> Result<ResultFacts, MachineError> {
        let sources = match self.tree.sources_are_receivers() {
            true => self.sorted_sources(),
            false => View::EMPTY,
        };
        let permutation = self.tree.receiver_permutation();
        self.checks.inspector.results(&self.machine, field, permutation, sources)
    }

    /// The first results of a field that are not finite, of places that `order` permutes. The host waits.
    pub(crate) fn look_in_order(
        &mut self,
        field: View<Vec4<T>>,
        order: View<u32>,
    ) -> Result<ResultFacts, MachineError> {
        self.checks.inspector.results(&self.machine, field, order, View::EMPTY)
    }
}

/// Refuses results of a vector that are not finite.
pub(crate) fn refuse_not_finite<T: Scalar>(
    vector: usize,
    results: &ResultFacts,
    outputs: Outputs,
) -> Result<(), Error> {
    for output in outputs.each() {
        let bad = match output {
            Output::Potential => results.bad_potential,
            Output::Gradient => results.bad_gradient,
        };
        if let Some(index) = bad {
            let (exponent, precision) = (f64::NAN, T::PRECISION);
            return Err(Error::ResultRange { vector, index, output, exponent, precision });
        }
    }
    Ok(())
}
