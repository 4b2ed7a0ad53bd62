//! Geometry of boxes from their levels and coordinates, in the form that host and device share.

/// Number of directions from a box to the boxes of its level around it and itself.
pub const DIRECTIONS: usize = 27;

/// Places of a direction along the axes, x fastest: 0 below the box, 1 beside it, 2 above it.
#[inline(always)]
pub const fn direction_places(direction: usize) -> [usize; 3] {
    [direction % 3, direction / 3 % 3, direction / 9]
}

/// Offset of the box in a direction, in boxes of the level: the [places](direction_places) less 1.
#[inline(always)]
pub const fn direction_offset(direction: usize) -> [i32; 3] {
    let [x, y, z] = direction_places(direction);
    [x as i32 - 1, y as i32 - 1, z as i32 - 1]
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use crate::neighborhood::e2;

    #[test]
    fn directions_are_those_of_the_boxes_that_touch() {
        let at = [5, 2, 7];
        let around = e2(Key::from_coordinates(4, at)).map(Key::coordinates);
        let expected = (0..DIRECTIONS).map(|direction| {
            let offset = direction_offset(direction);
            [0, 1, 2].map(|d| at[d].wrapping_add_signed(offset[d]))
        });
        assert!(around.eq(expected));
        assert_eq!(direction_offset(DIRECTIONS / 2), [0; 3]);
    }
}
