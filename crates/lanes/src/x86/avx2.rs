//! 256-bit vectors: 4 doubles or 8 floats.

use core::arch::x86_64::*;

use super::vector;
use crate::Lanes;
use crate::refine::rsqrt_step;
use crate::rows::Rows;

vector!(
    F64x4,
    f64,
    __m256d,
    4,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_fmadd_pd,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    load_part_pd,
    _mm256_maskstore_pd
);
vector!(
    F32x8,
    f32,
    __m256,
    8,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_fmadd_ps,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    load_part_ps,
    _mm256_maskstore_ps
);

impl F64x4 {
    const EXACT: bool = false;
    const FUSED: bool = true;

    /// Mask of the first `n` lanes, or of all lanes where `n` is larger.
    #[inline(always)]
    fn first_lanes(n: usize) -> __m256i {
        let n = n.min(4);
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe { _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3)) }
    }

    /// AVX2 has no approximation for doubles: halving the exponent as an integer gives 4.7 bits
    /// over the whole range, and steps of order 5 and 3 or 5 the rest.
    #[inline(always)]
    fn reciprocal_square_root<const BITS: u32>(self, guard: Self, least: Self) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let y = Self(unsafe {
            let magic = _mm256_set1_epi64x(0x5fe6_eb50_c7b5_37a9);
            let halved = _mm256_srli_epi64::<1>(_mm256_castpd_si256(self.0));
            let y = _mm256_castsi256_pd(_mm256_sub_epi64(magic, halved));
            _mm256_and_pd(y, _mm256_cmp_pd::<_CMP_GT_OQ>(guard.0, least.0))
        });
        let y = rsqrt_step::<Self, 5>(self, y);
        match BITS {
            0..=20 => y,
            21..=40 => rsqrt_step::<Self, 2>(self, y),
            _ => rsqrt_step::<Self, 3>(self, y),
        }
    }

    /// Factor c in [`Self::reciprocal_square_root`], which is c/√x.
    #[inline(always)]
    const fn reciprocal_square_root_scale<const BITS: u32>() -> f64 {
        1.0
    }

    #[inline(always)]
    fn sum_of_lanes(self) -> f64 {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let half =
                _mm_add_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0));
            _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)))
        }
    }
}

impl F32x8 {
    const EXACT: bool = false;
    const FUSED: bool = true;

    /// Mask of the first `n` lanes, or of all lanes where `n` is larger.
    #[inline(always)]
    fn first_lanes(n: usize) -> __m256i {
        let n = n.min(8);
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), lanes)
        }
    }

    #[inline(always)]
    fn reciprocal_square_root<const BITS: u32>(self, guard: Self, least: Self) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        let y = Self(unsafe {
            let farther = _mm256_cmp_ps::<_CMP_GT_OQ>(guard.0, least.0);
            _mm256_and_ps(_mm256_rsqrt_ps(self.0), farther)
        });
        match BITS {
            0..=11 => y,
            12..=22 => rsqrt_step::<Self, 2>(self, y),
            _ => rsqrt_step::<Self, 3>(self, y),
        }
    }

    /// Factor c in [`Self::reciprocal_square_root`], which is c/√x.
    #[inline(always)]
    const fn reciprocal_square_root_scale<const BITS: u32>() -> f32 {
        1.0
    }

    #[inline(always)]
    fn sum_of_lanes(self) -> f32 {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let half =
                _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
        }
    }
}

impl Rows for F64x4 {
    type Block = [Self; 4];

    #[inline(always)]
    fn block() -> [Self; 4] {
        [Self::zero(); 4]
    }

    #[inline(always)]
    fn transpose([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let (a, b) = (_mm256_unpacklo_pd(r0.0, r1.0), _mm256_unpackhi_pd(r0.0, r1.0));
            let (c, d) = (_mm256_unpacklo_pd(r2.0, r3.0), _mm256_unpackhi_pd(r2.0, r3.0));
            [
                Self(_mm256_permute2f128_pd::<0x20>(a, c)),
                Self(_mm256_permute2f128_pd::<0x20>(b, d)),
                Self(_mm256_permute2f128_pd::<0x31>(a, c)),
                Self(_mm256_permute2f128_pd::<0x31>(b, d)),
            ]
        }
    }

    #[inline(always)]
    fn lane_sums([a, b, c, d]: [Self; 4]) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let (ab, cd) = (_mm256_hadd_pd(a.0, b.0), _mm256_hadd_pd(c.0, d.0));
            let low = _mm256_permute2f128_pd::<0x20>(ab, cd);
            Self(_mm256_add_pd(low, _mm256_permute2f128_pd::<0x31>(ab, cd)))
        }
    }
}

impl Rows for F32x8 {
    type Block = [Self; 8];

    #[inline(always)]
    fn block() -> [Self; 8] {
        [Self::zero(); 8]
    }

    #[inline(always)]
    fn transpose(mut block: [Self; 8]) -> [Self; 8] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = block;
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let upper = transpose_halves([r0.0, r1.0, r2.0, r3.0]);
            let lower = transpose_halves([r4.0, r5.0, r6.0, r7.0]);
            for k in 0..4 {
                block[k].0 = _mm256_permute2f128_ps::<0x20>(upper[k], lower[k]);
                block[4 + k].0 = _mm256_permute2f128_ps::<0x31>(upper[k], lower[k]);
            }
        }
        block
    }

    #[inline(always)]
    fn lane_sums([a, b, c, d, e, f, g, h]: [Self; 8]) -> Self {
        // SAFETY: a vector exists only where its instructions do (see the module above).
        unsafe {
            let (upper, lower) = (half_sums([a.0, b.0, c.0, d.0]), half_sums([e.0, f.0, g.0, h.0]));
            let low = _mm256_permute2f128_ps::<0x20>(upper, lower);
            Self(_mm256_add_ps(low, _mm256_permute2f128_ps::<0x31>(upper, lower)))
        }
    }
}

/// Sums of four vectors within each 128-bit half.
///
/// # Safety
///
/// The processor must have AVX2.
#[inline(always)]
unsafe fn half_sums([a, b, c, d]: [__m256; 4]) -> __m256 {
    // SAFETY: the caller's promise.
    unsafe { _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d)) }
}

/// Transposes four vectors within each 128-bit half.
///
/// # Safety
///
/// The processor must have AVX2.
#[inline(always)]
unsafe fn transpose_halves([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    }
}

/// The doubles from `from` on, and those of `rest` where the mask is not set.
///
/// # Safety
///
/// The processor must have AVX2, and memory from `from` on must be readable where the mask is set.
#[inline(always)]
unsafe fn load_part_pd(rest: __m256d, mask: __m256i, from: *const f64) -> __m256d {
    // SAFETY: the caller's promise.
    unsafe { _mm256_blendv_pd(rest, _mm256_maskload_pd(from, mask), _mm256_castsi256_pd(mask)) }
}

/// The floats from `from` on, and those of `rest` where the mask is not set.
///
/// # Safety
///
/// The processor must have AVX2, and memory from `from` on must be readable where the mask is set.
#[inline(always)]
unsafe fn load_part_ps(rest: __m256, mask: __m256i, from: *const f32) -> __m256 {
    // SAFETY: the caller's promise.
    unsafe { _mm256_blendv_ps(rest, _mm256_maskload_ps(from, mask), _mm256_castsi256_ps(mask)) }
}
