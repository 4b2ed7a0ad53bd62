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

impl<T: Plain> Buffer<T> for HostBuffer<T> {
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
        Emulator.write(self.items(bytes), to)
    }

    fn fetch<T: Plain>(&mut self, from: View<T>) -> Result<(), MachineError> {
        self.bytes = bytes_of::<T>(from.len())?;
        Emulator.read(from, self.items(self.bytes))
    }

    fn fetched<T: Plain, R>(&mut self, read: impl FnOnce(&[T]) -> R) -> Result<R, MachineError> {
        Ok(read(self.items(self.bytes)))
    }
}

impl Machine for Emulator {
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

    fn staging(&self) -> Result<HostStaging, MachineError> {
        let room = std::vec![Vec4::default(); STAGING_BYTES / size_of::<Vec4<f64>>()];
        Ok(HostStaging { room, bytes: 0 })
    }

    fn fill<T: Plain>(&self, byte: u8, buffer: &mut HostBuffer<T>) -> Result<(), MachineError> {
        // SAFETY: any bits are a value of plain data.
        unsafe { buffer.items.as_mut_ptr().write_bytes(byte, buffer.items.len()) };
        Ok(())
    }

    fn launch<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Result<(), MachineError> {
        host::launch(kernel, grid, args);
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

    fn read<T: Plain>(&self, from: View<T>, items: &mut [T]) -> Result<(), MachineError> {
        same(from.len(), items.len())?;
        items.iter_mut().enumerate().for_each(|(i, item)| *item = from.get(i));
        Ok(())
    }

    fn write<T: Plain>(&self, items: &[T], to: ViewMut<T>) -> Result<(), MachineError> {
        same(items.len(), to.len())?;
        items.iter().enumerate().for_each(|(i, item)| to.set(i, *item));
        Ok(())
    }

    fn home(&self) -> u64 {
        0
    }

    fn copy<T: Plain>(&self, from: View<T>, _: u64, to: ViewMut<T>) -> Result<(), MachineError> {
        same(from.len(), to.len())?;
        (0..from.len()).for_each(|i| to.set(i, from.get(i)));
        Ok(())
    }

    /// Largest number: the emulator sets no limit to memory.
    fn free_bytes(&self) -> Result<usize, MachineError> {
        Ok(usize::MAX)
    }

    fn multiprocessors(&self) -> u32 {
        1
    }
}

fn same(items: usize, len: usize) -> Result<(), MachineError> {
    if items == len { Ok(()) } else { Err(MachineError::Copy { items, len }) }
}
