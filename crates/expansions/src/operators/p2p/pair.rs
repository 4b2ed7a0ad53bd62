//! Arithmetic of one pair, and sums over pairs with compensation.

use lanes::{Lanes, Real};

/// Sources whose contributions are added plainly.
pub(super) const BLOCK: usize = 512;

/// Potential and gradient at one vector of receivers.
pub(super) type Sums<V> = [V; 4];

/// c/√(|d|² + ε²), and 0 where d = 0; [`unscaled`] takes the factor c from sums.
#[inline(always)]
pub(super) fn scaled_inverse<V: Lanes, const SOFT: bool, const BITS: u32>(
    [dx, dy, dz]: [V; 3],
    softening2: V,
) -> V {
    let r2 = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
    if SOFT {
        return (r2 + softening2).scaled_rsqrt::<BITS>(r2, V::zero());
    }
    r2.scaled_rsqrt::<BITS>(r2, V::splat(nearest_square()))
}

/// A potential and its gradient, summed from [`scaled_inverse`] and its third power.
#[inline(always)]
pub(super) fn unscaled<V: Lanes, const BITS: u32>([potential, x, y, z]: [V; 4]) -> [V; 4] {
    let scale = V::rsqrt_scale::<BITS>();
    if scale == V::Scalar::ONE {
        return [potential, x, y, z];
    }
    let factor = num_traits::Float::recip(scale);
    let (once, thrice) = (V::splat(factor), V::splat(factor * factor * factor));
    [potential * once, x * thrice, y * thrice, z * thrice]
}

/// The square of the distance up to which points count as coincident without softening, 6.3e-13 in f32 and 1e-102 in f64: with it,
/// the third power of [`scaled_inverse`], with its factor of up to 2, is 3.2e37 and 8e306, which leaves room for charges of 10 below
/// the largest number.
#[inline(always)]
fn nearest_square<T: Real>() -> T {
    T::narrow(if T::BITS < <f64 as Real>::BITS { 4e-25 } else { 1e-204 })
}

/// ε², but 0 only without softening, so that 1/√(r² + ε²) has a third power.
#[inline(always)]
pub(super) fn softening_square<T: Real>(softening: T) -> T {
    if softening > T::ZERO {
        num_traits::Float::max(softening * softening, nearest_square())
    } else {
        T::ZERO
    }
}

/// Adds `part` to `total` and the rounding error of that to `compensation` (two-sum).
#[inline(always)]
pub(super) fn add_compensated<V: Lanes, const GRADIENT: bool>(
    total: &mut Sums<V>,
    compensation: &mut Sums<V>,
    part: &Sums<V>,
) {
    for i in 0..if GRADIENT { 4 } else { 1 } {
        let (sum, rest) = two_sum(total[i], part[i]);
        compensation[i] += rest;
        total[i] = sum;
    }
}

/// The rounded sum and its rounding error (Knuth).
#[inline(always)]
pub(super) fn two_sum<V: Lanes>(old: V, new: V) -> (V, V) {
    let sum = old + new;
    let from_new = sum - old;
    (sum, (old - (sum - from_new)) + (new - from_new))
}
