//! The cube that holds all points, on a lattice such that the centres of boxes need no rounding.

use crate::boxes::aabb::Aabb;
use crate::boxes::coordinate::Coordinate;
use crate::boxes::key::Key;
use crate::error::Error;
use crate::geometry::{center_in_half_sides, relative_side};
use crate::morton::MAX_LEVEL;

/// The cube of level 0.
///
/// The side has 8 significant bits and the corner is a multiple of 2⁻²² of the side's unit, so
/// `corner + (i + ½) side 2^-level` is exact in `f64` as long as coordinates stay below about 2²⁴
/// sides. Beyond that the side is a power of two and [`exact_level`](Cube::exact_level) says how deep
/// centres stay exact.
///
/// Along an axis where the points take less than half of the side, they begin at a third of the room that is left: flat
/// sets and lines along an axis are then at a third or two thirds of the boxes of every level, instead of on their faces,
/// where expansions have their largest errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cube {
    corner: [f64; 3],
    side: f64,
    /// Axes along which the points take less than half of the side.
    thin: [bool; 3],
    /// Boxes of [`MAX_LEVEL`] per unit of length.
    scale: f64,
}

impl Cube {
    /// The lower corner.
    pub fn corner(&self) -> [f64; 3] {
        self.corner
    }

    /// The side.
    pub fn side(&self) -> f64 {
        self.side
    }

    /// The smallest such cube around `points`: the unit cube for none, a small cube around points that all
    /// coincide. NaN coordinates are ignored; the tree reports them.
    ///
    /// # Errors
    /// [`Error::TooLarge`]: coordinates whose cube would overflow.
    pub fn bounding(points: impl IntoIterator<Item = [f64; 3]>) -> Result<Cube, Error> {
        Cube::around(points.into_iter().fold(Aabb::EMPTY, Aabb::with))
    }

    /// The key at [`MAX_LEVEL`] of the box that holds `point`. Points on the upper faces belong to the last
    /// box, points outside to the nearest box of the surface.
    pub fn key<C: Coordinate>(&self, point: &[C; 3]) -> Key {
        let last = (1 << MAX_LEVEL) - 1;
        // The conversion saturates, so no coordinate leaves the lattice.
        let place =
            |d: usize| (((point[d].to_f64() - self.corner[d]) * self.scale) as u32).min(last);
        Key::from_coordinates(MAX_LEVEL, [place(0), place(1), place(2)])
    }

    /// The centre of a box; exact down to [`exact_level`](Cube::exact_level).
    pub fn center(&self, key: Key) -> [f64; 3] {
        let half = 0.5 * self.side_at(key.level());
        let place = center_in_half_sides(key.coordinates());
        [0, 1, 2].map(|d| self.corner[d] + f64::from(place[d]) * half)
    }

    /// The cube around the same points with `factor` ≥ 1 times the side, rounded up to 8 significant bits. Enlarging
    /// shifts where boxes end, and so how many points they hold. The lower corner moves along thin axes only.
    #[must_use]
    pub fn enlarged(&self, factor: f64) -> Cube {
        let side = round_up(self.side * factor.max(1.0));
        if side > LARGEST || side == self.side {
            return *self;
        }
        let largest = self.corner.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
        let unit = corner_unit(side).max(power_of_two(ulp_exponent(largest + side)));
        let corner = [0, 1, 2].map(|d| match self.thin[d] {
            true => ((self.corner[d] - (side - self.side) / 3.0) / unit).floor() * unit,
            false => self.corner[d],
        });
        Cube::new(corner, side, self.thin)
    }

    /// The side of the boxes of `level`.
    pub fn side_at(&self, level: u8) -> f64 {
        self.side * relative_side(u32::from(level))
    }

    /// The deepest level whose box centres are exact in `f64`: [`MAX_LEVEL`] but for cubes far from the
    /// origin. An adaptive tree does not split below it.
    pub fn exact_level(&self) -> u8 {
        let largest = self.corner.iter().fold(0.0, |m: f64, c| m.max(c.abs()).max(c + self.side));
        let lowest_bit =
            exponent(self.side) - 52 + (self.side.to_bits() | 1 << 52).trailing_zeros() as i32;
        (lowest_bit - 1 - ulp_exponent(largest)).clamp(0, i32::from(MAX_LEVEL)) as u8
    }

