//! The passes of an evaluation, each a straight line through the boxes.

mod downward;
mod far;
mod mutual;
mod near;
mod upward;
mod waves;

pub(crate) use waves::SentWaves;

use crate::hierarchy::Hierarchy;
use crate::hybrid::{PairDevice, Pending, Reach};
use crate::operators::Operators;
use crate::stopwatch::{Seconds, Stage};
use crate::tasks::Sums;
use crate::workspace::Workspace;
use crate::{Error, Outputs, Scalar};
use expansions::layout::row_length;
use expansions::operators::PairAccuracy;

/// What every pass reads.
#[derive(Clone, Copy)]
pub(crate) struct Passes<'a, T> {
    pub(crate) hierarchy: &'a Hierarchy<T>,
    pub(crate) operators: &'a Operators<T>,
    pub(crate) outputs: Outputs,
    pub(crate) accuracy: PairAccuracy,
    /// Whether M2L is by plane waves.
    pub(crate) waves: bool,
    /// In the plan's unit.
    pub(crate) softening: T,
    /// Charge vectors to evaluate.
    pub(crate) n_vectors: usize,
    /// What sums pairs meanwhile, if it is not the cores.
    pub(crate) pair_device: Option<&'a dyn PairDevice<T>>,
}

impl<T: Scalar> Passes<'_, T> {
    /// Sums by the FMM, in tree order, from charges in tree order. A device for pairs sums them while the cores do all
    /// else.
    pub(crate) fn run_fmm(
        &self,
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error> {
        let Workspace { charges, multipoles, locals, waves, sums, lost, .. } = workspace;
        let charges: Vec<&[T]> = charges[..self.n_vectors].iter().map(Vec::as_slice).collect();
        let sums = &mut sums[..self.n_vectors];
        let pairs = self.start_pairs(&charges, Reach::Near, seconds)?;
        self.reset(sums, seconds);
        if self.hierarchy.has_expansions() {
            // One vector after the other: the expansions of one fill the cache already.
            for (charges, sums) in charges.iter().zip(&mut *sums) {
                self.upward(charges, multipoles, seconds);
                // They may be longer: results went through them on their way to the caller.
                locals.resize(locals.len().max(multipoles.len()), T::ZERO);
                let locals = &mut locals[..multipoles.len()];
                seconds.time(Stage::M2l, || match self.waves {
                    true => self.m2l_by_waves(multipoles, locals, waves),
                    false => self.m2l(multipoles, locals),
                });
                seconds.time(Stage::P2l, || self.p2l(charges, locals));
                seconds.time(Stage::L2l, || self.l2l(locals));
                seconds.time(Stage::L2p, || self.l2p(locals, sums));
                seconds.time(Stage::M2p, || self.m2p(multipoles, sums));
            }
        }
        match pairs {
            None => seconds.time(Stage::P2p, || self.p2p(&charges, sums, lost)),
            Some(pairs) => finish(pairs, sums, seconds)?,
        }
        Ok(())
    }

    /// Sums over all pairs.
    pub(crate) fn run_all_pairs(
        &self,
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error> {
        let charges: Vec<&[T]> =
            workspace.charges[..self.n_vectors].iter().map(Vec::as_slice).collect();
        let sums = &mut workspace.sums[..self.n_vectors];
        let pairs = self.start_pairs(&charges, Reach::All, seconds)?;
        self.reset(sums, seconds);
        match pairs {
            None => seconds.time(Stage::P2p, || {
                for (charges, sums) in charges.iter().zip(sums) {
                    self.add_all(charges, sums);
                }
            }),
            Some(pairs) => finish(pairs, sums, seconds)?,
        }
        Ok(())
    }

    /// Sets the device for pairs to work, if there is one.
    fn start_pairs(
        &self,
        charges: &[&[T]],
        reach: Reach,
        seconds: &mut Seconds,
    ) -> Result<Option<Box<dyn Pending<T> + '_>>, Error> {
        let Some(device) = self.pair_device else { return Ok(None) };
        seconds.time(Stage::Transfer, || device.start(charges, reach)).map(Some)
    }

    /// Makes all sums zero.
    pub(crate) fn reset(&self, sums: &mut [Sums<T>], seconds: &mut Seconds) {
        let with_gradient = self.outputs == Outputs::PotentialAndGradient;
        let n_receivers = self.hierarchy.receivers().len();
        seconds.time(Stage::Other, || {
            for sums in sums {
                sums.reset(n_receivers, with_gradient);
            }
        });
    }

    /// Multipoles of all boxes about the boxes' centres.
    pub(crate) fn upward(&self, charges: &[T], multipoles: &mut Vec<T>, seconds: &mut Seconds) {
        multipoles.resize(self.hierarchy.tree.n_boxes() * self.row_length(), T::ZERO);
        seconds.time(Stage::P2m, || self.p2m(charges, multipoles));
        seconds.time(Stage::M2m, || self.m2m(multipoles));
    }

    /// Length of one expansion in memory.
    pub(crate) fn row_length(&self) -> usize {
        row_length(self.operators.order())
    }
}

/// Waits for pairs and adds them.
fn finish<T: Scalar>(
    mut pairs: Box<dyn Pending<T> + '_>,
    sums: &mut [Sums<T>],
    seconds: &mut Seconds,
) -> Result<(), Error> {
    seconds.time(Stage::P2p, || pairs.wait())?;
    let mut sums: Vec<_> = sums.iter_mut().map(Sums::all).collect();
    seconds.time(Stage::Transfer, || pairs.add_to(&mut sums))
}

/// The coarsest level that has far pairs.
pub(crate) const TOP: usize = 2;

/// Boxes that one task takes in passes along the boxes of a level.
const TASK: usize = 64;
