//! Halo: boxes of a device's own tree that another device needs, and sources that it needs point by point.
//!
//! A device sees a box if the box touches its interval of the Morton curve, and needs the boxes whose parents it sees
//! (`octree::partition::halo` has the proof). Boxes with few sources are summed leaf by leaf instead of by their
//! multipoles, so all boxes below those are needed too, with their sources. Boxes without sources act on nothing, but of shared
//! boxes all devices know the number of receivers, on which P2L depends.

use crate::device::{Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;
use crate::tree::morton::{MAX_LEVEL, SLOTS, code_of, coordinates_of, octant_of};

/// Arrays of a tree; the tree's methods of the same names describe them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TreeBoxes {
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Parent of each box.
    pub parent: View<u32>,
    /// Octants with children of each box.
    pub children: View<u32>,
    /// Level of each box.
    pub level: View<u32>,
    /// Key of each box.
    pub key: View<u64>,
}

impl TreeBoxes {
    #[inline(always)]
    fn n_sources(self, b: u32) -> u32 {
        let Vec4([begin, end, ..]) = self.range.get(b as usize);
        end - begin
    }
}

/// Slot of a box of a level and key.
#[inline(always)]
pub(super) fn slot_of(level: u32, key: u64) -> usize {
    8 * level as usize + usize::from(octant_of(key))
}

/// Interval of the Morton curve, in codes of the deepest level.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Interval {
    /// First code.
    pub begin: u64,
    /// One after the last code.
    pub end: u64,
}

impl Interval {
    /// Whether the interval has a part of the box.
    #[inline(always)]
    fn meets(self, level: u32, key: u64) -> bool {
        let below = 3 * (MAX_LEVEL - level);
        let first = key << below;
        first < self.end && self.begin < first + (1 << below)
    }

    /// Whether the interval has a part of the box, or of one of the boxes around it.
    #[inline(always)]
    fn sees(self, level: u32, key: u64) -> bool {
        let last = (1_u32 << level) - 1;
        // Beside a face of the cube a box is its own neighbor. Bits of coordinates are spread once, not for each of 27 boxes.
        let [x, y, z] = coordinates_of(key)
            .map(|at| [at.saturating_sub(1), at, (at + 1).min(last)].map(|at| code_of([at, 0, 0])));
        let mut seen = false;
        for z in z {
            for y in y {
                for x in x {
                    seen |= self.meets(level, x | y << 1 | z << 2);
                }
            }
        }
        seen
    }
}

/// Arguments of [`MARK_HALO`]: a thread is a box.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MarkHalo {
    /// Own tree, B boxes.
    pub boxes: TreeBoxes,
    /// Interval of the other device.
    pub interval: Interval,
    /// Number of sources below which a box is summed leaf by leaf.
    pub few: u32,
    /// Output, B items and one that is left alone: 1 for a box that the other device needs.
    pub needed: ViewMut<u32>,
    /// Output, B items and one that is left alone: number of sources that it needs of a leaf.
    pub sources: ViewMut<u32>,
}

fn mark_halo(args: MarkHalo) {
    let b = thread::index();
    if b >= args.boxes.parent.len() {
        return;
    }
    let (boxes, b) = (args.boxes, b as u32);
    let sees = |b: u32| args.interval.sees(boxes.level.get(b as usize), boxes.key.get(b as usize));
    let is_needed = |b: u32| {
        let parent = boxes.parent.get(b as usize);
        parent == NONE || sees(parent)
    };
    let n_sources = boxes.n_sources(b);
    let is_leaf = boxes.children.get(b as usize) == 0;
    let mut needed = n_sources > 0 && is_needed(b);
    let mut by_point = needed && is_leaf && (n_sources < args.few || sees(b));
    // A box above with few sources, which is needed, is opened down to here.
    let mut above = boxes.parent.get(b as usize);
    while n_sources > 0 && above != NONE && boxes.n_sources(above) < args.few {
        if is_needed(above) {
            (needed, by_point) = (true, is_leaf);
            above = NONE;
        } else {
            above = boxes.parent.get(above as usize);
        }
    }
    let is_shared = args.interval.meets(boxes.level.get(b as usize), boxes.key.get(b as usize));
    args.needed.set(b as usize, u32::from(needed | is_shared));
    args.sources.set(b as usize, if by_point { n_sources } else { 0 });
}

