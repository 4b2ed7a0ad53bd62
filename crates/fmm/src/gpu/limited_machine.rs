//! The emulator with limited memory, for tests of what plans take and of what crosses the bus.

#![expect(unsafe_code, reason = "calls are those of the emulator")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use kernels_gpu::device::{Kernel, Plain, View, ViewMut};
use kernels_gpu::machine::{
    Buffer, Emulator, Grid, HostBuffer, HostStaging, Launcher, Machine, MachineError, StagingBuffer,
};

/// The emulator with so many bytes of memory, and counts of its uploads, of the bytes that live, of the most that ever lived
/// at a time, of those that were ever allocated, and of those that crossed the bus in either direction; and the names of the
/// kernels that it ran.
#[derive(Clone, Debug)]
pub(crate) struct LimitedMachine {
    pub(crate) bytes: usize,
    /// Name of the order of launches.
    pub(crate) order: u64,
    live: Arc<AtomicUsize>,
    peak: Arc<AtomicUsize>,
    pub(crate) uploads: Arc<AtomicUsize>,
    pub(crate) allocated: Arc<AtomicUsize>,
    pub(crate) crossed: Arc<AtomicUsize>,
    pub(crate) launched: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl LimitedMachine {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            order: Emulator.order(),
            live: Arc::default(),
            peak: Arc::default(),
            uploads: Arc::default(),
            allocated: Arc::default(),
            crossed: Arc::default(),
            launched: Arc::default(),
        }
    }

    /// Most bytes that lived at a time.
    pub(crate) fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    fn cross<T>(&self, items: &[T]) {
        self.crossed.fetch_add(size_of_val(items), Ordering::Relaxed);
    }
}

/// Memory that is counted until it is dropped.
#[derive(Debug)]
pub(crate) struct CountedBuffer<T> {
    memory: HostBuffer<T>,
    bytes: usize,
    order: u64,
    live: Arc<AtomicUsize>,
}

impl<T> Drop for CountedBuffer<T> {
    fn drop(&mut self) {
        self.live.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

// SAFETY: the memory is that of the emulator.
unsafe impl<T: Plain> Buffer<T> for CountedBuffer<T> {
    fn len(&self) -> usize {
        self.memory.len()
    }
    fn view(&self) -> View<T> {
        self.memory.view()
    }
    fn view_mut(&mut self) -> ViewMut<T> {
        self.memory.view_mut()
    }
    fn order(&self) -> u64 {
        self.order
    }
}

type Answer = Result<(), MachineError>;

// SAFETY: engines of this crate, which keep the duties, and tests of them alone are given such a machine.
unsafe impl Launcher for LimitedMachine {}

// SAFETY: calls are those of the emulator, or fail.
unsafe impl Machine for LimitedMachine {
    type Buffer<T: Plain> = CountedBuffer<T>;
    type Mark = Instant;
    type Staging = LimitedStaging;

    fn allocate<T: Plain>(&self, len: usize) -> Result<Self::Buffer<T>, MachineError> {
        let bytes = len.saturating_mul(size_of::<T>());
        if bytes > self.free_bytes()? {
            return Err(MachineError::Memory { bytes });
        }
        self.allocated.fetch_add(bytes, Ordering::Relaxed);
        let live = bytes + self.live.fetch_add(bytes, Ordering::Relaxed);
        self.peak.fetch_max(live, Ordering::Relaxed);
        let memory = Emulator.allocate(len)?;
        Ok(CountedBuffer { memory, bytes, order: self.order, live: Arc::clone(&self.live) })
    }
    fn upload<T: Plain>(&self, items: &[T], buffer: &mut Self::Buffer<T>) -> Answer {
        self.uploads.fetch_add(items.len().min(1), Ordering::Relaxed);
        self.cross(items);
        Emulator.upload(items, &mut buffer.memory)
    }
    fn download<T: Plain>(&self, buffer: &Self::Buffer<T>, items: &mut [T]) -> Answer {
        self.cross(items);
        Emulator.download(&buffer.memory, items)
    }
    fn fill<T: Plain>(&self, byte: u8, buffer: &mut Self::Buffer<T>) -> Answer {
        Emulator.fill(byte, &mut buffer.memory)
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
    fn home(&self) -> u64 {
        0
    }
    fn order(&self) -> u64 {
        self.order
    }
    fn free_bytes(&self) -> Result<usize, MachineError> {
        Ok(self.bytes.saturating_sub(self.live.load(Ordering::Relaxed)))
    }
    fn name(&self) -> &str {
        Emulator.name()
    }
    fn index(&self) -> usize {
        Emulator.index()
    }
    fn multiprocessors(&self) -> u32 {
        1
    }
    unsafe fn launch_unchecked<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Answer {
        self.launched.lock().unwrap().insert(kernel.name);
        // SAFETY: the caller's.
        unsafe { Emulator.launch_unchecked(kernel, grid, args) }
    }
    unsafe fn read_unchecked<T: Plain>(&self, from: View<T>, items: &mut [T]) -> Answer {
        self.cross(items);
        // SAFETY: the caller's.
        unsafe { Emulator.read_unchecked(from, items) }
    }
    unsafe fn write_unchecked<T: Plain>(&self, items: &[T], to: ViewMut<T>) -> Answer {
        self.cross(items);
        // SAFETY: the caller's.
        unsafe { Emulator.write_unchecked(items, to) }
    }
    unsafe fn copy_unchecked<T: Plain>(&self, from: View<T>, home: u64, to: ViewMut<T>) -> Answer {
        // SAFETY: the caller's.
        unsafe { Emulator.copy_unchecked(from, home, to) }
    }
    unsafe fn staging_unchecked(&self) -> Result<LimitedStaging, MachineError> {
        let (uploads, crossed) = (Arc::clone(&self.uploads), Arc::clone(&self.crossed));
        // SAFETY: the caller's.
        let buffer = unsafe { Emulator.staging_unchecked()? };
        Ok(LimitedStaging { buffer, uploads, crossed })
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
    fn fill<T: Plain>(&mut self, items: &[T]) -> Answer {
        self.buffer.fill(items)
    }
    fn send<T: Plain>(&mut self, to: ViewMut<T>) -> Answer {
        self.uploads.fetch_add(to.len().min(1), Ordering::Relaxed);
        self.crossed.fetch_add(to.len() * size_of::<T>(), Ordering::Relaxed);
        self.buffer.send(to)
    }
    fn fetch<T: Plain>(&mut self, from: View<T>) -> Answer {
        self.crossed.fetch_add(from.len() * size_of::<T>(), Ordering::Relaxed);
        self.buffer.fetch(from)
    }
    fn fetched<T: Plain, R>(&mut self, read: impl FnOnce(&[T]) -> R) -> Result<R, MachineError> {
        self.buffer.fetched(read)
    }
}
