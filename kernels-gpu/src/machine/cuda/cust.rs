//! Memory shared with rust-cuda's host crate `cust`: buffers of this machine over memory of `cust`, and slices of `cust` over
//! buffers of this machine. No copies.
//!
//! Both crates use the primary context of a device, so an address of one is valid in the other. Streams of the two do not
//! wait for each other. [`CustBuffer`] and [`CustSlice`] therefore wait for the device when they are made and when they are
//! dropped; programs that use the pointers order the launches themselves.

use super::memory::{CudaBuffer, Owner};
use super::{Buffer, Cuda, Machine, MachineError, checked, device::Device};
use crate::device::{Plain, Vec2, Vec4, Word};
use cudarc::driver::{result, sys};
use cust::memory::{DeviceCopy, DevicePointer, DeviceSlice};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};

// SAFETY: two numbers without references.
unsafe impl<T: DeviceCopy> DeviceCopy for Vec2<T> {}
// SAFETY: four numbers without references.
unsafe impl<T: DeviceCopy + Word> DeviceCopy for Vec4<T> {}

/// Buffer of this machine over memory that `cust` owns and frees.
#[derive(Debug)]
pub struct CustBuffer<'a, T: Plain + DeviceCopy> {
    machine: Cuda,
    buffer: CudaBuffer<T>,
    /// Keeps `cust` from using the memory meanwhile.
    _memory: &'a mut DeviceSlice<T>,
}

/// Slice of `cust` over a buffer of this machine, which owns and frees the memory.
#[derive(Debug)]
pub struct CustSlice<'a, T: Plain + DeviceCopy> {
    slice: DeviceSlice<T>,
    buffer: &'a mut CudaBuffer<T>,
}

impl Cuda {
    /// Lends memory of `cust` (a `DeviceBuffer` or a part of one) to kernels of this machine. Waits for all launches of the
    /// context; dropping the buffer waits for those of this machine.
    ///
    /// # Errors
    /// If the memory is not in the primary context of this machine's device, or a launch before it failed.
    ///
    /// # Safety
    /// The buffer is dropped, neither forgotten nor exchanged for another, before `cust` uses the memory again.
    pub unsafe fn borrow_from_cust<'a, T: Plain + DeviceCopy>(
        &self,
        memory: &'a mut DeviceSlice<T>,
    ) -> Result<CustBuffer<'a, T>, MachineError> {
        self.device().bind()?;
        let pointer = memory.as_device_ptr();
        if !memory.is_empty() && !is_usable(pointer.as_raw(), self.device()) {
            return Err(MachineError::Context);
        }
        checked("waiting for launches of cust", result::ctx::synchronize())?;
        // SAFETY: the memory is in the primary context and mutably borrowed as long as the buffer lives, at the end of which,
        // as the caller promises, its launches have ended.
        let buffer = unsafe { CudaBuffer::from_device_pointer(self, pointer, memory.len()) };
        Ok(CustBuffer { machine: self.clone(), buffer, _memory: memory })
    }
}

impl<T: Plain + DeviceCopy> CudaBuffer<T> {
    /// Buffer of `machine` over the `len` items from `pointer` on. The caller keeps owning them: dropping the buffer does
    /// not free them. No copy, no launch.
    ///
    /// # Safety
    /// The pointer is an address in the primary context of the machine's device (`cust::context::Context`), aligned for `T`,
    /// of at least `len` items that stay allocated until the buffer is dropped and all launches that use it have ended.
    /// Until then nothing else writes them, and nothing else reads them while a launch writes them.
    pub unsafe fn from_device_pointer(
        machine: &Cuda,
        pointer: DevicePointer<T>,
        len: usize,
    ) -> Self {
        Self::at(&machine.stream, pointer.as_raw(), len, Owner::Caller)
    }

    /// Address of the first of [`len`](Buffer::len) items; null if there is none. The buffer keeps owning them: the pointer
    /// is valid until the buffer is dropped. The items are those that launches so far leave there once they have ended, see
    /// [`synchronize`](Machine::synchronize).
    pub fn as_device_pointer(&mut self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.address())
    }

    /// Lends the items to `cust`. Waits for all launches of this buffer's machine; dropping the slice waits for those of the
    /// context.
    ///
    /// # Errors
    /// If a launch before it failed.
    ///
    /// # Safety
    /// The slice is dropped, neither forgotten nor exchanged for another, before this machine uses the buffer again.
    pub unsafe fn lend_to_cust(&mut self) -> Result<CustSlice<'_, T>, MachineError> {
        self.wait()?;
        // SAFETY: the items stay allocated as long as the buffer is borrowed.
        let slice = unsafe { DeviceSlice::from_raw_parts(self.as_device_pointer(), self.len()) };
        Ok(CustSlice { slice, buffer: self })
    }
}

impl<T: Plain + DeviceCopy> Deref for CustBuffer<'_, T> {
    type Target = CudaBuffer<T>;

    fn deref(&self) -> &CudaBuffer<T> {
        &self.buffer
    }
}

impl<T: Plain + DeviceCopy> DerefMut for CustBuffer<'_, T> {
    fn deref_mut(&mut self) -> &mut CudaBuffer<T> {
        &mut self.buffer
    }
}

impl<T: Plain + DeviceCopy> Drop for CustBuffer<'_, T> {
    fn drop(&mut self) {
        // A failure belongs to a launch before, and the next call reports it.
        let _ = self.machine.synchronize();
    }
}

impl<T: Plain + DeviceCopy> Deref for CustSlice<'_, T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.slice
    }
}

impl<T: Plain + DeviceCopy> DerefMut for CustSlice<'_, T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.slice
    }
}

impl<T: Plain + DeviceCopy> Drop for CustSlice<'_, T> {
    fn drop(&mut self) {
        // A failure belongs to a launch before, and the next call reports it.
        let _ = self.buffer.bind().map(|()| result::ctx::synchronize());
    }
}

/// Whether an address is memory of the device in its primary context, or of a pool, which belongs to no context. The device
/// must be current.
fn is_usable(address: sys::CUdeviceptr, device: &Device) -> bool {
    use sys::CUpointer_attribute::{
        CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    };
    let mut context: sys::CUcontext = std::ptr::null_mut();
    let (mut ordinal, mut kind) = (-1_i32, 0_u32);
    let mut attributes = [
        CU_POINTER_ATTRIBUTE_CONTEXT,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    ];
    let mut data: [*mut c_void; 3] =
        [(&raw mut context).cast(), (&raw mut ordinal).cast(), (&raw mut kind).cast()];
    // SAFETY: a pointer and two numbers of 4 bytes are asked for, and the address is only looked up.
    let asked = unsafe {
        sys::cuPointerGetAttributes(3, attributes.as_mut_ptr(), data.as_mut_ptr(), address)
    };
    asked == sys::CUresult::CUDA_SUCCESS
        && kind == sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32
        && ordinal == device.ordinal()
        && (context.is_null() || context == device.context())
}
