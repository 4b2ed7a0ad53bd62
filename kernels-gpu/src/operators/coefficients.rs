//! Expansions in memory: groups of four coefficients, so that a thread moves 16 bytes at a time.

use super::small::order::Degrees;
use crate::device::{Array, Real, Vec4, View, ViewMut};
use core::ops::Range;

/// Groups of four coefficients that an expansion of `order` degrees takes; what is left of the last is not used.
pub const fn groups(order: usize) -> usize {
    (order * order).div_ceil(4)
}

/// Memory from which expansions are read.
pub(crate) trait Source<T> {
    /// Item `i`.
    fn group(self, i: usize) -> Vec4<T>;
}

impl<T: Real> Source<T> for View<Vec4<T>> {
    #[inline(always)]
    fn group(self, i: usize) -> Vec4<T> {
        self.get(i)
    }
}

impl<T: Real> Source<T> for ViewMut<Vec4<T>> {
    #[inline(always)]
    fn group(self, i: usize) -> Vec4<T> {
        self.get(i)
    }
}

/// Reads the groups in `which` of box `b` of `count`.
#[inline(always)]
pub(super) fn load_groups<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    from: impl Source<T> + Copy,
    [b, count]: [usize; 2],
    which: Range<usize>,
    e: &mut Array<T, N>,
) {
    for group in which {
        let numbers = Array::of(from.group(group * count + b).0);
        for k in 0..p.coefficients().min(4 * group + 4) - 4 * group {
            e[4 * group + k] = numbers[k];
        }
    }
}

/// Reads box `b` of `count`.
#[inline(always)]
pub(crate) fn load<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    from: impl Source<T> + Copy,
    at: [usize; 2],
    e: &mut Array<T, N>,
) {
    load_groups(p, from, at, 0..groups(p.count()), e);
}

/// Group `group` of an expansion, zeros after the last coefficient.
#[inline(always)]
pub(super) fn group_of<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    e: &Array<T, N>,
    group: usize,
) -> Vec4<T> {
    let mut numbers = Array::<T, 4>::filled(T::ZERO);
    for k in 0..p.coefficients().min(4 * group + 4) - 4 * group {
        numbers[k] = e[4 * group + k];
    }
    Vec4([numbers[0], numbers[1], numbers[2], numbers[3]])
}

/// Adds `e` to box `b` of `count`.
#[inline(always)]
pub(super) fn add<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    e: &Array<T, N>,
    to: ViewMut<Vec4<T>>,
    [b, count]: [usize; 2],
) {
    for group in 0..groups(p.count()) {
        let at = group * count + b;
        to.set(at, sum(to.get(at), group_of(p, e, group)));
    }
}

/// a + b
#[inline(always)]
pub(super) fn sum<T: Real>(Vec4(a): Vec4<T>, Vec4(b): Vec4<T>) -> Vec4<T> {
    Vec4([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
}

/// Multiplies the coefficients of each degree by its factor.
#[inline(always)]
pub(super) fn scale<T: Real, const P: usize, const N: usize, const F: usize>(
    p: Degrees<T, P>,
    factors: &Array<T, F>,
    e: &mut Array<T, N>,
) {
    for n in 0..p.count() {
        for c in n * n..(n + 1) * (n + 1) {
            e[c] *= factors[n];
        }
    }
}
