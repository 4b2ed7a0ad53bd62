//! Memory, copies and launches of one device, behind one trait.
//!
//! Code for devices is generic over the [`Machine`], so it runs on a GPU and on the emulator. Callers lend memory as a
//! [`DeviceSlice`], which borrows it; drivers of kernels take views, which do not, and are generic over a [`Launcher`].

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "emulator")]
mod emulator;
mod error;
mod grid;
mod parcel;
#[cfg(feature = "cuda")]
mod ptx;
mod slice;
mod staging;
mod unchecked;
mod words;

#[cfg(feature = "cuda")]
pub use cuda::{Cuda, CudaBuffer, CudaMark, CudaStaging};
#[cfg(feature = "cust")]
pub use cuda::{CustBuffer, CustSlice};
#[cfg(feature = "emulator")]
pub use emulator::{Emulator, HostBuffer, HostStaging};
pub use error::MachineError;
pub use grid::Grid;
pub use parcel::{Parcel, items_of_bytes, to_bytes};
pub use slice::{DeviceSlice, DeviceSliceMut};
pub use staging::{STAGING_BYTES, StagingBuffer, items_of_staging, read_staged};
pub use unchecked::{Launcher, Unchecked};
pub use words::words;

use crate::device::{Kernel, Plain, View, ViewMut};

/// Multiprocessors of an H100 or H200, for which launches with a fixed number of blocks are made. They have as many blocks on any
/// device, so that sums over blocks have the same bits.
pub(crate) const MULTIPROCESSORS: usize = 132;

/// Device memory of items of one type.
///
/// # Safety
/// Views are of [`len`](Self::len) items that stay allocated until the buffer is dropped, are given back in the
/// [`order`](Self::order) of launches, and are those of no other buffer.
pub unsafe trait Buffer<T: Plain> {
    /// Number of items.
    fn len(&self) -> usize;

    /// Whether there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// View of the items, for kernels that read them.
    fn view(&self) -> View<T>;

    /// View of the items, for kernels that write them.
    fn view_mut(&mut self) -> ViewMut<T>;

    /// Name of the order of launches in which the memory is given back: [`Machine::order`].
    fn order(&self) -> u64;

    /// The items, borrowed to be read.
    fn slice(&self) -> DeviceSlice<'_, T> {
        // SAFETY: the items live as long as the buffer, which is borrowed.
        unsafe { DeviceSlice::from_view(self.view(), self.order()) }
    }

    /// The items, borrowed to be written.
    fn slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        // SAFETY: the items live as long as the buffer, which is borrowed alone.
        unsafe { DeviceSliceMut::from_view(self.view_mut(), self.order()) }
    }
}

/// A device that runs kernels, one after the other, in the order of their launches.
///
/// Launches and copies over views are `unsafe`, because a view has no lifetime; a [`Launcher`] is a machine whose holder has
/// taken that duty.
///
/// # Safety
/// Calls do what they promise: buffers have the length asked for, copies and launches those items, in the order of launches.
pub unsafe trait Machine: Sized {
    /// Memory of the device. It is given back in the order of launches too, so a kernel that was launched before the buffer
    /// is dropped may use it.
    type Buffer<T: Plain>: Buffer<T>;

    /// Moment in the order of launches.
    type Mark;

    /// Memory of the host for copies that travel while the host does something else.
    type Staging: StagingBuffer;

    /// Allocates memory of `len` items, with any content.
    ///
    /// # Errors
    /// If the device has not enough memory.
    fn allocate<T: Plain>(&self, len: usize) -> Result<Self::Buffer<T>, MachineError>;

    /// Copies `items` to the start of `buffer`.
    ///
    /// # Errors
    /// If the buffer is shorter, or the copy fails.
    fn upload<T: Plain>(
        &self,
        items: &[T],
        buffer: &mut Self::Buffer<T>,
    ) -> Result<(), MachineError>;

    /// Copies the start of `buffer` to `items` when all launches before have ended.
    ///
    /// # Errors
    /// If the buffer is shorter, or the copy or a launch before it fails.
    fn download<T: Plain>(
        &self,
        buffer: &Self::Buffer<T>,
        items: &mut [T],
    ) -> Result<(), MachineError>;

    /// Sets all bytes of `buffer` to `byte`.
    ///
    /// # Errors
    /// If the device fails.
    fn fill<T: Plain>(&self, byte: u8, buffer: &mut Self::Buffer<T>) -> Result<(), MachineError>;

    /// Waits until all launches have ended.
    ///
    /// # Errors
    /// If one of them failed.
    fn synchronize(&self) -> Result<(), MachineError>;

    /// Seconds since some moment, taken when all launches before have ended.
    ///
    /// # Errors
    /// If one of them failed.
    fn now(&self) -> Result<f64, MachineError>;

