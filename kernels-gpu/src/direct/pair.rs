//! One receiver in a thread's registers and the contribution of one source, shared by all sums over pairs.
//!
//! A pair costs 13 floating-point instructions and one reciprocal square root for potential and gradient in f32. A pair that
//! may coincide costs a comparison and a selection more.

use crate::device::{Real, Vec4, warp};

/// Number types of pairs.
pub trait Pair: Real {
    /// Smallest normal number. Smaller squared distances count as 0, because reciprocal square roots flush them to 0.
    const TINY: Self;
    /// Coordinate far from all points, whose square is finite. Sources without charge that fill up a tile lie there.
    const FAR: Self;
    /// Small distance whose square is normal.
    const CLOSE: Self;

    /// Whether the number is neither infinite nor NaN.
    #[inline(always)]
    fn is_finite(self) -> bool {
        Real::max(self, -self) < Self::from_f64(f64::INFINITY)
    }
}

impl Pair for f32 {
    const TINY: Self = Self::MIN_POSITIVE;
    const FAR: Self = 1e18;
    const CLOSE: Self = 2e-19;
}

impl Pair for f64 {
    const TINY: Self = Self::MIN_POSITIVE;
    const FAR: Self = 1e18;
    const CLOSE: Self = 2e-154;
}

/// Source without charge, far from all points.
#[inline(always)]
pub(crate) fn nothing<T: Pair>() -> Vec4<T> {
    Vec4([T::FAR, T::FAR, T::FAR, T::ZERO])
}

/// One receiver: its position, and its sums of gradient and potential (gx, gy, gz, Φ).
#[derive(Clone, Copy)]
pub(crate) struct Receiver<T> {
    pub(crate) at: [T; 3],
    pub(crate) part: [T; 4],
}

impl<T: Pair> Receiver<T> {
    /// Receiver with sums of 0.
    #[inline(always)]
    pub(crate) fn new(Vec4([x, y, z, _]): Vec4<T>) -> Self {
        Self { at: [x, y, z], part: [T::ZERO; 4] }
    }

    /// Adds q/√(r² + ε²) and its gradient (Yokota & Barba, Listing 1, with the sign of ∇Φ); returns r² + ε². With `MASKED`,
    /// a pair with r = 0 adds nothing; otherwise such a pair makes the sums infinite or NaN, or counts if ε > 0.
    #[inline(always)]
    pub(crate) fn add<const MASKED: bool>(&mut self, source: Vec4<T>, softening2: T) -> T {
        let Vec4([x, y, z, q]) = source;
        let [dx, dy, dz] = [x - self.at[0], y - self.at[1], z - self.at[2]];
        let (r2, inverse);
        if MASKED {
            let bare = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
            r2 = bare + softening2;
            let any = r2.rsqrt();
            inverse = if bare >= T::TINY { any } else { T::ZERO };
        } else {
            r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, softening2)));
            inverse = r2.rsqrt();
        }
        let potential = q * inverse;
        let strength = potential * (inverse * inverse);
        self.part[0] = dx.mul_add(strength, self.part[0]);
        self.part[1] = dy.mul_add(strength, self.part[1]);
        self.part[2] = dz.mul_add(strength, self.part[2]);
        self.part[3] += potential;
        r2
    }

    /// Moves the sums to a `total`; the rounding error stays as the first term of the next part. Carries every few terms keep
    /// the error from growing with the number of sources, and total and part together have more digits than T. Cost: 24
    /// additions.
    #[inline(always)]
    pub(crate) fn carry(&mut self, total: [T; 4]) -> [T; 4] {
        let sums = [0, 1, 2, 3].map(|k| two_sum(total[k], self.part[k]));
        self.part = sums.map(|(_, rest)| rest);
        sums.map(|(sum, _)| sum)
    }
}

/// Rounded sum a + b and its rounding error (Knuth).
#[inline(always)]
fn two_sum<T: Real>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Box around receivers, slightly enlarged: points outside coincide with no receiver, and their squared distances to
/// receivers are normal numbers.
#[derive(Clone, Copy)]
pub(crate) struct ReceiverBounds<T> {
    pub(crate) low: [T; 3],
    pub(crate) high: [T; 3],
}

impl<T: Pair> ReceiverBounds<T> {
    /// Box around one point.
    #[inline(always)]
    pub(crate) fn around(at: [T; 3]) -> Self {
        Self { low: at.map(|x| x - T::CLOSE), high: at.map(|x| x + T::CLOSE) }
    }

    /// Box around this box and a point.
    #[inline(always)]
    pub(crate) fn with(self, at: [T; 3]) -> Self {
        self.union(Self::around(at))
    }

    #[inline(always)]
    fn union(self, other: Self) -> Self {
        Self {
            low: [0, 1, 2].map(|k| self.low[k].min(other.low[k])),
            high: [0, 1, 2].map(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Box around the boxes of all lanes whose indices differ in bits below `lanes`, a power of two.
    #[inline(always)]
    pub(crate) fn over_lanes(mut self, lanes: u32) -> Self {
        let mut mask = lanes / 2;
        while mask > 0 {
            self = self.union(Self {
                low: self.low.map(|x| warp::shuffle_xor(x, mask)),
                high: self.high.map(|x| warp::shuffle_xor(x, mask)),
            });
            mask /= 2;
        }
        self
    }

    /// Whether a point lies inside.
    #[inline(always)]
    pub(crate) fn holds(&self, Vec4(at): Vec4<T>) -> bool {
        (at[0] >= self.low[0])
            & (at[0] <= self.high[0])
            & (at[1] >= self.low[1])
            & (at[1] <= self.high[1])
            & (at[2] >= self.low[2])
            & (at[2] <= self.high[2])
    }

    /// Squared distance of a point from the box; 0 inside.
    #[inline(always)]
    pub(crate) fn distance2(&self, Vec4(at): Vec4<T>) -> T {
        let [x, y, z] = [0, 1, 2]
            .map(|k| Real::max(Real::max(self.low[k] - at[k], at[k] - self.high[k]), T::ZERO));
        x.mul_add(x, y.mul_add(y, z * z))
    }
}
