//! Geometry of boxes from their levels and coordinates, in the form that host and device share.

/// Side of a box of `level` ≤ 1022, in sides of the cube: 2^-level.
#[inline(always)]
pub const fn relative_side(level: u32) -> f64 {
    f64::from_bits(((1023 - level) as u64) << 52)
}

/// Boxes of `level` ≤ 1023 along a side of the cube: 2^level.
#[inline(always)]
pub const fn boxes_along_side(level: u32) -> f64 {
    f64::from_bits(((1023 + level) as u64) << 52)
}

/// Centre of the box at `coordinates`, in half sides of the box from the cube's lower corner. Coordinates of
/// levels down to 30 do not overflow.
#[inline(always)]
pub const fn center_in_half_sides([x, y, z]: [u32; 3]) -> [u32; 3] {
    [2 * x + 1, 2 * y + 1, 2 * z + 1]
}
