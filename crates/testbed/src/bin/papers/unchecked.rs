//! The machine of the runs that launch kernels themselves.

use kernels_gpu::machine::{Machine, Unchecked};

/// A machine for the runs of this program.
#[expect(unsafe_code, reason = "runs launch kernels over views of their own buffers")]
pub(crate) fn unchecked<M: Machine>(machine: M) -> Unchecked<M> {
    // SAFETY: a run makes its buffers on this machine, of the lengths that its views have, keeps them until its launches are
    // made, and launches one kernel after the other.
    unsafe { Unchecked::new(machine) }
}
