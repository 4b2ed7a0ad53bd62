//! Vector instructions of the processor, detected at run time.

use crate::Kernel;
#[cfg(not(target_arch = "x86_64"))]
use crate::portable::Array;
#[cfg(target_arch = "x86_64")]
use crate::x86;

/// A set of vector instructions that the processor at hand has.
///
/// Values exist only for sets that the processor has, so that running a kernel is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arch(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Instructions of every processor of the target: SSE2 on x86-64, arrays elsewhere.
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Arch {
    /// The widest instructions of the processor.
    #[inline]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_avx512() {
                return Self(Level::Avx512);
            }
            if x86::has_avx2() {
                return Self(Level::Avx2);
            }
        }
        Self(Level::Plain)
    }

    /// Every instruction set that the processor has, the plainest first.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let wider = [(Level::Avx2, x86::has_avx2()), (Level::Avx512, x86::has_avx512())];
        #[cfg(not(target_arch = "x86_64"))]
        let wider: [(Level, bool); 0] = [];
        let wider = wider.into_iter().filter(|(_, present)| *present).map(|(level, _)| level);
        core::iter::once(Level::Plain).chain(wider).map(Self)
    }

    /// Name for reports.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Plain if cfg!(target_arch = "x86_64") => "SSE2",
            Level::Plain => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
        }
    }

    #[inline]
    pub(crate) fn run_f64<K: Kernel<f64>>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(not(target_arch = "x86_64"))]
            Level::Plain => kernel.run::<Array<f64, 4>>(),
            #[cfg(target_arch = "x86_64")]
            Level::Plain => kernel.run::<x86::F64x2>(),
            // SAFETY: `Arch` holds a level only after the processor was asked for it.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { x86::run_avx2_f64(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { x86::run_avx512_f64(kernel) },
        }
    }

    #[inline]
    pub(crate) fn run_f32<K: Kernel<f32>>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(not(target_arch = "x86_64"))]
            Level::Plain => kernel.run::<Array<f32, 8>>(),
            #[cfg(target_arch = "x86_64")]
            Level::Plain => kernel.run::<x86::F32x4>(),
            // SAFETY: `Arch` holds a level only after the processor was asked for it.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { x86::run_avx2_f32(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { x86::run_avx512_f32(kernel) },
        }
    }
}
