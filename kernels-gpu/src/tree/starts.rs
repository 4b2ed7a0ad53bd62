//! Levels at which boxes start at a point of the sorted sequence, found without a loop over levels.
//!
//! A box is a run of points whose keys share a prefix. Let c be the leaf capacity. A box that starts at point i splits
//! if point i + c is still in it. So the levels of the boxes that start at i follow from the keys of points i − 1, i
//! and i + c. A short search is needed only to know whether the parent of the first of these boxes, which starts
//! earlier, is crowded.

use super::morton::common_level;
use crate::device::View;
use crate::partition::cuts::Cut;

/// Sorted points of one set, or of two.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SortedPoints {
    /// Keys of all points at level `deepest`, ascending.
    pub keys: View<u64>,
    /// Number of sources before each place, n + 1 items; empty if sources are receivers.
    pub sources_before: View<u32>,
    /// Keys of the sources, or of all points if sources are receivers.
    pub source_keys: View<u64>,
    /// Keys of the receivers; empty if sources are receivers.
    pub receiver_keys: View<u64>,
    /// Level of the keys.
    pub deepest: u32,
}

impl SortedPoints {
    /// Numbers of sources, and of receivers of the other set, before `place`.
    #[inline(always)]
    pub fn before(self, place: usize) -> (usize, usize) {
        if self.sources_before.is_empty() {
            return (place, 0);
        }
        let sources = self.sources_before.get(place) as usize;
        (sources, place - sources)
    }

    /// End of the box that holds point `i`: the first point after `i` whose key differs from that of `i` above its
    /// lowest `shift` bits. Steps double, so small boxes cost little.
    #[inline(always)]
    pub fn end_of(self, i: usize, shift: u32) -> usize {
        let n = self.keys.len();
        let prefix = self.keys.get(i) >> shift;
        let inside = |j: usize| j < n && self.keys.get(j) >> shift == prefix;
        let mut step = 1;
        while inside(i + step) {
            step *= 2;
        }
        // i + step/2 is inside, i + step is not.
        let (mut low, mut high) = (i + step / 2, i + step);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if inside(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

/// Rule by which boxes are split.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Split {
    /// Largest number of sources, and of receivers, of a leaf; 0 makes all leaves of the deepest level.
    pub capacity: u32,
    /// Level at which no box may hold more points, because otherwise keys of this level do not suffice.
    pub enough: u32,
    /// Cuts, in codes of the keys' level: a box with one strictly inside is split.
    pub cuts: [Cut; 2],
}

/// Levels `first..end` of the boxes that start at a point; the last of the boxes is a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// First level.
    pub first: u32,
    /// One more than the last level.
    pub end: u32,
}

impl Levels {
    /// Levels of a point at which no box starts.
    pub const NONE: Self = Self { first: 0, end: 0 };

    /// Levels as one word.
    #[inline(always)]
    pub fn to_word(self) -> u32 {
        self.first | self.end << 16
    }

    /// Levels from a word.
    #[inline(always)]
    pub fn of_word(word: u32) -> Self {
        Self { first: word & 0xffff, end: word >> 16 }
    }

    /// Bit mask with a bit for each level.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        (1 << self.end) - (1 << self.first)
    }
}

/// Levels of the boxes that start at point `i`. Calls `crowded` if a box of level `split.enough` starts there and holds
/// more points than fit.
#[inline(always)]
pub fn levels_at(points: SortedPoints, split: Split, i: usize, crowded: impl FnOnce()) -> Levels {
    let deepest = points.deepest;
    let key = points.keys.get(i);
    let first = match i {
        0 => 0,
        _ => common_level(points.keys.get(i - 1), key, deepest) + 1,
    };
    if first > deepest {
        return Levels::NONE;
    }
    if split.capacity == 0 {
        return Levels { first, end: deepest + 1 };
    }

    // Boxes that start here split below this level.
    let capacity = split.capacity as usize;
    let (sources, receivers) = points.before(i);
    let below = |keys: View<u64>, before: usize| {
        let last = before + capacity;
        if last < keys.len() { common_level(key, keys.get(last), deepest) + 1 } else { 0 }
    };
    let mut split_below =
        below(points.source_keys, sources).max(below(points.receiver_keys, receivers));
    if first <= split.enough && split.enough < split_below {
        crowded();
    }
    if split_below > deepest {
        // More points than fit have one key: the box that holds no other is not split.
        let other = points.end_of(i, 0);
        split_below = 0;
        if other < points.keys.len() {
            split_below = common_level(key, points.keys.get(other), deepest) + 1;
        }
    }
    let [begin, end] = split.cuts;
    let cut_below = begin.levels_inside(key, deepest).max(end.levels_inside(key, deepest));
    split_below = split_below.max(cut_below);
    if first < split_below {
        return Levels { first, end: split_below + 1 };
    }
    if first == 0 || first <= cut_below || is_crowded(points, capacity, i, first - 1) {
        return Levels { first, end: first + 1 };
    }
    Levels::NONE
}

/// Whether the box of `level` that holds point `i` has more sources or more receivers than `capacity`.
#[inline(always)]
fn is_crowded(points: SortedPoints, capacity: usize, i: usize, level: u32) -> bool {
    let shift = 3 * (points.deepest - level);
    let prefix = points.keys.get(i) >> shift;
    let (sources, receivers) = points.before(i);
    let crowded = |keys: View<u64>, before: usize| {
        let inside = |j: usize| keys.get(j) >> shift == prefix;
        // The first of the box among the `capacity` + 1 before, which end at `before`.
        let (mut low, mut high) = (before.saturating_sub(capacity + 1), before);
        while low < high {
            let middle = low + (high - low) / 2;
            if inside(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low + capacity < keys.len() && inside(low + capacity)
    };
    crowded(points.source_keys, sources) || crowded(points.receiver_keys, receivers)
}
