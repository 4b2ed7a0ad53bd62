//! The treecode's walks against plain sums in f64, and against `octree::walk` interaction by interaction.

use crate::pairs::{cube, errors, field, fields, vectors};
use crate::random::random;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::direct::pair::Pair;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::tree::{HostTree, Sets, Tree};
use kernels_gpu::walk::groups::GROUP;
use kernels_gpu::walk::{Treecode, WalkArrays, WalkError, WalkOptions};
use octree::walk::{Criterion, GroupWalk, tree_cells};
use octree::{Aabb, Depth, Octree};
use std::collections::BTreeMap;

on_every_machine!(
    multipoles_converge,
    errors_fall_with_the_order,
    charges_of_both_signs,
    two_sets,
    clustered_and_coincident_points,
    softened_sums,
    interactions_are_those_of_octree,
    groups_cover_the_receivers_once,
    tiny_trees,
    orders_without_a_kernel_are_refused,
);

const OPTIONS: WalkOptions = WalkOptions {
    criterion: Criterion::Nakasato { theta: 0.6 },
    order: 1,
    fewest_sources: 2,
    dipoles: false,
    softening: 0.0,
    unsoftened_from: 0.0,
};

/// A tree of points, and the points in its order.
struct WalkedTree<M: Launcher> {
    tree: Tree<M>,
    host: HostTree,
    sources: Vec<[f64; 4]>,
    receivers: Vec<[f64; 4]>,
}

impl<M: Launcher> WalkedTree<M> {
    fn new(machine: &M, sources: &[[f64; 4]], receivers: Option<&[[f64; 4]]>, leaf: usize) -> Self {
        let (mut all, mut sets) = (sources.to_vec(), Sets::One);
        if let Some(receivers) = receivers {
            all.extend(receivers);
            sets = Sets::Two { n_sources: sources.len() };
        }
        let points = machine.buffer_of(&vectors::<f64>(&all)).unwrap();
        let depth = Depth::Adaptive { leaf_capacity: leaf };
        let tree = Tree::build::<f64>(machine, points.view(), sets, depth, 1.0).unwrap();
        let host = tree.to_host(machine).unwrap();
        let sorted = |points: &[[f64; 4]], order: &[u32]| -> Vec<_> {
            order.iter().map(|&i| points[i as usize]).collect()
        };
        let receivers = sorted(receivers.unwrap_or(sources), &host.receiver_permutation);
        Self { sources: sorted(sources, &host.source_permutation), tree, host, receivers }
    }

    /// The walk's field, and its counts.
    fn walk<T: Pair>(
        &self,
        machine: &M,
        options: WalkOptions,
    ) -> (Vec<Vec4<T>>, Vec<u64>, Treecode<M, T>) {
        let sources = machine.buffer_of(&vectors::<T>(&self.sources)).unwrap();
        let receivers = machine.buffer_of(&vectors::<T>(&self.receivers)).unwrap();
        let mut field = machine.buffer_of(&vec![Vec4([T::ONE; 4]); receivers.len()]).unwrap();
        let mut counts = machine.buffer_of(&[0u64; 2]).unwrap();
        let mut code = Treecode::new();
        // In the caller's order: the receivers' numbers stand for gradients, twice as large as they should be.
        let mut before = vec![[0.0; 4]; self.receivers.len()];
        for (receiver, i) in self.receivers.iter().zip(&self.host.receiver_permutation) {
            before[*i as usize] = *receiver;
        }
        let before = machine.buffer_of(&vectors::<T>(&before)).unwrap();
        let arrays = WalkArrays {
            sources: sources.view(),
            receivers: receivers.view(),
            before: before.view(),
            before_factor: T::from_f64(0.5),
            field: field.view_mut(),
            counts: counts.view_mut(),
        };
        code.group(machine, &self.tree, GROUP as usize).unwrap();
        code.expand(machine, &self.tree, 1.0, sources.view(), options).unwrap();
        code.walk(machine, &self.tree, options, arrays).unwrap();
        (machine.items_of(&field).unwrap(), machine.items_of(&counts).unwrap(), code)
    }

    fn errors<T: Pair>(&self, machine: &M, options: WalkOptions) -> [f64; 2] {
        let exact = fields(&self.receivers, &self.sources, options.softening);
        errors(&self.walk::<T>(machine, options).0, &exact)
    }
}

