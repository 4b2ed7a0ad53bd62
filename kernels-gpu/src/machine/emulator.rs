//! Machine in the host's memory; the emulator runs its kernels.

use super::staging::{STAGING_BYTES, StagingBuffer, bytes_of, filled_bytes};
use super::{Buffer, Grid, Machine, MachineError};
use crate::device::{Kernel, Plain, Vec4, View, ViewMut, host};
use std::time::Instant;
use std::vec::Vec;

/// Emulated device: slow, strict about barriers and indices, with the same results on every computer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Emulator;

/// Memory of the [`Emulator`].
#[derive(Debug)]
pub struct HostBuffer<T> {
    items: Vec<T>,
}

// SAFETY: views are of the items of a vector that never grows.
unsafe impl<T: Plain> Buffer<T> for HostBuffer<T> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn view(&self) -> View<T> {
        // SAFETY: the items live as long as the buffer, which a view must not outlive; a launch ends before the call returns.
        unsafe { View::from_raw(self.items.as_ptr(), self.items.len()) }
    }

    fn view_mut(&mut self) -> ViewMut<T> {
        // SAFETY: as above.
        unsafe { ViewMut::from_raw(self.items.as_mut_ptr(), self.items.len()) }
    }

    fn order(&self) -> u64 {
        0
    }
}

/// Memory of the host for copies, which end at once.
#[derive(Debug)]
pub struct HostStaging {
    /// The largest items, for the alignment of all.
    room: Vec<Vec4<f64>>,
    /// Bytes that were filled or fetched last.
    bytes: usize,
}

impl HostStaging {
    fn items<T: Plain>(&mut self, bytes: usize) -> &mut [T] {
        // SAFETY: the memory is aligned for any item and has `STAGING_BYTES` bytes, `bytes` at least, and any bits are values.
        unsafe {
            std::slice::from_raw_parts_mut(self.room.as_mut_ptr().cast(), bytes / size_of::<T>())
        }
    }
}

impl StagingBuffer for HostStaging {
    fn fill<T: Plain>(&mut self, items: &[T]) -> Result<(), MachineError> {
        self.bytes = bytes_of::<T>(items.len())?;
        self.items(self.bytes).copy_from_slice(items);
        Ok(())
    }

    fn send<T: Plain>(&mut self, to: ViewMut<T>) -> Result<(), MachineError> {
        let bytes = filled_bytes::<T>(to.len(), self.bytes)?;
        // SAFETY: the view is as `staging_unchecked` asks for.
        unsafe { Emulator.write_unchecked(self.items(bytes), to) }
    }

    fn fetch<T: Plain>(&mut self, from: View<T>) -> Result<(), MachineError> {
        self.bytes = bytes_of::<T>(from.len())?;
        // SAFETY: the view is as `staging_unchecked` asks for.
        unsafe { Emulator.read_unchecked(from, self.items(self.bytes)) }
    }

    fn fetched<T: Plain, R>(&mut self, read: impl FnOnce(&[T]) -> R) -> Result<R, MachineError> {
        Ok(read(self.items(self.bytes)))
    }
}

// SAFETY: a launch has ended when its call returns, and buffers are vectors of the host.
unsafe impl Machine for Emulator {
    type Buffer<T: Plain> = HostBuffer<T>;
    type Mark = Instant;
    type Staging = HostStaging;

    fn allocate<T: Plain>(&self, len: usize) -> Result<HostBuffer<T>, MachineError> {
        let mut buffer = HostBuffer { items: std::vec![T::default(); len] };
        // Nothing may rely on fresh memory being zero.
        self.fill(0xa5, &mut buffer)?;
        Ok(buffer)
    }

    fn upload<T: Plain>(
        &self,
        items: &[T],
        buffer: &mut HostBuffer<T>,
    ) -> Result<(), MachineError> {
        let len = buffer.items.len();
        let target = buffer.items.get_mut(..items.len());
        target.ok_or(MachineError::Copy { items: items.len(), len })?.copy_from_slice(items);
        Ok(())
    }

