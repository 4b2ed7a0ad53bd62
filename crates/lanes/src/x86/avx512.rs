//! 512-bit vectors: 8 doubles or 16 floats.

use core::arch::x86_64::*;

use super::vector;
use crate::Lanes;
use crate::refine::{doubled_rsqrt_step, rsqrt_step};
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
    _mm512_storeu_pd,
    _mm512_mask_loadu_pd,
    _mm512_mask_storeu_pd
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
    _mm512_storeu_ps,
    _mm512_mask_loadu_ps,
    _mm512_mask_storeu_ps
);

impl F64x8 {
    const EXACT: bool = false;
    const FUSED: bool = true;

    /// Mask of the first `n` lanes, or of all lanes where `n` is larger.
    #[inline(always)]
    fn first_lanes(n: usize) -> __mmask8 {
        ((1_u32 << n.min(8)) - 1) as __mmask8
    }

    #[inline(always)]
    fn reciprocal_square_root<const BITS: u32>(self, guard: Self, least: Self) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let y = Self(unsafe {
            let farther = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(guard.0, least.0);
            _mm512_maskz_rsqrt14_pd(farther, self.0)
        });
        match BITS {
            0..=14 => y,
            15..=27 => doubled_rsqrt_step(self, y),
            28..=40 => rsqrt_step::<Self, 3>(self, y),
            // |e| < 2^-13, so that 35/128 e^4 is below a third of the rounding.
            _ => rsqrt_step::<Self, 4>(self, y),
        }
    }

    /// Factor c in [`Self::reciprocal_square_root`], which is c/√x.
    #[inline(always)]
    const fn reciprocal_square_root_scale<const BITS: u32>() -> f64 {
        if matches!(BITS, 15..=27) { 2.0 } else { 1.0 }
    }

    #[inline(always)]
    fn sum_of_lanes(self) -> f64 {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe { _mm512_reduce_add_pd(self.0) }
    }
}

impl F32x16 {
    const EXACT: bool = false;
    const FUSED: bool = true;

    /// Mask of the first `n` lanes, or of all lanes where `n` is larger.
    #[inline(always)]
    fn first_lanes(n: usize) -> __mmask16 {
        ((1_u32 << n.min(16)) - 1) as __mmask16
    }

    #[inline(always)]
    fn reciprocal_square_root<const BITS: u32>(self, guard: Self, least: Self) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let y = Self(unsafe {
            let farther = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(guard.0, least.0);
            _mm512_maskz_rsqrt14_ps(farther, self.0)
        });
        match BITS {
            0..=14 => y,
            _ => doubled_rsqrt_step(self, y),
        }
    }

    /// Factor c in [`Self::reciprocal_square_root`], which is c/√x.
    #[inline(always)]
    const fn reciprocal_square_root_scale<const BITS: u32>() -> f32 {
        if BITS > 14 { 2.0 } else { 1.0 }
    }

    #[inline(always)]
    fn sum_of_lanes(self) -> f32 {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe { _mm512_reduce_add_ps(self.0) }
    }
}

impl Rows for F64x8 {
    type Block = [Self; 8];

    #[inline(always)]
    fn block() -> [Self; 8] {
        [Self::zero(); 8]
    }

    #[inline(always)]
    fn transpose([r0, r1, r2, r3, r4, r5, r6, r7]: [Self; 8]) -> [Self; 8] {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let even = [
                _mm512_unpacklo_pd(r0.0, r1.0),
                _mm512_unpacklo_pd(r2.0, r3.0),
                _mm512_unpacklo_pd(r4.0, r5.0),
                _mm512_unpacklo_pd(r6.0, r7.0),
            ];
            let odd = [
                _mm512_unpackhi_pd(r0.0, r1.0),
                _mm512_unpackhi_pd(r2.0, r3.0),
                _mm512_unpackhi_pd(r4.0, r5.0),
                _mm512_unpackhi_pd(r6.0, r7.0),
            ];
            let [a, c, e, g] = transpose_quarters_pd(even);
            let [b, d, f, h] = transpose_quarters_pd(odd);
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
    }

