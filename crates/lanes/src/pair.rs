//! Two vectors worked on together, so that one broadcast serves both: [`Lanes::Wide`].

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::{Lanes, ROW_ALIGNMENT, rows::Rows};

/// Lanes of twice the width of `V`.
#[derive(Clone, Copy, Debug)]
#[allow(unreachable_pub, reason = "an associated type of public types, yet not to be named")]
pub struct Pair<V>(V, V);

macro_rules! elementwise {
    ($trait:ident, $method:ident) => {
        impl<V: Lanes> $trait for Pair<V> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0), self.1.$method(other.1))
            }
        }
    };
}

elementwise!(Add, add);
elementwise!(Sub, sub);
elementwise!(Mul, mul);

impl<V: Lanes> Neg for Pair<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<V: Lanes> AddAssign for Pair<V> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<V: Lanes> SubAssign for Pair<V> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<V: Rows> Lanes for Pair<V> {
    type Scalar = V::Scalar;
    type Wide = Self;
    const WIDTH: usize = 2 * V::WIDTH;
    const BLOCK: usize = V::WIDTH;
    const EXACT_RSQRT: bool = V::EXACT_RSQRT;
    const FUSED: bool = V::FUSED;

    #[inline(always)]
    fn splat(x: V::Scalar) -> Self {
        let x = V::splat(x);
        Self(x, x)
    }

    #[inline(always)]
    fn load(from: &[V::Scalar]) -> Self {
        let (low, high) = from.split_at(V::WIDTH);
        Self(V::load(low), V::load(high))
    }

    #[inline(always)]
    fn store(self, to: &mut [V::Scalar]) {
        let (low, high) = to.split_at_mut(V::WIDTH);
        self.0.store(low);
        self.1.store(high);
    }

    #[inline(always)]
    fn load_part(from: &[V::Scalar], rest: Self) -> Self {
        let (low, high) = from.split_at(from.len().min(V::WIDTH));
        Self(V::load_part(low, rest.0), V::load_part(high, rest.1))
    }

    #[inline(always)]
    fn store_part(self, to: &mut [V::Scalar]) {
        let (low, high) = to.split_at_mut(to.len().min(V::WIDTH));
        self.0.store_part(low);
        self.1.store_part(high);
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1))
    }

    #[inline(always)]
    fn scaled_rsqrt<const BITS: u32>(self, guard: Self, least: Self) -> Self {
        let low = self.0.scaled_rsqrt::<BITS>(guard.0, least.0);
        Self(low, self.1.scaled_rsqrt::<BITS>(guard.1, least.1))
    }

    #[inline(always)]
    fn rsqrt_scale<const BITS: u32>() -> V::Scalar {
        V::rsqrt_scale::<BITS>()
    }

    #[inline(always)]
    fn sum(self) -> V::Scalar {
        self.0.sum() + self.1.sum()
    }

    #[inline(always)]
    fn sums(vectors: &[Self]) -> Self {
        let mut folded = [V::zero(); 2 * ROW_ALIGNMENT];
        for (folded, Self(low, high)) in folded.iter_mut().zip(vectors) {
            *folded = *low + *high;
        }
        Self(V::sums(&folded[..V::WIDTH]), V::sums(&folded[V::WIDTH..2 * V::WIDTH]))
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "counted loops keep the block in registers")]
    fn gather_rows(rows: &[&[V::Scalar]], start: usize, to: &mut [Self]) {
        let (low, high) = rows.split_at(V::WIDTH);
        let (low, high) = (V::load_rows(low, start), V::load_rows(high, start));
        let to = &mut to[..V::WIDTH];
        for k in 0..V::WIDTH {
            to[k] = Self(low.as_ref()[k], high.as_ref()[k]);
        }
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "counted loops keep the block in registers")]
    fn scatter_add_rows(from: &[Self], rows: &[usize], start: usize, to: &mut [V::Scalar]) {
        let from = &from[..V::WIDTH];
        let (mut low, mut high) = (V::block(), V::block());
        for k in 0..V::WIDTH {
            (low.as_mut()[k], high.as_mut()[k]) = (from[k].0, from[k].1);
        }
        let (low_rows, high_rows) = rows.split_at(rows.len().min(V::WIDTH));
        V::add_to_rows(low, low_rows, start, to);
        V::add_to_rows(high, high_rows, start, to);
    }
}