    /// The largest power of two that is not above the side: a unit in which the squares of distances
    /// neither over- nor underflow.
    pub(crate) fn unit(&self) -> f64 {
        power_of_two(exponent(self.side))
    }

    fn new(corner: [f64; 3], side: f64, thin: [bool; 3]) -> Cube {
        Cube { corner, side, thin, scale: f64::from(1u32 << MAX_LEVEL) / side }
    }

    /// The cube of [`bounding`](Cube::bounding) around points with these bounds.
    ///
    /// # Errors
    /// [`Error::TooLarge`]: coordinates whose cube would overflow.
    pub fn around(bounds: Aabb) -> Result<Cube, Error> {
        let Aabb { mut min, mut max } = bounds;
        // No point, or an axis along which no coordinate is a number.
        if (0..3).any(|d| min[d] > max[d]) {
            return Ok(Cube::new([0.0; 3], 1.0, [false; 3]));
        }
        let largest = (0..3).fold(0.0, |m: f64, d| m.max(-min[d]).max(max[d]));
        if largest > LARGEST {
            return Err(Error::TooLarge { magnitude: largest });
        }
        let extent =
            |min: [f64; 3], max: [f64; 3]| (0..3).fold(0.0, |m: f64, d| m.max(max[d] - min[d]));
        if extent(min, max) == 0.0 {
            let half = if largest == 0.0 { 0.5 } else { (largest / 2048.0).max(SMALLEST_SIDE) };
            min = min.map(|c| c - half);
            max = max.map(|c| c + half);
        }
        let ulp = power_of_two(ulp_exponent(largest));
        let mut side = round_up(extent(min, max).max(SMALLEST_SIDE));
        loop {
            if corner_unit(side) < ulp {
                side = next_power_of_two(side.max(2.0 * ulp));
            }
            let unit = corner_unit(side).max(ulp);
            let thin = [0, 1, 2].map(|d| max[d] - min[d] < 0.5 * side);
            let corner = [0, 1, 2].map(|d| {
                let room = if thin[d] { (side - (max[d] - min[d])) / 3.0 } else { 0.0 };
                ((min[d] - room) / unit).floor() * unit
            });
            if (0..3).all(|d| max[d] - corner[d] <= side) {
                return Ok(Cube::new(corner, side, thin));
            }
            side = round_up(side.next_up());
        }
    }
}

/// 2⁻¹⁰⁰⁰, so that 2²¹ / side does not overflow.
const SMALLEST_SIDE: f64 = f64::from_bits((1023 - 1000) << 52);

/// 2¹⁰²¹, so that the far corner of the cube does not overflow.
const LARGEST: f64 = f64::from_bits((1023 + 1021) << 52);

/// Unit of the corner's coordinates: 2⁻²² of that of the side's 8 bits.
fn corner_unit(side: f64) -> f64 {
    power_of_two(exponent(side) - 7 - 22)
}

/// The smallest number with 8 significant bits that is not below `x`.
fn round_up(x: f64) -> f64 {
    let tail = (1 << 45) - 1;
    let bits = x.to_bits();
    f64::from_bits(if bits & tail == 0 { bits } else { (bits | tail) + 1 })
}

fn next_power_of_two(x: f64) -> f64 {
    let p = power_of_two(exponent(x));
    if p < x { 2.0 * p } else { p }
}

/// e of 2^e ≤ x < 2^(e+1) for positive normal `x`; −1022 below.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-1022)
}

/// e of the spacing 2^e of `f64` numbers at `x`.
fn ulp_exponent(x: f64) -> i32 {
    exponent(x) - 52
}

