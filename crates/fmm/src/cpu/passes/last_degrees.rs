//! The last degrees of expansions, by which receivers are picked for a check: the first degree that is left out is not much
//! smaller.

use expansions::layout::n_coefficients;
use expansions::numerics::importance::{first_of_last_degrees, last_degrees};
use octree::{FAR_OFFSETS, far_offset};

use super::Passes;
use crate::cpu::geometry::Geometry;
use crate::cpu::receivers::{LastDegrees, SEGMENT};
use crate::engine::{COARSEST_FAR_LEVEL, Scalar};

/// Boxes whose last degrees one task reads at least: some 10 µs of work, ten times the start of a task.
const TASK: usize = 256;

/// Far boxes of ancestors that a box hands down to its children.
const HANDED_DOWN: usize = 2;

/// Expansions as sources of errors.
pub(super) struct ExpectedErrors<'a, T> {
    geometry: &'a Geometry<T>,
    order: i32,
    /// Sum of the squares of the last degrees of each box's multipole, over the cube of its side.
    squares: Vec<f64>,
    /// The same of the local expansions of boxes with receivers.
    of_locals: Vec<f64>,
    /// Share of it that is left in the nearest corner of a far box, by the number of the offset.
    left: Vec<f64>,
    of_box: Vec<OfBox>,
}

/// The largest errors to expect in one box.
#[derive(Clone, Copy, Debug, Default)]
struct OfBox {
    /// Square of the error of the far box of its own level that has the largest, and that box.
    own: (f64, u32),
    /// The same of far boxes of its ancestors.
    of_ancestors: [(f64, u32); HANDED_DOWN],
}

impl<'a, T: Scalar> ExpectedErrors<'a, T> {
    /// The multipoles and local expansions of all boxes.
    pub(super) fn new(passes: &Passes<'a, T>, [multipoles, locals]: [&[T]; 2]) -> Self {
        let (geometry, order) = (passes.geometry, passes.tables.order());
        let row_length = passes.row_length();
        let tree = &geometry.tree;
        let squares_of = |rows: &[T], b: usize| {
            let row = &rows[b * row_length..][..row_length];
            last_degrees(squares_of_last_degrees(row, order), geometry.frame(b).1)
        };
        let squares = parallel::collect(tree.n_boxes(), TASK, |b| squares_of(multipoles, b));
        let top = tree.level(COARSEST_FAR_LEVEL.min(tree.n_levels() - 1)).start;
        let of_locals = parallel::collect(tree.n_boxes(), TASK, |b| {
            let has_local = b >= top && !tree.receivers(b).is_empty();
            if has_local { squares_of(locals, b) } else { 0.0 }
        });
        let order = order as i32;
        let left = (0..FAR_OFFSETS).map(|offset| left_at(nearest(far_offset(offset)), order));
        let of_box = Vec::with_capacity(tree.n_boxes());
        let mut errors = Self { geometry, order, squares, of_locals, left: left.collect(), of_box };
        for level in (0..tree.n_levels()).map(|level| tree.level(level)) {
            let of_level = parallel::collect(level.len(), TASK, |i| errors.find(level.start + i));
            errors.of_box.extend(of_level);
        }
        errors
    }

    /// Writes the sizes of the last degrees at receivers of a leaf.
    pub(super) fn write(&self, leaf: usize, receivers: [&[T]; 3], sizes: &mut [LastDegrees]) {
        let OfBox { own, of_ancestors } = self.of_box[leaf];
        let [local, far] = [self.of_locals[leaf], own.0].map(|square| square.sqrt() as f32);
        sizes.fill([local, far, 0.0]);
        let tree = &self.geometry.tree;
        let ancestors = std::iter::successors(tree.parent(leaf), |b| tree.parent(*b));
        let locals = ancestors.map(|b| (self.square_of_local(b, leaf), b as u32));
        let (square, ancestor) = locals.fold((0.0, 0), larger);
        if square > 0.0 {
            let size = self.of_locals[ancestor as usize].sqrt() as f32;
            self.add(ancestor, (size, |square| square), receivers, sizes);
        }
        let smaller = self.geometry.lists.m2p.row(leaf).iter();
        let smaller = smaller.map(|b| (self.square(*b, leaf), *b));
        let (square, source) = of_ancestors.into_iter().chain(smaller).fold((0.0, 0), larger);
        if square > 0.0 {
            let size = self.squares[source as usize].sqrt() as f32;
            self.add(source, (size, f32::recip), receivers, sizes);
        }
    }