    /// Marks the moment when all launches before have ended, without waiting for it.
    ///
    /// # Errors
    /// If the device fails.
    fn mark(&self) -> Result<Self::Mark, MachineError>;

    /// Seconds that the device took between two marks, to about a microsecond; waits for the second.
    ///
    /// # Errors
    /// If a launch before it failed.
    fn seconds_between(&self, from: &Self::Mark, to: &Self::Mark) -> Result<f64, MachineError>;

    /// Second machine of the same device, with an order of launches of its own that begins after all launches so far. Launches
    /// of both may run at the same time; those of the new machine start first where the device has no room for both.
    /// [`join`](Self::join) ends the fork.
    ///
    /// Until then launches of neither machine may write memory that the other uses, and buffers of this machine that the other
    /// uses must live: duties of those who launch.
    ///
    /// # Errors
    /// If the device fails.
    fn fork(&self) -> Result<Self, MachineError>;

    /// Makes all later launches wait for those that `side`, which was forked from this or this from it, has launched so far.
    ///
    /// # Errors
    /// If the device fails.
    fn join(&self, side: &Self) -> Result<(), MachineError>;

    /// Name by which [`copy_unchecked`](Self::copy_unchecked) of other machines of this process knows this machine's device.
    fn home(&self) -> u64;

    /// Name of this machine's order of launches, which clones share. It is 0 where a call ends after what it launches.
    fn order(&self) -> u64;

    /// Bytes of memory that could still be allocated.
    ///
    /// # Errors
    /// If the device fails.
    fn free_bytes(&self) -> Result<usize, MachineError>;

    /// Name of the processor, for reports.
    fn name(&self) -> &str;

    /// Index by which the driver offers the device; 0 where there is no driver.
    fn index(&self) -> usize;

    /// Number of multiprocessors; each runs several blocks at a time.
    fn multiprocessors(&self) -> u32;

    /// Launches `kernel` on `grid`; the kernel may run after the call returns.
    ///
    /// # Errors
    /// If the device refuses the launch.
    ///
    /// # Safety
    /// The duties of [`Unchecked::new`], for the views in `args`.
    unsafe fn launch_unchecked<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Result<(), MachineError>;

    /// Copies items that a view has to the host when all launches before have ended.
    ///
    /// # Errors
    /// If the lengths differ, or the copy or a launch before it fails.
    ///
    /// # Safety
    /// The items are allocated on this device, and nothing writes them meanwhile.
    unsafe fn read_unchecked<T: Plain>(
        &self,
        from: View<T>,
        items: &mut [T],
    ) -> Result<(), MachineError>;

    /// Copies items of the host to those of a view, after all launches before.
    ///
    /// # Errors
    /// If the lengths differ, or the copy fails.
    ///
    /// # Safety
    /// The items are allocated on this device, are given back in this machine's order of launches, and nothing else uses them
    /// meanwhile.
    unsafe fn write_unchecked<T: Plain>(
        &self,
        items: &[T],
        to: ViewMut<T>,
    ) -> Result<(), MachineError>;

    /// Copies items from memory of the device with this [`home`](Self::home), which may be another one, after all launches
    /// before on this machine. Over NVLink where the devices have it, else through the host.
    ///
    /// # Errors
    /// If the lengths differ, or the copy fails.
    ///
    /// # Safety
    /// The content of `from` is complete, and its items live on that device until the copy has ended; those of `to` are as in
    /// [`write_unchecked`](Self::write_unchecked).
    unsafe fn copy_unchecked<T: Plain>(
        &self,
        from: View<T>,
        home: u64,
        to: ViewMut<T>,
    ) -> Result<(), MachineError>;

    /// Memory of the host for copies in this machine's order of launches: one that is idle, or a new one.
    ///
    /// # Errors
    /// If the host has no memory that can be page-locked.
    ///
    /// # Safety
    /// Views that the buffer is given are as in [`read_unchecked`](Self::read_unchecked) and
    /// [`write_unchecked`](Self::write_unchecked), until the copy has ended.
    unsafe fn staging_unchecked(&self) -> Result<Self::Staging, MachineError>;

    /// Allocates a buffer that holds `items`.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate) and [`upload`](Self::upload).
    fn buffer_of<T: Plain>(&self, items: &[T]) -> Result<Self::Buffer<T>, MachineError> {
        let mut buffer = self.allocate(items.len())?;
        self.upload(items, &mut buffer)?;
        Ok(buffer)
    }

    /// Copies all items of `buffer` to the host.
    ///
    /// # Errors
    /// As [`download`](Self::download).
    fn items_of<T: Plain>(
        &self,
        buffer: &Self::Buffer<T>,
    ) -> Result<std::vec::Vec<T>, MachineError> {
        let mut items = std::vec![T::default(); buffer.len()];
        self.download(buffer, &mut items)?;
        Ok(items)
    }
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
