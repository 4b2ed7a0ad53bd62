//! Queues of the driver, which streams take and give back, and their priorities.

use super::{MachineError, checked};
use cudarc::driver::{result, sys};

/// Priority of a stream: launches of streams with higher priority start first where the device has no room for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    Last,
    First,
}

/// Handles of the driver: a stream that does not wait for the default stream, and an event that others wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    pub(super) priority: Priority,
    pub(super) stream: sys::CUstream,
    pub(super) event: sys::CUevent,
}

impl Queue {
    /// New queue; the device must be current.
    pub(super) fn new(priority: Priority) -> Result<Self, MachineError> {
        const PLACE: &str = "making a stream";
        // The driver takes the nearest priority that the device has; low numbers come first.
        let level = if priority == Priority::First { i32::MIN } else { 0 };
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut stream = std::ptr::null_mut();
        // SAFETY: the device is current.
        let made = unsafe { sys::cuStreamCreateWithPriority(&raw mut stream, flags, level) };
        checked(PLACE, made.result())?;
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let event = checked(PLACE, event).inspect_err(|_| {
            // SAFETY: the stream was made above and is not used.
            let _ = unsafe { result::stream::destroy(stream) };
        })?;
        Ok(Self { priority, stream, event })
    }

    /// # Safety
    /// The device is current, and nothing uses the queue any more.
    pub(super) unsafe fn destroy(self) {
        // SAFETY: the caller's.
        unsafe {
            let _ = result::event::destroy(self.event);
            let _ = result::stream::destroy(self.stream);
        }
    }
}
