//! 128-bit vectors, which every x86-64 processor has: 2 doubles or 4 floats.

#![allow(unused_unsafe, reason = "SSE2 is part of x86-64; the macro is shared with wider vectors")]

use core::arch::x86_64::*;

use super::vector;
use crate::Lanes;
use crate::rows::Rows;

vector!(
    F64x2,
    f64,
    __m128d,
    2,
    _mm_add_pd,
    _mm_sub_pd,
    _mm_mul_pd,
    multiply_add_pd,
    _mm_set1_pd,
    _mm_loadu_pd,
    _mm_storeu_pd,
    load_part_pd,
    store_part_pd
);
vector!(
    F32x4,
    f32,
    __m128,
    4,
    _mm_add_ps,
    _mm_sub_ps,
    _mm_mul_ps,
    multiply_add_ps,
    _mm_set1_ps,
    _mm_loadu_ps,
    _mm_storeu_ps,
    load_part_ps,
    store_part_ps
);

/// The methods that [`vector`] asks for, with these intrinsics of the type. There are no masks, so that parts of vectors
/// go by way of an array; roots and quotients are exact to rounding, so that one case serves all accuracies.
macro_rules! methods {
    (
        $name:ident, $scalar:ident, $register:ident, $width:literal, $set1:ident, $div:ident, $sqrt:ident,
        $and:ident, $greater:ident, $loadu:ident, $storeu:ident,
        $multiply_add:ident, $mul:ident, $add:ident, $load_part:ident, $store_part:ident
    ) => {
        impl $name {
            const EXACT: bool = true;
            const FUSED: bool = false;

            /// Number of the lanes before `n`.
            #[inline(always)]
            fn first_lanes(n: usize) -> usize {
                n.min($width)
            }

            #[inline(always)]
            fn reciprocal_square_root<const BITS: u32>(self, guard: Self, least: Self) -> Self {
                // SAFETY: every x86-64 processor has SSE2.
                Self(unsafe {
                    let inverse = $div($set1(1.0), $sqrt(self.0));
                    $and(inverse, $greater(guard.0, least.0))
                })
            }

            /// Factor c in [`Self::reciprocal_square_root`], which is c/√x.
            #[inline(always)]
            const fn reciprocal_square_root_scale<const BITS: u32>() -> $scalar {
                1.0
            }
        }

        #[inline(always)]
        fn $multiply_add(x: $register, factor: $register, term: $register) -> $register {
            // SAFETY: every x86-64 processor has SSE2.
            unsafe { $add($mul(x, factor), term) }
        }

        /// The first `n` numbers from `from` on, and lanes of `rest` behind them.
        ///
        /// # Safety
        ///
        /// There are `n` numbers, which are at most as many as lanes.
        #[inline(always)]
        unsafe fn $load_part(rest: $register, n: usize, from: *const $scalar) -> $register {
            let mut lanes = [0.0; $width];
            // SAFETY: the array holds a whole vector; the rest is the caller's promise.
            unsafe {
                $storeu(lanes.as_mut_ptr(), rest);
                core::ptr::copy_nonoverlapping(from, lanes.as_mut_ptr(), n);
                $loadu(lanes.as_ptr())
            }
        }

        /// Writes the first `n` lanes to memory from `to` on.
        ///
        /// # Safety
        ///
        /// There is memory for `n` numbers, which are at most as many as lanes.
        #[inline(always)]
        unsafe fn $store_part(to: *mut $scalar, n: usize, x: $register) {
            let mut lanes = [0.0; $width];
            // SAFETY: the array holds a whole vector; the rest is the caller's promise.
            unsafe {
                $storeu(lanes.as_mut_ptr(), x);
                core::ptr::copy_nonoverlapping(lanes.as_ptr(), to, n);
            }
        }
    };
}

methods!(
    F64x2,
    f64,
    __m128d,
    2,
    _mm_set1_pd,
    _mm_div_pd,
    _mm_sqrt_pd,
    _mm_and_pd,
    _mm_cmpgt_pd,
    _mm_loadu_pd,
    _mm_storeu_pd,
    multiply_add_pd,
    _mm_mul_pd,
    _mm_add_pd,
    load_part_pd,
    store_part_pd
);
methods!(
    F32x4,
    f32,
    __m128,
    4,
    _mm_set1_ps,
    _mm_div_ps,
    _mm_sqrt_ps,
    _mm_and_ps,
    _mm_cmpgt_ps,
    _mm_loadu_ps,
    _mm_storeu_ps,
    multiply_add_ps,
    _mm_mul_ps,
    _mm_add_ps,
    load_part_ps,
    store_part_ps
);

impl F64x2 {
    #[inline(always)]
    fn sum_of_lanes(self) -> f64 {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { _mm_cvtsd_f64(_mm_add_sd(self.0, _mm_unpackhi_pd(self.0, self.0))) }
    }
}

impl F32x4 {
    #[inline(always)]
    fn sum_of_lanes(self) -> f32 {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe {
            let pair = _mm_add_ps(self.0, _mm_movehl_ps(self.0, self.0));
            _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
        }
    }
}

impl Rows for F64x2 {
    type Block = [Self; 2];

    #[inline(always)]
    fn block() -> [Self; 2] {
        [Self::zero(); 2]
    }

    #[inline(always)]
    fn transpose([r0, r1]: [Self; 2]) -> [Self; 2] {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { [Self(_mm_unpacklo_pd(r0.0, r1.0)), Self(_mm_unpackhi_pd(r0.0, r1.0))] }
    }
}

impl Rows for F32x4 {
    type Block = [Self; 4];

    #[inline(always)]
    fn block() -> [Self; 4] {
        [Self::zero(); 4]
    }

    #[inline(always)]
    fn transpose([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe {
            let (a, b) = (_mm_unpacklo_ps(r0.0, r1.0), _mm_unpackhi_ps(r0.0, r1.0));
            let (c, d) = (_mm_unpacklo_ps(r2.0, r3.0), _mm_unpackhi_ps(r2.0, r3.0));
            [
                Self(_mm_movelh_ps(a, c)),
                Self(_mm_movehl_ps(c, a)),
                Self(_mm_movelh_ps(b, d)),
                Self(_mm_movehl_ps(d, b)),
            ]
        }
    }
}
