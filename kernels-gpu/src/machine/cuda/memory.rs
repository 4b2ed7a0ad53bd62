//! Device memory, allocated and given back in the order of a stream.

use super::{Buffer, MachineError, checked, stream::Stream};
use crate::device::{Plain, View, ViewMut};
use cudarc::driver::{result, sys};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

/// Memory of a [`Cuda`](super::Cuda).
#[derive(Debug)]
pub struct CudaBuffer<T> {
    stream: Arc<Stream>,
    address: sys::CUdeviceptr,
    len: usize,
    owner: Owner,
    items: PhantomData<T>,
}

/// Owner of the memory of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The buffer, which gives the memory back to the pool when it is dropped.
    Buffer,
    /// The caller, who frees it.
    Caller,
}

impl<T> CudaBuffer<T> {
    /// Buffer at an address of the device.
    pub(super) fn at(
        stream: &Arc<Stream>,
        address: sys::CUdeviceptr,
        len: usize,
        owner: Owner,
    ) -> Self {
        Self { stream: stream.clone(), address, len, owner, items: PhantomData }
    }

    /// Lets the memory be given back after all launches so far on `stream`, which may be another one than the buffer's.
    pub(super) fn outlives(&self, stream: &Stream) -> Result<(), MachineError> {
        if self.stream.raw() == stream.raw() { Ok(()) } else { self.stream.follow(stream) }
    }

    /// Makes the context of the buffer's device current in the calling thread.
    #[cfg(feature = "cust")]
    pub(super) fn bind(&self) -> Result<(), MachineError> {
        self.stream.device().bind()
    }

    /// Waits for all launches of the buffer's machine.
    #[cfg(feature = "cust")]
    pub(super) fn wait(&self) -> Result<(), MachineError> {
        self.bind()?;
        // SAFETY: the stream lives.
        checked("a launch", unsafe { result::stream::synchronize(self.stream.raw()) })
    }
}

impl<T: Plain> CudaBuffer<T> {
    pub(super) fn new(stream: &Arc<Stream>, len: usize) -> Result<Self, MachineError> {
        let buffer = |address| Self::at(stream, address, len, Owner::Buffer);
        if len == 0 {
            return Ok(buffer(0));
        }
        let memory = |bytes| MachineError::Memory { bytes };
        let bytes = len.checked_mul(size_of::<T>()).ok_or(memory(usize::MAX))?;
        let device = stream.device();
        device.bind()?;
        // SAFETY: pool and stream live.
        let allocate =
            || unsafe { result::mem_pool::alloc_async(device.pool, bytes, stream.raw()) };
        let allocated = allocate().or_else(|error| {
            if error.0 != sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                return checked("allocating memory", Err(error));
            }
            // The pool may hold pieces that are free but too small.
            // SAFETY: as above.
            unsafe {
                checked("a launch", result::stream::synchronize(stream.raw()))?;
                checked("allocating memory", result::mem_pool::trim_to(device.pool, 0))?;
            }
            allocate().map_err(|_| memory(bytes))
        });
        allocated.map(buffer)
    }

    /// Address of the first item.
    pub(super) fn address(&self) -> sys::CUdeviceptr {
        self.address
    }
}

// SAFETY: the memory is given back in the order of the stream when the buffer is dropped, or the maker has said that it lives.
unsafe impl<T: Plain> Buffer<T> for CudaBuffer<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn view(&self) -> View<T> {
        // SAFETY: memory is given back in the order of launches, so a kernel that was launched finds it.
        unsafe { View::from_raw(self.address as *const T, self.len) }
    }

    fn view_mut(&mut self) -> ViewMut<T> {
        // SAFETY: as above.
        unsafe { ViewMut::from_raw(self.address as *mut T, self.len) }
    }

    fn order(&self) -> u64 {
        self.stream.raw() as u64
    }
}

impl<T> Drop for CudaBuffer<T> {
    fn drop(&mut self) {
        let owned = self.len > 0 && self.owner == Owner::Buffer;
        if owned && self.stream.device().bind().is_ok() {
            // A failure belongs to a launch before, and the next call reports it.
            // SAFETY: the memory is ours, and what uses it was queued before.
            let _ = unsafe { result::free_async(self.address, self.stream.raw()) };
        }
    }
}

/// Whether memory of the host at this address is page-locked, so that the driver copies from it asynchronously. A context
/// must be current.
pub(super) fn is_page_locked(address: *const c_void) -> bool {
    // The plural form answers 0 for memory that the driver does not know, where the singular one is an error.
    let mut kind = 0_u32;
    let mut attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    let mut data: *mut c_void = (&raw mut kind).cast();
    // SAFETY: one attribute of 4 bytes is asked for, and the address is only looked up.
    let asked = unsafe {
        sys::cuPointerGetAttributes(1, &raw mut attribute, &raw mut data, address as u64)
    };
    asked == sys::CUresult::CUDA_SUCCESS && kind != 0
}
