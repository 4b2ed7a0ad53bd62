//! Slices of the host on their way to a device and back: in staging buffers, of which cores fill or read some while others
//! travel.
//!
//! Points and charges cross the bus as the caller has them, three numbers and one, and the device turns them into what kernels
//! take. A core reads each byte once and writes it once; looks at the data are the device's. Cores must not work under a lock
//! of the engine: see [`GpuEngine::state`](crate::gpu::engine::GpuEngine::state).
//!
//! | file | what |
//! |---|---|
//! | `send.rs` | points and charges to a device |
//! | `filling.rs` | cores fill staging buffers of a copy, and one thread sends them |
//! | `arrivals.rs` | a field to the host |

mod arrivals;
mod filling;
mod send;
#[cfg(test)]
mod tests;

use kernels_gpu::machine::{Launcher, MachineError, STAGING_BYTES};

pub(super) use arrivals::{Arrivals, Course};
pub(super) use send::{
    bounds_of_sent, cube_around, inspect, packed, packed_len, send_points, send_rows, unpack,
};

/// Staging buffers of one copy: 16 MiB, of which cores fill or read some while the bus takes 0.3 ms for the others.
const BUFFERS: usize = 32;

/// Bytes of a buffer, at least, in copies of several: a core takes 40 µs for them, several times what starting a copy costs, and
/// copies of a few MiB have work for all cores.
const LEAST: usize = 256 << 10;

/// Bytes that one core copies before others have woken: cores that slept take 0.15 to 0.2 ms.
const ALONE: usize = 3 << 19;

/// Bytes of the staging buffers that the largest copy takes, of so many points or receivers.
pub(super) fn staging_bytes<T>(n_points: usize, n_receivers: usize) -> usize {
    let numbers = n_points.saturating_mul(3).max(n_receivers.saturating_mul(4));
    n_buffers::<T>(numbers) * STAGING_BYTES
}

/// Number of staging buffers of a copy of `len` items.
fn n_buffers<T>(len: usize) -> usize {
    len.saturating_mul(size_of::<T>()).div_ceil(LEAST).clamp(1, BUFFERS)
}

/// Items of each of several buffers that take `len` items together, in several rounds if need be.
fn chunk<Q>(len: usize, buffers: usize) -> usize {
    len.div_ceil(buffers.max(1)).clamp(1, STAGING_BYTES / size_of::<Q>())
}

/// Staging buffers of a copy of `len` items, in the machine's order.
fn staging<M: Launcher, T>(machine: &M, len: usize) -> Result<Vec<M::Staging>, MachineError> {
    (0..n_buffers::<T>(len)).map(|_| machine.staging()).collect()
}
