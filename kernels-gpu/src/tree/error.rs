//! Errors of trees on a device.

use crate::machine::MachineError;
use crate::sort::SortError;

/// Error of building or using a tree.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// Points or depth that no tree can have.
    #[error(transparent)]
    Points(#[from] octree::Error),
    /// Too many points.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// Error of the device.
    #[error(transparent)]
    Machine(#[from] MachineError),
}
