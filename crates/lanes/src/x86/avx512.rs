//! 512-bit vectors: 8 doubles or 16 floats.

use core::arch::x86_64::*;

use super::vector;
use crate::refine::rsqrt_step;
use crate::rows::Rows;

vector!(
    F64x8,
    f64,
    __m512d,
    8,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_fmadd_pd,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd
);
vector!(
    F32x16,
    f32,
    __m512,
    16,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps
);

impl F64x8 {
    #[inline(always)]
    fn reciprocal_square_root<const BITS: u32>(self, guard: Self) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let y = Self(unsafe {
            let positive = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(guard.0, _mm512_setzero_pd());
            _mm512_maskz_rsqrt14_pd(positive, self.0)
        });
        match BITS {
            0..=14 => y,
            15..=27 => rsqrt_step::<Self, 2>(self, y),
            28..=40 => rsqrt_step::<Self, 3>(self, y),
            _ => rsqrt_step::<Self, 5>(self, y),
        }
    }

    #[inline(always)]
    fn sum_of_lanes(self) -> f64 {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe { _mm512_reduce_add_pd(self.0) }
    }
}

impl F32x16 {
    #[inline(always)]
    fn reciprocal_square_root<const BITS: u32>(self, guard: Self) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let y = Self(unsafe {
            let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(guard.0, _mm512_setzero_ps());
            _mm512_maskz_rsqrt14_ps(positive, self.0)
        });
        match BITS {
            0..=14 => y,
            _ => rsqrt_step::<Self, 2>(self, y),
        }
    }

    #[inline(always)]
    fn sum_of_lanes(self) -> f32 {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe { _mm512_reduce_add_ps(self.0) }
    }
}

impl Rows for F64x8 {
    #[inline(always)]
    fn transpose(block: &mut [Self]) {
        let r = |i: usize| block[i].0;
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let columns = unsafe {
            let low = |i| _mm512_unpacklo_pd(r(i), r(i + 1));
            let high = |i| _mm512_unpackhi_pd(r(i), r(i + 1));
            quarters([low(0), low(2), low(4), low(6)], [high(0), high(2), high(4), high(6)])
        };
        for (v, column) in block.iter_mut().zip(columns) {
            v.0 = column;
        }
    }
}

/// Finishes the transposition of 8 × 8 doubles: `even[i]` and `odd[i]` interleave rows 2i, 2i + 1.
#[inline(always)]
unsafe fn quarters(even: [__m512d; 4], odd: [__m512d; 4]) -> [__m512d; 8] {
    // SAFETY: called where the instructions are.
    unsafe {
        let select = |v: [__m512d; 4]| {
            let a = _mm512_shuffle_f64x2::<0x88>(v[0], v[1]);
            let b = _mm512_shuffle_f64x2::<0xdd>(v[0], v[1]);
            let c = _mm512_shuffle_f64x2::<0x88>(v[2], v[3]);
            let d = _mm512_shuffle_f64x2::<0xdd>(v[2], v[3]);
            [
                _mm512_shuffle_f64x2::<0x88>(a, c),
                _mm512_shuffle_f64x2::<0x88>(b, d),
                _mm512_shuffle_f64x2::<0xdd>(a, c),
                _mm512_shuffle_f64x2::<0xdd>(b, d),
            ]
        };
        let (e, o) = (select(even), select(odd));
        [e[0], o[0], e[1], o[1], e[2], o[2], e[3], o[3]]
    }
}

impl Rows for F32x16 {
    #[inline(always)]
    fn transpose(block: &mut [Self]) {
        let r = |i: usize| block[i].0;
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            // Four rows at a time: column c of rows 4g .. 4g + 3 stands in quarter c / 4 of v[g][c % 4].
            let four = |g: usize| {
                let a = _mm512_unpacklo_ps(r(4 * g), r(4 * g + 1));
                let b = _mm512_unpackhi_ps(r(4 * g), r(4 * g + 1));
                let c = _mm512_unpacklo_ps(r(4 * g + 2), r(4 * g + 3));
                let d = _mm512_unpackhi_ps(r(4 * g + 2), r(4 * g + 3));
                [
                    _mm512_shuffle_ps::<0x44>(a, c),
                    _mm512_shuffle_ps::<0xee>(a, c),
                    _mm512_shuffle_ps::<0x44>(b, d),
                    _mm512_shuffle_ps::<0xee>(b, d),
                ]
            };
            let v = [four(0), four(1), four(2), four(3)];
            for c in 0..4 {
                let a = _mm512_shuffle_f32x4::<0x88>(v[0][c], v[1][c]);
                let b = _mm512_shuffle_f32x4::<0xdd>(v[0][c], v[1][c]);
                let d = _mm512_shuffle_f32x4::<0x88>(v[2][c], v[3][c]);
                let e = _mm512_shuffle_f32x4::<0xdd>(v[2][c], v[3][c]);
                block[c].0 = _mm512_shuffle_f32x4::<0x88>(a, d);
                block[4 + c].0 = _mm512_shuffle_f32x4::<0x88>(b, e);
                block[8 + c].0 = _mm512_shuffle_f32x4::<0xdd>(a, d);
                block[12 + c].0 = _mm512_shuffle_f32x4::<0xdd>(b, e);
            }
        }
    }
}
