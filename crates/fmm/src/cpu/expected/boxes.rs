//! Errors to expect of the FMM's multipoles and local expansions.

use expansions::layout::n_coefficients;
use expansions::numerics::expected::{
    Sizes, first_of_last_degrees, grown_to, last_degrees, left_at, nearest, sizes_at,
};
use octree::{Aabb, FAR_OFFSETS, far_offset};

use super::TASK;
use crate::cpu::geometry::Geometry;
use crate::cpu::passes::Passes;
use crate::engine::{COARSEST_FAR_LEVEL, Scalar};

/// Receivers whose sizes are made at once: most leaves have few more.
const STRETCH: usize = 32;

/// Expansions of boxes as sources of errors.
pub(crate) struct BoxErrors<'a, T> {
    geometry: &'a Geometry<T>,
    order: u32,
    /// Square of the size of the last degrees of each box's multipole.
    squares: Vec<f64>,
    /// Square of the size of the last degrees of each local expansion; boxes without receivers have none.
    of_locals: Vec<f64>,
    /// Square of the error in each box of the far box that has the largest there, and that box.
    far: Vec<(f64, u32)>,
}

impl<'a, T: Scalar> BoxErrors<'a, T> {
    /// The multipoles and local expansions of all boxes.
    pub(crate) fn new(passes: &Passes<'a, T>, [multipoles, locals]: [&[T]; 2]) -> Self {
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
        let left = |offset| left_at(nearest(far_offset(offset).map(i32::from)), order as u32);
        let left: Vec<f64> = (0..FAR_OFFSETS).map(left).collect();
        let lists = &geometry.lists;
        let far = parallel::collect(tree.n_boxes(), TASK, |b| {
            let row = lists.far().offsets()[b]..lists.far().offsets()[b + 1];
            let offsets = &lists.far_offsets()[row];
            let of_far = |(source, offset): (&u32, &u16)| {
                (squares[*source as usize] * left[*offset as usize], *source)
            };
            lists.far().row(b).iter().zip(offsets).map(of_far).fold((0.0, 0), larger)
        });
        Self { geometry, order: order as u32, squares, of_locals, far }
    }

    /// Writes the sizes of the last degrees at receivers of a leaf.
    pub(crate) fn write(&self, leaf: usize, receivers: [&[T]; 3], sizes: &mut [Sizes]) {
        let [local, far] = [self.of_locals[leaf], self.far[leaf].0].map(|x| x.sqrt() as f32);
        sizes.fill([local, far, 0.0]);
        let tree = &self.geometry.tree;
        let ancestors = || std::iter::successors(tree.parent(leaf), |b| tree.parent(*b));
        let locals = ancestors().map(|b| (self.square_of_local(b, leaf), b as u32));
        let (square, ancestor) = locals.fold((0.0, 0), larger);
        if square > 0.0 {
            let size = self.of_locals[ancestor as usize].sqrt() as f32;
            self.add(ancestor, (size, |square| square), receivers, sizes);
        }
        let far = ancestors().map(|b| self.far[b]).filter(|(square, _)| *square > 0.0);
        let smaller = self.geometry.lists.m2p().row(leaf).iter().copied();
        let sources = far.map(|(_, source)| source).chain(smaller);
        let squares = sources.map(|source| (self.square(source, leaf), source));
        let (square, source) = squares.fold((0.0, 0), larger);
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
        sizes: &mut [Sizes],
    ) {
        let (center, side) = self.geometry.frame(b as usize);
        let per_side = side.recip();
        for (stretch, sizes) in sizes.chunks_mut(STRETCH).enumerate() {
            let here = stretch * STRETCH..stretch * STRETCH + sizes.len();
            // Places behind the receivers have any finite ratio.
            let mut ratios = [1.0; STRETCH];
            ratios[..sizes.len()].fill(0.0);
            for (axis, middle) in receivers.into_iter().zip(center) {
                for (square, x) in ratios.iter_mut().zip(&axis[here.clone()]) {
                    let distance = ((x.widen() - middle) * per_side) as f32;
                    *square += distance * distance;
                }
            }
            let at_receivers = sizes_at(ratios.map(&ratio), self.order);
            for ([.., other], at_receiver) in sizes.iter_mut().zip(at_receivers) {
                *other = (*other + size * at_receiver).min(f32::MAX);
            }
        }
    }

    /// Square of the error of an ancestor's local expansion to expect where a leaf is farthest from its middle.
    fn square_of_local(&self, ancestor: usize, leaf: usize) -> f64 {
        let [(center, unit), (middle, side)] = [ancestor, leaf].map(|b| self.geometry.frame(b));
        let reach = |axis: usize| ((center[axis] - middle[axis]).abs() + 0.5 * side) / unit;
        let distance2: f64 = (0..3).map(|axis| reach(axis).powi(2)).sum();
        self.of_locals[ancestor] * grown_to(distance2, self.order)
    }

