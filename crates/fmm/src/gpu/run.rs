//! One run of a scheme on a device, whatever the algorithm.

use kernels_gpu::device::{Vec4, ViewMut};
use kernels_gpu::machine::Machine;

use super::Number;
use super::form::Form;
use super::pipeline::Pipeline;
use super::treecode::WalkAccuracy;
use crate::api::{Error, Seconds, Stage};
use crate::choose::{Algorithm, Scheme};
use crate::engine::Signs;

/// The scheme of a run, and what it does not have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    pub(super) scheme: &'a Scheme,
    /// Softening in the caller's unit.
    pub(super) softening: f64,
    pub(super) signs: Signs,
}

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Writes the field to `output`, in the caller's order. `earlier` is the earlier gradient for a criterion that is relative
    /// to it, if it is known. Returns the seconds of each stage, and a walk's pairs of receivers with cells and with sources.
    pub(super) fn run(
        &mut self,
        Run { scheme, softening, signs }: Run<'_>,
        earlier: &[Vec4<T>],
        output: ViewMut<Vec4<T>>,
    ) -> Result<(Seconds, Option<[u64; 2]>), Error> {
        match scheme.algorithm {
            Algorithm::Direct => Ok((self.sum_all_pairs(softening, output)?, None)),
            Algorithm::Fmm { .. } | Algorithm::TreecodeLists { .. } => {
                Ok((self.evaluate(Form::of(scheme.algorithm), softening, output)?, None))
            }
            Algorithm::TreecodeWalk(walk) => {
                let accuracy = WalkAccuracy { softening, signs, error: scheme.predicted_error };
                let mut before = Seconds::default();
                if let Some(first) = walk.first() {
                    if earlier.is_empty() {
                        (before, _) = self.evaluate_by_walks(first, accuracy, output)?;
                    } else {
                        before.time(Stage::Transfer, || self.machine.write(earlier, output))?;
                    }
                }
                let (seconds, counts) = self.evaluate_by_walks(walk, accuracy, output)?;
                Ok((before + seconds, Some(counts)))
            }
        }
    }
}
