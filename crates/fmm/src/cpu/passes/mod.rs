//! The passes of an evaluation, each a straight line through the boxes.

mod beside;
mod downward;
mod everywhere;
mod m2l_pairs;
mod m2l_waves;
mod near;
mod near_symmetric;
mod upward;

use expansions::layout::row_length;
use expansions::operators::{M2lForm, PairAccuracy};

use super::buffers::{Buffers, SentWaves};
use super::geometry::Geometry;
use super::geometry::receivers::Sums;
use super::peers::ghosts::Peers;
use super::peers::near_device::{NearDevice, Pending, Reach};
use super::peers::walks::WalkPeers;
use super::tables::Tables;
use crate::api::{Error, M2l, Outputs, Request, Seconds, Stage};
use crate::choose::Scheme;
#[cfg(test)]
use crate::choose::{Algorithm, TreeShape};
use crate::engine::{Scalar, make_room};
use beside::{BusyTime, side_by_side};

/// Input of every pass.
#[derive(Clone, Copy)]
pub(crate) struct Passes<'a, T> {
    pub(crate) geometry: &'a Geometry<T>,
    pub(crate) tables: &'a Tables<T>,
    pub(crate) outputs: Outputs,
    pub(crate) accuracy: PairAccuracy,
    /// Softening in the plan's unit of length.
    pub(crate) softening: T,
    /// Charge vectors to evaluate.
    pub(crate) n_vectors: usize,
    /// Whether charges may hide errors from a sample of receivers.
    pub(crate) may_hide_errors: bool,
    /// Whether a check will ask for the last degrees of expansions.
    pub(crate) checked: bool,
    /// The device that sums the near pairs meanwhile, if it is not the cores.
    pub(crate) near: Option<&'a dyn NearDevice<T>>,
    /// The processes that have other parts of the points, if there are any.
    pub(crate) peers: Option<&'a dyn Peers<T>>,
    /// The processes that have other parts of the points, where groups of receivers walk the tree.
    pub(crate) walk_peers: Option<&'a dyn WalkPeers<T>>,
}

impl<'a, T: Scalar> Passes<'a, T> {
    /// The passes by a scheme, on cores of one process, for so many charge vectors, which may hide errors or not.
    pub(crate) fn new(
        (geometry, tables): (&'a Geometry<T>, &'a Tables<T>),
        request: &Request,
        scheme: &Scheme,
        (n_vectors, may_hide_errors): (usize, bool),
    ) -> Self {
        Self {
            geometry,
            tables,
            outputs: request.outputs,
            accuracy: scheme.pair_accuracy,
            softening: T::narrow(geometry.unit.shrink(request.softening)),
            n_vectors,
            may_hide_errors,
            checked: request.is_relative(),
            near: None,
            peers: None,
            walk_peers: None,
        }
    }

    /// The passes for so many vectors, with both outputs and a check, pairs in full.
    #[cfg(test)]
    pub(crate) fn of_test(
        geometry: &'a Geometry<T>,
        tables: &'a Tables<T>,
        n_vectors: usize,
    ) -> Self {
        let scheme = Scheme {
            algorithm: Algorithm::Direct,
            shape: TreeShape::one_leaf(),
            pair_accuracy: PairAccuracy::Full,
            predicted_error: 0.0,
        };
        Self::new((geometry, tables), &Request::default(), &scheme, (n_vectors, true))
    }
}

