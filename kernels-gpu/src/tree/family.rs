//! Links between boxes: points, parent and children of each box. One thread a box.

use super::morton::{ancestor_of, octant_of};
use super::starts::SortedPoints;
use crate::device::{Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;

/// Arguments of [`LINK_BOXES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LinkBoxes {
    /// Sorted points.
    pub points: SortedPoints,
    /// First box of each slot (8 · level + octant), then the number of boxes.
    pub level_start: View<u32>,
    /// First point of each box.
    pub first: View<u32>,
    /// Level of each box.
    pub level: View<u32>,
    /// Key of each box at its own level.
    pub key: View<u64>,
    /// Output: points of each box (source begin, source end, receiver begin, receiver end) as places in the sorted
    /// sets.
    pub range: ViewMut<Vec4<u32>>,
    /// Output: parent of each box, `NONE` for the root.
    pub parent: ViewMut<u32>,
    /// Output, 8 · n_boxes items, all `NONE` at first: child of box b in octant o at o · n_boxes + b.
    pub child: ViewMut<u32>,
    /// Output, all 0 at first: bit o of a box is set if there is a child in octant o.
    pub children: ViewMut<u32>,
}

fn link_boxes(args: LinkBoxes) {
    let b = thread::index();
    let n_boxes = args.first.len();
    if b >= n_boxes {
        return;
    }
    let (level, key) = (args.level.get(b), args.key.get(b));
    let first = args.first.get(b) as usize;
    let end = args.points.end_of(first, 3 * (args.points.deepest - level));
    let (sources, receivers) = (args.points.before(first), args.points.before(end));
    let one_set = args.points.sources_before.is_empty();
    let (begin, end) = ([sources.0, sources.1], [receivers.0, receivers.1]);
    let of = |set: usize| [begin[set] as u32, end[set] as u32];
    let ([sb, se], [rb, re]) = (of(0), of(if one_set { 0 } else { 1 }));
    args.range.set(b, Vec4([sb, se, rb, re]));

    if level == 0 {
        args.parent.set(b, NONE);
        return;
    }
    // The parent is found by its key among the boxes of its slot.
    let above = ancestor_of(key, 1);
    let slot = 8 * (level as usize - 1) + usize::from(octant_of(above));
    let (mut low, mut high) = (args.level_start.get(slot), args.level_start.get(slot + 1));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if args.key.get(middle as usize) <= above {
            low = middle;
        } else {
            high = middle;
        }
    }
    let octant = usize::from(octant_of(key));
    args.parent.set(b, low);
    args.child.set(octant * n_boxes + low as usize, b as u32);
    // Each bit is added once.
    args.children.atomic_add(low as usize, 1 << octant);
}

kernel! {
    /// Links boxes: one thread a box.
    pub LINK_BOXES = link_boxes, (LinkBoxes);
}