/// The largest errors that `fmm`'s treecode has shown with multipoles of orders p = 1, 3, 4 and 5, for θ = 0.6 and 0.8 and
/// charges of one sign, and for θ = 0.6 and both signs (its `fmm/src/choose/errors/treecode.rs`).
const SAME_06: [f64; 4] = [4.6e-3, 5.5e-4, 3.0e-4, 4.8e-5];
const SAME_08: [f64; 4] = [7.9e-3, 2.4e-3, 2.1e-3, 2.8e-4];
const MIXED_06: [f64; 4] = [1.4e-1, 5.1e-3, 1.4e-3, 3.9e-4];

/// Errors of gradient and potential stay below those of the order.
fn errors_are_those_of_orders<M: Launcher>(
    case: &WalkedTree<M>,
    machine: &M,
    options: WalkOptions,
    bounds: [f64; 4],
) {
    for (order, bound) in [1, 3, 4, 5].into_iter().zip(bounds) {
        let options = WalkOptions { order, ..options };
        for found in [case.errors::<f32>(machine, options), case.errors::<f64>(machine, options)] {
            let below = found.iter().all(|found| *found < bound);
            assert!(below, "order {order}: {found:?}, bound {bound:e}");
        }
    }
}

/// A far cluster is one cell: |ΔΦ| ≤ Σ|q|/(d − a) (a/d)^p for sources within a of the centre (Greengard and Rokhlin).
fn multipoles_converge<M: Launcher>(machine: &M) {
    let mut sources = cube(60, 13, 0.1);
    for source in &mut sources {
        for x in &mut source[..3] {
            *x *= 0.125;
        }
    }
    let receivers: Vec<_> = cube(60, 14, 0.1)
        .into_iter()
        .map(|[x, y, z, q]| [0.6 + 0.5 * x, 0.5 + 0.5 * y, 0.6 + 0.5 * z, q])
        .collect();
    let (a, d) = (0.11, 0.8);
    for (dipoles, charges) in [(false, sources.clone()), (true, cube(60, 15, -1.0))] {
        for (source, charge) in sources.iter_mut().zip(charges) {
            source[3] = charge[3];
        }
        let case = WalkedTree::new(machine, &sources, Some(&receivers), 20);
        let total: f64 = sources.iter().map(|source| source[3].abs()).sum();
        let exact = fields(&case.receivers, &case.sources, 0.0);
        for order in [3, 4, 5] {
            let criterion = Criterion::Nakasato { theta: 0.9 };
            let options = WalkOptions { order, dipoles, criterion, ..OPTIONS };
            let (found, counts, _) = case.walk::<f64>(machine, options);
            assert!(counts[0] >= 60 && counts[1] == 0, "{counts:?}");
            let bound = total / (d - a) * f64::powi(a / d, order as i32);
            for (Vec4(found), exact) in found.iter().zip(&exact) {
                let off = [0, 1, 2, 3].map(|k| (found[k] - exact[k]).abs());
                assert!(off[3] < bound, "order {order}: {off:?}, bound {bound:e}");
                // Each term falls by one power more and gains a factor n + 1.
                let gradient = (order + 1) as f64 / d * bound;
                assert!(off[..3].iter().all(|off| *off < gradient), "order {order}: {off:?}");
            }
        }
    }
}

fn errors_fall_with_the_order<M: Launcher>(machine: &M) {
    let case = WalkedTree::new(machine, &cube(900, 1, 0.1), None, 4);
    let options = WalkOptions { criterion: Criterion::Nakasato { theta: 0.8 }, ..OPTIONS };
    errors_are_those_of_orders(&case, machine, options, SAME_08);
    // Cells of few sources act source by source, which only loses less.
    let options = WalkOptions { fewest_sources: 4, order: 3, ..options };
    assert!(case.errors::<f32>(machine, options)[0] < SAME_08[1]);
    let options = WalkOptions { criterion: Criterion::BarnesHut { theta: 0.8 }, ..options };
    assert!(case.errors::<f32>(machine, options)[0] < SAME_08[0]);
    // Almost everything opened: almost exact.
    let options = WalkOptions { criterion: Criterion::Nakasato { theta: 0.05 }, ..options };
    let found = case.errors::<f64>(machine, options);
    assert!(found.iter().all(|e| *e < 64.0 * f64::EPSILON), "{found:?}");
}

fn charges_of_both_signs<M: Launcher>(machine: &M) {
    let case = WalkedTree::new(machine, &cube(700, 2, -1.0), None, 6);
    let options = WalkOptions { dipoles: true, ..OPTIONS };
    errors_are_those_of_orders(&case, machine, options, MIXED_06);
}

