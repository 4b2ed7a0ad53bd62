//! The treecode's walks on a device.

use kernels_gpu::device::{Vec4, ViewMut};
use kernels_gpu::machine::Launcher;
use kernels_gpu::walk::{self, WalkArrays, WalkError, WalkOptions};

use super::Pipeline;
use crate::api::{Error, Seconds, Stage};
use crate::choose::{Walk, cells_have_dipoles};
use crate::engine::{ChargeKind, Scalar};
use crate::gpu::Number;
use crate::gpu::timers::Timers;

/// Accuracy of a walk's kernels besides its criterion and order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkAccuracy {
    /// Softening in the caller's unit.
    pub(crate) softening: f64,
    /// Kind of the charges.
    pub(crate) kind: ChargeKind,
    /// Error to expect.
    pub(crate) error: f64,
}

impl<M: Launcher + Clone, T: Scalar + Number> Pipeline<M, T> {
    /// Writes the field by walks of a tree that was built to be walked. A criterion
    /// that is relative to an earlier gradient finds that in `field`. Returns the seconds of each stage, and the pairs of
    /// receivers with cells and with sources.
    pub(crate) fn evaluate_by_walks(
        &mut self,
        walk: Walk,
        accuracy: WalkAccuracy,
        field: ViewMut<Vec4<T>>,
    ) -> Result<(Seconds, [u64; 2]), Error> {
        let mut seconds = Seconds::default();
        let machine = self.machine.clone();
        let mut timers = Timers::start(&machine)?;
        let n_receivers = self.tree.n_receivers();
        self.sums.reserve(&machine, n_receivers)?;
        self.near_summed = None;
        self.counts.upload(&machine, &[0, 0])?;
        let WalkAccuracy { softening, kind, error } = accuracy;
        let cube = (self.tree.cube(), self.tree.n_levels());
        let options = WalkOptions {
            criterion: walk.criterion,
            order: walk.order,
            fewest_sources: walk.fewest_sources,
            dipoles: cells_have_dipoles(kind, T::PRECISION, error, cube),
            softening: self.unit.shrink(softening),
            unsoftened_from: self.unit.shrink(walk.unsoftened_from),
        };
        let sources = self.sorted_sources();
        let arrays = WalkArrays {
            sources,
            receivers: self.sorted_receivers(),
            before: field.read_only(),
            before_factor: T::from_f64(self.unit.gradient(self.charge_unit).recip()),
            field: self.sums.view_mut(n_receivers),
            counts: self.counts.view_mut(2),
        };
        let (treecode, tree, unit) = (&mut self.treecode, &self.tree, self.unit.shrink(1.0));
        treecode.expand(&machine, tree, unit, sources, options).map_err(refusal)?;
        timers.end(Stage::P2m)?;
        treecode.walk(&machine, tree, options, arrays).map_err(refusal)?;
        timers.end(Stage::Walk)?;
        let more = self.heavy_field(softening)?;
        timers.end(Stage::P2p)?;
        self.scatter(more, field, &mut timers)?;
        timers.count(&mut seconds)?;
        let mut counts = [0; 2];
        self.counts.download(&machine, &mut counts)?;
        Ok((seconds, counts))
    }
}

fn refusal(error: WalkError) -> Error {
    match error {
        WalkError::Machine(error) => Error::Device(error),
        WalkError::Order { order } => Error::TreecodeOrder { order, supported: &walk::ORDERS },
    }
}