    #[inline(always)]
    fn lane_sums([a, b, c, d, e, f, g, h]: [Self; 8]) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let (ab, cd) = (add_twos_pd(a.0, b.0), add_twos_pd(c.0, d.0));
            let (ef, gh) = (add_twos_pd(e.0, f.0), add_twos_pd(g.0, h.0));
            Self(add_quarters_pd(add_quarters_pd(ab, cd), add_quarters_pd(ef, gh)))
        }
    }
}

/// Sums within each 128-bit quarter: that of `a`, then that of `b`.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn add_twos_pd(a: __m512d, b: __m512d) -> __m512d {
    // SAFETY: the caller's promise.
    unsafe { _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)) }
}

/// Sums of neighbouring 128-bit quarters: two of `a`, then two of `b`.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn add_quarters_pd(a: __m512d, b: __m512d) -> __m512d {
    // SAFETY: the caller's promise.
    unsafe { _mm512_add_pd(_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b)) }
}

/// Transposes four vectors of four 128-bit quarters.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn transpose_quarters_pd([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (ab_even, ab_odd) =
            (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        let (cd_even, cd_odd) =
            (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
        [
            _mm512_shuffle_f64x2::<0x88>(ab_even, cd_even),
            _mm512_shuffle_f64x2::<0x88>(ab_odd, cd_odd),
            _mm512_shuffle_f64x2::<0xdd>(ab_even, cd_even),
            _mm512_shuffle_f64x2::<0xdd>(ab_odd, cd_odd),
        ]
    }
}

impl Rows for F32x16 {
    type Block = [Self; 16];

    #[inline(always)]
    fn block() -> [Self; 16] {
        [Self::zero(); 16]
    }

    #[inline(always)]
    fn transpose(mut block: [Self; 16]) -> [Self; 16] {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            // Four rows at a time: column c of rows 4g … 4g + 3 stands in quarter c/4 of v[g][c%4].
            let mut v = [[_mm512_setzero_ps(); 4]; 4];
            for (v, rows) in v.iter_mut().zip(block.chunks_exact(4)) {
                *v = transpose_fours_ps([rows[0].0, rows[1].0, rows[2].0, rows[3].0]);
            }
            for c in 0..4 {
                let columns = transpose_quarters_ps([v[0][c], v[1][c], v[2][c], v[3][c]]);
                for (quarter, column) in columns.into_iter().enumerate() {
                    block[4 * quarter + c].0 = column;
                }
            }
        }
        block
    }

    #[inline(always)]
    fn lane_sums(block: [Self; 16]) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let mut fours = [_mm512_setzero_ps(); 4];
            for (four, rows) in fours.iter_mut().zip(block.chunks_exact(4)) {
                *four = add_fours_ps([rows[0].0, rows[1].0, rows[2].0, rows[3].0]);
            }
            let [a, b, c, d] = fours;
            Self(add_quarters_ps(add_quarters_ps(a, b), add_quarters_ps(c, d)))
        }
    }
}

/// Sums within each 128-bit quarter: those of `a`, `b`, `c` and `d`.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn add_fours_ps([a, b, c, d]: [__m512; 4]) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe {
        let ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        let (low, high) = (_mm512_shuffle_ps::<0x44>(ab, cd), _mm512_shuffle_ps::<0xee>(ab, cd));
        _mm512_add_ps(low, high)
    }
}

/// Sums of neighbouring 128-bit quarters: two of `a`, then two of `b`.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn add_quarters_ps(a: __m512, b: __m512) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe { _mm512_add_ps(_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b)) }
}

/// Transposes four vectors within each 128-bit quarter.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn transpose_fours_ps([a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            _mm512_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm512_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm512_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    }
}

/// Transposes four vectors of four 128-bit quarters.
///
/// # Safety
///
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn transpose_quarters_ps(rows: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: the caller's promise; the casts change no bits.
    unsafe {
        let [a, b, c, d] = rows;
        let rows =
            [_mm512_castps_pd(a), _mm512_castps_pd(b), _mm512_castps_pd(c), _mm512_castps_pd(d)];
        let [a, b, c, d] = transpose_quarters_pd(rows);
        [_mm512_castpd_ps(a), _mm512_castpd_ps(b), _mm512_castpd_ps(c), _mm512_castpd_ps(d)]
    }
}
