//! Driver of trees over several devices: launches, and what the host decides from their results.

mod halo;
mod numbers;
mod owners;
mod rows;
mod sample;

pub use halo::Halo;
pub use numbers::{BoxNumbers, SlotBoxes};
pub use owners::{OwnerOrder, PointsInCube};
pub use rows::{add_rows, pack_rows, put_rows};
pub use sample::{CutFinder, count_beside};

use crate::device::Vec4;
use crate::tree::morton::{MAX_LEVEL, coordinates_of};
use octree::Cube;
use octree::partition::Partition;
use std::ops::Range;
use std::vec::Vec;

/// Number of threads of a block where each thread has one item.
const THREADS: u32 = 256;

/// Coordinates of the box of the deepest level of all after each cut.
fn places_of(cuts: &[u64]) -> Vec<Vec4<u32>> {
    let place = |cut: &u64| {
        let [x, y, z] = coordinates_of(*cut);
        // The end of the curve is behind all coordinates.
        let past_end = (cut >> (3 * MAX_LEVEL)) as u32;
        Vec4([x | past_end << MAX_LEVEL, y, z, 0])
    };
    cuts.iter().map(place).collect()
}

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
