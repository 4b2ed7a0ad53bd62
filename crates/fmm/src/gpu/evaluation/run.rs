//! One run of a scheme on a device, whatever the algorithm.

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::memory::Grown;

use crate::api::{Error, Seconds};
use crate::choose::{Algorithm, Scheme};
use crate::engine::{ChargeKind, Scalar};
use crate::gpu::Number;
use crate::gpu::launches::Pairs;
use crate::gpu::pipeline::Pipeline;
use crate::gpu::pipeline::form::Form;
use crate::gpu::pipeline::treecode::WalkAccuracy;
use crate::gpu::timers::Launched;

/// The scheme of a run, with the softening, kind of the charges and earlier gradient that it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    pub(crate) scheme: &'a Scheme,
    /// Softening in the caller's unit.
    pub(crate) softening: f64,
    /// Kind of the charges.
    pub(crate) kind: ChargeKind,
    pub(crate) earlier: Earlier,
}

/// The earlier gradient for a criterion that is relative to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// A gradient that is not known, or not needed.
    None,
    /// A gradient where the field will be.
    InOutput,
}

/// A run whose launches may not have ended.
pub(crate) struct Ran<M: Launcher> {
    /// Launches whose seconds are not counted yet.
    pub(crate) launched: Option<Launched<M>>,
    /// Seconds of the others.
    pub(crate) seconds: Seconds,
    /// A walk's pairs of receivers with cells and with sources.
    pub(crate) counts: Option<[u64; 2]>,
}

/// Whether a scheme takes an earlier gradient where it is known.
pub(crate) fn takes_earlier(scheme: &Scheme) -> bool {
    matches!(scheme.algorithm, Algorithm::TreecodeWalk(walk) if walk.first().is_some())
}

impl<M: Launcher + Clone, T: Scalar + Number> Pipeline<M, T> {
    /// Writes the field to `output`, in the caller's order, for which that is made large enough. The device may not be done when
    /// this returns.
    pub(crate) fn run(
        &mut self,
        Run { scheme, softening, kind, earlier }: Run<'_>,
        output: &mut Grown<M, Vec4<T>>,
    ) -> Result<Ran<M>, Error> {
        let launched =
            |launched| Ran { launched: Some(launched), seconds: Seconds::default(), counts: None };
        let (machine, n_receivers) = (self.machine.clone(), self.tree.n_receivers());
        let mut reserved = || {
            output.reserve(&machine, n_receivers)?;
            Ok::<_, Error>(output.view_mut(n_receivers))
        };
        let pairs = Pairs { softening, accuracy: scheme.pair_accuracy };
        match scheme.algorithm {
            Algorithm::Direct => Ok(launched(self.sum_all_pairs(pairs, reserved()?)?)),
            Algorithm::Fmm { .. } | Algorithm::TreecodeLists { .. } => {
                Ok(launched(self.evaluate(Form::of(scheme.algorithm), pairs, output)?))
            }
            Algorithm::TreecodeWalk(walk) => {
                let output = reserved()?;
                let accuracy = WalkAccuracy { softening, kind, error: scheme.predicted_error };
                let mut before = Seconds::default();
                if let Some(first) = walk.first().filter(|_| earlier == Earlier::None) {
                    (before, _) = self.evaluate_by_walks(first, accuracy, output)?;
                }
                let (seconds, counts) = self.evaluate_by_walks(walk, accuracy, output)?;
                Ok(Ran { launched: None, seconds: before + seconds, counts: Some(counts) })
            }
        }
    }
}

impl<M: Launcher + Clone> Ran<M> {
    /// Seconds of each stage. Waits for the last launch.
    pub(crate) fn seconds(&self) -> Result<Seconds, MachineError> {
        let launched = self.launched.as_ref().map(Launched::seconds).transpose()?;
        Ok(self.seconds + launched.unwrap_or_default())
    }
}
