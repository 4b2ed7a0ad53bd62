//! At which levels boxes start at a point of the sorted sequence, found without a loop over levels.
//!
//! A box is a run of points whose keys share a prefix. One that starts at point i splits if the point c places on, c being
//! the leaf capacity, is still in it: so the levels of boxes that start at i follow from the key of i, of the one before and
//! of the one c places on. Only whether the first of them has a crowded parent, which starts earlier, takes a short search.

use super::morton::common_level;
use crate::device::View;

/// Sorted points of one set, or of two.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SortedPoints {
    /// Keys of all points at level `deepest`, ascending.
    pub keys: View<u64>,
    /// Place → how many sources are before it, n + 1 items; empty if sources are receivers.
    pub sources_before: View<u32>,
    /// Keys of the sources; of all points if sources are receivers.
    pub source_keys: View<u64>,
    /// Keys of the receivers; empty if sources are receivers.
    pub receiver_keys: View<u64>,
    /// The level of the keys.
    pub deepest: u32,
}

impl SortedPoints {
    /// How many sources, and how many receivers of the other set, are before `place`.
    #[inline(always)]
    pub fn before(self, place: usize) -> (usize, usize) {
        if self.sources_before.is_empty() {
            return (place, 0);
        }
        let sources = self.sources_before.get(place) as usize;
        (sources, place - sources)
    }

    /// The first point after `i` whose key differs from that of `i` above its lowest `shift` bits: where the box that
    /// holds `i` ends. Doubling steps, so small boxes cost little.
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

/// What the tree is to be.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Split {
    /// Sources, and receivers, that a leaf holds at most; 0 makes all leaves of the deepest level.
    pub capacity: u32,
    /// The level at which no box may hold more, lest keys of this level do not do.
    pub enough: u32,
}

/// The levels `first..end` of the boxes that start at a point; the last of them is a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The first.
    pub first: u32,
    /// One after the last.
    pub end: u32,
}

impl Levels {
    /// No box starts.
    pub const NONE: Self = Self { first: 0, end: 0 };

    /// As one word.
    #[inline(always)]
    pub fn to_word(self) -> u32 {
        self.first | self.end << 16
    }

    /// The levels of a word.
    #[inline(always)]
    pub fn of_word(word: u32) -> Self {
        Self { first: word & 0xffff, end: word >> 16 }
    }

    /// Bit l is set for each level l.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        (1 << self.end) - (1 << self.first)
    }
}

/// The levels of the boxes that start at point `i`. Calls `crowded` if one of level `split.enough` starts there and holds
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
    if first < split_below {
        return Levels { first, end: split_below + 1 };
    }
    if first == 0 || is_crowded(points, capacity, i, first - 1) {
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
