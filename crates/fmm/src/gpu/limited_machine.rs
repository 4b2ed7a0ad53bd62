//! The emulator with limited memory, for tests of what plans take and of what crosses the bus.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kernels_gpu::device::{Kernel, Plain, View, ViewMut};
use kernels_gpu::machine::{Emulator, Grid, HostStaging, Machine, MachineError, StagingBuffer};

/// The emulator with so many free bytes, and counts of its uploads, of the bytes that were ever allocated, and of those that
/// crossed the bus in either direction.
#[derive(Clone, Debug)]
pub(crate) struct LimitedMachine {
    pub(crate) free: usize,
    pub(crate) uploads: Arc<AtomicUsize>,
    pub(crate) allocated: Arc<AtomicUsize>,
    pub(crate) crossed: Arc<AtomicUsize>,
}

impl LimitedMachine {
    pub(crate) fn new(free: usize) -> Self {
        Self { free, uploads: Arc::default(), allocated: Arc::default(), crossed: Arc::default() }
    }

    fn cross<T>(&self, items: &[T]) {
        self.crossed.fetch_add(size_of_val(items), Ordering::Relaxed);
    }
}

type Answer = Result<(), MachineError>;

impl Machine for LimitedMachine {
    type Buffer<T: Plain> = <Emulator as Machine>::Buffer<T>;
    type Mark = Instant;
    type Staging = LimitedStaging;

    fn allocate<T: Plain>(&self, len: usize) -> Result<Self::Buffer<T>, MachineError> {
        self.allocated.fetch_add(len * size_of::<T>(), Ordering::Relaxed);
        Emulator.allocate(len)
    }
    fn upload<T: Plain>(&self, items: &[T], buffer: &mut Self::Buffer<T>) -> Answer {
        self.uploads.fetch_add(items.len().min(1), Ordering::Relaxed);
        self.cross(items);
        Emulator.upload(items, buffer)
    }
    fn download<T: Plain>(&self, buffer: &Self::Buffer<T>, items: &mut [T]) -> Answer {
        self.cross(items);
        Emulator.download(buffer, items)
    }
    fn staging(&self) -> Result<LimitedStaging, MachineError> {
        let (uploads, crossed) = (Arc::clone(&self.uploads), Arc::clone(&self.crossed));
        Ok(LimitedStaging { buffer: Emulator.staging()?, uploads, crossed })
    }
    fn fill<T: Plain>(&self, byte: u8, buffer: &mut Self::Buffer<T>) -> Answer {
        Emulator.fill(byte, buffer)
    }
    fn launch<A: Copy + 'static>(&self, kernel: &Kernel<A>, grid: Grid, args: A) -> Answer {
        Emulator.launch(kernel, grid, args)
    }
    fn synchronize(&self) -> Answer {
        Ok(())
    }
    fn now(&self) -> Result<f64, MachineError> {
        Emulator.now()
    }
    fn mark(&self) -> Result<Instant, MachineError> {
        Emulator.mark()
    }
    fn seconds_between(&self, from: &Instant, to: &Instant) -> Result<f64, MachineError> {
        Emulator.seconds_between(from, to)
    }
    fn fork(&self) -> Result<Self, MachineError> {
        Ok(self.clone())
    }
    fn join(&self, _: &Self) -> Answer {
        Ok(())
    }
    fn read<T: Plain>(&self, from: View<T>, items: &mut [T]) -> Answer {
        self.cross(items);
        Emulator.read(from, items)
    }
    fn write<T: Plain>(&self, items: &[T], to: ViewMut<T>) -> Answer {
        self.cross(items);
        Emulator.write(items, to)
    }
    fn home(&self) -> u64 {
        0
    }
    fn copy<T: Plain>(&self, from: View<T>, home: u64, to: ViewMut<T>) -> Answer {
        Emulator.copy(from, home, to)
    }
    fn free_bytes(&self) -> Result<usize, MachineError> {
        Ok(self.free)
    }
    fn multiprocessors(&self) -> u32 {
        1
    }
}

/// A buffer that counts what crosses the bus.
#[derive(Debug)]
pub(crate) struct LimitedStaging {
    buffer: HostStaging,
    uploads: Arc<AtomicUsize>,
    crossed: Arc<AtomicUsize>,
}

impl StagingBuffer for LimitedStaging {
    fn send<T: Plain>(&mut self, to: ViewMut<T>, fill: impl FnOnce(&mut [T])) -> Answer {
        self.uploads.fetch_add(to.len().min(1), Ordering::Relaxed);
        self.crossed.fetch_add(to.len() * size_of::<T>(), Ordering::Relaxed);
        self.buffer.send(to, fill)
    }
    fn fetch<T: Plain>(&mut self, from: View<T>) -> Answer {
        self.crossed.fetch_add(from.len() * size_of::<T>(), Ordering::Relaxed);
        self.buffer.fetch(from)
    }
    fn fetched<T: Plain, R>(&mut self, read: impl FnOnce(&[T]) -> R) -> Result<R, MachineError> {
        self.buffer.fetched(read)
    }
}
