//! Errors to expect of the FMM's multipoles and local expansions.

use expansions::layout::n_coefficients;
use expansions::numerics::expected::{
    extremes, first_of_last_degrees, grown_to, last_degrees, left_at, nearest, sizes_at,
};
use octree::{Aabb, FAR_OFFSETS, far_offset};

use super::{Expected, TASK};
use crate::cpu::geometry::Geometry;
use crate::cpu::passes::Passes;
use crate::engine::{COARSEST_FAR_LEVEL, Scalar};

/// Receivers whose errors are made at once: most leaves have few more.
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

    /// Writes the errors to expect at receivers of a leaf.
    pub(crate) fn write(&self, leaf: usize, receivers: [&[T]; 3], expected: &mut [Expected]) {
        let tree = &self.geometry.tree;
        let ancestors = || std::iter::successors(tree.parent(leaf), |b| tree.parent(*b));
        let locals = ancestors().map(|b| (self.square_of_local(b, leaf), b as u32));
        let ancestor = locals.fold((0.0, 0), larger);
        let far = ancestors().map(|b| self.far[b]).filter(|(square, _)| *square > 0.0);
        let smaller = self.geometry.lists.m2p().row(leaf).iter().copied();
        let sources = far.map(|(_, source)| source).chain(smaller);
        let source =
            sources.map(|source| (self.square(source, leaf), source)).fold((0.0, 0), larger);

        let size = |square: f64| square.sqrt() as f32;
        let [local, far] = [self.of_locals[leaf], self.far[leaf].0].map(size);
        let [ancestor, source] =
            [(ancestor, &self.of_locals), (source, &self.squares)].map(|((error, b), squares)| {
                (error > 0.0).then(|| (b as usize, size(squares[b as usize])))
            });
        for (stretch, expected) in expected.chunks_mut(STRETCH).enumerate() {
            let start = stretch * STRETCH;
            let receivers = receivers.map(|axis| &axis[start..start + expected.len()]);
            let [x, y, z] = self.seen_from(leaf, receivers);
            let (mut corners, mut faces) = ([0.0; STRETCH], [0.0; STRETCH]);
            for k in 0..STRETCH {
                [corners[k], faces[k]] = extremes([x[k], y[k], z[k]]);
            }
            let [corners, faces] = [corners, faces].map(|places| sizes_at(places, self.order));
            let mut others = [0.0; STRETCH];
            if let Some((b, size)) = ancestor {
                self.add(b, (size, |square| square), receivers, &mut others);
            }
            if let Some((b, size)) = source {
                self.add(b, (size, f32::recip), receivers, &mut others);
            }
            for (k, expected) in expected.iter_mut().enumerate() {
                *expected = [local * corners[k], hypotenuse(far * faces[k], others[k])];
            }
        }
    }

    /// Receivers relative to the middle of a box, in its sides; places behind the last are those of a corner.
    fn seen_from(&self, b: usize, receivers: [&[T]; 3]) -> [[f32; STRETCH]; 3] {
        let (center, side) = self.geometry.frame(b);
        let per_side = side.recip();
        let mut relative = [[0.5; STRETCH]; 3];
        for ((to, axis), middle) in relative.iter_mut().zip(receivers).zip(center) {
            for (to, x) in to.iter_mut().zip(axis) {
                *to = ((x.widen() - middle) * per_side) as f32;
            }
        }
        relative
    }

    /// Adds the size of an expansion at each receiver: `size` times a power of what `ratio` makes of the squared distance from
    /// the middle of box `b`, in its sides.
    fn add(
        &self,
        b: usize,
        (size, ratio): (f32, impl Fn(f32) -> f32),
        receivers: [&[T]; 3],
        others: &mut [f32; STRETCH],
    ) {
        let [x, y, z] = self.seen_from(b, receivers);
        let mut ratios = [0.0; STRETCH];
        for (k, to) in ratios.iter_mut().enumerate() {
            *to = ratio(x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
        }
        for (other, at_receiver) in others.iter_mut().zip(sizes_at(ratios, self.order)) {
            *other = (*other + size * at_receiver).min(f32::MAX);
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

/// √(a² + b²) of two numbers that are not negative, whose squares f32 may not have.
fn hypotenuse(a: f32, b: f32) -> f32 {
    let (small, large) = (a.min(b), a.max(b));
    let ratio = if large > 0.0 { small / large } else { 0.0 };
    (large * (1.0 + ratio * ratio).sqrt()).min(f32::MAX)
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
        let passes = Passes::of_test(&geometry, &tables, 1);
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
        let weights = weights(&buffers.sums[0], passes.outputs);
        let (found, expected) = (share(&|i| squares[i]), share(&|i| weights(i)[3]));
        // Ten times the share that they are of the receivers.
        assert!(found > 0.5 && expected > 0.1, "{found} {expected}");
    }
}
