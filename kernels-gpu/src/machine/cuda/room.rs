//! Page-locked memory of the host, of which staging buffers are made.

use super::super::staging::STAGING_BYTES;
use super::{MachineError, checked};
use cudarc::driver::{result, sys};
use std::ffi::c_void;

/// Page-locked memory of [`STAGING_BYTES`] bytes, and the event that ends its last copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) memory: *mut c_void,
    pub(super) event: sys::CUevent,
}

impl Room {
    /// New room; the device must be current.
    pub(super) fn new() -> Result<Self, MachineError> {
        const PLACE: &str = "allocating host memory";
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let event = checked(PLACE, event)?;
        // SAFETY: the device is current.
        let memory = checked(PLACE, unsafe { result::malloc_host(STAGING_BYTES, 0) });
        let memory = memory.inspect_err(|_| {
            // SAFETY: the event was made above and is not used.
            let _ = unsafe { result::event::destroy(event) };
        })?;
        // SAFETY: the memory has as many bytes.
        unsafe { memory.cast::<u8>().write_bytes(0, STAGING_BYTES) };
        Ok(Self { memory, event })
    }

    /// # Safety
    /// The device is current, and the room is not used any more.
    pub(super) unsafe fn destroy(self) {
        // SAFETY: the caller's; copies under way end before the driver frees the memory.
        unsafe {
            let _ = result::event::synchronize(self.event);
            let _ = result::free_host(self.memory);
            let _ = result::event::destroy(self.event);
        }
    }
}
