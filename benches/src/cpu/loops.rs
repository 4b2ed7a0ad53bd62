//! A straightforward hand-written loop over pairs in AVX-512 intrinsics, to compare P2P with.
//!
//! Sixteen receivers are kept in two registers, sources are broadcast one by one, 1/√ is the
//! processor's 14 bits and Newton steps, and sums are added plainly.

#![allow(unsafe_code, reason = "the hand-written loop is there to be compared with")]

use core::arch::x86_64::*;

/// Points or sums: one array for each of x, y, z.
pub(super) type Axes<T> = [Vec<T>; 3];

/// Whether the processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
}

macro_rules! hand_written {
    (
        $name:ident, $inner:ident, $t:ident, $lanes:literal, $splat:ident, $load:ident, $store:ident,
        $add:ident, $sub:ident, $mul:ident, $fmadd:ident, $positive:ident, $rsqrt:ident,
        $zero:ident, $steps:literal
    ) => {
        /// Adds potential and gradient at receivers, as many as a multiple of twice the lanes, to
        /// `sums`; adds nothing where the processor has no AVX-512.
        pub(super) fn $name(from: &Axes<$t>, q: &[$t], to: &Axes<$t>, sums: &mut [Vec<$t>; 4]) {
            let n = from.iter().map(Vec::len).chain([q.len()]).min().unwrap_or(0);
            let m = to.iter().map(Vec::len).chain(sums.iter().map(Vec::len)).min().unwrap_or(0);
            if available() {
                // SAFETY: the processor has AVX-512, and all arrays have n sources or m receivers.
                unsafe { $inner(from, q, to, sums, n, m / (2 * $lanes)) }
            }
        }

        /// # Safety
        ///
        /// The processor must have AVX-512; sources have at least `n` numbers, receivers and sums
        /// at least `2 * lanes * blocks`.
        #[target_feature(enable = "avx512f,avx512dq")]
        unsafe fn $inner(
            from: &Axes<$t>,
            q: &[$t],
            to: &Axes<$t>,
            sums: &mut [Vec<$t>; 4],
            n: usize,
            blocks: usize,
        ) {
            // SAFETY: the caller's promise keeps every pointer within its array.
            unsafe {
                let [x, y, z] = from.each_ref().map(|axis| axis.as_ptr());
                let q = q.as_ptr();
                let (half, three_halves) = ($splat(0.5), $splat(1.5));
                for block in 0..blocks {
                    let at = [2 * $lanes * block, 2 * $lanes * block + $lanes];
                    let r = at.map(|at| to.each_ref().map(|axis| $load(axis.as_ptr().add(at))));
                    let mut total = [[$zero(); 4]; 2];
                    for j in 0..n {
                        let source = [$splat(*x.add(j)), $splat(*y.add(j)), $splat(*z.add(j))];
                        let charge = $splat(*q.add(j));
                        for (r, total) in r.iter().zip(&mut total) {
                            let dx = $sub(source[0], r[0]);
                            let dy = $sub(source[1], r[1]);
                            let dz = $sub(source[2], r[2]);
                            let r2 = $fmadd(dx, dx, $fmadd(dy, dy, $mul(dz, dz)));
                            let mut inverse = $rsqrt($positive(r2, $zero()), r2);
                            for _ in 0..$steps {
                                let y2 = $mul($mul(half, r2), $mul(inverse, inverse));
                                inverse = $mul(inverse, $sub(three_halves, y2));
                            }
                            let potential = $mul(charge, inverse);
                            let pull = $mul(potential, $mul(inverse, inverse));
                            total[0] = $add(total[0], potential);
                            total[1] = $fmadd(pull, dx, total[1]);
                            total[2] = $fmadd(pull, dy, total[2]);
                            total[3] = $fmadd(pull, dz, total[3]);
                        }
                    }
                    for (at, total) in at.into_iter().zip(total) {
                        for (sum, total) in sums.iter_mut().zip(total) {
                            let sum = sum.as_mut_ptr().add(at);
                            $store(sum, $add($load(sum), total));
                        }
                    }
                }
            }
        }
    };
}

hand_written!(
    pairs_f64,
    inner_f64,
    f64,
    8,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_fmadd_pd,
    positive_pd,
    _mm512_maskz_rsqrt14_pd,
    _mm512_setzero_pd,
    2
);
hand_written!(
    pairs_f32,
    inner_f32,
    f32,
    16,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    positive_ps,
    _mm512_maskz_rsqrt14_ps,
    _mm512_setzero_ps,
    1
);

#[inline]
#[target_feature(enable = "avx512f")]
fn positive_pd(a: __m512d, b: __m512d) -> __mmask8 {
    _mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn positive_ps(a: __m512, b: __m512) -> __mmask16 {
    _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b)
}
