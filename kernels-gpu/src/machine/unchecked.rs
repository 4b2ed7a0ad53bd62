//! Launches and copies over views, which nothing checks: what the drivers of kernels are written with.
//!
//! A [`View`] has no lifetime, so launches over views are `unsafe` on every [`Machine`]. A driver makes many, of buffers that it
//! owns. Whoever owns driver and buffers takes the duty once, by [`Unchecked::new`], and the driver is generic over
//! [`Launcher`], whose calls are safe.

use super::{Grid, Machine, MachineError};
use crate::device::{Kernel, Plain, View, ViewMut};

/// Machine whose holder keeps the duties of all launches and copies over views.
///
/// # Safety
/// The type is for values that safe code cannot make, or that keep the duties whatever they are given: see [`Unchecked::new`].
pub unsafe trait Launcher: Machine {
    /// Launches `kernel` on `grid`: [`Machine::launch_unchecked`].
    ///
    /// # Errors
    /// If the device refuses the launch.
    fn launch<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Result<(), MachineError> {
        // SAFETY: the holder of the machine keeps the duties.
        unsafe { self.launch_unchecked(kernel, grid, args) }
    }

    /// Copies items that a view has to the host when all launches before have ended.
    ///
    /// # Errors
    /// If the lengths differ, or the copy or a launch before it fails.
    fn read<T: Plain>(&self, from: View<T>, items: &mut [T]) -> Result<(), MachineError> {
        // SAFETY: the holder of the machine keeps the duties.
        unsafe { self.read_unchecked(from, items) }
    }

    /// Copies items of the host to those of a view, after all launches before.
    ///
    /// # Errors
    /// If the lengths differ, or the copy fails.
    fn write<T: Plain>(&self, items: &[T], to: ViewMut<T>) -> Result<(), MachineError> {
        // SAFETY: the holder of the machine keeps the duties.
        unsafe { self.write_unchecked(items, to) }
    }

    /// Copies items from memory of the device with this [`home`](Machine::home): [`Machine::copy_unchecked`].
    ///
    /// # Errors
    /// If the lengths differ, or the copy fails.
    fn copy<T: Plain>(&self, from: View<T>, home: u64, to: ViewMut<T>) -> Result<(), MachineError> {
        // SAFETY: the holder of the machine keeps the duties.
        unsafe { self.copy_unchecked(from, home, to) }
    }

    /// Memory of the host for copies in this machine's order of launches: one that is idle, or a new one.
    ///
    /// # Errors
    /// If the host has no memory that can be page-locked.
    fn staging(&self) -> Result<Self::Staging, MachineError> {
        // SAFETY: the holder of the machine keeps the duties.
        unsafe { self.staging_unchecked() }
    }
}

/// A machine as drivers of kernels take it.
///
/// ```
/// use kernels_gpu::machine::{Emulator, Machine, Unchecked};
/// use kernels_gpu::memory::Grown;
/// use kernels_gpu::scan::Scanner;
///
/// // SAFETY: the buffer below lives until the sums are read, and one launch at a time uses it.
/// let machine = unsafe { Unchecked::new(Emulator) }; // or `Cuda::new(0)?`
/// let mut counts = Grown::new();
/// counts.upload(&machine, &[3, 1, 4, 0])?;
/// Scanner::new().exclusive(&machine, counts.view_mut(4))?;
/// let mut sums = [0; 4];
/// counts.download(&machine, &mut sums)?;
/// assert_eq!(sums, [0, 3, 4, 8]);
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
///
/// Views alone launch nothing:
///
/// ```compile_fail,E0277
/// use kernels_gpu::machine::Emulator;
/// use kernels_gpu::memory::Grown;
/// use kernels_gpu::scan::Scanner;
///
/// let mut counts = Grown::new();
/// counts.upload(&Emulator, &[3, 1, 4, 0]).unwrap();
/// Scanner::new().exclusive(&Emulator, counts.view_mut(4)).unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Unchecked<M> {
    machine: M,
}

