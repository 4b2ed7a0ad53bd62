//! Constants of an order in memory: norms and factors of the harmonics, from `expansions::numerics`.

use crate::device::{Real, View};
#[cfg(not(target_arch = "nvptx64"))]
use expansions::numerics::{
    differentiation,
    normalization::{Norms, polynomial_factor},
};
#[cfg(not(target_arch = "nvptx64"))]
use std::vec::Vec;

/// The constants of an order: squares of `Constants::rows` numbers, degree n and azimuthal index m at n rows + m. First the norms,
/// then the polynomial factors, then the three factors of derivatives.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Constants<T> {
    /// The order of the expansions.
    pub degrees: u32,
    /// The numbers.
    pub numbers: View<T>,
}

impl<T: Real> Constants<T> {
    /// The order.
    #[inline(always)]
    pub(crate) fn order(self) -> usize {
        self.degrees as usize
    }

    /// Degrees of the harmonics: M2P's gradient has one more than the expansion.
    #[inline(always)]
    fn rows(self) -> usize {
        rows(self.order())
    }

    #[inline(always)]
    fn number(self, square: usize, n: usize, m: usize) -> T {
        self.numbers.get((square * self.rows() + n) * self.rows() + m)
    }

    /// The [norm](Norms) of R_n^m.
    #[inline(always)]
    pub(crate) fn norm(self, n: usize, m: usize) -> T {
        self.number(0, n, m)
    }

    /// The [`polynomial_factor`] of n and m; 0 for n = m.
    #[inline(always)]
    pub(crate) fn polynomial(self, n: usize, m: usize) -> T {
        self.number(1, n, m)
    }

    /// The [factors](differentiation::factors) of R_{n−1}^{m−1} (`part` 0), R_{n−1}^m (1) and R_{n−1}^{m+1} (2) in the
    /// derivatives of R_n^m.
    #[inline(always)]
    pub(crate) fn derivative(self, part: usize, n: usize, m: usize) -> T {
        self.number(2 + part, n, m)
    }
}

#[inline(always)]
const fn rows(order: usize) -> usize {
    order + 1
}

/// The numbers of [`Constants`].
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn numbers<T: Real>(order: usize) -> Vec<T> {
    let rows = rows(order);
    let mut numbers = std::vec![T::ZERO; 5 * rows * rows];
    let mut sectoral = Norms::FIRST;
    for m in 0..rows {
        let mut norm = sectoral;
        for n in m..rows {
            let [lower, middle, upper] = differentiation::factors(n, m);
            let all = [norm.value(), polynomial_factor(n, m), lower, middle, upper];
            for (square, number) in all.into_iter().enumerate() {
                numbers[(square * rows + n) * rows + m] = T::from_f64(number);
            }
            norm = norm.next_degree();
        }
        sectoral = sectoral.next_m();
    }
    numbers
}
