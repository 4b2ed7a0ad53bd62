//! The direct sum in double-double arithmetic, for sums so far below their terms that f64 leaves no digits of them.
//!
//! Numbers are unevaluated sums of two f64 (Dekker 1971), with about 31 digits. No arithmetic is shared with the
//! crates under test, nor with the compensated sum.

use crate::blocks::{self, BLOCK, Sums};

/// Potential and gradient at every receiver, with the meaning of [`direct`](crate::direct).
///
/// Positions are taken as they are: differences of coordinates are exact. Cost: about 12 times that of
/// [`direct`](crate::direct). Error: some 10⁻³⁰ times Σ|terms|, and the rounding to f64.
pub fn direct(
    sources: &[[f64; 3]],
    charges: &[f64],
    receivers: &[[f64; 3]],
    softening: f64,
) -> (Vec<f64>, Vec<[f64; 3]>) {
    blocks::direct::<Twofolds>(sources, charges, receivers, softening)
}

/// Running sums in double-double arithmetic.
#[derive(Clone, Copy, Default)]
struct Twofolds {
    high: [f64; BLOCK],
    low: [f64; BLOCK],
}

impl Sums for Twofolds {
    type Term = Twofold;

    #[inline(always)]
    fn terms(source: &[f64; 3], charge: f64, at: [f64; 3], softening: f64) -> [Twofold; 4] {
        let x = Twofold::sum(source[0], -at[0]);
        let y = Twofold::sum(source[1], -at[1]);
        let z = Twofold::sum(source[2], -at[2]);
        let apart = (x.high != 0.0) | (y.high != 0.0) | (z.high != 0.0);
        let charge = if apart { charge } else { 0.0 };
        let longer = |a: f64, b: f64| if b.abs() > a { b.abs() } else { a };
        let largest = longer(longer(longer(softening, x.high), y.high), z.high);
        // Coincident points without softening are a unit apart.
        let largest = if apart { largest } else { 1.0 };
        // The inverse of the pair's own unit of length, so that squares neither over- nor underflow.
        let scale = power_of_two(-exponent(largest).clamp(-1000, 1000));
        let (x, y, z) = (x.scaled(scale), y.scaled(scale), z.scaled(scale));
        let softening = Twofold::from(if apart { softening * scale } else { 1.0 });
        let square = x.times(x).plus(y.times(y)).plus(z.times(z)).plus(softening.times(softening));
        let inverse = square.inverse_root();
        let term = inverse.times(Twofold::from(charge));
        let slope = term.times(inverse).times(inverse);
        let along = |x: Twofold| slope.times(x).scaled(scale).scaled(scale);
        [term.scaled(scale), along(x), along(y), along(z)]
    }

    #[inline(always)]
    fn add(&mut self, i: usize, term: Twofold) {
        let sum = Twofold { high: self.high[i], low: self.low[i] }.plus(term);
        (self.high[i], self.low[i]) = (sum.high, sum.low);
    }

    fn total(&self, i: usize) -> f64 {
        self.high[i] + self.low[i]
    }
}

/// The exponent of the power of two that is at most a positive number, which is not far below the normal ones.
#[inline(always)]
fn exponent(x: f64) -> i64 {
    (x.to_bits() >> 52) as i64 - 1023
}

/// 2^`exponent`, a normal number.
#[inline(always)]
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The unevaluated sum of two f64, the second below half a unit in the last place of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Twofold {
    high: f64,
    low: f64,
}

impl From<f64> for Twofold {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Twofold {
    /// a + b without error (Knuth's two-sum).
    #[inline(always)]
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let of_b = high - a;
        Self { high, low: (a - (high - of_b)) + (b - of_b) }
    }

    /// a b without error, as long as nothing over- or underflows (Dekker's product, Veltkamp's split).
    #[inline(always)]
    fn product(a: f64, b: f64) -> Self {
        let split = |x: f64| {
            let scaled = 134_217_729.0 * x;
            let upper = scaled - (scaled - x);
            (upper, x - upper)
        };
        let high = a * b;
        let ((a1, a2), (b1, b2)) = (split(a), split(b));
        Self { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let first = Self::sum(high.high, high.low + low.high);
        Self::sum(first.high, first.low + low.low)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        Self::sum(product.high, product.low + cross)
    }

    /// 1/√self by one step of Newton's iteration, which doubles the 53 bits of the start.
    #[inline(always)]
    fn inverse_root(self) -> Self {
        let start = Self::from(1.0 / self.high.sqrt());
        let defect = Self::from(1.0).plus(self.times(start).times(start).negated());
        start.plus(start.times(defect).times(Self::from(0.5)))
    }

    /// The product with a power of two.
    #[inline(always)]
    fn scaled(self, factor: f64) -> Self {
        Self { high: self.high * factor, low: self.low * factor }
    }

    #[inline(always)]
    fn negated(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed::{charges, clouds};

    /// √2 to 32 digits, as two f64.
    #[test]
    fn roots_have_thirty_digits() {
        let root = Twofold::from(2.0).inverse_root().times(Twofold::from(2.0));
        let square = root.times(root).plus(Twofold::from(-2.0));
        assert!(square.high.abs() < 1e-30, "{square:?}");
        assert_eq!(root.high, std::f64::consts::SQRT_2);
        // The digits of √2 behind those of its f64.
        assert!((root.low + 9.667293313452913e-17).abs() < 1e-31, "{root:?}");
    }

    #[test]
    fn ordinary_sums_are_those_of_the_compensated_sum() {
        let cloud = clouds::uniform_cube(200, 31).positions;
        for (charges, softening) in
            [(charges::masses(200, 32), 0.0), (charges::mixed(200, 33), 0.1)]
        {
            let (potential, gradient) = direct(&cloud, &charges, &cloud, softening);
            let (other, slope) = crate::direct(&cloud, &charges, &cloud, softening);
            // Terms of the compensated sum are rounded a few times each; no sum has terms above 1e4.
            for (a, b) in potential.iter().zip(&other) {
                assert!((a - b).abs() < 1e4 * f64::EPSILON);
            }
            for (a, b) in gradient.as_flattened().iter().zip(slope.as_flattened()) {
                assert!((a - b).abs() < 1e6 * f64::EPSILON);
            }
        }
    }

    #[test]
    fn lengths_of_any_size_neither_overflow_nor_underflow() {
        for size in [-300, -160, 160, 300].map(|exponent| 2.0_f64.powi(exponent)) {
            let sources = [[0.0; 3], [3.0 * size, 4.0 * size, 0.0]];
            let (potential, gradient) = direct(&sources, &[5.0 * size, 0.0], &sources, 0.0);
            assert_eq!(potential, [0.0, 1.0]);
            assert!((gradient[1][1] * size + 4.0 / 25.0).abs() < 1e-16);
        }
    }

    /// Four charges of a quadrupole of size h, from afar along its axis: 2 h² / (r (r² − h²)).
    #[test]
    fn a_quadrupole_keeps_its_digits() {
        let (h, r) = (2.0_f64.powi(-20), 1.0);
        let sources = [[h, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 0.0], [-h, 0.0, 0.0]];
        let (potential, _) = direct(&sources, &[1.0, -1.0, -1.0, 1.0], &[[r, 0.0, 0.0]], 0.0);
        let exact = 2.0 * h * h / (r * (r * r - h * h));
        assert!((potential[0] - exact).abs() < 1e-14 * exact);
    }
}