/// 2^e for e from −1074 to 1023.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(if e < -1022 { 1 << (e + 1074) } else { ((e + 1023) as u64) << 52 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(points: &[[f64; 3]]) -> Cube {
        Cube::bounding(points.iter().copied()).unwrap()
    }

    /// The exact centre by integers: all terms in units of `unit`.
    fn center_is_exact(cube: &Cube, key: Key) -> bool {
        let unit = power_of_two(exponent(cube.side) - 7 - 22);
        let center = cube.center(key);
        let m = (cube.side / unit) as i128;
        (0..3).all(|d| {
            let i = i128::from(key.coordinates()[d]);
            // Twice the level's shift keeps (i + ½) m 2^-level an integer.
            let scale = 1i128 << (key.level() + 1);
            let exact = (cube.corner[d] / unit) as i128 * scale + (2 * i + 1) * m;
            (center[d] / unit * scale as f64) as i128 == exact
        })
    }

    /// The tree names the point; the cube has to come to an end before.
    #[test]
    fn an_axis_without_numbers_has_a_cube() {
        for axis in 0..3 {
            let mut point = [3.0, -4.0, 5.0];
            point[axis] = f64::NAN;
            assert_eq!(cube(&[point]).side, 1.0);
            assert!(cube(&[point, [0.0; 3]]).side > 2.0);
        }
    }

    #[test]
    fn side_has_eight_bits_and_covers() {
        let c = cube(&[[0.1, -3.7, 2.0], [1.3, 5.9, 2.5]]);
        assert_eq!(c.side.to_bits() & ((1 << 45) - 1), 0);
        assert!(c.side >= 9.6 && c.side < 9.8);
        assert!(c.corner[1] <= -3.7 && c.corner[1] + c.side >= 5.9);
        assert_eq!(c.exact_level(), MAX_LEVEL);
    }

    #[test]
    fn centers_are_exact() {
        for offset in [0.0, 17.3, -4096.7, 1e6, 1e9] {
            let c = cube(&[[offset, offset, offset], [offset + 0.9, offset + 0.3, offset + 0.7]]);
            for level in 0..=c.exact_level() {
                for code in [0, 1, 6, (1u64 << (3 * level)) - 1] {
                    let key = Key::from_code(level, code.min((1 << (3 * level)) - 1));
                    assert!(center_is_exact(&c, key), "{offset} {key:?}");
                }
            }
        }
        assert!(cube(&[[1e9; 3], [1e9 + 1.0; 3]]).exact_level() >= 20);
    }

    #[test]
    fn extreme_scales_give_finite_cubes() {
        for s in [5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300, 1e307] {
            let c = cube(&[[-s, 0.0, s], [s, s, -s]]);
            assert!(c.side.is_finite() && c.side > 0.0);
            assert!(c.corner.iter().all(|x| (x + c.side).is_finite()));
            if s > 1e-299 {
                assert_ne!(c.key(&[-s, 0.0, s]), c.key(&[s, s, -s]), "{s}");
            }
        }
        assert!(matches!(Cube::bounding([[1e308, 0.0, 0.0]]), Err(Error::TooLarge { .. })));
    }

    #[test]
    fn coincident_points_lie_inside_a_small_cube() {
        for x in [0.0, 1.0, -1e9, 1e300, 1e-300, 5e-324] {
            let c = cube(&[[x; 3]; 3]);
            assert!((0..3).all(|d| c.corner[d] < x && x < c.corner[d] + c.side), "{x} {c:?}");
        }
    }

    #[test]
    fn flat_points_keep_away_from_the_faces_of_boxes() {
        let flat = cube(&[[0.0, 0.0, 0.7], [1.0, 1.0, 0.7]]);
        for factor in [1.0, 1.07, 4.0 / 3.0, 1.9] {
            let c = flat.enlarged(factor);
            for level in 0..10 {
                let place = (0.7 - c.corner[2]) / c.side_at(level);
                let part = place - place.floor();
                assert!(
                    (part - 1.0 / 3.0).abs() < 0.01 || (part - 2.0 / 3.0).abs() < 0.01,
                    "{part}"
                );
            }
            assert_eq!((c.corner[0], c.corner[1]), (0.0, 0.0));
            let code = (1 << 18) - 1;
            assert!(center_is_exact(&c, Key::from_code(6, code)));
        }
    }

    #[test]
    fn upper_faces_belong_to_the_last_box() {
        let c = cube(&[[0.0; 3], [1.0; 3]]);
        assert_eq!(c.side, 1.0);
        assert_eq!(c.key(&[1.0f64; 3]), Key::root().last_descendant(MAX_LEVEL));
        assert_eq!(c.key(&[-1.0f32; 3]), Key::root().first_descendant(MAX_LEVEL));
    }
}