fn two_sets<M: Launcher>(machine: &M) {
    let (sources, mut receivers) = (cube(800, 3, 0.1), cube(300, 4, 0.1));
    for i in 0..40 {
        receivers[7 * i] = sources[9 * i];
    }
    for receiver in &mut receivers[200..] {
        // Some outside.
        receiver[0] += 0.75;
    }
    let case = WalkedTree::new(machine, &sources, Some(&receivers), 8);
    errors_are_those_of_orders(&case, machine, OPTIONS, SAME_06);
}

fn clustered_and_coincident_points<M: Launcher>(machine: &M) {
    let mut points = cube(700, 5, 0.1);
    for (i, point) in points.iter_mut().enumerate() {
        let shrink = 0.5f64.powi((i % 12) as i32);
        for x in &mut point[..3] {
            *x *= shrink;
        }
        if i % 7 == 0 {
            point[..3].copy_from_slice(&[0.25, 0.125, 0.5]);
        }
    }
    let case = WalkedTree::new(machine, &points, None, 5);
    errors_are_those_of_orders(&case, machine, OPTIONS, SAME_06);
}

fn softened_sums<M: Launcher>(machine: &M) {
    let case = WalkedTree::new(machine, &cube(700, 6, 0.1), None, 8);
    let options = WalkOptions { softening: 0.01, unsoftened_from: 0.1, ..OPTIONS };
    // Cells of orders above 1 are not softened: they lose up to 3/2 ε²/d² at d = `least`.
    let bounds = SAME_06.map(|bound| bound + 1.5 * 0.01);
    errors_are_those_of_orders(&case, machine, options, bounds);
    // With boxes opened as far as softening is felt to 10⁻⁶.
    let options = WalkOptions { order: 5, unsoftened_from: 10.0, ..options };
    let found = case.errors::<f64>(machine, options);
    assert!(found.iter().all(|e| *e < 64.0 * f64::EPSILON), "{found:?}");
}

fn groups_of<M: Launcher>(machine: &M, case: &WalkedTree<M>, capacity: usize) -> Vec<[u32; 2]> {
    let mut code = Treecode::<M, f64>::new();
    code.group(machine, &case.tree, capacity).unwrap();
    code.groups_to_host(machine).unwrap()
}

fn groups_cover_the_receivers_once<M: Launcher>(machine: &M) {
    let mut many = cube(1000, 7, 0.1);
    for point in &mut many[300..500] {
        point[..3].copy_from_slice(&[0.7, 0.7, 0.7]);
    }
    for points in [many, cube(64, 8, 0.1), cube(65, 9, 0.1), cube(1, 10, 0.1)] {
        let case = WalkedTree::new(machine, &points, None, 16);
        for capacity in [64, 10, 1] {
            let groups = groups_of(machine, &case, capacity);
            let mut at = 0;
            for [begin, end] in &groups {
                assert_eq!(*begin, at);
                assert!(end > begin && (end - begin) as usize <= capacity);
                at = *end;
            }
            assert_eq!(at as usize, points.len());
            // Fuller than boxes alone would make them.
            let most = points.len() * 64 / (24 * capacity) + 1;
            assert!(capacity == 1 || groups.len() <= most, "{} groups", groups.len());
        }
    }
}

/// The same walk on the host, with `octree`'s tree and lists and the device's cells and groups: in f64 the same
/// interactions, so the same sums but for rounding.
fn interactions_are_those_of_octree<M: Launcher>(machine: &M) {
    for criterion in [OPTIONS.criterion, Criterion::Relative { alpha: 1e-2 }] {
        interactions_are_the_same(machine, WalkOptions { criterion, ..OPTIONS });
    }
}

