//! One lane: plain floats, for reference paths and for devices where a thread is a lane.

use crate::{Lanes, Real, pair::Pair, rows::Rows};

macro_rules! scalar {
    ($t:ident) => {
        impl Lanes for $t {
            type Scalar = $t;
            type Wide = Pair<$t>;
            const WIDTH: usize = 1;

            #[inline(always)]
            fn splat(x: $t) -> Self {
                x
            }

            #[inline(always)]
            fn load(from: &[$t]) -> Self {
                from[0]
            }

            #[inline(always)]
            fn store(self, to: &mut [$t]) {
                to[0] = self;
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                self * factor + term
            }

            #[inline(always)]
            fn rsqrt_where<const BITS: u32>(self, guard: Self) -> Self {
                if guard > <$t>::ZERO { num_traits::Float::sqrt(self).recip() } else { <$t>::ZERO }
            }

            #[inline(always)]
            fn sum(self) -> $t {
                self
            }

            #[inline(always)]
            fn gather_rows(from: &[$t], rows: &[usize], to: &mut [Self]) {
                Self::gather_into(from, rows, to, |to, v| *to = v);
            }

            #[inline(always)]
            fn scatter_add_rows(from: &[Self], rows: &[usize], to: &mut [$t]) {
                Self::scatter_add_from(from, rows, to, |v| *v);
            }
        }

        impl Rows for $t {
            #[inline(always)]
            fn transpose(_: &mut [Self]) {}
        }
    };
}

scalar!(f32);
scalar!(f64);