    fn download<T: Plain>(
        &self,
        buffer: &HostBuffer<T>,
        items: &mut [T],
    ) -> Result<(), MachineError> {
        let source = buffer.items.get(..items.len());
        let error = MachineError::Copy { items: items.len(), len: buffer.items.len() };
        items.copy_from_slice(source.ok_or(error)?);
        Ok(())
    }

    fn fill<T: Plain>(&self, byte: u8, buffer: &mut HostBuffer<T>) -> Result<(), MachineError> {
        // SAFETY: any bits are a value of plain data.
        unsafe { buffer.items.as_mut_ptr().write_bytes(byte, buffer.items.len()) };
        Ok(())
    }

    fn synchronize(&self) -> Result<(), MachineError> {
        Ok(())
    }

    fn now(&self) -> Result<f64, MachineError> {
        std::thread_local!(static START: Instant = Instant::now());
        Ok(START.with(Instant::elapsed).as_secs_f64())
    }

    fn mark(&self) -> Result<Instant, MachineError> {
        Ok(Instant::now())
    }

    fn seconds_between(&self, from: &Instant, to: &Instant) -> Result<f64, MachineError> {
        Ok(to.duration_since(*from).as_secs_f64())
    }

    fn fork(&self) -> Result<Self, MachineError> {
        Ok(Self)
    }

    fn join(&self, _: &Self) -> Result<(), MachineError> {
        Ok(())
    }

    fn home(&self) -> u64 {
        0
    }

    fn order(&self) -> u64 {
        0
    }

    /// Largest number: the emulator sets no limit to memory.
    fn free_bytes(&self) -> Result<usize, MachineError> {
        Ok(usize::MAX)
    }

    fn name(&self) -> &str {
        "emulator"
    }

    fn index(&self) -> usize {
        0
    }

    fn multiprocessors(&self) -> u32 {
        1
    }

    unsafe fn launch_unchecked<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Result<(), MachineError> {
        host::launch(kernel, grid, args);
        Ok(())
    }

    unsafe fn read_unchecked<T: Plain>(
        &self,
        from: View<T>,
        items: &mut [T],
    ) -> Result<(), MachineError> {
        same(from.len(), items.len())?;
        // SAFETY: the caller vouches for the view, which has as many items; those of `items` are borrowed alone.
        unsafe { copy(from.start(), items.as_mut_ptr(), items.len()) };
        Ok(())
    }

    unsafe fn write_unchecked<T: Plain>(
        &self,
        items: &[T],
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        same(items.len(), to.len())?;
        // SAFETY: the caller vouches for the view, which has as many items.
        unsafe { copy(items.as_ptr() as u64, to.start() as *mut T, items.len()) };
        Ok(())
    }

    unsafe fn copy_unchecked<T: Plain>(
        &self,
        from: View<T>,
        _: u64,
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        same(from.len(), to.len())?;
        // SAFETY: the caller vouches for both views, which have as many items.
        unsafe { copy(from.start(), to.start() as *mut T, from.len()) };
        Ok(())
    }

    unsafe fn staging_unchecked(&self) -> Result<HostStaging, MachineError> {
        let room = std::vec![Vec4::default(); STAGING_BYTES / size_of::<Vec4<f64>>()];
        Ok(HostStaging { room, bytes: 0 })
    }
}

/// Copies `len` items, from an address that is null where there are none.
///
/// # Safety
/// Both memories have as many items, which are allocated; nothing else uses them meanwhile.
unsafe fn copy<T: Plain>(from: u64, to: *mut T, len: usize) {
    if len > 0 {
        // SAFETY: the caller's.
        unsafe { std::ptr::copy(from as *const T, to, len) };
    }
}

fn same(items: usize, len: usize) -> Result<(), MachineError> {
    if items == len { Ok(()) } else { Err(MachineError::Copy { items, len }) }
}
