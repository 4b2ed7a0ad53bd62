//! Plain floats as one lane, for reference paths and for devices where a thread is a lane.

use crate::{Lanes, Real, pair::Pair, rows::Rows};

macro_rules! scalar {
    ($t:ident) => {
        impl Lanes for $t {
            type Scalar = $t;
            type Wide = Pair<$t>;
            const WIDTH: usize = 1;
            const EXACT_RSQRT: bool = true;

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
            fn load_part(from: &[$t], rest: Self) -> Self {
                from.first().copied().unwrap_or(rest)
            }

            #[inline(always)]
            fn store_part(self, to: &mut [$t]) {
                if let Some(first) = to.first_mut() {
                    *first = self;
                }
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                self * factor + term
            }

            #[inline(always)]
            fn scaled_rsqrt<const BITS: u32>(self, guard: Self, least: Self) -> Self {
                if guard > least { num_traits::Float::sqrt(self).recip() } else { <$t>::ZERO }
            }

            #[inline(always)]
            fn sum(self) -> $t {
                self
            }

            #[inline(always)]
            fn sums(vectors: &[Self]) -> Self {
                Self::padded_lane_sums(vectors)
            }

            #[inline(always)]
            fn gather_rows(rows: &[&[$t]], start: usize, to: &mut [Self]) {
                to[..Self::WIDTH].copy_from_slice(&Self::load_rows(rows, start));
            }

            #[inline(always)]
            fn scatter_add_rows(from: &[Self], rows: &[usize], start: usize, to: &mut [$t]) {
                let mut block = Self::block();
                block.copy_from_slice(&from[..Self::WIDTH]);
                Self::add_to_rows(block, rows, start, to);
            }
        }

        impl Rows for $t {
            type Block = [Self; 1];

            #[inline(always)]
            fn block() -> [Self; 1] {
                [0.0]
            }

            #[inline(always)]
            fn transpose(block: [Self; 1]) -> [Self; 1] {
                block
            }
        }
    };
}

scalar!(f32);
scalar!(f64);
