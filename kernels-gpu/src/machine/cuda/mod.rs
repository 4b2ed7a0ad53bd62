//! NVIDIA GPUs through the driver's interface. The driver is loaded when the first device is opened, so programs with this
//! feature start without one, and report that it is missing.

#[cfg(feature = "cust")]
mod cust;
mod device;
mod memory;
mod modules;
mod queue;
mod room;
mod staging;
mod stream;

#[cfg(feature = "cust")]
pub use cust::{CustBuffer, CustSlice};
pub use memory::CudaBuffer;
pub use staging::CudaStaging;
pub use stream::CudaMark;

use super::{Buffer, Grid, Machine, MachineError, StagingBuffer};
use crate::device::{Kernel, Plain, View, ViewMut};
use cudarc::driver::{DriverError, result, sys};
use device::Device;
use memory::Owner;
use queue::Priority;
use std::string::String;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use stream::Stream;

/// Largest download in bytes that a kernel writes to page-locked memory, beside the copies of other streams.
const STAGED_BYTES: usize = 64 << 10;

/// NVIDIA GPU. Launches are queued and run in their order; clones of a machine share that order.
#[derive(Clone, Debug)]
pub struct Cuda {
    stream: Arc<Stream>,
}

impl Cuda {
    /// Opens device `index` of those that the driver offers (`CUDA_VISIBLE_DEVICES` restricts them). Machines of one device
    /// share what was opened, its kernels, memory and staging buffers, but no order of launches.
    ///
    /// # Errors
    /// If there is no driver, no such device, or it cannot be used.
    pub fn new(index: usize) -> Result<Self, MachineError> {
        let device = Device::shared(index)?;
        Ok(Self { stream: Arc::new(Stream::new(device, Priority::Last)?) })
    }

    /// Bytes of memory of the device, used and free.
    pub fn total_bytes(&self) -> usize {
        self.device().total_bytes
    }

    fn device(&self) -> &Device {
        self.stream.device()
    }
}

// SAFETY: the driver runs launches and copies of a stream in their order, and gives memory back in it.
unsafe impl Machine for Cuda {
    type Buffer<T: Plain> = CudaBuffer<T>;
    type Mark = CudaMark;
    type Staging = CudaStaging;

    fn allocate<T: Plain>(&self, len: usize) -> Result<CudaBuffer<T>, MachineError> {
        CudaBuffer::new(&self.stream, len)
    }

    fn upload<T: Plain>(
        &self,
        items: &[T],
        buffer: &mut CudaBuffer<T>,
    ) -> Result<(), MachineError> {
        fits(items.len(), buffer.len())?;
        if items.is_empty() {
            return Ok(());
        }
        self.device().bind()?;
        // SAFETY: the buffer holds as many items. The driver has read pageable memory when it returns; for memory that
        // the caller has page-locked, which it may read later, this waits.
        let copied = unsafe {
            let copied = result::memcpy_htod_async(buffer.address(), items, self.stream.raw());
            let locked = memory::is_page_locked(items.as_ptr().cast());
            if locked { copied.and(result::stream::synchronize(self.stream.raw())) } else { copied }
        };
        checked("a copy to the device", copied)?;
        buffer.outlives(&self.stream)
    }

    fn download<T: Plain>(
        &self,
        buffer: &CudaBuffer<T>,
        items: &mut [T],
    ) -> Result<(), MachineError> {
        const PLACE: &str = "a copy from the device";
        fits(items.len(), buffer.len())?;
        if items.is_empty() {
            return Ok(());
        }
        self.device().bind()?;
        if size_of_val(items) <= STAGED_BYTES {
            let mut staging = CudaStaging::new(&self.stream)?;
            staging.bring(self, buffer.view().part(0, items.len()))?;
            return staging.fetched(|staged| items.copy_from_slice(staged));
        }
        // SAFETY: the buffer holds as many items, whose bits are all values, and nothing else happens until they are there.
        let copied = unsafe {
            let copied = result::memcpy_dtoh_async(items, buffer.address(), self.stream.raw());
            copied.and(result::stream::synchronize(self.stream.raw()))
        };
        checked(PLACE, copied)
    }

    fn fill<T: Plain>(&self, byte: u8, buffer: &mut CudaBuffer<T>) -> Result<(), MachineError> {
        if buffer.is_empty() {
            return Ok(());
        }
        self.device().bind()?;
        let bytes = buffer.len() * size_of::<T>();
        // SAFETY: the buffer has as many bytes.
        let filled =
            unsafe { result::memset_d8_async(buffer.address(), byte, bytes, self.stream.raw()) };
        checked("filling memory", filled)?;
        buffer.outlives(&self.stream)
    }

