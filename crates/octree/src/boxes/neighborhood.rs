//! The neighbourhoods E1 to E4 of a box (Hu, Gumerov and Duraiswami, sec. 1.4), by integers only.
//!
//! Neighbourhoods hold every box of the domain, empty ones too; [`Grid`](crate::papers::grid::Grid) and
//! [`InteractionLists`](crate::InteractionLists) keep the non-empty ones.

use std::ops::RangeInclusive;

use crate::boxes::key::{Key, adjacent};
use crate::geometry::{DIRECTIONS, direction_places};
use crate::morton::{MAX_LEVEL, spread};

/// E1: the points inside box `b`, as the range of their keys at [`MAX_LEVEL`].
pub fn e1(b: Key) -> RangeInclusive<Key> {
    b.first_descendant(MAX_LEVEL)..=b.last_descendant(MAX_LEVEL)
}

/// E2: `b` and the boxes of its level that touch it, in order of z, y, x: 27, or fewer at the faces
/// of the domain.
pub fn e2(b: Key) -> impl Iterator<Item = Key> {
    e2_codes(b).map(move |code| Key::from_code(b.level(), code))
}

/// The Morton indices of E2.
pub(crate) fn e2_codes(b: Key) -> impl Iterator<Item = u64> {
    let last = (1 << b.level()) - 1;
    // Bits of the three places along each axis, interleaved once for all 27; `None` outside.
    let [x, y, z] = b.coordinates().map(|c| {
        let below = c.checked_sub(1);
        let above = (c < last).then_some(c + 1);
        [below, Some(c), above].map(|c| c.map(spread))
    });
    (0..DIRECTIONS)
        .map(direction_places)
        .filter_map(move |[i, j, k]| Some(x[i]? | y[j]? << 1 | z[k]? << 2))
}

impl Key {
    /// Boxes of the same level that touch this one, itself left out: 26, or fewer at the faces of the domain.
    pub fn neighbors(self) -> impl Iterator<Item = Key> {
        e2(self).filter(move |&key| key != self)
    }
}

/// E3: whether `other`, of the level of `b`, is outside E2 of `b`.
pub fn in_e3(b: Key, other: Key) -> bool {
    debug_assert!(b.level() == other.level());
    !b.is_adjacent(other)
}

/// E4: the children of the parent's E2 that do not touch `b`: at most 6³ − 3³ = 189 (the paper's
/// sec. 3.3 says 27). Empty for levels 0 and 1.
pub fn e4(b: Key) -> impl Iterator<Item = Key> {
    let level = b.level();
    let center = b.coordinates();
    b.parent()
        .into_iter()
        .flat_map(e2)
        .flat_map(Key::children)
        .filter(move |key| !adjacent(level, center, level, key.coordinates()))
}
