//! Launches recorded as a graph of the driver, which are launched again at the cost of one.

use super::{MachineError, checked, device::Device, order::Stream};
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// Recorded launches of a [`Cuda`](super::Cuda).
#[derive(Debug)]
pub struct CudaRecording {
    device: Arc<Device>,
    graph: sys::CUgraphExec,
}

// SAFETY: the driver may be called from any thread, and launches of a graph follow one another.
unsafe impl Send for CudaRecording {}
// SAFETY: as above.
unsafe impl Sync for CudaRecording {}

const PLACE: &str = "recording launches";

impl CudaRecording {
    pub(super) fn new<E: From<MachineError>>(
        stream: &Stream,
        work: impl FnOnce() -> Result<(), E>,
    ) -> Result<Self, E> {
        stream.device().bind()?;
        // The strictest mode would refuse other threads' allocations meanwhile.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream lives.
        checked(PLACE, unsafe { result::stream::begin_capture(stream.raw(), mode) })?;
        let done = work();
        stream.device().bind()?;
        // SAFETY: the stream records.
        let graph = checked(PLACE, unsafe { result::stream::end_capture(stream.raw()) });
        let graph = match (done, graph) {
            (Ok(()), graph) => graph?,
            (Err(error), graph) => {
                if let Ok(graph) = graph {
                    // SAFETY: the graph is ours.
                    let _ = unsafe { result::graph::destroy(graph) };
                }
                return Err(error);
            }
        };
        // SAFETY: the graph is ours; what is launched is a copy of it.
        let executable = unsafe {
            let executable = result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0));
            let _ = result::graph::destroy(graph);
            executable
        };
        Ok(Self { device: stream.device().clone(), graph: checked(PLACE, executable)? })
    }

    pub(super) fn launch(&self, stream: &Stream) -> Result<(), MachineError> {
        self.device.bind()?;
        // SAFETY: graph and stream live; the buffers do, says `Machine::record`.
        checked("recorded launches", unsafe { result::graph::launch(self.graph, stream.raw()) })
    }
}

impl Drop for CudaRecording {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: the graph is ours; the driver keeps it while it runs.
            let _ = unsafe { result::graph::exec_destroy(self.graph) };
        }
    }
}
