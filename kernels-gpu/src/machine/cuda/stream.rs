//! Streams: orders of launches, and marks in them.

use super::device::Device;
use super::queue::{Priority, Queue};
use super::{MachineError, checked, held};
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// Stream of a device. Its queue goes back to the device when it is dropped.
#[derive(Debug)]
pub(super) struct Stream {
    device: Arc<Device>,
    queue: Queue,
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
        let made = || {
            device.bind()?;
            Queue::new(priority)
        };
        let queue = idle.map_or_else(made, Ok)?;
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
        let idle = held(&stream.device.events).pop();
        let made = || checked(PLACE, result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let event = idle.map_or_else(made, Ok)?;
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
        // Recording it anew takes back what it was recorded for.
        held(&self.device.events).push(self.event);
    }
}
