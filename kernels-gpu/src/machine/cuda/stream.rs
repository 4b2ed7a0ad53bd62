//! Streams: orders of launches, their priorities, and marks in them.

use super::device::{Device, held};
use super::{MachineError, checked};
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// Stream of a device. Its queue goes back to the device when it is dropped.
#[derive(Debug)]
pub(super) struct Stream {
    device: Arc<Device>,
    queue: Queue,
}

/// Priority of a stream: launches of streams with higher priority start first where the device has no room for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    Last,
    First,
}

/// Handles of the driver: a stream that does not wait for the default stream, and an event that others wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    priority: Priority,
    stream: sys::CUstream,
    event: sys::CUevent,
}

// SAFETY: the driver may be called from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(super) fn new(device: Arc<Device>, priority: Priority) -> Result<Self, MachineError> {
        let idle = {
            let mut idle = held(&device.idle);
            let place = idle.iter().position(|queue| queue.priority == priority);
            place.map(|place| idle.swap_remove(place))
        };
        let queue = idle.map_or_else(|| Queue::new(&device, priority), Ok)?;
        Ok(Self { device, queue })
    }

    pub(super) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.queue.stream
    }

    /// Makes all later launches here wait for all launches so far on `other`.
    pub(super) fn follow(&self, other: &Self) -> Result<(), MachineError> {
        self.device.bind()?;
        let event = other.queue.event;
        // SAFETY: both streams and the event live; waiting takes the event as it is now.
        let followed = unsafe {
            let recorded = result::event::record(event, other.raw());
            let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
            recorded.and_then(|()| result::stream::wait_event(self.raw(), event, flags))
        };
        checked("ordering launches", followed)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        held(&self.device.idle).push(self.queue);
    }
}

impl Queue {
    fn new(device: &Device, priority: Priority) -> Result<Self, MachineError> {
        const PLACE: &str = "making a stream";
        device.bind()?;
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

/// Moment in the order of launches of a [`Cuda`](super::Cuda): an event of the driver.
#[derive(Debug)]
pub struct CudaMark {
    device: Arc<Device>,
    event: sys::CUevent,
}

// SAFETY: the driver may be called from any thread.
unsafe impl Send for CudaMark {}
// SAFETY: as above.
unsafe impl Sync for CudaMark {}

impl CudaMark {
    pub(super) fn new(stream: &Stream) -> Result<Self, MachineError> {
        const PLACE: &str = "marking a moment";
        stream.device.bind()?;
        let event = checked(PLACE, result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT))?;
        let mark = Self { device: stream.device.clone(), event };
        // SAFETY: event and stream live.
        checked(PLACE, unsafe { result::event::record(event, stream.raw()) })?;
        Ok(mark)
    }

    pub(super) fn seconds_to(&self, later: &Self) -> Result<f64, MachineError> {
        // SAFETY: both events live.
        let milliseconds = unsafe {
            checked("a launch", result::event::synchronize(later.event))?;
            checked("measuring time", result::event::elapsed(self.event, later.event))?
        };
        Ok(1e-3 * f64::from(milliseconds))
    }
}

impl Drop for CudaMark {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: the event is ours; the driver keeps it until it has happened.
            let _ = unsafe { result::event::destroy(self.event) };
        }
    }
}
