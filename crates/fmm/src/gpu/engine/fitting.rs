//! The engine that points fit: all at once, or in parts.

use std::sync::Arc;

use kernels_gpu::machine::{Launcher, MachineError};

use super::GpuEngine;
use super::state::State;
use crate::api::{Error, Request};
use crate::engine::{Engine, PointSets, Scalar};
use crate::gpu::{Number, parts};

/// The engine of a machine, with its points.
pub(crate) fn engine<M, T>(
    machine: M,
    request: Request,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    let mut engine = GpuEngine::new(machine.clone(), request)?;
    match engine.build(points) {
        Ok(()) => Ok(Arc::new(engine)),
        // A failed allocation is a tree that was larger than expected, or memory that others took meanwhile.
        Err(
            Error::DeviceMemory { .. }
            | Error::TooManyPoints { .. }
            | Error::Device(MachineError::Memory { .. }),
        ) => {
            drop(engine);
            parts::engine(machine, request, points)
        }
        Err(error) => Err(error),
    }
}
