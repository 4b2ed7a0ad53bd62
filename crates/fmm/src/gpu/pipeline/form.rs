//! The expansions of an evaluation: their order, and the form of M2L.

use kernels_gpu::operators::{MAX_ORDER, wave_numbers};

use crate::api::M2l;
use crate::choose::{Algorithm, Scheme, wave_error};

/// Expansions that act for far sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expansions {
    /// Expansions of boxes on lists; of order 0 for the direct sum.
    OnLists(Form),
    /// Multipoles of cells that walks meet, of an order.
    OfCells(usize),
}

impl Expansions {
    pub(crate) fn of(scheme: &Scheme) -> Self {
        match scheme.algorithm {
            Algorithm::TreecodeWalk(walk) => Self::OfCells(walk.order),
            algorithm => Self::OnLists(Form::of(algorithm)),
        }
    }
}

/// Order of the expansions, and form of M2L.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) order: usize,
    /// Whether M2L is by plane waves.
    pub(crate) waves: bool,
}

impl Form {
    /// The form of an algorithm; order 0 where it has no expansions on lists.
    pub(crate) fn of(algorithm: Algorithm) -> Self {
        let order = match algorithm {
            Algorithm::Fmm { order, .. } | Algorithm::TreecodeLists { order } => order,
            Algorithm::Direct | Algorithm::TreecodeWalk(_) => 0,
        };
        // Orders above those of rotation have one form.
        Self { order, waves: algorithm.m2l() == Some(M2l::PlaneWaves) || order > MAX_ORDER }
    }

    /// Numbers of the tables of the operators; see `kernels_gpu`.
    pub(crate) fn table_numbers(self) -> f64 {
        let p = self.order as f64;
        let of_waves = if self.waves { 20.0 * p.powi(3) } else { 0.0 };
        of_waves + 316.0 * (5.0 * p.min(MAX_ORDER as f64) + 8.0)
    }

    /// Numbers of a family and of a box that M2L takes beside the expansions; see `kernels_gpu`.
    pub(crate) fn scratch_numbers(self) -> [usize; 2] {
        match self.waves {
            true => wave_numbers(self.order, wave_error(self.order)),
            false => [0; 2],
        }
    }
}
