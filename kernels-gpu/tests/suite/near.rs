//! P2P over lists against plain sums in f64 over the same lists.

use crate::pairs::{accuracies, cube, errors, fields, vectors};
use expansions::operators::PairAccuracy;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::near::{Near, NearPrecision, NearSum};
use octree::{Depth, InteractionLists, ListOptions, Octree};

on_every_machine!(
    near_pairs_of_one_set,
    pairs_have_the_digits_asked_for,
    near_pairs_of_two_sets,
    leaves_of_all_sizes,
    softened_pairs,
    coincident_points_by_the_hundred,
    sums_add_to_what_was_there,
    many_sources_lose_no_digits,
    pairs_too_close_for_f32_across_a_face,
    rows_without_sources,
    several_vectors_have_the_bits_of_each,
    several_vectors_with_coincident_points,
);

/// Charge of source `i` in a vector: of both signs, and 0 for some, from the second on.
fn charge(vector: usize, i: usize, first: f64) -> f64 {
    match vector {
        0 => first,
        _ => f64::from((i as i32 * (7 + vector as i32) + 3) % 19 - 9) / 8.0,
    }
}

/// A tree with its points in its order and its near lists.
#[derive(Clone)]
struct Lists {
    sources: Vec<[f64; 4]>,
    receivers: Vec<[f64; 4]>,
    range: Vec<Vec4<u32>>,
    leaves: Vec<u32>,
    rows: Vec<Vec<u32>>,
    /// Accuracy of 1/r.
    accuracy: PairAccuracy,
}

impl Lists {
    fn new(sources: &[[f64; 4]], receivers: Option<&[[f64; 4]]>, depth: Depth) -> Self {
        let places = |points: &[[f64; 4]]| points.iter().map(|p| [p[0], p[1], p[2]]).collect();
        let from: Vec<[f64; 3]> = places(sources);
        let tree = match receivers {
            None => Octree::build(&from, depth),
            Some(receivers) => Octree::build_between(&from, &places(receivers), depth),
        };
        let tree = tree.unwrap();
        let lists = InteractionLists::build(&tree, ListOptions::default());
        let near = lists.near();
        let sorted = |points: &[[f64; 4]], order: &[u32]| -> Vec<_> {
            order.iter().map(|&i| points[i as usize]).collect()
        };
        let ends = |b| {
            let (sources, receivers) = (tree.sources(b), tree.receivers(b));
            let ends = [sources.start, sources.end, receivers.start, receivers.end];
            Vec4(ends.map(|end| end as u32))
        };
        Self {
            sources: sorted(sources, tree.source_permutation()),
            receivers: sorted(receivers.unwrap_or(sources), tree.receiver_permutation()),
            range: (0..tree.n_boxes()).map(ends).collect(),
            leaves: tree.leaves().to_vec(),
            rows: tree.leaves().iter().map(|&leaf| near.row(leaf as usize).to_vec()).collect(),
            accuracy: PairAccuracy::Full,
        }
    }

    /// The same points with the charges of a vector: those that they have for the first.
    fn with_charges(&self, vector: usize) -> Self {
        let source = |(i, p): (usize, &[f64; 4])| [p[0], p[1], p[2], charge(vector, i, p[3])];
        Self { sources: self.sources.iter().enumerate().map(source).collect(), ..self.clone() }
    }

    /// All pairs: one leaf.
    fn all(sources: &[[f64; 4]], receivers: &[[f64; 4]]) -> Self {
        let ends = [0, sources.len() as u32, 0, receivers.len() as u32];
        Self {
            sources: sources.to_vec(),
            receivers: receivers.to_vec(),
            range: vec![Vec4(ends)],
            leaves: vec![0],
            rows: vec![vec![0]],
            accuracy: PairAccuracy::Full,
        }
    }

