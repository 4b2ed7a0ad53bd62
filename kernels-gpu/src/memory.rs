//! Device memory that grows on demand and is kept from one use to the next.

use crate::device::{Plain, View, ViewMut};
use crate::machine::{Buffer, DeviceSlice, DeviceSliceMut, Machine, MachineError};
use std::fmt;

/// Growable buffer of a device. Its contents are lost when it grows.
pub struct Grown<M: Machine, T: Plain> {
    buffer: Option<M::Buffer<T>>,
}

impl<M: Machine, T: Plain> Grown<M, T> {
    /// Buffer without memory.
    pub const fn new() -> Self {
        Self { buffer: None }
    }

    /// Number of items that fit.
    pub fn capacity(&self) -> usize {
        self.buffer.as_ref().map_or(0, Buffer::len)
    }

    /// Grows to `len` items or more if necessary, with any content. Later growth adds an eighth to `len`.
    ///
    /// # Errors
    /// If the device has not enough memory.
    pub fn reserve(&mut self, machine: &M, len: usize) -> Result<(), MachineError> {
        if self.buffer.is_none() || self.capacity() < len {
            let first = self.buffer.take().is_none();
            let len = if first { len } else { len.saturating_add(len / 8) };
            self.buffer = Some(machine.allocate(len.max(1))?);
        }
        Ok(())
    }

    /// Gives the memory back, after all launches before. The next use allocates it again.
    pub fn release(&mut self) {
        self.buffer = None;
    }

    /// The first `len` items, borrowed to be read.
    ///
    /// # Errors
    /// If fewer fit.
    pub fn slice(&self, len: usize) -> Result<DeviceSlice<'_, T>, MachineError> {
        match &self.buffer {
            Some(buffer) => buffer.slice().part(0..len),
            None => DeviceSlice::EMPTY.part(0..len),
        }
    }

    /// The first `len` items, borrowed to be written.
    ///
    /// # Errors
    /// If fewer fit.
    pub fn slice_mut(&mut self, len: usize) -> Result<DeviceSliceMut<'_, T>, MachineError> {
        match &mut self.buffer {
            Some(buffer) => buffer.slice_mut().part(0..len),
            None => DeviceSliceMut::EMPTY.part(0..len),
        }
    }

    /// View of the first `len` items, which must have been reserved, for kernels that read them.
    pub fn view(&self, len: usize) -> View<T> {
        self.buffer.as_ref().map_or(View::EMPTY, Buffer::view).part(0, len)
    }

    /// View of the first `len` items, which must have been reserved, for kernels that write them.
    pub fn view_mut(&mut self, len: usize) -> ViewMut<T> {
        self.buffer.as_mut().map_or(ViewMut::EMPTY, Buffer::view_mut).part(0, len)
    }

    /// Sets all bytes of the memory to `byte`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn fill(&mut self, machine: &M, byte: u8) -> Result<(), MachineError> {
        self.buffer.as_mut().map_or(Ok(()), |buffer| machine.fill(byte, buffer))
    }

    /// Copies the first items to the host.
    ///
    /// # Errors
    /// If there are fewer, or the copy or a launch before it fails.
    pub fn download(&self, machine: &M, items: &mut [T]) -> Result<(), MachineError> {
        match &self.buffer {
            Some(buffer) => machine.download(buffer, items),
            None if items.is_empty() => Ok(()),
            None => Err(MachineError::Copy { items: items.len(), len: 0 }),
        }
    }

    /// Copies `items` to the start of the memory, which grows if necessary.
    ///
    /// # Errors
    /// If the device has not enough memory, or the copy fails.
    pub fn upload(&mut self, machine: &M, items: &[T]) -> Result<(), MachineError> {
        self.reserve(machine, items.len())?;
        self.buffer.as_mut().map_or(Ok(()), |buffer| machine.upload(items, buffer))
    }
}

impl<M: Machine, T: Plain> Default for Grown<M, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Machine, T: Plain> fmt::Debug for Grown<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grown").field("capacity", &self.capacity()).finish()
    }
}