impl<M: Machine> Unchecked<M> {
    /// The machine, for drivers whose views the caller vouches for.
    ///
    /// # Safety
    /// Views that this value, its clones and forks are given, directly or through a driver, keep four rules:
    /// - their items are of the same machine, or of one that it was forked from or that is at the [`home`](Machine::home) named;
    /// - they stay allocated until the launches and copies that use them were made, and are given back in the order of launches;
    /// - while one of them runs, nothing else writes what it reads, and nothing else uses what it writes, unless atomically;
    /// - lengths and contents are those that the documentation of the driver or of the kernel's arguments asks for.
    ///
    /// Kernels are those of this crate, or functions that keep within their arguments. The words of a
    /// [`Parcel`](super::Parcel) are those of one whose items live.
    pub const unsafe fn new(machine: M) -> Self {
        Self { machine }
    }

    /// The machine itself.
    pub const fn machine(&self) -> &M {
        &self.machine
    }
}

// SAFETY: a value is made by the unsafe function `new` alone, whose caller keeps the duties.
unsafe impl<M: Machine> Launcher for Unchecked<M> {}

// SAFETY: all calls are those of the machine.
unsafe impl<M: Machine> Machine for Unchecked<M> {
    type Buffer<T: Plain> = M::Buffer<T>;
    type Mark = M::Mark;
    type Staging = M::Staging;

    fn allocate<T: Plain>(&self, len: usize) -> Result<M::Buffer<T>, MachineError> {
        self.machine.allocate(len)
    }

    fn upload<T: Plain>(&self, items: &[T], buffer: &mut M::Buffer<T>) -> Result<(), MachineError> {
        self.machine.upload(items, buffer)
    }

    fn download<T: Plain>(
        &self,
        buffer: &M::Buffer<T>,
        items: &mut [T],
    ) -> Result<(), MachineError> {
        self.machine.download(buffer, items)
    }

    fn fill<T: Plain>(&self, byte: u8, buffer: &mut M::Buffer<T>) -> Result<(), MachineError> {
        self.machine.fill(byte, buffer)
    }

    fn synchronize(&self) -> Result<(), MachineError> {
        self.machine.synchronize()
    }

    fn now(&self) -> Result<f64, MachineError> {
        self.machine.now()
    }

    fn mark(&self) -> Result<M::Mark, MachineError> {
        self.machine.mark()
    }

    fn seconds_between(&self, from: &M::Mark, to: &M::Mark) -> Result<f64, MachineError> {
        self.machine.seconds_between(from, to)
    }

    fn fork(&self) -> Result<Self, MachineError> {
        Ok(Self { machine: self.machine.fork()? })
    }

    fn join(&self, side: &Self) -> Result<(), MachineError> {
        self.machine.join(&side.machine)
    }

    fn home(&self) -> u64 {
        self.machine.home()
    }

    fn order(&self) -> u64 {
        self.machine.order()
    }

    fn free_bytes(&self) -> Result<usize, MachineError> {
        self.machine.free_bytes()
    }

    fn name(&self) -> &str {
        self.machine.name()
    }

    fn index(&self) -> usize {
        self.machine.index()
    }

    fn multiprocessors(&self) -> u32 {
        self.machine.multiprocessors()
    }

    unsafe fn launch_unchecked<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Result<(), MachineError> {
        // SAFETY: the caller's.
        unsafe { self.machine.launch_unchecked(kernel, grid, args) }
    }

    unsafe fn read_unchecked<T: Plain>(
        &self,
        from: View<T>,
        items: &mut [T],
    ) -> Result<(), MachineError> {
        // SAFETY: the caller's.
        unsafe { self.machine.read_unchecked(from, items) }
    }

    unsafe fn write_unchecked<T: Plain>(
        &self,
        items: &[T],
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        // SAFETY: the caller's.
        unsafe { self.machine.write_unchecked(items, to) }
    }

    unsafe fn copy_unchecked<T: Plain>(
        &self,
        from: View<T>,
        home: u64,
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        // SAFETY: the caller's.
        unsafe { self.machine.copy_unchecked(from, home, to) }
    }

    unsafe fn staging_unchecked(&self) -> Result<M::Staging, MachineError> {
        // SAFETY: the caller's.
        unsafe { self.machine.staging_unchecked() }
    }
}
