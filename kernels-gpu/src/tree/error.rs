//! Why a tree could not be built.

use crate::machine::MachineError;
use crate::sort::SortError;

/// A tree could not be built or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The points or the depth do not do.
    #[error(transparent)]
    Points(#[from] octree::Error),
    /// There are too many points.
    #[error(transparent)]
    Sort(#[from] SortError),
    /// The device refused.
    #[error(transparent)]
    Machine(#[from] MachineError),
}
