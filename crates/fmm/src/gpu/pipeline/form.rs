//! The expansions of an evaluation: their order, and the form of M2L.

use kernels_gpu::operators::{OperatorSet, wave_numbers};

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

/// Order of the expansions, and the kernels that make them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) order: usize,
    pub(crate) set: OperatorSet,
}

impl Form {
    /// The form of an algorithm; order 0 where it has no expansions on lists.
    pub(crate) fn of(algorithm: Algorithm) -> Self {
        let order = match algorithm {
            Algorithm::Fmm { order, .. } | Algorithm::TreecodeLists { order } => order,
            Algorithm::Direct | Algorithm::TreecodeWalk(_) => 0,
        };
        let set = match algorithm.m2l() {
            Some(M2l::PlaneWaves) => OperatorSet::Large,
            _ => OperatorSet::of(order),
        };
        Self { order, set }
    }

    /// Numbers of the tables of the operators.
    pub(crate) fn table_numbers(self) -> usize {
        self.set.table_numbers(self.order)
    }

    /// Numbers of a family and of a box that M2L takes beside the expansions.
    pub(crate) fn scratch_numbers(self) -> [usize; 2] {
        match self.set {
            OperatorSet::Large => wave_numbers(self.order, wave_error(self.order)),
            OperatorSet::Small => [0; 2],
        }
    }
}