    /// Square of the error of a multipole to expect where another box is nearest to it.
    fn square(&self, source: u32, b: usize) -> f64 {
        let (center, unit) = self.geometry.frame(source as usize);
        let (middle, side) = self.geometry.frame(b);
        let end = |half: f64| middle.map(|x| x + half * side);
        let distance2 = Aabb { min: end(-0.5), max: end(0.5) }.squared_distance_to(&center);
        self.squares[source as usize] * left_at(distance2 / (unit * unit), self.order)
    }
}

/// The larger of two errors, each with its box.
fn larger(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    if b.0 > a.0 { b } else { a }
}

/// Sum of the squares of the last two degrees of an expansion.
fn squares_of_last_degrees<T: Scalar>(expansion: &[T], order: usize) -> f64 {
    let coefficients = &expansion[first_of_last_degrees(order)..n_coefficients(order)];
    coefficients.iter().map(|x| x.widen() * x.widen()).sum()
}

#[cfg(test)]
mod tests {
    use octree::Depth;

    use super::*;
    use crate::api::{M2l, Seconds};
    use crate::choose::TreeShape;
    use crate::cpu::buffers::Buffers;
    use crate::cpu::results::weights;
    use crate::cpu::tables::Tables;
    use crate::engine::PointSets;

    #[test]
    fn the_last_two_degrees_count() {
        // 1, 3 and 5 coefficients of degrees 0, 1 and 2.
        let local = [100.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0];
        assert_eq!(squares_of_last_degrees(&local, 3), 25.0);
        assert_eq!(squares_of_last_degrees(&local, 1), 1e4);
    }

    /// A charge and receivers three levels below the boxes that are far from each other: nearly all of the error is in one
    /// corner of the receivers' ancestor, and few receivers are there.
    #[test]
    fn receivers_in_the_corner_of_an_ancestor_are_expected_to_have_the_error() {
        let order = 24;
        let sources = [[0.249; 3], [0.0; 3], [1.0; 3]];
        let charges = [1.0, 0.0, 0.0];
        let steps = [0.618_033_988_7, 0.414_213_562_4, 0.732_050_807_6];
        let receivers: Vec<[f64; 3]> = (1..4000)
            .map(|i| steps.map(|step| 0.25 * (f64::from(i) * step).fract()))
            .map(|[x, y, z]| [x + 0.5, y, z])
            .collect();
        let sets = PointSets { sources: &sources, receivers: Some(&receivers) };
        let shape = TreeShape { depth: Depth::Uniform(5), ..TreeShape::one_leaf() };
        let geometry = Geometry::<f64>::new(&sets, shape, &mut Seconds::default()).unwrap();
        let tables = Tables::new(order);
        let passes = Passes::of_one_vector(&geometry, &tables);
        let mut buffers = Buffers::default();
        buffers.reserve_vectors(1);
        let in_order = geometry.tree.source_permutation().iter();
        buffers.charges[0].extend(in_order.map(|i| charges[*i as usize]));
        passes.run_fmm(M2l::Rotation, &mut buffers, &mut Seconds::default()).unwrap();

        let n = geometry.receivers().len();
        let heavy = geometry.tree.source_permutation().iter().position(|i| *i == 0).unwrap();
        let [at, [x, y, z]] =
            [geometry.sources().slices(heavy..heavy + 1), geometry.receivers().slices(0..n)];
        let exact = |i: usize| {
            let [x, y, z] = [x[i] - at[0][0], y[i] - at[1][0], z[i] - at[2][0]];
            (x * x + y * y + z * z).sqrt().recip()
        };
        let squares: Vec<f64> =
            (0..n).map(|i| (buffers.sums[0].potential[i] - exact(i)).powi(2)).collect();
        let mut by_error: Vec<usize> = (0..n).collect();
        by_error.sort_by(|i, j| squares[*j].total_cmp(&squares[*i]));
        let worst = &by_error[..n / 100];
        let share = |of: &dyn Fn(usize) -> f64| {
            worst.iter().map(|i| of(*i)).sum::<f64>() / (0..n).map(of).sum::<f64>()
        };
        let weights = weights(&geometry, &buffers.sums[0], passes.outputs, Some(order));
        let (found, expected) = (share(&|i| squares[i]), share(&|i| weights(i)[3]));
        // Ten times the share that they are of the receivers.
        assert!(found > 0.5 && expected > 0.1, "{found} {expected}");
    }
}