/// Record of a box for another device, as four words: its key; level and number of sources; place of its first source among
/// those that are sent ([`NONE`] if none are) and place of its parent among the records; number of receivers.
pub type BoxWords = Vec4<u64>;

/// Arguments of [`PACK_HALO`]: a thread is a box.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PackHalo {
    /// Own tree, B boxes.
    pub boxes: TreeBoxes,
    /// Number of needed boxes before each box, then of all.
    pub needed_before: View<u32>,
    /// Number of sent sources before each box, then of all.
    pub sources_before: View<u32>,
    /// Output: a record of each needed box.
    pub records: ViewMut<BoxWords>,
    /// Output: number of each needed box.
    pub chosen: ViewMut<u32>,
    /// Output: place of each sent source in the tree's order.
    pub places: ViewMut<u32>,
}

fn pack_halo(args: PackHalo) {
    let b = thread::index();
    if b >= args.boxes.parent.len() {
        return;
    }
    let k = args.needed_before.get(b);
    if args.needed_before.get(b + 1) == k {
        return;
    }
    let Vec4([begin, end, receivers, past_receivers]) = args.boxes.range.get(b);
    let (first, past) = (args.sources_before.get(b), args.sources_before.get(b + 1));
    for i in 0..past - first {
        args.places.set((first + i) as usize, begin + i);
    }
    let parent = args.boxes.parent.get(b);
    let parent = if parent == NONE { NONE } else { args.needed_before.get(parent as usize) };
    let first = if past > first { first } else { NONE };
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let record = [
        args.boxes.key.get(b),
        pair(args.boxes.level.get(b), end - begin),
        pair(first, parent),
        u64::from(past_receivers - receivers),
    ];
    args.records.set(k as usize, Vec4(record));
    args.chosen.set(k as usize, b as u32);
}

/// Arguments of [`SLOT_ENDS`]: a thread is a slot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SlotEnds {
    /// First box of each slot, and the number of boxes.
    pub level_start: View<u32>,
    /// Number of chosen boxes before each box, then of all; empty if all boxes are chosen.
    pub chosen_before: View<u32>,
    /// Chosen boxes; empty for all.
    pub chosen: View<u32>,
    /// Key of each box.
    pub key: View<u64>,
    /// Output, [`SLOTS`] items: first chosen box of the slot and the one after the last, counted among the chosen, and the
    /// keys of the first and of the last.
    pub ends: ViewMut<Vec4<u64>>,
}

fn slot_ends(args: SlotEnds) {
    let slot = thread::index();
    if slot >= SLOTS {
        return;
    }
    let all = args.chosen_before.is_empty();
    let place = |slot: usize| {
        let b = args.level_start.get(slot);
        if all { b } else { args.chosen_before.get(b as usize) }
    };
    let key = |k: u32| {
        let b = if all { k } else { args.chosen.get(k as usize) };
        args.key.get(b as usize)
    };
    let (begin, end) = (place(slot), place(slot + 1));
    let (mut first, mut last) = (0, 0);
    if begin < end {
        (first, last) = (key(begin), key(end - 1));
    }
    args.ends.set(slot, Vec4([u64::from(begin), u64::from(end), first, last]));
}

kernel! {
    /// Marks the boxes that another device needs: one thread a box.
    pub MARK_HALO = mark_halo, (MarkHalo);
    /// Writes records of them: one thread a box.
    pub PACK_HALO = pack_halo, (PackHalo);
    /// First and last box of each slot: one thread a slot.
    pub SLOT_ENDS = slot_ends, (SlotEnds);
}
