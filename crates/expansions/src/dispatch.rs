//! Dispatch of kernels to the instructions of the processor.

use lanes::{Kernel, Lanes, Real};

/// Runs a kernel with the widest instructions there are. The unit tests run none, and compile them for one lane alone,
/// because compiling them for all instructions takes longer than all tests.
#[inline]
pub(crate) fn run_widest<T: Real + Lanes<Scalar = T>, K: Kernel<T>>(kernel: K) -> K::Output {
    if cfg!(test) { kernel.run::<T>() } else { T::dispatch(kernel) }
}
