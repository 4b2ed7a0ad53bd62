//! Alg. 3 of Hu, Gumerov and Duraiswami (2012), Get-bookmark-and-box-index: the non-empty boxes, and where their points begin.
//!
//! The paper compares the raw bins where it must compare their prefix sums: a box is not empty if the sum grows at it,
//! and its bookmark is the sum before it.

use super::Ranks;
use crate::device::{View, ViewMut, thread, warp};
use crate::kernel;

/// Arguments of [`MARK_BOXES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MarkBoxes {
    /// Number of points in the boxes before each box; one more item for all.
    pub scanned_bins: View<u32>,
    /// Output: word w has a bit for each of the boxes 32 w to 32 w + 31 that is not empty.
    pub bits: ViewMut<u32>,
    /// Output: number of bits of each word.
    pub counts: ViewMut<u32>,
}

fn mark_boxes(args: MarkBoxes) {
    let i = thread::index();
    let filled =
        i + 1 < args.scanned_bins.len() && args.scanned_bins.get(i) < args.scanned_bins.get(i + 1);
    let bits = warp::ballot(filled);
    if warp::lane_id() == 0 && i / 32 < args.bits.len() {
        args.bits.set(i / 32, bits);
        args.counts.set(i / 32, bits.count_ones());
    }
}

/// Arguments of [`COLLECT_BOXES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CollectBoxes {
    /// Ranks of the non-empty boxes.
    pub ranks: Ranks,
    /// Number of points in the boxes before each box; one more item for all.
    pub scanned_bins: View<u32>,
    /// Output, one item more than non-empty boxes: box i holds the points `bookmark[i]..bookmark[i + 1]`.
    pub bookmark: ViewMut<u32>,
    /// Output: index of each non-empty box, ascending.
    pub non_empty_box_index: ViewMut<u32>,
}

fn collect_boxes(args: CollectBoxes) {
    let word = thread::index();
    if word >= args.ranks.bits.len() {
        return;
    }
    let mut bits = args.ranks.bits.get(word);
    let mut rank = args.ranks.before.get(word) as usize;
    while bits != 0 {
        let index = 32 * word + bits.trailing_zeros() as usize;
        bits &= bits - 1;
        args.bookmark.set(rank, args.scanned_bins.get(index));
        args.non_empty_box_index.set(rank, index as u32);
        rank += 1;
    }
    if word == args.ranks.bits.len() - 1 {
        args.bookmark.set(rank, args.scanned_bins.get(args.scanned_bins.len() - 1));
    }
}

kernel! {
    /// Marks non-empty boxes: one thread a box, empty boxes included.
    pub MARK_BOXES = mark_boxes, (MarkBoxes);
    /// Collects non-empty boxes: one thread for 32 boxes.
    pub COLLECT_BOXES = collect_boxes, (CollectBoxes);
}
