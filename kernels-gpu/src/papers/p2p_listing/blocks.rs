//! Host arrays of Listing 2 (Yokota and Barba 2011, section 5.1): targets padded to whole blocks, and the cells of each block.

use super::{LISTING_THREADS, MAX_INTERACTION, OFFSET_STRIDE};
use std::ops::Range;
use std::vec::Vec;

/// Division of targets into whole blocks.
///
/// The paper's example: 2000 bodies in blocks of 128 threads make 16 blocks with 48 pads, so 37.5 % of the last is wasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// Number of blocks.
    pub blocks: usize,
    /// Number of threads without a target, all in the last block.
    pub pads: usize,
}

impl Padding {
    /// Division of `targets` targets into blocks of `threads` threads.
    pub const fn new(targets: usize, threads: usize) -> Self {
        let blocks = targets.div_ceil(threads);
        Self { blocks, pads: blocks * threads - targets }
    }
}

/// Error of lists that do not fit the paper's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListingError {
    /// Too many cells.
    #[error(
        "cell {cell} interacts with {count} cells, Listing 2 has room for 27; use a tree of uniform depth"
    )]
    Interactions {
        /// Target cell.
        cell: usize,
        /// Number of cells that interact with it.
        count: usize,
    },
}

/// Array deviceOffset of the paper, and the target of each thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetBlocks {
    /// Array deviceOffset: [`OFFSET_STRIDE`] words a block.
    pub offset: Vec<u32>,
    /// Target of each thread; `None` for a pad.
    pub target: Vec<Option<u32>>,
}

impl TargetBlocks {
    /// Blocks for cells of targets, each with the ranges of sources that act on the cell.
    ///
    /// # Errors
    /// If a cell has more than [`MAX_INTERACTION`] ranges.
    pub fn new<'a>(
        cells: impl IntoIterator<Item = (Range<u32>, &'a [Range<u32>])>,
    ) -> Result<Self, ListingError> {
        let threads = LISTING_THREADS as usize;
        let mut blocks = Self::default();
        for (cell, (targets, sources)) in cells.into_iter().enumerate() {
            if sources.len() > MAX_INTERACTION {
                return Err(ListingError::Interactions { cell, count: sources.len() });
            }
            let padding = Padding::new(targets.len(), threads);
            blocks.target.extend(targets.map(Some));
            blocks.target.resize(blocks.target.len() + padding.pads, None);
            for _ in 0..padding.blocks {
                let start = blocks.offset.len();
                blocks.offset.push(sources.len() as u32);
                for run in sources {
                    blocks.offset.extend([run.start, run.end - run.start]);
                }
                blocks.offset.resize(start + OFFSET_STRIDE, 0);
            }
        }
        Ok(blocks)
    }
}
