//! Morton keys in Warren and Salmon's form: one number that names a box of any level.
//!
//! A key is a marker bit followed by three bits a level, so the level can be read off the key and
//! keys of different levels never collide. Inside a group of three bits the lowest is x, then y, then z.

use std::fmt;

use crate::morton::{self, MAX_LEVEL, code_of, coordinates_of, octant_of};

/// The name of a box: its level and its place in Morton order.
///
/// `Ord` is the raw value, which is Morton order among boxes of one level, and lower levels first.
/// Hu, Gumerov and Duraiswami's box index n is [`code`](Key::code); index 40 of their figure 1
/// needs level 3 or deeper in two dimensions (4² = 16 boxes at level 2), not level 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64);

impl Key {
    /// The box of level 0: the whole cube.
    pub const fn root() -> Key {
        Key(1)
    }

    /// The box of `level` whose Morton index is `code < 8^level`.
    pub const fn from_code(level: u8, code: u64) -> Key {
        debug_assert!(level <= MAX_LEVEL && code < 1 << (3 * level));
        Key((1 << (3 * level)) | code)
    }

    /// The box at integer `coordinates` (each `< 2^level`, in boxes of that level from the cube's corner).
    pub const fn from_coordinates(level: u8, coordinates: [u32; 3]) -> Key {
        Key::from_code(level, code_of(coordinates))
    }

    /// The key whose [`raw`](Key::raw) number this is; `None` for a number that names no box.
    pub const fn from_raw(raw: u64) -> Option<Key> {
        if raw != 0 && raw.ilog2().is_multiple_of(3) { Some(Key(raw)) } else { None }
    }

    /// The key with its marker bit.
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// The Morton index among the boxes of its level, without the marker.
    pub const fn code(self) -> u64 {
        self.0 ^ (1 << (3 * self.level()))
    }

    /// The level: 0 for the root, at most [`MAX_LEVEL`].
    pub const fn level(self) -> u8 {
        (self.0.ilog2() / 3) as u8
    }

    /// Integer coordinates of the box at its own level, each `< 2^level`.
    pub const fn coordinates(self) -> [u32; 3] {
        coordinates_of(self.code())
    }

    /// Number of the box among the children of its parent: bit 0 is x, bit 1 y, bit 2 z. The root has 0.
    pub const fn octant(self) -> u8 {
        octant_of(self.code())
    }

    /// The box of the level above that holds it; `None` for the root.
    pub const fn parent(self) -> Option<Key> {
        if self.0 == 1 { None } else { Some(Key(self.0 >> 3)) }
    }

    /// The child in `octant < 8`; its level must not exceed [`MAX_LEVEL`].
    pub const fn child(self, octant: u8) -> Key {
        debug_assert!(octant < 8 && self.level() < MAX_LEVEL);
        Key(self.0 << 3 | octant as u64)
    }

    /// The eight children in Morton order.
    pub fn children(self) -> [Key; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|octant| self.child(octant))
    }

    /// The box of `level`, not deeper than its own, that holds it.
    pub const fn ancestor(self, level: u8) -> Key {
        debug_assert!(level <= self.level());
        Key(self.0 >> (3 * (self.level() - level)))
    }

    /// The first box in Morton order of `level`, not above its own, inside it.
    pub const fn first_descendant(self, level: u8) -> Key {
        debug_assert!(level >= self.level() && level <= MAX_LEVEL);
        Key(self.0 << (3 * (level - self.level())))
    }

    /// The last box in Morton order of `level`, not above its own, inside it.
    pub const fn last_descendant(self, level: u8) -> Key {
        let below = (1 << (3 * (level - self.level()))) - 1;
        Key(self.first_descendant(level).0 | below)
    }

    /// Whether `other`, of the same or a deeper level, lies inside (a box holds itself).
    pub const fn contains(self, other: Key) -> bool {
        self.level() <= other.level() && other.ancestor(self.level()).0 == self.0
    }

    /// Whether the closed boxes touch or overlap, at any two levels.
    pub fn is_adjacent(self, other: Key) -> bool {
        adjacent(self.level(), self.coordinates(), other.level(), other.coordinates())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(level {}, {:?})", self.level(), self.coordinates())
    }
}

/// [`Key::is_adjacent`] on integer coordinates already at hand.
pub(crate) fn adjacent(level_a: u8, a: [u32; 3], level_b: u8, b: [u32; 3]) -> bool {
    if level_a > level_b {
        return adjacent(level_b, b, level_a, a);
    }
    morton::adjacent(a, b, u32::from(level_b - level_a))
}