impl<T: Scalar> Passes<'_, T> {
    /// Sums by the FMM, in tree order, from charges in tree order. A device for pairs sums them while the cores do all
    /// else.
    pub(crate) fn run_fmm(
        &self,
        m2l: M2l,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error> {
        let Buffers { charges, multipoles, locals, waves, sums, compensation, .. } = buffers;
        let charges: Vec<&[T]> = charges[..self.n_vectors].iter().map(Vec::as_slice).collect();
        let sums = &mut sums[..self.n_vectors];
        let pairs = self.start_pairs(&charges, Reach::Near, seconds)?;
        self.reset(sums, seconds);
        let mut near = match pairs {
            None => Near::Here { compensation },
            Some(pairs) => Near::There(pairs),
        };
        if self.geometry.has_expansions() {
            // One vector after the other: the expansions of one fill the cache already.
            for k in 0..charges.len() {
                if let Some(peers) = self.peers {
                    self.upward(charges[k], multipoles, seconds);
                    let order = self.tables.order();
                    let coming =
                        seconds.time(Stage::Exchange, || peers.start(multipoles, order))?;
                    // Pairs are summed while multipoles travel.
                    near = near.finish(self, &charges, sums, seconds)?;
                    seconds.time(Stage::Exchange, || coming.finish(multipoles, order))?;
                    self.make_locals(m2l, charges[k], (multipoles, locals, waves), seconds);
                } else {
                    let far = |seconds: &mut Seconds| {
                        self.upward(charges[k], multipoles, seconds);
                        self.make_locals(m2l, charges[k], (multipoles, locals, waves), seconds);
                    };
                    near = near.finish_beside(self, &charges, sums, (far, seconds));
                }
                let sums = &mut sums[k];
                seconds.time(Stage::L2p, || self.l2p((multipoles, locals), sums));
                seconds.time(Stage::M2p, || self.m2p(multipoles, sums));
            }
        }
        near.finish(self, &charges, sums, seconds)?;
        Ok(())
    }

    /// Local expansions of all boxes from multipoles and charges.
    fn make_locals(
        &self,
        m2l: M2l,
        charges: &[T],
        (multipoles, locals, waves): (&[T], &mut Vec<T>, &mut SentWaves<T>),
        seconds: &mut Seconds,
    ) {
        make_room(locals, multipoles.len());
        seconds.time(Stage::M2l, || match m2l {
            M2l::PlaneWaves => self.m2l_by_waves(multipoles, locals, waves),
            M2l::Dense => self.m2l(M2lForm::Dense, multipoles, locals),
            M2l::Rotation => self.m2l(M2lForm::Rotation, multipoles, locals),
        });
        seconds.time(Stage::P2l, || self.p2l(charges, locals));
        seconds.time(Stage::L2l, || self.l2l(locals));
    }

    /// Sums by the direct sum, whatever the tree.
    pub(super) fn run_direct(
        &self,
        buffers: &mut Buffers<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error> {
        if !self.geometry.has_expansions() {
            // Near lists hold all pairs, and sum those of one set for both points.
            return self.run_fmm(M2l::Rotation, buffers, seconds);
        }
        let charges: Vec<&[T]> =
            buffers.charges[..self.n_vectors].iter().map(Vec::as_slice).collect();
        let sums = &mut buffers.sums[..self.n_vectors];
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

    /// Launches the near pairs on their device, if there is one.
    fn start_pairs(
        &self,
        charges: &[&[T]],
        reach: Reach,
        seconds: &mut Seconds,
    ) -> Result<Option<Box<dyn Pending<T> + '_>>, Error> {
        let Some(device) = self.near else { return Ok(None) };
        seconds.time(Stage::Transfer, || device.start(charges, reach)).map(Some)
    }

    /// Makes all sums zero.
    pub(crate) fn reset(&self, sums: &mut [Sums<T>], seconds: &mut Seconds) {
        let with_gradient = self.outputs.has_gradient();
        let n_receivers = self.geometry.receivers().len();
        seconds.time(Stage::Other, || {
            for sums in sums {
                sums.reset(n_receivers, with_gradient);
            }
        });
    }

    /// Multipoles of all boxes about the boxes' centres.
    pub(crate) fn upward(&self, charges: &[T], multipoles: &mut Vec<T>, seconds: &mut Seconds) {
        make_room(multipoles, self.geometry.tree.n_boxes() * self.row_length());
        seconds.time(Stage::P2m, || self.p2m(charges, multipoles));
        seconds.time(Stage::M2m, || self.m2m(multipoles));
    }

    /// Length of one expansion in memory.
    pub(crate) fn row_length(&self) -> usize {
        row_length(self.tables.order())
    }
}

/// Near pairs that are not summed yet.
enum Near<'a, T> {
    Here {
        compensation: &'a mut Sums<T>,
    },
    /// Pairs on their way from a device.
    There(Box<dyn Pending<T> + 'a>),
    Summed,
}

impl<'a, T: Scalar> Near<'a, T> {
    /// Runs the passes of the far field, and beside them the pairs that the cores have to sum.
    fn finish_beside(
        self,
        passes: &Passes<'_, T>,
        charges: &[&[T]],
        sums: &mut [Sums<T>],
        (far, seconds): (impl FnOnce(&mut Seconds) + Send, &mut Seconds),
    ) -> Self {
        let Self::Here { compensation } = self else {
            far(seconds);
            return self;
        };
        side_by_side(far, |busy| passes.p2p(charges, sums, compensation, busy), seconds);
        Self::Summed
    }

    /// Pairs are summed, unless they are already.
    fn finish(
        self,
        passes: &Passes<'_, T>,
        charges: &[&[T]],
        sums: &mut [Sums<T>],
        seconds: &mut Seconds,
    ) -> Result<Near<'a, T>, Error> {
        match self {
            Self::Here { compensation } => {
                let busy = BusyTime::default();
                seconds.time(Stage::P2p, || passes.p2p(charges, sums, compensation, &busy));
            }
            Self::There(pairs) => finish(pairs, sums, seconds)?,
            Self::Summed => {}
        }
        Ok(Self::Summed)
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

/// Boxes that one task takes in passes along the boxes of a level: at order 10, some 100 µs of work.
const TASK: usize = 64;

/// Parents whose children one task takes, of `n_parents` of a level: few enough for 64 tasks, enough to fill the lanes of
/// vectors.
fn parents_of_task(n_parents: usize) -> usize {
    (n_parents / 64).clamp(16, TASK)
}
