//! Machines as the engines take them: launches over views, whose lifetimes no compiler checks.

#[cfg(feature = "emulator")]
use kernels_gpu::machine::Emulator;
#[cfg(feature = "cuda")]
use kernels_gpu::machine::{Cuda, MachineError};
use kernels_gpu::machine::{Machine, Unchecked};

/// A machine for an engine of this crate, and for nobody else.
#[expect(unsafe_code, reason = "engines keep the duties of launches over views, for their callers")]
pub(crate) fn unchecked<M: Machine>(machine: M) -> Unchecked<M> {
    // SAFETY: an engine owns its machine, its forks and all buffers that its views are of, and gives none of them away; what
    // callers lend are slices, which are borrowed during the call and are of the machine's order of launches. Buffers grow before
    // the launches of a stage, are reserved with the lengths of its views, and belong to one side of a fork until it is joined.
    unsafe { Unchecked::new(machine) }
}

/// The GPU of an index.
#[cfg(feature = "cuda")]
pub(crate) fn cuda(index: usize) -> Result<Unchecked<Cuda>, MachineError> {
    Cuda::new(index).map(unchecked)
}

/// The emulator.
#[cfg(feature = "emulator")]
pub(crate) fn emulator() -> Unchecked<Emulator> {
    unchecked(Emulator)
}
