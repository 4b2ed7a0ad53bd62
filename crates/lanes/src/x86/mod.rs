//! SSE2, AVX2 and AVX-512.
//!
//! The vector types are private to this crate and reach a kernel only through the functions
//! `run_*` below, which [`crate::Arch`] calls where the processor has the instructions. Therefore
//! every intrinsic here is sound. SSE2 is part of x86-64.

mod avx2;
mod avx512;
mod sse2;

pub(crate) use sse2::{F32x4, F64x2};

use crate::Kernel;

/// Whether the processor has AVX2 and FMA.
#[inline]
pub(crate) fn has_avx2() -> bool {
    #[cfg(feature = "std")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(feature = "std"))]
    return cfg!(all(target_feature = "avx2", target_feature = "fma"));
}

/// Whether the processor has AVX-512 with the F and DQ instructions.
#[inline]
pub(crate) fn has_avx512() -> bool {
    #[cfg(feature = "std")]
    return has_avx2()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq");
    #[cfg(not(feature = "std"))]
    return cfg!(all(target_feature = "avx512f", target_feature = "avx512dq"));
}

macro_rules! run {
    ($name:ident, $scalar:ty, $vector:ty, $features:literal) => {
        /// Runs a kernel with these instructions compiled in.
        ///
        /// # Safety
        ///
        /// The processor must have these instructions.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn $name<K: Kernel<$scalar>>(kernel: K) -> K::Output {
            kernel.run::<$vector>()
        }
    };
}

run!(run_avx2_f64, f64, avx2::F64x4, "avx2,fma");
run!(run_avx2_f32, f32, avx2::F32x8, "avx2,fma");
run!(run_avx512_f64, f64, avx512::F64x8, "avx2,fma,avx512f,avx512dq");
run!(run_avx512_f32, f32, avx512::F32x16, "avx2,fma,avx512f,avx512dq");

/// Defines a vector type by its intrinsics; the methods that need more than one come as functions.
macro_rules! vector {
    (
        $name:ident, $scalar:ident, $register:ident, $width:literal,
        $add:ident, $sub:ident, $mul:ident, $fmadd:ident, $splat:ident,
        $load:ident, $store:ident, $load_part:ident, $store_part:ident
    ) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($register);

        impl core::ops::Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its instructions do (see the module).
                Self(unsafe { $add(self.0, other.0) })
            }
        }

        impl core::ops::Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its instructions do (see the module).
                Self(unsafe { $sub(self.0, other.0) })
            }
        }

        impl core::ops::Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: a vector exists only where its instructions do (see the module).
                Self(unsafe { $mul(self.0, other.0) })
            }
        }

        impl core::ops::Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                <Self as crate::Lanes>::splat(-0.0) - self
            }
        }

        impl core::ops::AddAssign for $name {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl core::ops::SubAssign for $name {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl crate::Lanes for $name {
            type Scalar = $scalar;
            type Wide = crate::pair::Pair<Self>;
            const WIDTH: usize = $width;
            const EXACT_RSQRT: bool = Self::EXACT;
            const FUSED: bool = Self::FUSED;

            #[inline(always)]
            fn splat(x: $scalar) -> Self {
                // SAFETY: this type is named only in kernels that run where it may (see the module).
                Self(unsafe { $splat(x) })
            }

            #[inline(always)]
            fn load(from: &[$scalar]) -> Self {
                let from = &from[..$width];
                // SAFETY: the slice holds a whole vector; the load needs no alignment.
                Self(unsafe { $load(from.as_ptr()) })
            }

            #[inline(always)]
            fn store(self, to: &mut [$scalar]) {
                let to = &mut to[..$width];
                // SAFETY: the slice holds a whole vector; the store needs no alignment.
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }

            #[inline(always)]
            fn load_part(from: &[$scalar], rest: Self) -> Self {
                let mask = Self::first_lanes(from.len());
                // SAFETY: the mask has the lanes for which there are numbers; memory beyond is not read.
                Self(unsafe { $load_part(rest.0, mask, from.as_ptr()) })
            }

            #[inline(always)]
            fn store_part(self, to: &mut [$scalar]) {
                let mask = Self::first_lanes(to.len());
                // SAFETY: the mask has the lanes for which there are numbers; memory beyond is not written.
                unsafe { $store_part(to.as_mut_ptr(), mask, self.0) }
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // SAFETY: a vector exists only where its instructions do (see the module).
                Self(unsafe { $fmadd(self.0, factor.0, term.0) })
            }

            #[inline(always)]
            fn scaled_rsqrt<const BITS: u32>(self, guard: Self, least: Self) -> Self {
                self.reciprocal_square_root::<BITS>(guard, least)
            }

            #[inline(always)]
            fn rsqrt_scale<const BITS: u32>() -> $scalar {
                Self::reciprocal_square_root_scale::<BITS>()
            }

            #[inline(always)]
            fn sum(self) -> $scalar {
                self.sum_of_lanes()
            }

            #[inline(always)]
            fn sums(vectors: &[Self]) -> Self {
                <Self as crate::rows::Rows>::padded_lane_sums(vectors)
            }

            #[inline(always)]
            fn gather_rows(rows: &[&[$scalar]], start: usize, to: &mut [Self]) {
                to[..Self::WIDTH]
                    .copy_from_slice(&<Self as crate::rows::Rows>::load_rows(rows, start));
            }

            #[inline(always)]
            fn scatter_add_rows(from: &[Self], rows: &[usize], start: usize, to: &mut [$scalar]) {
                let mut block = <Self as crate::rows::Rows>::block();
                block.copy_from_slice(&from[..Self::WIDTH]);
                <Self as crate::rows::Rows>::add_to_rows(block, rows, start, to);
            }
        }
    };
}
use vector;
