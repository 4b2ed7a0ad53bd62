//! The list of boxes that take the sources of bigger leaves: `p2l` (X). One thread a box; counted first, then filled.

use super::{Boxes, DIRECTIONS, Limits, Output};
use crate::device::thread;
use crate::kernel;

/// Arguments of [`COUNT_P2L`] and [`FILL_P2L`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct P2l {
    /// The tree.
    pub boxes: Boxes,
    /// Which small boxes are summed directly.
    pub limits: Limits,
    /// Counts and places: row b is item `first_place` + b.
    pub output: Output,
    /// Where the counts of this list begin.
    pub first_place: u32,
    /// Where the offsets of this list begin.
    pub first_row: u32,
}

#[inline(always)]
fn p2l<const FILL: bool>(args: P2l) {
    let (b, boxes, output) = (thread::index(), args.boxes, args.output);
    if b >= boxes.len() {
        return;
    }
    let (at, row) = (args.first_place as usize + b, args.first_row as usize + b);
    let mut place = 0;
    if FILL {
        place = output.places.get(at);
        output.offsets.set(row, place);
    }
    let n_receivers = boxes.n_receivers(b as u32);
    if b > 0 && n_receivers > 0 && n_receivers >= args.limits.min_receivers_for_p2l {
        for direction in 0..DIRECTIONS {
            if let Some(source) = boxes.bigger_leaf(b as u32, direction) {
                if FILL {
                    output.items.set(place as usize, source);
                }
                place += 1;
            }
        }
    }
    if !FILL {
        output.places.set(at, place);
    } else if b == boxes.len() - 1 {
        output.offsets.set(row + 1, place);
    }
}

kernel! {
    /// One thread a box.
    pub COUNT_P2L = p2l::<false>, (P2l);
    /// One thread a box.
    pub FILL_P2L = p2l::<true>, (P2l);
}
