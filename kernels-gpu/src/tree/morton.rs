//! Morton keys on the device: `octree::Key` without its marker bit, three bits a level, the lowest x, then y, then z.

/// The deepest level.
pub const MAX_LEVEL: u32 = 21;

/// The key of the box at integer coordinates.
#[inline(always)]
pub fn key_of([x, y, z]: [u32; 3]) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// Integer coordinates of the box of `key`, at its own level.
#[inline(always)]
pub fn coordinates_of(key: u64) -> [u32; 3] {
    [compact(key), compact(key >> 1), compact(key >> 2)]
}

/// How many levels two keys of level `deepest` go down together: that of the smallest box that holds both.
#[inline(always)]
pub fn common_level(a: u64, b: u64, deepest: u32) -> u32 {
    if a == b {
        return deepest;
    }
    (a ^ b).leading_zeros().wrapping_sub(64 - 3 * deepest) / 3
}

/// Whether closed boxes touch or overlap: one at `a`, the other at `b` of a level `down` deeper.
#[inline(always)]
pub fn adjacent(a: [u32; 3], b: [u32; 3], down: u32) -> bool {
    let along = |d: usize| b[d] + 1 >= a[d] << down && b[d] <= (a[d] + 1) << down;
    along(0) & along(1) & along(2)
}

/// Interleaves with two zero bits after each bit: bit i of `v` moves to bit 3i.
#[inline(always)]
fn spread(v: u32) -> u64 {
    let v = u64::from(v);
    let v = (v | v << 32) & 0x001f_0000_0000_ffff;
    let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
    let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
    let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

/// The inverse of [`spread`]: bit 3i moves to bit i, other bits are dropped.
#[inline(always)]
fn compact(v: u64) -> u32 {
    let v = v & 0x1249_2492_4924_9249;
    let v = (v | v >> 2) & 0x10c3_0c30_c30c_30c3;
    let v = (v | v >> 4) & 0x100f_00f0_0f00_f00f;
    let v = (v | v >> 8) & 0x001f_0000_ff00_00ff;
    let v = (v | v >> 16) & 0x001f_0000_0000_ffff;
    ((v | v >> 32) & 0x1f_ffff) as u32
}
