//! Morton codes: the places of boxes along the Morton curve of their level, as plain integers.
//!
//! Three bits a level, the highest level's first; inside a group the lowest bit is x, then y, then z. A
//! [`Key`](crate::Key) is a code with a marker of its level. These functions need neither memory nor a standard
//! library, so that device code uses them too.

/// The deepest level: 21 bits an axis, 63 bits of 64.
pub const MAX_LEVEL: u8 = 21;

/// Number of levels, that of the root among them.
pub const LEVELS: usize = MAX_LEVEL as usize + 1;

/// The code of the box at integer `coordinates`, each below 2^21.
#[inline(always)]
pub const fn code_of([x, y, z]: [u32; 3]) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// Integer coordinates of a box at its own level, from its code.
#[inline(always)]
pub const fn coordinates_of(code: u64) -> [u32; 3] {
    [compact(code), compact(code >> 1), compact(code >> 2)]
}

/// The code of the box that holds a box, `levels` above it.
#[inline(always)]
pub const fn ancestor_of(code: u64, levels: u32) -> u64 {
    code >> (3 * levels)
}

/// Octant of a box in its parent: bit 0 is x, bit 1 y, bit 2 z.
#[inline(always)]
pub const fn octant_of(code: u64) -> u8 {
    (code & 7) as u8
}

/// The level of the smallest box that holds two boxes of level `deepest`.
#[inline(always)]
pub const fn common_level(a: u64, b: u64, deepest: u32) -> u32 {
    if a == b {
        return deepest;
    }
    (a ^ b).leading_zeros().wrapping_sub(64 - 3 * deepest) / 3
}

/// The level of the largest box that begins at a code of level [`MAX_LEVEL`]; 0 at both ends of the curve.
#[inline(always)]
pub const fn level_begun_at(code: u64) -> u8 {
    MAX_LEVEL.saturating_sub(code.trailing_zeros() as u8 / 3)
}

/// The level of the smallest box that holds two boxes of level `deepest`, from their coordinates.
#[inline(always)]
pub const fn common_level_of([ax, ay, az]: [u32; 3], [bx, by, bz]: [u32; 3], deepest: u32) -> u32 {
    deepest - (u32::BITS - (ax ^ bx | ay ^ by | az ^ bz).leading_zeros())
}

/// Whether box `a` is before box `b` of the same level on the Morton curve, from their coordinates: the coordinate decides
/// that differs in the highest bit, z before y before x (Chan, *Closest-point problems simplified on the RAM*, 2002).
#[inline(always)]
pub const fn precedes([ax, ay, az]: [u32; 3], [bx, by, bz]: [u32; 3]) -> bool {
    let (x, y, z) = (ax ^ bx, ay ^ by, az ^ bz);
    let (longer, less) = if is_shorter(z, y) { (y, ay < by) } else { (z, az < bz) };
    if is_shorter(longer, x) { ax < bx } else { less }
}

/// Whether the highest bit of `a` is below that of `b`.
#[inline(always)]
const fn is_shorter(a: u32, b: u32) -> bool {
    (a < b) & (a < a ^ b)
}

/// Whether closed boxes touch or overlap: one at coordinates `a`, the other at `b`, `down` levels deeper.
#[inline(always)]
pub const fn adjacent(a: [u32; 3], b: [u32; 3], down: u32) -> bool {
    let [ax, ay, az] = a;
    let [bx, by, bz] = b;
    adjacent_along(ax, bx, down) & adjacent_along(ay, by, down) & adjacent_along(az, bz, down)
}

#[inline(always)]
const fn adjacent_along(a: u32, b: u32, down: u32) -> bool {
    (b + 1 >= a << down) & (b <= (a + 1) << down)
}

/// Interleaves with two zero bits after each bit: bit i of `v` moves to bit 3i, for i ≤ 20.
#[inline(always)]
pub(crate) const fn spread(v: u32) -> u64 {
    let v = v as u64;
    let v = (v | v << 32) & 0x001f_0000_0000_ffff;
    let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// The inverse of [`spread`]: bit 3i moves to bit i, other bits are dropped.
#[inline(always)]
const fn compact(v: u64) -> u32 {
    let v = v & 0x1249_2492_4924_9249;
    let v = (v | v >> 2) & 0x10c3_0c30_c30c_30c3;
    let v = (v | v >> 4) & 0x100f_00f0_0f00_f00f;
    let v = (v | v >> 8) & 0x001f_0000_ff00_00ff;
    let v = (v | v >> 16) & 0x001f_0000_0000_ffff;
    ((v | v >> 32) & 0x1f_ffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_and_coordinates_are_inverse(
            coordinates in prop::array::uniform3(0u32..1 << MAX_LEVEL),
        ) {
            let code = code_of(coordinates);
            prop_assert_eq!(coordinates_of(code), coordinates);
            for (axis, coordinate) in coordinates.into_iter().enumerate() {
                for bit in 0..u32::from(MAX_LEVEL) {
                    let place = 3 * bit + axis as u32;
                    prop_assert_eq!(code >> place & 1, u64::from(coordinate >> bit & 1));
                }
            }
        }

        #[test]
        fn coordinates_are_compared_as_their_codes(
            a in prop::array::uniform3(0u32..1 << MAX_LEVEL),
            change in prop::array::uniform3(0u32..1 << MAX_LEVEL),
            below in prop::array::uniform3(0u32..=21),
        ) {
            // Few low bits differ, or none.
            let b = [0, 1, 2].map(|d| a[d] ^ (change[d] & ((1 << below[d]) - 1)));
            prop_assert_eq!(precedes(a, b), code_of(a) < code_of(b));
            prop_assert!(!precedes(a, a));
            let deepest = u32::from(MAX_LEVEL);
            let expected = common_level(code_of(a), code_of(b), deepest);
            prop_assert_eq!(common_level_of(a, b, deepest), expected);
        }

        #[test]
        fn the_common_level_is_that_of_the_deepest_common_ancestor(
            a in 0u64..1 << 63,
            same in 0u32..=63,
            b in 0u64..1 << 63,
        ) {
            let deepest = u32::from(MAX_LEVEL);
            let b = if same == 63 { a } else { a ^ (b & ((1 << (63 - same)) - 1)) };
            let level = common_level(a, b, deepest);
            let above = |code, level| ancestor_of(code, deepest - level);
            prop_assert_eq!(above(a, level), above(b, level));
            prop_assert!(level == deepest || above(a, level + 1) != above(b, level + 1));
            let key = Key::from_code(MAX_LEVEL, a);
            prop_assert_eq!(key.ancestor(level as u8).code(), above(a, level));
        }
    }
}
