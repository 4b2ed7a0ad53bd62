//! Translations along the z axis, which couple degrees of one order m only.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::matrix::BlockMatrix;

/// What a translation does.
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
pub(crate) struct AxialTranslation<T> {
    /// Row j − m, column n − m for the degrees j, n ≥ m.
    orders: Vec<BlockMatrix<T>>,
}

impl<T: Real> AxialTranslation<T> {
    pub(crate) fn new(order: usize, kind: Kind, distance: f64) -> Self {
        let factorials: Vec<f64> = (0..2 * order)
            .scan(1.0, |product, i| {
                *product *= i.max(1) as f64;
                Some(*product)
            })
            .collect();
        let root = |k: usize| num_traits::Float::sqrt(factorials[k]);
        // √(C(i+m, k+m) C(i−m, k−m)) for k ≤ i
        let binomial = |i: usize, k: usize, m: usize| {
            root(i + m) / root(k + m) * (root(i - m) / root(k - m)) / factorials[i - k]
        };
        let power = |k: usize| num_traits::Float::powi(distance, k as i32);
        let half = |k: usize| num_traits::Float::powi(0.5_f64, k as i32);
        let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let entry = |j: usize, n: usize, m: usize| match kind {
            Kind::M2m if n <= j => sign(m) * binomial(j, n, m) * power(j - n) * half(n),
            Kind::L2l if j <= n => sign(m) * binomial(n, j, m) * power(n - j) * half(j + 1),
            Kind::M2l => {
                let divisor = root(n - m) * root(n + m) * root(j - m) * root(j + m);
                sign(j) * (factorials[n + j] / divisor) / power(n + j + 1)
            }
            Kind::M2m | Kind::L2l => 0.0,
        };
        let matrix = |m| BlockMatrix::new(order - m, order - m, |j, n| entry(j + m, n + m, m));
        Self { orders: (0..order).map(matrix).collect() }
    }

    /// Translates an expansion stored by m ([`crate::layout::by_m`]) and calls `put(i, value)` with
    /// the same positions.
    #[inline(always)]
    pub(crate) fn apply<V: Lanes<Scalar = T>>(&self, from: &[V], mut put: impl FnMut(usize, V)) {
        let mut start = 0;
        for (m, matrix) in self.orders.iter().enumerate() {
            let parts = if m == 0 { 1 } else { 2 };
            for _ in 0..parts {
                matrix.multiply(&from[start..], |row, v| put(start + row, v));
                start += self.orders.len() - m;
            }
        }
    }
}
