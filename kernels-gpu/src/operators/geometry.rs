//! Boxes as kernels see them: centres and sides from keys, and the tree's arrays.

use crate::device::{Real, Vec4, View};
use octree::geometry::{boxes_along_side, center_in_half_sides, relative_side};
use octree::morton::coordinates_of;

/// The cube of level 0.
///
/// The corner comes in two parts, so that a point relative to the centre of its box keeps all its digits in f32 too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Geometry<T> {
    /// Lower corner, rounded.
    pub corner: [T; 3],
    /// Rest of the lower corner, which the rounding took.
    pub corner_rest: [T; 3],
    /// Side.
    pub side: T,
}

/// Centre and side of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<T> {
    centre: [T; 3],
    rest: [T; 3],
    /// 1/side.
    pub(super) inverse: T,
}

impl<T: Real> Geometry<T> {
    /// The cube of these numbers.
    pub fn new(corner: [f64; 3], side: f64) -> Self {
        let rounded = corner.map(T::from_f64);
        let rest = [0, 1, 2].map(|d| T::from_f64(corner[d] - rounded[d].to_f64()));
        Self { corner: rounded, corner_rest: rest, side: T::from_f64(side) }
    }

    /// The box of `level` whose Morton index is `code`.
    #[inline(always)]
    pub(super) fn place(self, level: u32, code: u64) -> Place<T> {
        let side = self.side * T::from_f64(relative_side(level));
        let half = side * T::from_f64(0.5);
        let at = center_in_half_sides(coordinates_of(code));
        let axis = |d: usize| {
            let (a, b) = (self.corner[d], half * T::from_f64(f64::from(at[d])));
            // Knuth's two-sum: what the addition rounds off goes to the rest.
            let sum = a + b;
            let part = sum - a;
            (sum, (a - (sum - part)) + (b - part) + self.corner_rest[d])
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        Place { centre: [x.0, y.0, z.0], rest: [x.1, y.1, z.1], inverse: T::ONE / side }
    }
}

impl<T: Real> Place<T> {
    /// A point relative to the centre, in sides of the box.
    #[inline(always)]
    pub(crate) fn relative(self, point: [T; 3]) -> [T; 3] {
        let axis = |d: usize| ((point[d] - self.centre[d]) - self.rest[d]) * self.inverse;
        [axis(0), axis(1), axis(2)]
    }
}

/// The boxes of a tree, B of them, numbered by level, octant, Morton order.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Boxes<T> {
    /// The cube.
    pub cube: Geometry<T>,
    /// B.
    pub count: u32,
    /// Morton index at the box's own level, by box.
    pub key: View<u64>,
    /// Level, by box.
    pub level: View<u32>,
    /// Begin and end of its sources, begin and end of its receivers, by box.
    pub range: View<Vec4<u32>>,
    /// Parent, by box; [`NONE`](super::NONE) for the root.
    pub parent: View<u32>,
    /// Child in octant o of box b, or `NONE`, at o B + b.
    pub child: View<u32>,
    /// Box of the same level in direction d of box b, a coarser leaf there, or `NONE`, at d B + b, 27 directions.
    pub colleague: View<u32>,
    /// First box of each level and octant at 8 level + octant; the last entry is B. [`LEVELS`](octree::morton::LEVELS) levels.
    pub level_start: View<u32>,
}

impl<T: Real> Boxes<T> {
    /// A point relative to the cube's lower corner, in sides of the cube.
    #[inline(always)]
    pub(crate) fn in_cube(self, point: [T; 3]) -> [T; 3] {
        let (cube, inverse) = (self.cube, T::ONE / self.cube.side);
        [0, 1, 2].map(|d| ((point[d] - cube.corner[d]) - cube.corner_rest[d]) * inverse)
    }

    /// Distances of a point [`in_cube`](Self::in_cube) from the centre of its box of `level`, whichever that is, axis by axis in
    /// sides of the box. No digits are kept beyond those that a coordinate has in the cube: a point on a face may be on either
    /// side.
    #[inline(always)]
    pub(crate) fn off_centre(level: u32, in_cube: [T; 3]) -> [T; 3] {
        let boxes = T::from_f64(boxes_along_side(level));
        in_cube.map(|x| {
            let place = x * boxes;
            let from_face = place - place.round();
            T::from_f64(0.5) - from_face.max(-from_face)
        })
    }

    /// Centre and side of box `b`.
    #[inline(always)]
    pub(crate) fn place(self, b: usize) -> Place<T> {
        self.cube.place(self.level.get(b), self.key.get(b))
    }
}
