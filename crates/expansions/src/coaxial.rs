//! Coaxial translations: along the z axis, which couple degrees of one m only.

use alloc::vec::Vec;

use lanes::Real;

use crate::matrix::BlockDiagonal;
use crate::numerics::coaxial::{far_factor, shift_factor};
use crate::numerics::parity;

/// Kind of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A multipole about a child's centre to one about its parent's, `distance` being that from the
    /// parent's centre in sides of the parent.
    M2m,
    /// A multipole to a local expansion about a centre `distance` sides away.
    M2l,
    /// A local expansion about a parent's centre to one about a child's; `distance` as for M2M.
    L2l,
}

/// The matrices of a translation along z, one for each m, times (−1)^m.
#[derive(Clone, Debug)]
pub(crate) struct CoaxialTranslation<T> {
    /// Block of each m for the cosines and, but for m = 0, once more for the sines: row j − m, column
    /// n − m for the degrees j, n ≥ m.
    pub(crate) blocks: BlockDiagonal<T>,
}

impl<T: Real> CoaxialTranslation<T> {
    pub(crate) fn new(order: usize, kind: Kind, distance: f64) -> Self {
        let powers: Vec<f64> =
            (0..2 * order as i32).map(|k| num_traits::Float::powi(distance, k)).collect();
        let power = |k: usize| powers[k];
        let half = |k: usize| num_traits::Float::powi(0.5_f64, k as i32);
        let entry = |j: usize, n: usize, m: usize| match kind {
            Kind::M2m if n <= j => parity(m) * shift_factor(m, j, n) * power(j - n) * half(n),
            Kind::L2l if j <= n => parity(m) * shift_factor(m, n, j) * power(n - j) * half(j + 1),
            Kind::M2l => far_factor(m, j, n) / power(n + j + 1),
            Kind::M2m | Kind::L2l => 0.0,
        };
        let mut blocks = BlockDiagonal::new();
        for m in 0..order {
            blocks.push(order - m, m > 0, |j, n| entry(j + m, n + m, m));
        }
        Self { blocks }
    }
}
