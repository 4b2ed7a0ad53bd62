//! Runs checks that are generic over the machine on the emulator and, with the feature `cuda`, on a GPU.

/// Makes tests of `fn NAME<M: Machine>(machine: &M)`: `NAME::emulator`, and `NAME::cuda`, which only runs when asked for by
/// `--ignored` or `--include-ignored`, since it takes a GPU.
macro_rules! on_every_machine {
    ($($check:ident),+ $(,)?) => {$(
        mod $check {
            #[test]
            fn emulator() {
                super::$check(&kernels_gpu::machine::Emulator);
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

/// The first GPU with an order of launches for each test. It is opened once, so tests share the kernels that it has loaded.
#[cfg(feature = "cuda")]
pub(crate) fn cuda() -> kernels_gpu::machine::Cuda {
    use kernels_gpu::machine::{Cuda, Machine};
    static CUDA: std::sync::OnceLock<Cuda> = std::sync::OnceLock::new();
    CUDA.get_or_init(|| Cuda::new(0).unwrap()).fork().unwrap()
}
