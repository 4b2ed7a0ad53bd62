//! Staging buffers: memory of the host through which items travel to and from a device.
//!
//! A copy between a device and pageable memory goes through a buffer of the driver, at a third of the speed of the bus, and the
//! calling thread waits for it. Page-locked memory is copied at full speed while the host does something else, but takes
//! milliseconds to make. So staging buffers have a fixed size, are made once and used again by all copies.
//! Cores fill or read some while others travel.

use super::{Launcher, MachineError};
use crate::device::{Plain, View, ViewMut};
use std::vec::Vec;

/// Bytes of a staging buffer: a core fills it in 50 µs and a bus of 55 GB/s takes 10 µs for it, several times what starting a copy costs.
/// A multiple of 32, so that items of any type fill it.
pub const STAGING_BYTES: usize = 512 << 10;

/// Number of items that a staging buffer holds.
pub const fn items_of_staging<T: Plain>() -> usize {
    STAGING_BYTES / size_of::<T>()
}

/// Memory of the host for one copy at a time to or from a device, in the order of the machine that it was taken from. It goes
/// back to the machine when it is dropped.
///
/// Views that a buffer is given are vouched for by its maker, see [`staging_unchecked`](super::Machine::staging_unchecked).
pub trait StagingBuffer: Send + Sized {
    /// Takes a copy of `items`, at most [`items_of_staging`]. Waits first until the copy before has ended. Cores may fill buffers
    /// of one machine side by side.
    ///
    /// # Errors
    /// If there are too many items, or the device fails.
    fn fill<T: Plain>(&mut self, items: &[T]) -> Result<(), MachineError>;

    /// Begins to copy the items of the last [`fill`](Self::fill) to all of `to`. Calls of one thread, one buffer after the other,
    /// are fastest: drivers keep threads waiting that call at the same time.
    ///
    /// # Errors
    /// If there are others than were filled, or the device fails.
    fn send<T: Plain>(&mut self, to: ViewMut<T>) -> Result<(), MachineError>;

    /// Begins to copy from `from`, at most [`items_of_staging`] items, what launches before leave there. Waits first until the
    /// copy before has ended.
    ///
    /// # Errors
    /// If there are too many items, or the device fails.
    fn fetch<T: Plain>(&mut self, from: View<T>) -> Result<(), MachineError>;

    /// Waits for the items of the last [`fetch`](Self::fetch), whose type is `T`, and gives them to `read`.
    ///
    /// # Errors
    /// If the copy or a launch before it failed.
    fn fetched<T: Plain, R>(&mut self, read: impl FnOnce(&[T]) -> R) -> Result<R, MachineError>;
}

/// Staging buffers of a copy by one thread: while it empties one, the bus fills the next.
const OF_ONE_THREAD: usize = 4;

/// Copies items that a view has to the host when all launches before have ended, through staging buffers that this thread
/// empties as they arrive. Other threads launch meanwhile.
///
/// # Errors
/// If the lengths differ, or the copy or a launch before it fails.
pub fn read_staged<M: Launcher, T: Plain>(
    machine: &M,
    from: View<T>,
    items: &mut [T],
) -> Result<(), MachineError> {
    let (n, each) = (from.len(), items_of_staging::<T>());
    if items.len() != n {
        return Err(MachineError::Copy { items: items.len(), len: n });
    }
    let part = |k: usize| from.part((k * each).min(n), each.min(n - (k * each).min(n)));
    let count = n.div_ceil(each).min(OF_ONE_THREAD);
    let mut staging = (0..count).map(|_| machine.staging()).collect::<Result<Vec<_>, _>>()?;
    for (k, buffer) in staging.iter_mut().enumerate() {
        buffer.fetch(part(k))?;
    }
    for (k, items) in items.chunks_mut(each).enumerate() {
        let buffer = &mut staging[k % count];
        buffer.fetched(|arrived| items.copy_from_slice(arrived))?;
        buffer.fetch(part(k + count))?;
    }
    Ok(())
}

/// Number of bytes of `items` items, which have to fit a staging buffer.
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub(super) fn bytes_of<T: Plain>(items: usize) -> Result<usize, MachineError> {
    let len = items_of_staging::<T>();
    if items <= len { Ok(items * size_of::<T>()) } else { Err(MachineError::Copy { items, len }) }
}

/// Number of bytes of `items` items, which have to be those that were filled.
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub(super) fn filled_bytes<T: Plain>(items: usize, filled: usize) -> Result<usize, MachineError> {
    let len = filled / size_of::<T>();
    if items == len { Ok(filled) } else { Err(MachineError::Copy { items, len }) }
}
