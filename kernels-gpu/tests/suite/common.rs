//! Runs checks that are generic over the machine on the emulator and, with the feature `cuda`, on a GPU.

use kernels_gpu::machine::{Emulator, Unchecked};

/// Makes tests of `fn NAME<M: Launcher>(machine: &M)`: `NAME::emulator`, and `NAME::cuda`, which only runs when asked for by
/// `--ignored` or `--include-ignored`, since it takes a GPU.
macro_rules! on_every_machine {
    ($($check:ident),+ $(,)?) => {$(
        mod $check {
            #[test]
            fn emulator() {
                super::$check(&crate::common::emulator());
            }

            #[cfg(feature = "cuda")]
            #[test]
            #[ignore = "takes an NVIDIA GPU"]
            fn cuda() {
                super::$check(&crate::common::cuda());
            }
        }
    )+};
}

/// The emulator, for launches over views.
pub(crate) fn emulator() -> Unchecked<Emulator> {
    // SAFETY: a test keeps its buffers until its launches have ended, one at a time.
    unsafe { Unchecked::new(Emulator) }
}

/// The first GPU with an order of launches for each test. It is opened once, so tests share the kernels that it has loaded.
#[cfg(feature = "cuda")]
pub(crate) fn cuda() -> Unchecked<kernels_gpu::machine::Cuda> {
    use kernels_gpu::machine::{Cuda, Machine};
    static CUDA: std::sync::OnceLock<Cuda> = std::sync::OnceLock::new();
    let cuda = CUDA.get_or_init(|| Cuda::new(0).unwrap()).fork().unwrap();
    // SAFETY: a test keeps its buffers until its launches have ended, one at a time or on memory of their own.
    unsafe { Unchecked::new(cuda) }
}
