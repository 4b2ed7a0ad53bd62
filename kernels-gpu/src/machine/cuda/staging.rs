//! Staging buffers, which copies take from a device and give back.

use super::super::staging::{StagingBuffer, bytes_of, filled_bytes};
use super::room::Room;
use super::stream::Stream;
use super::{Cuda, Grid, Machine, MachineError, checked, held};
use crate::device::{Plain, View, ViewMut};
use crate::transfer::{COPY_WORDS, CopyWords};
use cudarc::driver::result;
use std::sync::Arc;

/// Idle staging buffers that a device keeps: 20 MiB of page-locked memory. Copies of host slices take up to 32 of them, and
/// small copies take others meanwhile: to make one takes half a millisecond, during which the driver keeps other threads
/// waiting.
const KEPT: usize = 40;

/// Threads of a block of the kernel that copies words.
const THREADS: u32 = 256;

/// Memory of the host for copies of a [`Cuda`](super::Cuda).
#[derive(Debug)]
pub struct CudaStaging {
    stream: Arc<Stream>,
    room: Room,
    /// Bytes that were filled or fetched last.
    bytes: usize,
    /// Whether a copy may be under way.
    travels: bool,
}

// SAFETY: the driver may be called from any thread, and the memory is the buffer's alone.
unsafe impl Send for CudaStaging {}

impl CudaStaging {
    pub(super) fn new(stream: &Arc<Stream>) -> Result<Self, MachineError> {
        let idle = held(&stream.device().rooms).pop();
        let made = || {
            stream.device().bind()?;
            Room::new()
        };
        let room = idle.map_or_else(made, Ok)?;
        // Of a buffer that had the memory before. Cores that fill the new one need not call the driver then.
        let mut buffer = Self { stream: stream.clone(), room, bytes: 0, travels: true };
        buffer.wait()?;
        Ok(buffer)
    }

    /// Waits until the last copy has ended.
    fn wait(&mut self) -> Result<(), MachineError> {
        if self.travels {
            self.stream.device().bind()?;
            // SAFETY: the event lives.
            checked("a copy", unsafe { result::event::synchronize(self.room.event) })?;
            self.travels = false;
        }
        Ok(())
    }

    fn record(&mut self) -> Result<(), MachineError> {
        self.travels = true;
        // SAFETY: event and stream live.
        checked("a copy", unsafe { result::event::record(self.room.event, self.stream.raw()) })
    }

    /// Begins to copy few items, as [`fetch`](StagingBuffer::fetch) does: a kernel writes them, which starts sooner than an engine of
    /// copies and waits for no copies of other streams. `machine` launches in the buffer's order.
    pub(super) fn bring<T: Plain>(
        &mut self,
        machine: &Cuda,
        from: View<T>,
    ) -> Result<(), MachineError> {
        const WORD: usize = size_of::<u32>();
        if align_of::<T>() < WORD {
            return self.fetch(from);
        }
        self.bytes = bytes_of::<T>(from.len())?;
        self.wait()?;
        let words = self.bytes / WORD;
        // SAFETY: the words lie within the items, and page-locked memory, which has as many bytes, is at the same address for the
        // device; it is not touched before the event that is recorded below.
        let args = unsafe {
            CopyWords {
                from: View::from_raw(from.start() as *const u32, words),
                to: ViewMut::from_raw(self.room.memory.cast(), words),
            }
        };
        // SAFETY: both views are of memory that lives until the event, and of as many words.
        unsafe { machine.launch_unchecked(&COPY_WORDS, Grid::over(words, THREADS), args)? };
        self.record()
    }

    fn items<T: Plain>(&mut self, bytes: usize) -> &mut [T] {
        // SAFETY: the driver's memory is aligned for any item and has `STAGING_BYTES` bytes, `bytes` at least, of which any are
        // values; no copy is under way when this is called, or it begins after the last use of the items.
        unsafe { std::slice::from_raw_parts_mut(self.room.memory.cast(), bytes / size_of::<T>()) }
    }
}

impl StagingBuffer for CudaStaging {
    fn fill<T: Plain>(&mut self, items: &[T]) -> Result<(), MachineError> {
        self.bytes = bytes_of::<T>(items.len())?;
        self.wait()?;
        self.items(self.bytes).copy_from_slice(items);
        Ok(())
    }

    fn send<T: Plain>(&mut self, to: ViewMut<T>) -> Result<(), MachineError> {
        let bytes = filled_bytes::<T>(to.len(), self.bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.stream.device().bind()?;
        let stream = self.stream.raw();
        let items = self.items::<T>(bytes);
        // SAFETY: the view has as many items; the memory is not touched before the event that is recorded next.
        let copied = unsafe { result::memcpy_htod_async(to.start(), items, stream) };
        checked("a copy to the device", copied)?;
        self.record()
    }

    fn fetch<T: Plain>(&mut self, from: View<T>) -> Result<(), MachineError> {
        self.bytes = bytes_of::<T>(from.len())?;
        if self.bytes == 0 {
            return Ok(());
        }
        self.wait()?;
        self.stream.device().bind()?;
        let (bytes, stream) = (self.bytes, self.stream.raw());
        let items = self.items::<T>(bytes);
        // SAFETY: as above.
        let copied = unsafe { result::memcpy_dtoh_async(items, from.start(), stream) };
        checked("a copy from the device", copied)?;
        self.record()
    }

    fn fetched<T: Plain, R>(&mut self, read: impl FnOnce(&[T]) -> R) -> Result<R, MachineError> {
        self.wait()?;
        Ok(read(self.items(self.bytes)))
    }
}

impl Drop for CudaStaging {
    fn drop(&mut self) {
        let device = self.stream.device();
        let mut idle = held(&device.rooms);
        if idle.len() < KEPT {
            idle.push(self.room);
            return;
        }
        drop(idle);
        if device.bind().is_ok() {
            // SAFETY: the buffer ends here.
            unsafe { self.room.destroy() };
        }
    }
}
