//! Borrowed memory of a device: what callers give to sums and algebra.
//!
//! A view is an address and a length, and may outlive its memory. A slice is a view that borrows the buffer it was taken from, so
//! the compiler refuses one that is used after the buffer was freed or has grown, and two that write the same items.

use super::{Machine, MachineError};
use crate::device::{Plain, View, ViewMut};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// Items in the memory of a device, borrowed to be read: `&[T]` of a device.
///
/// ```
/// use kernels_gpu::machine::Emulator;
/// use kernels_gpu::memory::Grown;
///
/// let machine = Emulator; // or `Cuda::new(0)?`
/// let mut memory = Grown::new();
/// memory.upload(&machine, &[1.0, 2.0, 3.0])?;
/// let mut items = [0.0; 2];
/// memory.slice(3)?.part(1..3)?.download(&machine, &mut items)?;
/// assert_eq!(items, [2.0, 3.0]);
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
///
/// A slice is not used after its memory was given back or has grown:
///
/// ```compile_fail,E0505
/// # use kernels_gpu::machine::Emulator;
/// # use kernels_gpu::memory::Grown;
/// # let mut memory = Grown::<Emulator, f64>::new();
/// # memory.upload(&Emulator, &[1.0, 2.0, 3.0])?;
/// let slice = memory.slice(3)?;
/// drop(memory);
/// slice.download(&Emulator, &mut [0.0; 3])?;
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
///
/// ```compile_fail,E0502
/// # use kernels_gpu::machine::Emulator;
/// # use kernels_gpu::memory::Grown;
/// # let mut memory = Grown::<Emulator, f64>::new();
/// # memory.upload(&Emulator, &[1.0, 2.0, 3.0])?;
/// let slice = memory.slice(3)?;
/// memory.reserve(&Emulator, 1000)?;
/// slice.download(&Emulator, &mut [0.0; 3])?;
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
pub struct DeviceSlice<'a, T: Plain> {
    view: View<T>,
    order: u64,
    items: PhantomData<&'a [T]>,
}

/// Items in the memory of a device, borrowed to be written: `&mut [T]` of a device.
///
/// Two of them do not overlap:
///
/// ```compile_fail,E0499
/// # use kernels_gpu::machine::Emulator;
/// # use kernels_gpu::memory::Grown;
/// # let mut memory = Grown::<Emulator, f64>::new();
/// # memory.upload(&Emulator, &[1.0, 2.0, 3.0])?;
/// let (mut one, mut other) = (memory.slice_mut(3)?, memory.slice_mut(3)?);
/// one.upload(&Emulator, &[0.0; 3])?;
/// other.upload(&Emulator, &[0.0; 3])?;
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
pub struct DeviceSliceMut<'a, T: Plain> {
    view: ViewMut<T>,
    order: u64,
    items: PhantomData<&'a mut [T]>,
}

impl<T: Plain> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Plain> Copy for DeviceSlice<'_, T> {}

impl<T: Plain> DeviceSlice<'_, T> {
    /// Slice of no items, which every machine takes.
    pub const EMPTY: Self = Self { view: View::EMPTY, order: 0, items: PhantomData };

    /// Slice of the items of a view, which are given back in this [order](Machine::order) of launches.
    ///
    /// # Safety
    /// For the lifetime of the slice the items stay allocated, and nothing writes them. They are given back in the order of launches.
    pub const unsafe fn from_view(view: View<T>, order: u64) -> Self {
        Self { view, order, items: PhantomData }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// Slice of some of the items.
    ///
    /// # Errors
    /// If the range leaves the slice.
    pub fn part(&self, items: Range<usize>) -> Result<Self, MachineError> {
        let len = part_len(&items, self.len())?;
        Ok(Self { view: self.view.part(items.start, len), ..*self })
    }

    /// View of the items, for launches of `machine`.
    ///
    /// # Errors
    /// If the memory is that of another order of launches, in which it may be given back too early.
    pub fn view_for<M: Machine>(&self, machine: &M) -> Result<View<T>, MachineError> {
        same_order(machine, self.order, self.is_empty())?;
        Ok(self.view)
    }

    /// Copies the items to the host when all launches before have ended.
    ///
    /// # Errors
    /// If the lengths differ, the memory is not the machine's, or the copy or a launch before it fails.
    pub fn download<M: Machine>(&self, machine: &M, items: &mut [T]) -> Result<(), MachineError> {
        let view = self.view_for(machine)?;
        // SAFETY: the items are borrowed during the call, which ends after the copy.
        unsafe { machine.read_unchecked(view, items) }
    }
}

impl<'a, T: Plain> DeviceSliceMut<'a, T> {
    /// Slice of no items, which every machine takes.
    pub const EMPTY: Self = Self { view: ViewMut::EMPTY, order: 0, items: PhantomData };

    /// Slice of the items of a view, which are given back in this [order](Machine::order) of launches.
    ///
    /// # Safety
    /// For the lifetime of the slice the items stay allocated, and nothing else reads or writes them. They are given back in the order
    /// of launches.
    pub const unsafe fn from_view(view: ViewMut<T>, order: u64) -> Self {
        Self { view, order, items: PhantomData }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// The same items, borrowed to be read.
    pub fn into_slice(self) -> DeviceSlice<'a, T> {
        DeviceSlice { view: self.view.read_only(), order: self.order, items: PhantomData }
    }

    /// The same items for a shorter time: the slice can be given away again.
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut { view: self.view, order: self.order, items: PhantomData }
    }

    /// Slice of some of the items.
    ///
    /// # Errors
    /// If the range leaves the slice.
    pub fn part(self, items: Range<usize>) -> Result<Self, MachineError> {
        let len = part_len(&items, self.len())?;
        Ok(Self { view: self.view.part(items.start, len), ..self })
    }

    /// The first `first` items and the others.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn split_at(self, first: usize) -> Result<[Self; 2], MachineError> {
        let rest = part_len(&(first..self.len().max(first)), self.len())?;
        let Self { view, order, items } = self;
        Ok([view.part(0, first), view.part(first, rest)].map(|view| Self { view, order, items }))
    }

    /// View of the items, for launches of `machine`.
    ///
    /// # Errors
    /// If the memory is that of another order of launches, in which it may be given back too early.
    pub fn view_for<M: Machine>(&mut self, machine: &M) -> Result<ViewMut<T>, MachineError> {
        same_order(machine, self.order, self.is_empty())?;
        Ok(self.view)
    }

    /// Copies items of the host to the slice, after all launches before.
    ///
    /// # Errors
    /// If the lengths differ, the memory is not the machine's, or the copy fails.
    pub fn upload<M: Machine>(&mut self, machine: &M, items: &[T]) -> Result<(), MachineError> {
        let view = self.view_for(machine)?;
        // SAFETY: the items are borrowed alone, and given back in the machine's order, after the copy.
        unsafe { machine.write_unchecked(items, view) }
    }
}

/// Number of items of a range within `len`.
fn part_len(items: &Range<usize>, len: usize) -> Result<usize, MachineError> {
    let inside = items.start <= items.end && items.end <= len;
    let error = MachineError::Range { start: items.start, end: items.end, len };
    inside.then(|| items.end - items.start).ok_or(error)
}

fn same_order<M: Machine>(machine: &M, order: u64, empty: bool) -> Result<(), MachineError> {
    if empty || machine.order() == order { Ok(()) } else { Err(MachineError::Order) }
}

impl<T: Plain> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<T: Plain> fmt::Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSliceMut").field("len", &self.len()).finish_non_exhaustive()
    }
}