    fn exact(&self, softening: f64) -> Vec<[f64; 4]> {
        let mut exact = vec![[0.0; 4]; self.receivers.len()];
        for (&leaf, row) in self.leaves.iter().zip(&self.rows) {
            let Vec4([_, _, begin, end]) = self.range[leaf as usize];
            let own = begin as usize..end as usize;
            for &b in row {
                let Vec4([from, to, _, _]) = self.range[b as usize];
                let sources = &self.sources[from as usize..to as usize];
                let parts = fields(&self.receivers[own.clone()], sources, softening);
                for (exact, part) in exact[own.clone()].iter_mut().zip(parts) {
                    *exact = [0, 1, 2, 3].map(|k| exact[k] + part[k]);
                }
            }
        }
        exact
    }

    /// The sums of the kernel, added to `start` if given.
    fn sum<M: Launcher, T: NearPrecision>(
        &self,
        machine: &M,
        softening: f64,
        start: Option<[f64; 4]>,
    ) -> Vec<Vec4<T>> {
        self.sum_vectors(machine, softening, start, 1)
    }

    /// The sums of several vectors of charges, one vector after the other; see [`charge`].
    fn sum_vectors<M: Launcher, T: NearPrecision>(
        &self,
        machine: &M,
        softening: f64,
        start: Option<[f64; 4]>,
        count: usize,
    ) -> Vec<Vec4<T>> {
        let sources: Vec<_> = (0..count).flat_map(|v| self.with_charges(v).sources).collect();
        let sources = machine.buffer_of(&vectors::<T>(&sources)).unwrap();
        let receivers = machine.buffer_of(&vectors::<T>(&self.receivers)).unwrap();
        let range = machine.buffer_of(&self.range).unwrap();
        let leaves = machine.buffer_of(&self.leaves).unwrap();
        let mut ends = vec![0];
        ends.extend(self.rows.iter().scan(0, |end, row| {
            *end += row.len() as u32;
            Some(*end)
        }));
        let offsets = machine.buffer_of(&ends).unwrap();
        let items = machine.buffer_of(&self.rows.concat()).unwrap();
        let start_field =
            vectors::<T>(&vec![start.unwrap_or([7.0; 4]); count * self.receivers.len()]);
        let mut field = machine.buffer_of(&start_field).unwrap();

        let mut near = NearSum::new();
        let rows = ListRows { offsets: offsets.view(), items: items.view() };
        near.prepare::<T>(machine, range.view(), leaves.view(), rows, receivers.len()).unwrap();
        let softening = T::from_f64(softening);
        let lists = Near {
            sources: sources.view(),
            receivers: receivers.view(),
            range: range.view(),
            leaves: leaves.view(),
            offsets: offsets.view(),
            items: items.view(),
            later: View::EMPTY,
            sorted_tasks: View::EMPTY,
            softening2: softening * softening,
            add: u32::from(start.is_some()),
            field: ViewMut::EMPTY,
        };
        let lists = Near { field: field.view_mut(), ..lists };
        near.sum_vectors(machine, lists, count, self.accuracy).unwrap();
        machine.items_of(&field).unwrap()
    }

    fn check<M: Launcher>(&self, machine: &M, softening: f64) {
        let exact = self.exact(softening);
        let single = errors(&self.sum::<M, f32>(machine, softening, None), &exact);
        assert!(single.iter().all(|e| *e < 8.0 * f64::from(f32::EPSILON)), "{single:?}");
        for (accuracy, bounds) in accuracies() {
            let lists = self.with_accuracy(accuracy);
            let double = errors(&lists.sum::<M, f64>(machine, softening, None), &exact);
            assert!(double.iter().all(|e| *e < bounds.end), "{accuracy:?}: {double:?}");
        }
    }

    fn with_accuracy(&self, accuracy: PairAccuracy) -> Self {
        Self { accuracy, ..self.clone() }
    }
}

fn near_pairs_of_one_set<M: Launcher>(machine: &M) {
    let points = cube(900, 1, 0.1);
    Lists::new(&points, None, Depth::Adaptive { leaf_capacity: 20 }).check(machine, 0.0);
    Lists::new(&points, None, Depth::Uniform(2)).check(machine, 0.0);
}

