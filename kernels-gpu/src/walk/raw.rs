//! Moments Σ q x^a y^b z^c of points, which the upward pass adds up.

use crate::device::{Real, Vec4, ViewMut};

/// Number of moments of the largest order, p = 5.
const MAX: usize = 35;

/// Exponents by index: by degree, then x before y before z.
const EXPONENTS: [[u8; 3]; MAX] = {
    let mut all = [[0; 3]; MAX];
    let (mut i, mut degree) = (0, 0);
    while degree <= 4 {
        let mut rest = 0;
        while rest <= degree {
            let mut z = 0;
            while z <= rest {
                all[i] = [degree - rest, rest - z, z];
                (i, z) = (i + 1, z + 1);
            }
            rest += 1;
        }
        degree += 1;
    }
    all
};

/// Index of exponents.
pub(super) const fn index([x, y, z]: [usize; 3]) -> usize {
    let (degree, rest) = (x + y + z, y + z);
    degree * (degree + 1) * (degree + 2) / 6 + rest * (rest + 1) / 2 + z
}

/// Number of moments of order p: degrees 0 … p − 1.
const fn count(order: usize) -> usize {
    order * (order + 1) * (order + 2) / 6
}

/// Number of vectors that a box's moments take in memory.
pub(super) const fn vectors(order: usize) -> usize {
    1 + count(order).div_ceil(4)
}

/// Index of the moment of one degree less, and the axis of the coordinate that it is multiplied by.
#[inline(always)]
fn below(i: usize) -> (usize, usize) {
    let [x, y, z] = EXPONENTS[i].map(usize::from);
    if x > 0 {
        (index([x - 1, y, z]), 0)
    } else if y > 0 {
        (index([x, y - 1, z]), 1)
    } else {
        (index([x, y, z - 1]), 2)
    }
}

/// Moments of order `P` about a point: degrees 0 … P − 1.
#[derive(Clone, Copy)]
pub(super) struct Raw<T, const P: usize> {
    /// Weighted sums Σ |q| x, Σ |q| y, Σ |q| z, Σ |q|.
    pub(super) weight: [T; 4],
    /// Moments Σ q x^a y^b z^c by [`index`].
    pub(super) moment: [T; MAX],
}

impl<T: Real, const P: usize> Raw<T, P> {
    pub(super) const ZERO: Self = Self { weight: [T::ZERO; 4], moment: [T::ZERO; MAX] };

    /// Adds a charge at `s`.
    #[inline(always)]
    pub(super) fn add(&mut self, s: [T; 3], q: T) {
        let size = Real::max(q, -q);
        let [x, y, z, weight] = self.weight;
        self.weight =
            [size.mul_add(s[0], x), size.mul_add(s[1], y), size.mul_add(s[2], z), weight + size];
        let mut monomial = [T::ONE; MAX];
        self.moment[0] += q;
        for i in 1..count(P) {
            let (lower, axis) = below(i);
            monomial[i] = monomial[lower] * s[axis];
            self.moment[i] = q.mul_add(monomial[i], self.moment[i]);
        }
    }

    /// Shifts the point of reference, so that all charges lie `t` further from it.
    ///
    /// Along each axis m_a ← m_a + t m_{a−1} for falling a ≥ j, j = 1 … P − 1, turns powers of s into powers of s + t.
    #[inline(always)]
    pub(super) fn shift(&mut self, t: [T; 3]) {
        for d in 0..3 {
            self.weight[d] = t[d].mul_add(self.weight[3], self.weight[d]);
            for j in 1..P {
                for k in 1..count(P) {
                    let i = count(P) - k;
                    let mut lower = EXPONENTS[i].map(usize::from);
                    if lower[d] >= j {
                        lower[d] -= 1;
                        self.moment[i] = t[d].mul_add(self.moment[index(lower)], self.moment[i]);
                    }
                }
            }
        }
    }

    /// Replaces each number by `map` of it.
    #[inline(always)]
    pub(super) fn map(&mut self, map: impl Fn(T) -> T) {
        for number in &mut self.weight {
            *number = map(*number);
        }
        for number in &mut self.moment[..count(P)] {
            *number = map(*number);
        }
    }

    /// Loads the moments of box `b`.
    #[inline(always)]
    pub(super) fn load(memory: ViewMut<Vec4<T>>, b: usize) -> Self {
        let mut raw = Self::ZERO;
        Vec4(raw.weight) = memory.get(b * vectors(P));
        for j in 1..vectors(P) {
            let Vec4(numbers) = memory.get(b * vectors(P) + j);
            for (k, number) in numbers.into_iter().enumerate() {
                if 4 * (j - 1) + k < count(P) {
                    raw.moment[4 * (j - 1) + k] = number;
                }
            }
        }
        raw
    }

    /// Stores the moments of box `b`.
    #[inline(always)]
    pub(super) fn store(&self, memory: ViewMut<Vec4<T>>, b: usize) {
        memory.set(b * vectors(P), Vec4(self.weight));
        for j in 1..vectors(P) {
            let number = |k: usize| {
                let i = 4 * (j - 1) + k;
                if i < count(P) { self.moment[i] } else { T::ZERO }
            };
            memory.set(b * vectors(P) + j, Vec4([number(0), number(1), number(2), number(3)]));
        }
    }
}
