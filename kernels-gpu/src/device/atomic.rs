//! Numbers with atomic operations in memory; `ptx` and `host` implement them.

use super::Plain;

/// Numbers with atomic addition in memory.
pub trait Atomic: Plain {
    /// Adds `value` to the number at `address` of global memory and returns the old number.
    ///
    /// # Safety
    /// The address is valid for reads and writes and aligned; all concurrent accesses are atomic.
    unsafe fn add_global(address: u64, value: Self) -> Self;

    /// Adds `value` to the number at `address` of shared memory and returns the old number.
    ///
    /// # Safety
    /// As for [`add_global`](Self::add_global).
    unsafe fn add_shared(address: u32, value: Self) -> Self;

    /// Number at `address` of global memory now, whichever block wrote it.
    ///
    /// # Safety
    /// As for [`add_global`](Self::add_global).
    unsafe fn load_relaxed(address: u64) -> Self;

    /// Writes `value` to `address` of global memory, where other blocks may read it at once.
    ///
    /// # Safety
    /// As for [`add_global`](Self::add_global).
    unsafe fn store_relaxed(address: u64, value: Self);
}
