//! Boxes of several devices in one tree.
//!
//! Boxes of a slot (level and octant) are in Morton order on each device, and devices follow each other on the curve, so
//! boxes of a slot are those of one device after the other. A shared box, which several devices have, is the last of the
//! one and the first of the next.

use super::halo::{BoxWords, TreeBoxes, slot_of};
use crate::device::{Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;
use crate::tree::morton::octant_of;

/// Arrays of the merged tree, B boxes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MergedBoxes {
    /// Output: level of each box.
    pub level: ViewMut<u32>,
    /// Output: key of each box.
    pub key: ViewMut<u64>,
    /// Output, all 0 at first: points of each box.
    pub range: ViewMut<Vec4<u32>>,
    /// Output: parent of each box.
    pub parent: ViewMut<u32>,
    /// Output, 8 B items, all `NONE` at first: children of each box.
    pub child: ViewMut<u32>,
    /// Shift of each slot: the number of a box in the merged tree less its number among those of the device, modulo 2³².
    pub shift: View<u32>,
}

impl MergedBoxes {
    /// Number in the merged tree of the device's box `k` of a slot.
    #[inline(always)]
    fn number(self, slot: usize, k: u32) -> u32 {
        self.shift.get(slot).wrapping_add(k)
    }

    /// Writes a box with its links, and returns its number.
    #[inline(always)]
    fn put(self, [level, k, parent]: [u32; 3], key: u64) -> u32 {
        let number = self.number(slot_of(level, key), k);
        self.level.set(number as usize, level);
        self.key.set(number as usize, key);
        let mut above = NONE;
        if parent != NONE {
            above = self.number(slot_of(level - 1, key >> 3), parent);
            let octant = usize::from(octant_of(key));
            self.child.set(octant * self.level.len() + above as usize, number);
        }
        self.parent.set(number as usize, above);
        number
    }
}

/// Arguments of [`PLACE_OWN`]: a thread is a box of the device's own tree.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlaceOwn {
    /// Own tree.
    pub boxes: TreeBoxes,
    /// Merged tree.
    pub merged: MergedBoxes,
    /// Output: number of each own box in the merged tree.
    pub numbers: ViewMut<u32>,
}

fn place_own(args: PlaceOwn) {
    let b = thread::index();
    if b < args.boxes.parent.len() {
        let place = [args.boxes.level.get(b), b as u32, args.boxes.parent.get(b)];
        let number = args.merged.put(place, args.boxes.key.get(b));
        args.merged.range.set(number as usize, args.boxes.range.get(b));
        args.numbers.set(b, number);
    }
}

/// Arguments of [`PLACE_RECORDS`]: a thread is a record. Launched after [`PLACE_OWN`], once for each other device.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlaceRecords {
    /// Records of another device.
    pub records: View<BoxWords>,
    /// Merged tree.
    pub merged: MergedBoxes,
    /// Place of the first source of that device.
    pub first_source: u32,
    /// Output: number of each record's box in the merged tree.
    pub numbers: ViewMut<u32>,
}

fn place_records(args: PlaceRecords) {
    let k = thread::index();
    if k >= args.records.len() {
        return;
    }
    let Vec4([key, of_box, links, n_receivers]) = args.records.get(k);
    let (level, n_sources) = (of_box as u32, (of_box >> 32) as u32);
    let (source, parent) = (links as u32, (links >> 32) as u32);
    let number = args.merged.put([level, k as u32, parent], key);
    // Of a shared box, the range counts the points of all devices, if there are receivers here.
    let Vec4([begin, end, first, past]) = args.merged.range.get(number as usize);
    let past = if past > first { past + n_receivers as u32 } else { past };
    let range = if source == NONE {
        [begin, end + n_sources, first, past]
    } else {
        let begin = args.first_source + source;
        [begin, begin + n_sources, first, past]
    };
    args.merged.range.set(number as usize, Vec4(range));
    args.numbers.set(k, number);
}

/// Arguments of [`MARK_CHILDREN`]: a thread is a box of the merged tree.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MarkChildren {
    /// Children of each box, 8 B items.
    pub child: View<u32>,
    /// Output: octants with children of each box, B items.
    pub children: ViewMut<u32>,
}

fn mark_children(args: MarkChildren) {
    let (b, n_boxes) = (thread::index(), args.children.len());
    if b < n_boxes {
        let mut octants = 0;
        for octant in 0..8 {
            octants |= u32::from(args.child.get(octant * n_boxes + b) != NONE) << octant;
        }
        args.children.set(b, octants);
    }
}

/// Arguments of [`NUMBER_LEAVES`]: a thread is an own leaf.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NumberLeaves {
    /// Own leaves.
    pub own: View<u32>,
    /// Number of each own box in the merged tree.
    pub numbers: View<u32>,
    /// Output: numbers of the own leaves in the merged tree.
    pub leaves: ViewMut<u32>,
}

fn number_leaves(args: NumberLeaves) {
    let i = thread::index();
    if i < args.own.len() {
        args.leaves.set(i, args.numbers.get(args.own.get(i) as usize));
    }
}

kernel! {
    /// Own boxes in the merged tree: one thread a box.
    pub PLACE_OWN = place_own, (PlaceOwn);
    /// Boxes of another device in the merged tree: one thread a record.
    pub PLACE_RECORDS = place_records, (PlaceRecords);
    /// Octants with children: one thread a box.
    pub MARK_CHILDREN = mark_children, (MarkChildren);
    /// Own leaves by their new numbers: one thread a leaf.
    pub NUMBER_LEAVES = number_leaves, (NumberLeaves);
}
