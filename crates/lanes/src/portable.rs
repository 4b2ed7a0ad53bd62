//! Lanes as a plain array, which compilers vectorise for any processor.

#![allow(clippy::needless_range_loop, reason = "counted loops are compiled fastest")]

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::{Lanes, Real, pair::Pair, rows::Rows};

/// `N` floats, aligned like a vector register.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Array<T, const N: usize>([T; N]);

macro_rules! elementwise {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl<T: Real, const N: usize> $trait for Array<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for k in 0..N {
                    self.0[k] = self.0[k].$method(other.0[k]);
                }
                self
            }
        }
        impl<T: Real, const N: usize> $assign for Array<T, N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    };
}

elementwise!(Add, add, AddAssign, add_assign);
elementwise!(Sub, sub, SubAssign, sub_assign);

impl<T: Real, const N: usize> Mul for Array<T, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] *= other.0[k];
        }
        self
    }
}

impl<T: Real, const N: usize> Neg for Array<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(mut self) -> Self {
        for x in &mut self.0 {
            *x = -*x;
        }
        self
    }
}

impl<T: Real, const N: usize> Lanes for Array<T, N> {
    type Scalar = T;
    type Wide = Pair<Self>;
    const WIDTH: usize = N;
    const EXACT_RSQRT: bool = true;

    #[inline(always)]
    fn splat(x: T) -> Self {
        Self([x; N])
    }

    #[inline(always)]
    fn load(from: &[T]) -> Self {
        let mut lanes = [T::ZERO; N];
        lanes.copy_from_slice(&from[..N]);
        Self(lanes)
    }

    #[inline(always)]
    fn store(self, to: &mut [T]) {
        to[..N].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn load_part(from: &[T], mut rest: Self) -> Self {
        rest.0.iter_mut().zip(from).for_each(|(lane, x)| *lane = *x);
        rest
    }

    #[inline(always)]
    fn store_part(self, to: &mut [T]) {
        to.iter_mut().zip(self.0).for_each(|(to, x)| *to = x);
    }

    #[inline(always)]
    fn mul_add(mut self, factor: Self, term: Self) -> Self {
        for k in 0..N {
            self.0[k] = self.0[k] * factor.0[k] + term.0[k];
        }
        self
    }

    #[inline(always)]
    fn scaled_rsqrt<const BITS: u32>(mut self, guard: Self, least: Self) -> Self {
        for k in 0..N {
            self.0[k] = match guard.0[k] > least.0[k] {
                true => self.0[k].sqrt().recip(),
                false => T::ZERO,
            };
        }
        self
    }

    #[inline(always)]
    fn sum(self) -> T {
        self.0.into_iter().sum()
    }

    #[inline(always)]
    fn sums(vectors: &[Self]) -> Self {
        Self::padded_lane_sums(vectors)
    }

    #[inline(always)]
    fn gather_rows(rows: &[&[T]], start: usize, to: &mut [Self]) {
        to[..N].copy_from_slice(&Self::load_rows(rows, start));
    }

    #[inline(always)]
    fn scatter_add_rows(from: &[Self], rows: &[usize], start: usize, to: &mut [T]) {
        let mut block = Self::block();
        block.copy_from_slice(&from[..N]);
        Self::add_to_rows(block, rows, start, to);
    }
}

impl<T: Real, const N: usize> Rows for Array<T, N> {
    type Block = [Self; N];

    #[inline(always)]
    fn block() -> [Self; N] {
        [Self::zero(); N]
    }

    #[inline(always)]
    fn transpose(mut block: [Self; N]) -> [Self; N] {
        for i in 0..N {
            for k in 0..i {
                let upper = block[k].0[i];
                block[k].0[i] = block[i].0[k];
                block[i].0[k] = upper;
            }
        }
        block
    }
}
