//! Fused multiply-add of the emulator: one instruction where the processor has it.
//!
//! `mul_add` of the standard library is a call unless the whole program is compiled for such processors, and sums of products are
//! most of what kernels compute.

macro_rules! fused {
    ($name:ident, $type:ty, $instruction:literal) => {
        #[inline]
        pub(in crate::device) fn $name(a: $type, b: $type, c: $type) -> $type {
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("fma") {
                let mut result = a;
                // SAFETY: the processor has the instruction, which reads and writes these registers alone.
                unsafe {
                    std::arch::asm!(
                        concat!($instruction, " {0}, {1}, {2}"),
                        inout(xmm_reg) result,
                        in(xmm_reg) b,
                        in(xmm_reg) c,
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
                return result;
            }
            a.mul_add(b, c)
        }
    };
}

fused!(fma_f32, f32, "vfmadd213ss");
fused!(fma_f64, f64, "vfmadd213sd");
