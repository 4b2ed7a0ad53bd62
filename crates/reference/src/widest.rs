//! Work that is compiled for several sets of vector instructions, of which the processor's widest runs.

/// Sums at a block of receivers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    pub(crate) receivers: &'a [[f64; 3]],
    pub(crate) sources: &'a [[f64; 3]],
    /// One for each source.
    pub(crate) charges: &'a [f64],
    pub(crate) softening: f64,
}

/// Work for the widest instructions.
pub(crate) trait Work {
    /// What it gives.
    type Output;

    /// Does the work, `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// Does the work by the widest instructions of the processor. No set of instructions joins a product and a sum, so that the bits are
/// the same by all.
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the processor was asked for the instructions")
)]
pub(crate) fn by_widest<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor was asked for the instructions.
            return unsafe { by_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { by_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn by_avx512<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn by_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}
