//! Driver of trees over several devices: launches, and what the host decides from their results.

mod halo;
mod numbers;
mod owners;
mod parted;
mod rows;
mod sample;

pub use halo::Halo;
pub use numbers::{BoxNumbers, SlotBoxes};
pub use owners::OwnerOrder;
pub use parted::Parted;
pub use rows::{add_rows, pack_rows};
pub use sample::{CutFinder, count_beside};

use octree::Cube;
use octree::partition::Partition;
use std::ops::Range;

/// Number of threads of a block where each thread has one item.
const THREADS: u32 = 256;

/// Part of a tree that a device owns.
#[derive(Clone, Debug)]
pub struct Part {
    /// Cube of the whole tree.
    pub cube: Cube,
    /// Own interval of the Morton curve, in codes of the deepest level of all.
    pub interval: Range<u64>,
}

impl Part {
    /// The whole tree.
    pub fn whole(cube: Cube) -> Self {
        Self { cube, interval: Partition::whole().interval(0) }
    }
}