    fn synchronize(&self) -> Result<(), MachineError> {
        self.device().bind()?;
        // SAFETY: the stream lives.
        checked("a launch", unsafe { result::stream::synchronize(self.stream.raw()) })
    }

    fn now(&self) -> Result<f64, MachineError> {
        std::thread_local!(static START: Instant = Instant::now());
        self.synchronize()?;
        Ok(START.with(Instant::elapsed).as_secs_f64())
    }

    fn mark(&self) -> Result<CudaMark, MachineError> {
        CudaMark::new(&self.stream)
    }

    fn seconds_between(&self, from: &CudaMark, to: &CudaMark) -> Result<f64, MachineError> {
        self.device().bind()?;
        from.seconds_to(to)
    }

    fn fork(&self) -> Result<Self, MachineError> {
        let side = Arc::new(Stream::new(self.stream.device().clone(), Priority::First)?);
        side.follow(&self.stream)?;
        Ok(Self { stream: side })
    }

    fn join(&self, side: &Self) -> Result<(), MachineError> {
        self.stream.follow(&side.stream)
    }

    fn home(&self) -> u64 {
        self.device().context() as u64
    }

    fn order(&self) -> u64 {
        self.stream.raw() as u64
    }

    fn free_bytes(&self) -> Result<usize, MachineError> {
        self.device().bind()?;
        self.device().free_bytes()
    }

    fn name(&self) -> &str {
        &self.device().name
    }

    fn index(&self) -> usize {
        self.device().index
    }

    fn multiprocessors(&self) -> u32 {
        self.device().multiprocessors
    }

    unsafe fn launch_unchecked<A: Copy + 'static>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        args: A,
    ) -> Result<(), MachineError> {
        if grid.blocks.contains(&0) {
            return Ok(());
        }
        self.device().bind()?;
        let function =
            self.device().modules.function(kernel.name, size_of::<A>(), grid.shared_bytes)?;
        let [x, y] = grid.blocks;
        let mut args = args;
        let parameters = &mut [(&raw mut args).cast()];
        // SAFETY: the entry takes one `A`, which the driver copies; the caller vouches for its views.
        let launched = unsafe {
            let (blocks, threads, shared) = ((x, y, 1), (grid.threads, 1, 1), grid.shared_bytes);
            result::launch_kernel(function, blocks, threads, shared, self.stream.raw(), parameters)
        };
        checked(kernel.name, launched)
    }

    unsafe fn read_unchecked<T: Plain>(
        &self,
        from: View<T>,
        items: &mut [T],
    ) -> Result<(), MachineError> {
        same(from.len(), items.len())?;
        let borrowed = CudaBuffer::at(&self.stream, from.start(), from.len(), Owner::Caller);
        self.download(&borrowed, items)
    }

    unsafe fn write_unchecked<T: Plain>(
        &self,
        items: &[T],
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        same(items.len(), to.len())?;
        let mut borrowed = CudaBuffer::at(&self.stream, to.start(), to.len(), Owner::Caller);
        self.upload(items, &mut borrowed)
    }

    unsafe fn copy_unchecked<T: Plain>(
        &self,
        from: View<T>,
        home: u64,
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        same(from.len(), to.len())?;
        if from.is_empty() {
            return Ok(());
        }
        self.device().bind()?;
        let bytes = from.len() * size_of::<T>();
        let (to_context, from_context) = (self.device().context(), home as sys::CUcontext);
        // SAFETY: both memories have as many bytes, and both contexts are held; the caller vouches for the views.
        let copied = unsafe {
            let (to, from) = (to.start(), from.start());
            let stream = self.stream.raw();
            sys::cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream).result()
        };
        checked("a copy from another device", copied)
    }

    unsafe fn staging_unchecked(&self) -> Result<CudaStaging, MachineError> {
        CudaStaging::new(&self.stream)
    }
}

fn fits(items: usize, len: usize) -> Result<(), MachineError> {
    if items <= len { Ok(()) } else { Err(MachineError::Copy { items, len }) }
}

fn same(items: usize, len: usize) -> Result<(), MachineError> {
    if items == len { Ok(()) } else { Err(MachineError::Copy { items, len }) }
}

/// Answer of the driver in or after `place`.
fn checked<T>(place: &'static str, answer: Result<T, DriverError>) -> Result<T, MachineError> {
    answer.map_err(|error| MachineError::Failed { place, reason: reason(error) })
}

/// Message of the driver for an error.
fn reason(error: DriverError) -> String {
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|_| std::format!("{:?}", error.0))
}

/// Lock of a mutex. A poisoned mutex is fine, because no panic leaves a driver's handle half-made.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