fn interactions_are_the_same<M: Launcher>(machine: &M, options: WalkOptions) {
    let points = cube(1200, 11, 0.1);
    let case = WalkedTree::new(machine, &points, None, 7);
    let (found, counts, code) = case.walk::<f64>(machine, options);
    let places: Vec<_> = points.iter().map(|p| [p[0], p[1], p[2]]).collect();
    let tree = Octree::build(&places, Depth::Adaptive { leaf_capacity: 7 }).unwrap();
    assert_eq!(tree.source_permutation(), case.host.source_permutation);
    let number: BTreeMap<(u32, u64), usize> =
        (0..case.host.key.len()).map(|b| ((case.host.level[b], case.host.key[b]), b)).collect();
    let number = |b: usize| number[&(u32::from(tree.key(b).level()), tree.key(b).code())];
    let [cells, monopoles] = code.cells_to_host(machine, &case.tree, 1).unwrap();

    let mut exact = vec![[0.0; 4]; points.len()];
    let (mut expected, mut walk) = ([0; 2], GroupWalk::default());
    let walk_cells = tree_cells(&tree);
    for [begin, end] in groups_of(machine, &case, GROUP as usize) {
        let group = begin as usize..end as usize;
        let gradients = case.receivers[group.clone()].iter();
        let gradients = gradients.map(|p| 0.25 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
        let least = gradients.fold(f64::INFINITY, f64::min).sqrt();
        let at: Vec<_> = case.sources[group.clone()].iter().map(|p| [p[0], p[1], p[2]]).collect();
        let bounds = Aabb::around(&at);
        walk.walk(&walk_cells, |b, cell| {
            let Vec4([x, y, z, opening2]) = cells[number(b)];
            let opening2 = match options.criterion {
                Criterion::Relative { alpha } => {
                    let weight = monopoles[number(b)].0[3];
                    let side = tree.cube().side_at(tree.key(b).level());
                    opening2.max(side * (weight / alpha / least).sqrt())
                }
                _ => opening2,
            };
            cell.n_sources() < 2 || bounds.squared_distance_to(&[x, y, z]) <= opening2
        });
        let acting: Vec<_> =
            walk.cells().iter().map(|&b| monopoles[number(b as usize)].0).collect();
        for i in group.clone() {
            exact[i] = field(&case.sources[i], &acting, 0.0);
            for &[start, end] in walk.leaves() {
                let sources = &case.sources[start as usize..end as usize];
                let part = field(&case.sources[i], sources, 0.0);
                exact[i] = [0, 1, 2, 3].map(|k| exact[i][k] + part[k]);
            }
        }
        expected[0] += (group.len() * acting.len()) as u64;
        expected[1] += (group.len() * walk.n_sources()) as u64;
    }
    assert_eq!(counts, expected);
    let error = errors(&found, &exact);
    assert!(error.iter().all(|e| *e < 64.0 * f64::EPSILON), "{error:?}");
    // The centres of charge, and what a cell holds.
    for (Vec4([begin, end, ..]), Vec4(found)) in case.host.range.iter().zip(&monopoles) {
        let held = &case.sources[*begin as usize..*end as usize];
        let mass: f64 = held.iter().map(|p| p[3]).sum();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(found[3], mass));
        for d in 0..3 {
            let center = held.iter().map(|p| p[3] * p[d]).sum::<f64>() / mass;
            assert!(close(found[d], center));
        }
    }
}

fn tiny_trees<M: Launcher>(machine: &M) {
    let one = WalkedTree::new(machine, &[[0.5, 0.25, 0.125, 2.0]], None, 1);
    assert_eq!(one.walk::<f32>(machine, OPTIONS).0, [Vec4([0.0; 4])]);
    for order in [1, 5] {
        let points: Vec<_> = (0..5).map(|i| [random(i), 0.0, 0.0, 0.0]).collect();
        let case = WalkedTree::new(machine, &points, None, 2);
        let options = WalkOptions { order, ..OPTIONS };
        assert_eq!(case.walk::<f64>(machine, options).0, [Vec4([0.0; 4]); 5]);
    }
}

fn orders_without_a_kernel_are_refused<M: Launcher>(machine: &M) {
    let case = WalkedTree::new(machine, &cube(3, 12, 0.1), None, 1);
    let sources = machine.buffer_of(&vectors::<f32>(&case.sources)).unwrap();
    let mut code = Treecode::<M, f32>::new();
    let options = WalkOptions { order: 2, ..OPTIONS };
    let refused = code.expand(machine, &case.tree, 1.0, sources.view(), options);
    assert!(matches!(refused, Err(WalkError::Order { order: 2 })));
    let arrays = WalkArrays {
        sources: sources.view(),
        receivers: sources.view(),
        before: View::EMPTY,
        before_factor: 1.0,
        field: ViewMut::EMPTY,
        counts: ViewMut::EMPTY,
    };
    let refused = code.walk(machine, &case.tree, options, arrays);
    assert!(matches!(refused, Err(WalkError::Order { order: 2 })));
}