    /// Adds the size of an expansion at each receiver: `size` times a power of what `ratio` makes of the squared distance from
    /// the middle of box `b`, in its sides.
    fn add(
        &self,
        b: u32,
        (size, ratio): (f32, impl Fn(f32) -> f32),
        receivers: [&[T]; 3],
        sizes: &mut [LastDegrees],
    ) {
        let (center, side) = self.geometry.frame(b as usize);
        let mut ratios = [0.0; SEGMENT];
        let ratios = &mut ratios[..sizes.len()];
        for (axis, middle) in receivers.into_iter().zip(center) {
            for (square, x) in ratios.iter_mut().zip(axis) {
                let distance = ((x.widen() - middle) / side) as f32;
                *square += distance * distance;
            }
        }
        ratios.iter_mut().for_each(|square| *square = ratio(*square));
        let mut powers = [size; SEGMENT];
        let powers = &mut powers[..sizes.len()];
        let mut exponent = self.order / 2;
        while exponent > 0 {
            if exponent & 1 == 1 {
                powers.iter_mut().zip(&*ratios).for_each(|(power, ratio)| *power *= ratio);
            }
            ratios.iter_mut().for_each(|ratio| *ratio *= *ratio);
            exponent >>= 1;
        }
        for ([.., other], power) in sizes.iter_mut().zip(powers) {
            *other = (*other + *power).min(f32::MAX);
        }
    }

    /// Square of the error of an ancestor's local expansion to expect where a leaf is farthest from its middle.
    fn square_of_local(&self, ancestor: usize, leaf: usize) -> f64 {
        let [(center, unit), (middle, side)] = [ancestor, leaf].map(|b| self.geometry.frame(b));
        let reach = |axis: usize| ((center[axis] - middle[axis]).abs() + 0.5 * side) / unit;
        let distance2: f64 = (0..3).map(|axis| reach(axis).powi(2)).sum();
        self.of_locals[ancestor] * distance2.powi(self.order)
    }

    /// The largest errors in a box, after those of its parent.
    fn find(&self, b: usize) -> OfBox {
        let lists = &self.geometry.lists;
        let row = lists.far.offsets()[b]..lists.far.offsets()[b + 1];
        let far = lists.far.row(b).iter().zip(&lists.far_offset[row]);
        let of_far = |(source, offset): (&u32, &u16)| {
            (self.squares[*source as usize] * self.left[*offset as usize], *source)
        };
        let mut found = OfBox { own: far.map(of_far).fold((0.0, 0), larger), ..OfBox::default() };
        if let Some(parent) = self.geometry.tree.parent(b) {
            let OfBox { own, of_ancestors } = self.of_box[parent];
            for (square, source) in of_ancestors.into_iter().chain([own]) {
                let here = if square > 0.0 { self.square(source, b) } else { 0.0 };
                let [first, second] = &mut found.of_ancestors;
                if here > first.0 {
                    (*first, *second) = ((here, source), *first);
                } else if here > second.0 {
                    *second = (here, source);
                }
            }
        }
        found
    }

    /// Square of the error of a multipole to expect where another box is nearest to it.
    fn square(&self, source: u32, b: usize) -> f64 {
        let (center, unit) = self.geometry.frame(source as usize);
        let (middle, side) = self.geometry.frame(b);
        let gap = |axis: usize| ((center[axis] - middle[axis]).abs() - 0.5 * side).max(0.0);
        let distance2: f64 = (0..3).map(|axis| (gap(axis) / unit).powi(2)).sum();
        self.squares[source as usize] * left_at(distance2, self.order)
    }
}

/// The larger of two errors, each with its box.
fn larger(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    if b.0 > a.0 { b } else { a }
}

/// Squared distance of a box's centre from the nearest corner or face of the box that has it at this offset, in sides.
fn nearest(offset: [i8; 3]) -> f64 {
    offset.iter().map(|c| (f64::from(c.abs()) - 0.5).max(0.0).powi(2)).sum()
}

/// Share of the square of a degree of this number that is left at a squared distance, between potential and gradient.
fn left_at(distance2: f64, order: i32) -> f64 {
    distance2.powi(-order) / (distance2 * distance2.sqrt())
}

/// Sum of the squares of the last two degrees of an expansion.
pub(super) fn squares_of_last_degrees<T: Scalar>(expansion: &[T], order: usize) -> f64 {
    let coefficients = &expansion[first_of_last_degrees(order)..n_coefficients(order)];
    coefficients.iter().map(|x| x.widen() * x.widen()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_degrees_count() {
        // 1, 3 and 5 coefficients of degrees 0, 1 and 2.
        let local = [100.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0];
        assert_eq!(squares_of_last_degrees(&local, 3), 25.0);
        assert_eq!(squares_of_last_degrees(&local, 1), 1e4);
    }

    #[test]
    fn the_nearest_far_boxes_have_the_largest_errors() {
        assert_eq!(nearest([0, -2, 1]), 2.25 + 0.25);
        assert_eq!(nearest([3, 0, 0]), 6.25);
        // (3/2)^(−2p − 3)
        assert!((left_at(nearest([2, 0, 0]), 4) / 1.5_f64.powi(-11) - 1.0).abs() < 1e-14);
    }
}
