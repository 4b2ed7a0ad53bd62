//! Factors of the kernel, in the order in which it reads.

#[cfg(not(target_arch = "nvptx64"))]
use crate::device::{Real, Vec4};
#[cfg(not(target_arch = "nvptx64"))]
use crate::operators::small::constants::{CONSTANTS, far_at, quarter_turn_at};
#[cfg(not(target_arch = "nvptx64"))]
use crate::operators::small::translate::{inputs, members};

/// The factors in the order in which they are read, in groups of four rows, zero where there is no row or column: of the
/// quarter turn there and back by degree, column and class, then along z by m and n.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn factors<T: Real>(p: usize) -> std::vec::Vec<Vec4<T>> {
    let constant = |place: usize| CONSTANTS[place];
    let mut factors = std::vec::Vec::with_capacity(n_factors(p));
    let mut push = |rows: usize, factor: &dyn Fn(usize) -> f64| {
        for block in 0..rows.div_ceil(4) {
            factors.push(Vec4([0, 1, 2, 3].map(|k| T::from_f64(factor(4 * block + k)))));
        }
    };
    for back in [false, true] {
        for n in 1..p {
            for column in 0..half(n) {
                for class in 0..4 {
                    let (cosine, odd) = (class < 2, class % 2);
                    let (to, rows) = members(n, cosine, odd);
                    let (from_cosine, from_odd) = inputs(n, cosine, odd, back);
                    let (from, columns) = members(n, from_cosine, from_odd);
                    let from = along(n, from, from_cosine, column);
                    push(half(n), &|row| {
                        if row >= rows || column >= columns {
                            return 0.0;
                        }
                        let to = along(n, to, cosine, row);
                        let (a, b) = if back { (from, to) } else { (to, from) };
                        constant(quarter_turn_at(n, a, b))
                    });
                }
            }
        }
    }
    for m in 0..p {
        for n in m..p {
            push(p - m, &|k| if m + k < p { constant(far_at(m, m + k, n)) } else { 0.0 });
        }
    }
    factors
}

/// The place of a member of a class of degree n: cosines count up, sines down. Beyond the last, some place of the degree.
#[cfg(not(target_arch = "nvptx64"))]
const fn along(n: usize, first: usize, cosine: bool, k: usize) -> usize {
    let place = if cosine { first.wrapping_add(2 * k) } else { first.wrapping_sub(2 * k) };
    if place > 2 * n { n } else { place }
}

/// Rows and columns of a class of degree n at most.
#[inline(always)]
pub(crate) const fn half(n: usize) -> usize {
    n / 2 + 1
}

/// Groups of factors of a quarter turn of the degrees below n.
#[inline(always)]
fn turns_below(n: usize) -> usize {
    let mut sum = 0;
    for k in 1..n {
        sum += 4 * half(k) * half(k).div_ceil(4);
    }
    sum
}

/// Start of the factors of the quarter turn of degree n, there or back.
#[inline(always)]
pub(crate) fn turn_factors(p: usize, n: usize, back: bool) -> usize {
    turns_below(n) + if back { turns_below(p) } else { 0 }
}

/// Groups of [`factors`].
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn n_factors(p: usize) -> usize {
    coaxial_factors(p, p)
}

/// Start of the factors of the coaxial translation of azimuthal index m.
#[inline(always)]
pub(crate) fn coaxial_factors(p: usize, m: usize) -> usize {
    let mut sum = 2 * turns_below(p);
    for k in 0..m {
        sum += (p - k) * (p - k).div_ceil(4);
    }
    sum
}