fn pairs_have_the_digits_asked_for<M: Launcher>(machine: &M) {
    let points = cube(700, 15, 0.1);
    let lists = Lists::new(&points, None, Depth::Adaptive { leaf_capacity: 40 });
    let exact = lists.exact(0.0);
    for (accuracy, bounds) in accuracies() {
        let found = lists.with_accuracy(accuracy).sum::<M, f64>(machine, 0.0, None);
        let found = errors(&found, &exact);
        assert!(found.iter().all(|e| bounds.contains(e)), "{accuracy:?}: {found:?}");
    }
}

fn near_pairs_of_two_sets<M: Launcher>(machine: &M) {
    let (mut sources, receivers) = (cube(500, 2, 0.1), cube(300, 3, 0.1));
    // Some receivers are sources.
    for i in 0..50 {
        let charge = sources[i][3];
        sources[i] = receivers[3 * i];
        sources[i][3] = charge;
    }
    let depth = Depth::Adaptive { leaf_capacity: 30 };
    Lists::new(&sources, Some(&receivers), depth).check(machine, 0.0);
}

fn leaves_of_all_sizes<M: Launcher>(machine: &M) {
    // Every number of registers a lane, and every number of columns.
    for n in [1, 2, 4, 5, 11, 16, 17, 31, 32, 33, 40, 48, 57, 64, 65, 96, 97, 128, 200] {
        let sources = cube(3 * n + 7, 4, 0.1);
        Lists::all(&sources, &sources[..n]).check(machine, 0.0);
    }
}

fn softened_pairs<M: Launcher>(machine: &M) {
    let mut points = cube(300, 5, 0.1);
    points[17] = points[200];
    let depth = Depth::Adaptive { leaf_capacity: 25 };
    Lists::new(&points, None, depth).check(machine, 0.03);
}

fn coincident_points_by_the_hundred<M: Launcher>(machine: &M) {
    let mut points = cube(700, 6, 0.1);
    for i in 0..300 {
        let place = [[0.3, 0.4, 0.5], [0.7, 0.1, 0.9]][usize::from(i > 200)];
        points[2 * i][..3].copy_from_slice(&place.map(|x: f64| f64::from(x as f32)));
    }
    Lists::new(&points, None, Depth::Adaptive { leaf_capacity: 10 }).check(machine, 0.0);
}

fn sums_add_to_what_was_there<M: Launcher>(machine: &M) {
    let points = cube(200, 7, 0.1);
    let lists = Lists::new(&points, None, Depth::Adaptive { leaf_capacity: 10 });
    let start = [1e4, -2e4, 3e4, 5e4];
    let exact: Vec<_> =
        lists.exact(0.0).iter().map(|sum| [0, 1, 2, 3].map(|k| sum[k] + start[k])).collect();
    let found = errors(&lists.sum::<M, f64>(machine, 0.0, Some(start)), &exact);
    assert!(found.iter().all(|e| *e < 8.0 * f64::EPSILON), "{found:?}");
}

fn many_sources_lose_no_digits<M: Launcher>(machine: &M) {
    let (sources, receivers) = (cube(30_000, 8, 0.9), cube(9, 9, 0.1));
    let lists = Lists::all(&sources, &receivers);
    let found = errors(&lists.sum::<M, f32>(machine, 0.0, None), &lists.exact(0.0));
    assert!(found.iter().all(|e| *e < 1e-6), "{found:?}");
    assert!(found[1] < 2.0 * f64::from(f32::EPSILON), "{found:?}");
}

