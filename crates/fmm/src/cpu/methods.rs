//! Sums on the cores by the method of a scheme.

use super::buffers::Buffers;
use super::passes::Passes;
use super::treecode::WalkCounts;
use crate::api::{Error, Seconds};
use crate::choose::Algorithm;
use crate::engine::Scalar;

impl<T: Scalar> Passes<'_, T> {
    /// Sums by an algorithm, in tree order, from charges in tree order. `earlier` is the gradient that a relative criterion takes.
    /// Gives the counts of walks.
    pub(crate) fn run(
        &self,
        algorithm: Algorithm,
        earlier: Option<&[[T; 3]]>,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<Option<WalkCounts>, Error> {
        match algorithm {
            Algorithm::Direct => self.run_direct(buffers, seconds).map(|()| None),
            Algorithm::Fmm { m2l, .. } => self.run_fmm(m2l, buffers, seconds).map(|()| None),
            Algorithm::TreecodeLists { .. } => {
                self.run_treecode_on_lists(buffers, seconds).map(Some)
            }
            Algorithm::TreecodeWalk(walk) => {
                self.run_walks(&walk, earlier, buffers, seconds).map(Some)
            }
        }
    }
}
