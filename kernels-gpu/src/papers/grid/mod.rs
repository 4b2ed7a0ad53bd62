//! Data structures of Hu, Gumerov and Duraiswami (2012), section 3, on the device, with the names of the paper: one level of
//! boxes, sources and receivers apart, empty boxes skipped.
//!
//! | paper | here | cost |
//! |---|---|---|
//! | Alg. 1 Parallel-Pseudo-Sort | [`sort`] | O(N + 8^lmax) |
//! | Alg. 2 Access-Source-E2-neighborhood | [`neighbors::Neighbors::each_source`] | O(points found) |
//! | Alg. 3 Get-bookmark-and-box-index | [`bookmarks`] | O(8^lmax) |
//! | Alg. 4 Get-E2-neighbor-list-and-bookmark | [`neighbors`] | 27 look-ups a receiver box |
//! | Alg. 5 Build-fmm-data-structures | [`UniformGrid::rebuild`] | O(N + M + 8^lmax) |
//! | E4 query | [`neighbors::each_e4`] | 27 look-ups |
//!
//! The twin on the host is `octree::papers::grid`, with the same boxes, bookmarks and neighbours. The order of points inside a box
//! is left to chance, as in the paper. Histograms take 4 · 8^lmax bytes; the path without them is [`crate::tree`] with
//! `Depth::Uniform`, which goes down to level [`octree::MAX_LEVEL`].

pub mod bookmarks;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod neighbors;
pub mod sort;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{BoxedPoints, GridError, MAX_GRID_LEVEL, UniformGrid};

use crate::device::View;
use crate::tree::NONE;

/// Ranks of the non-empty boxes of a level: Alg. 3's ScannedRank, in a bit a box and a count for each 32 of them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Ranks {
    /// Bits: word w has a bit for each of the boxes 32 w to 32 w + 31 that is not empty.
    pub bits: View<u32>,
    /// Number of non-empty boxes before box 32 w, by word w; one more item for all.
    pub before: View<u32>,
}

impl Ranks {
    /// Rank of a box, or `NONE` if the box is empty.
    #[inline(always)]
    pub fn rank(self, code: u32) -> u32 {
        let word = code as usize / 32;
        let (bits, bit) = (self.bits.get(word), 1 << (code % 32));
        if bits & bit == 0 {
            return NONE;
        }
        self.before.get(word) + (bits & (bit - 1)).count_ones()
    }

    /// Number of non-empty boxes.
    #[inline(always)]
    pub fn n_boxes(self) -> usize {
        self.before.get(self.before.len() - 1) as usize
    }
}