fn pairs_too_close_for_f32_across_a_face<M: Launcher>(machine: &M) {
    let points = [[-1e-22, 0.0, 0.0, 1.0], [1e-22, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    let mut lists = Lists::all(&points, &points);
    // Two leaves, one on each side.
    lists.range = vec![Vec4([0, 1, 0, 1]), Vec4([1, 3, 1, 3])];
    lists.leaves = vec![0, 1];
    lists.rows = vec![vec![0, 1], vec![0, 1]];
    let found = lists.sum::<M, f32>(machine, 0.0, None);
    let (near, far) = ([1.0, 0.0, 0.0, 1.0], [-2.0, 0.0, 0.0, 2.0]);
    let error = errors(&found, &[near, near, far]);
    assert!(error.iter().all(|e| *e < 8.0 * f64::from(f32::EPSILON)), "{found:?}");
}

fn rows_without_sources<M: Launcher>(machine: &M) {
    let points = cube(5, 10, 0.1);
    let mut lists = Lists::all(&points, &points);
    lists.rows = vec![vec![]];
    assert_eq!(lists.sum::<M, f32>(machine, 0.0, None), [Vec4([0.0; 4]); 5]);
}

/// Vectors one to five, which are launches of one to four of them, against each alone and against exact sums.
fn compare_vectors<M: Launcher, T: NearPrecision>(lists: &Lists, machine: &M, softening: f64) {
    let n = lists.receivers.len();
    let start = Some([0.5, -0.25, 1.0, 2.0]);
    for (accuracy, _) in accuracies() {
        let lists = lists.with_accuracy(accuracy);
        let alone: Vec<_> =
            (0..5).map(|v| lists.with_charges(v).sum::<M, T>(machine, softening, start)).collect();
        for count in 1..=5 {
            let found = lists.sum_vectors::<M, T>(machine, softening, start, count);
            for (v, found) in found.chunks(n).enumerate() {
                assert!(found == alone[v], "vector {v} of {count}, {accuracy:?}");
            }
        }
    }
    let found = lists.sum_vectors::<M, T>(machine, softening, None, 4);
    for (v, found) in found.chunks(n).enumerate() {
        // Charges of both signs cancel: an error is compared with the largest sums.
        let exact = lists.with_charges(v).exact(softening);
        for part in 0..4 {
            let largest = exact.iter().fold(0.0, |most: f64, sum| most.max(sum[part].abs()));
            let error =
                |(Vec4(sum), exact): (&Vec4<T>, &[f64; 4])| sum[part].to_f64() - exact[part];
            let worst = found.iter().zip(&exact).map(error).fold(0.0, |a: f64, b| a.max(b.abs()));
            let epsilon = if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
            assert!(worst < 64.0 * epsilon * largest, "vector {v}, {part}: {worst:e} {largest:e}");
        }
    }
}

fn several_vectors_have_the_bits_of_each<M: Launcher>(machine: &M) {
    // Every number of rows of a pass.
    for n in [1, 3, 5, 17, 33, 48, 65, 81, 96, 200] {
        let sources = cube(3 * n + 7, 11, 0.1);
        let lists = Lists::all(&sources, &sources[..n]);
        compare_vectors::<M, f32>(&lists, machine, 0.0);
        compare_vectors::<M, f64>(&lists, machine, 0.0);
    }
    let (sources, receivers) = (cube(400, 12, 0.1), cube(300, 13, 0.1));
    let depth = Depth::Adaptive { leaf_capacity: 30 };
    let lists = Lists::new(&sources, Some(&receivers), depth);
    compare_vectors::<M, f32>(&lists, machine, 0.02);
    compare_vectors::<M, f64>(&lists, machine, 0.02);
}

fn several_vectors_with_coincident_points<M: Launcher>(machine: &M) {
    let mut points = cube(300, 14, 0.1);
    for i in 0..100 {
        points[2 * i][..3].copy_from_slice(&[0.25, 0.5, 0.75]);
    }
    let lists = Lists::new(&points, None, Depth::Adaptive { leaf_capacity: 10 });
    compare_vectors::<M, f32>(&lists, machine, 0.0);
    compare_vectors::<M, f64>(&lists, machine, 0.0);
    // Squared distances that are not normal numbers, across a face between two leaves.
    let points = [[-1e-22, 0.0, 0.0, 1.0], [1e-22, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    let mut lists = Lists::all(&points, &points);
    lists.range = vec![Vec4([0, 1, 0, 1]), Vec4([1, 3, 1, 3])];
    lists.leaves = vec![0, 1];
    lists.rows = vec![vec![0, 1], vec![0, 1]];
    let alone = |v| lists.with_charges(v).sum::<M, f32>(machine, 0.0, None);
    let found = lists.sum_vectors::<M, f32>(machine, 0.0, None, 3);
    assert_eq!(found, (0..3).flat_map(alone).collect::<Vec<_>>());
}
