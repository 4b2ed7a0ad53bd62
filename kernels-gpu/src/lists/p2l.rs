//! List of boxes that take the sources of larger leaves: `p2l` (X). A warp takes a box and a lane one of the 27
//! directions. Rows are counted first, then filled.

use super::{DIRECTIONS, Limits, ListBoxes, ListOutput};
use crate::device::{thread, warp};
use crate::kernel;

/// Arguments of [`COUNT_P2L`] and [`FILL_P2L`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListP2l {
    /// Arrays of the tree.
    pub boxes: ListBoxes,
    /// Limits below which boxes are summed directly.
    pub limits: Limits,
    /// Counts and places: row b is item `first_place` + b.
    pub output: ListOutput,
    /// Place of this list's first count.
    pub first_place: u32,
    /// Place of this list's first offset.
    pub first_row: u32,
}

#[inline(always)]
fn p2l<const FILL: bool>(args: ListP2l) {
    let (boxes, output) = (args.boxes, args.output);
    let (b, lane) = (thread::index() / warp::SIZE as usize, warp::lane_id());
    if b >= boxes.len() {
        return;
    }
    let n_receivers = boxes.n_receivers(b as u32);
    let mut source = None;
    if b > 0
        && n_receivers > 0
        && n_receivers >= args.limits.min_receivers_for_p2l
        && (lane as usize) < DIRECTIONS
    {
        let at = boxes.coordinates(b as u32);
        source = boxes.bigger_leaf(b as u32, at, lane as usize);
    }
    let found = warp::ballot(source.is_some());
    let (at, row) = (args.first_place as usize + b, args.first_row as usize + b);
    if !FILL {
        if lane == 0 {
            output.places.set(at, found.count_ones());
        }
        return;
    }
    let place = output.places.get(at);
    if let Some(source) = source {
        let before = found & ((1 << lane) - 1);
        output.items.set((place + before.count_ones()) as usize, source);
    }
    if lane == 0 {
        output.offsets.set(row, place);
        if b == boxes.len() - 1 {
            output.offsets.set(row + 1, place + found.count_ones());
        }
    }
}

kernel! {
    /// Counts the rows of `p2l`: one warp a box.
    pub COUNT_P2L = p2l::<false>, (ListP2l);
    /// Fills the rows of `p2l`: one warp a box.
    pub FILL_P2L = p2l::<true>, (ListP2l);
}
