//! Each operator against the crate `expansions`, coefficient by coefficient, and all together against the direct sum.

use crate::at_points::{add_at_points, assert_field};
use crate::forest::{Expansions, Forest, Planted, items, points};
use crate::plane_waves::waves;
use crate::thread_a_target::{
    fields_of_locals, fields_of_multipoles, locals_of_children, multipoles_of_leaves,
    multipoles_of_parents,
};
use expansions::operators::{FarOffset, L2l, M2l, M2lForm, M2pTables, l2p, m2p, p2l, p2m};
use expansions::{Gradient, Harmonics, RowPair};
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::{
    Accumulation, FarBoxes, L2pArrays, M2pArrays, MAX_ORDER, Operator, Operators, Tree, label,
};
use kernels_gpu::papers::m2l_dense::{DenseM2l, DenseReal, MAX_DENSE_ORDER};
use octree::Depth;

/// Orders with a kernel of their own, some of the one for any and, where there are such, large ones; few points for the
/// many numbers of high orders.
pub(crate) fn forests<M: Launcher, T: Operator>() -> Vec<(usize, Forest)> {
    let adaptive = Depth::Adaptive { leaf_capacity: 6 };
    let case = |order, n, clustered, depth| (order, Forest::new(&points(n, clustered), depth));
    let mut cases = vec![
        case(1, 100, true, adaptive),
        case(2, 120, false, Depth::Uniform(2)),
        case(3, 200, true, adaptive),
        case(5, 90, true, adaptive),
        case(7, 40, false, Depth::Uniform(3)),
        case(10, 24, true, adaptive),
        case(13, 20, true, adaptive),
        case(14, 12, false, Depth::Uniform(2)),
        case(15, 30, true, adaptive),
        case(16, 12, false, Depth::Uniform(2)),
        case(19, 30, true, adaptive),
        case(41, 12, false, Depth::Uniform(3)),
    ];
    cases.retain(|(order, _)| *order <= Operators::<M, T>::largest_order());
    cases
}

/// Operators of an order with the scratch memory that they take.
pub(crate) fn operators_of<M: Launcher, T: Operator>(
    machine: &M,
    order: usize,
    tree: &Tree<'_, T>,
) -> (Operators<M, T>, M::Buffer<T>) {
    // Of the kernels of large orders, some serve smaller ones too.
    let operators = match order > MAX_ORDER || order == 15 {
        true => Operators::with_large_set(machine, order, 0.5_f64.powi(order as i32)),
        false => Operators::new(machine, order),
    };
    let operators = operators.unwrap();
    let scratch = machine.allocate(operators.scratch_length(tree.level_start).max(1)).unwrap();
    (operators, scratch)
}

/// Rounding errors of an operator of p degrees, as a share of the largest coefficient.
pub(crate) fn tolerance<T: Operator>(order: usize) -> f64 {
    let epsilon = if size_of::<T>() == 4 { f32::EPSILON.into() } else { f64::EPSILON };
    4.0 * (order + 2) as f64 * epsilon
}

fn upward_of<M: Launcher, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, mut scratch) = operators_of(machine, order, &planted.tree());
        let n = forest.n_boxes();
        let mut multipole = machine.allocate::<Vec4<T>>(operators.length(n)).unwrap();
        let sources = planted.points.view();
        let tree = planted.tree();
        operators.p2m(machine, &tree, sources, multipole.view_mut()).unwrap();
        operators.m2m(machine, &tree, multipole.view_mut(), 0, scratch.view_mut()).unwrap();
        // M2M loses nothing: each box's multipole is that of all its points.
        let mut want = Expansions::zero(order, n);
        for b in 0..n {
            let (points, charges) = forest.box_points(b, b);
            p2m(&Harmonics::new(order), &points, &charges, want.row_mut(b));
        }
        let got = items(machine, &multipole);
        want.assert_close(&got, 4.0 * tolerance::<T>(order), |_| true, &format!("p = {order}"));
    }
}

fn upward<M: Launcher>(machine: &M) {
    upward_of::<M, f32>(machine);
    upward_of::<M, f64>(machine);
}

fn m2l_of<M: Launcher, T: Operator + DenseReal>(machine: &M) {
    for (order, forest) in forests::<M, T>().into_iter().filter(|(order, _)| *order <= MAX_ORDER) {
        let planted = Planted::<M, T>::new(machine, &forest);
        let n = forest.n_boxes();
        let multipoles = Expansions::random(order, n);
        let multipole = multipoles.plant::<M, T>(machine);
        let m2l = M2l::<f64>::new(order, M2lForm::Rotation);
        let mut want = Expansions::zero(order, n);
        for [to, from] in forest.far_pairs() {
            let offset = FarOffset::new(forest.offset(to, from).map(|c| c as i8)).unwrap();
            let pair: [RowPair; 1] = [[from as u32, to as u32]];
            m2l.apply([(offset, &pair[..])].into_iter(), &multipoles.rows, &mut want.rows);
        }
        let operators = Operators::new(machine, order).unwrap();
        let (tree, tolerance) = (planted.tree(), tolerance::<T>(order));
        let mut local = machine.allocate(operators.length(n)).unwrap();
        let (from, to) = (multipole.view(), local.view_mut());
        operators.m2l(machine, &tree, from, to, ViewMut::EMPTY).unwrap();
        let what = format!("p = {order}");
        want.assert_close(&items(machine, &local), tolerance, |_| true, &what);
        if order <= MAX_DENSE_ORDER {
            let dense = DenseM2l::new(machine, order).unwrap();
            let mut local = machine.allocate(operators.length(n)).unwrap();
            dense.m2l(machine, &tree, multipole.view(), local.view_mut()).unwrap();
            let what = format!("p = {order}, dense");
            want.assert_close(&items(machine, &local), tolerance, |_| true, &what);
        }
    }
}

fn m2l_overwrites<M: Launcher>(machine: &M) {
    m2l_of::<M, f32>(machine);
    m2l_of::<M, f64>(machine);
}

fn l2l_of<M: Launcher, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, mut scratch) = operators_of(machine, order, &planted.tree());
        let mut want = Expansions::random(order, forest.n_boxes());
        let mut local = want.plant::<M, T>(machine);
        operators.l2l(machine, &planted.tree(), local.view_mut(), scratch.view_mut()).unwrap();
        let l2l = L2l::<f64>::new(order);
        let deepest = forest.keys.last().unwrap().level();
        for level in 3..=deepest {
            let mut pairs: [Vec<RowPair>; 8] = Default::default();
            for (b, key) in forest.keys.iter().enumerate().filter(|(_, key)| key.level() == level) {
                pairs[key.octant() as usize].push([forest.parent[b], b as u32]);
            }
            let parents = want.rows.clone();
            l2l.apply(&pairs, &parents, &mut want.rows);
        }
        want.assert_close(
            &items(machine, &local),
            tolerance::<T>(order),
            |_| true,
            &format!("p = {order}"),
        );
    }
}

fn l2l_adds<M: Launcher>(machine: &M) {
    l2l_of::<M, f32>(machine);
    l2l_of::<M, f64>(machine);
}

/// A row for every fourth box: leaves that do not touch it, few and far between.
fn distant(forest: &Forest) -> (Vec<u32>, Vec<u32>) {
    let (mut offsets, mut boxes) = (vec![0], Vec::new());
    for b in 0..forest.n_boxes() {
        if b % 4 == 1 {
            let apart = |&&leaf: &&u32| {
                let (a, s) = (forest.centre(b), forest.centre(leaf as usize));
                let reach = 0.5 * (forest.side(b) + forest.side(leaf as usize));
                (0..3).any(|d| (a[d] - s[d]).abs() > 1.1 * reach + 0.5 * forest.side(b))
            };
            boxes.extend(forest.leaves.iter().filter(apart).take(3));
        }
        offsets.push(boxes.len() as u32);
    }
    (offsets, boxes)
}

fn p2l_of<M: Launcher, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, _) = operators_of(machine, order, &planted.tree());
        let mut want = Expansions::random(order, forest.n_boxes());
        let mut local = want.plant::<M, T>(machine);
        let (offsets, leaves) = distant(&forest);
        let rows = [&offsets, &leaves].map(|items| machine.buffer_of(items).unwrap());
        let list = ListRows { offsets: rows[0].view(), items: rows[1].view() };
        let sources = planted.points.view();
        operators.p2l(machine, &planted.tree(), list, sources, local.view_mut()).unwrap();
        for b in 0..forest.n_boxes() {
            for &leaf in &leaves[offsets[b] as usize..offsets[b + 1] as usize] {
                let (points, charges) = forest.box_points(leaf as usize, b);
                p2l(&Harmonics::new(order), &points, &charges, want.row_mut(b));
            }
        }
        let got = items(machine, &local);
        want.assert_close(&got, 2.0 * tolerance::<T>(order), |_| true, &format!("p = {order}"));
    }
}

fn p2l_adds<M: Launcher>(machine: &M) {
    p2l_of::<M, f32>(machine);
    p2l_of::<M, f64>(machine);
}

fn l2p_of<M: Launcher, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, _) = operators_of(machine, order, &planted.tree());
        let locals = Expansions::random(order, forest.n_boxes());
        let local = locals.plant::<M, T>(machine);
        let n = forest.points.len();
        let mut leaf_of = machine.allocate(n).unwrap();
        label(machine, &planted.tree(), leaf_of.view_mut()).unwrap();
        let mut field = machine.allocate::<Vec4<T>>(n).unwrap();
        let (labels, receivers) = (leaf_of.view(), planted.points.view());
        for accumulation in [Accumulation::Overwrite, Accumulation::Add] {
            let (tree, field) = (planted.tree(), field.view_mut());
            let arrays = L2pArrays { leaf_of: labels, receivers, local: local.view(), field };
            operators.l2p(machine, &tree, arrays, accumulation).unwrap();
        }
        let mut want = vec![[0.0; 4]; n];
        let (harmonics, gradient) = (Harmonics::new(order), Gradient::new(order));
        for &b in &forest.leaves {
            let b = b as usize;
            let (points, _) = forest.box_points(b, b);
            add_at_points(&forest, b, &mut want, |sums| {
                l2p(&harmonics, &gradient, locals.row(b), &points, sums);
            });
        }
        let want: Vec<_> = want.iter().map(|w| w.map(|x| 2.0 * x)).collect();
        assert_field(
            &items(machine, &field),
            &want,
            tolerance::<T>(order),
            &format!("p = {order}"),
        );
    }
}

fn l2p_writes_and_adds<M: Launcher>(machine: &M) {
    l2p_of::<M, f32>(machine);
    l2p_of::<M, f64>(machine);
}

fn m2p_of<M: Launcher, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, _) = operators_of(machine, order, &planted.tree());
        let multipoles = Expansions::random(order, forest.n_boxes());
        let multipole = multipoles.plant::<M, T>(machine);
        let apart = |a: usize, b: usize| {
            let reach = 0.5 * (forest.side(a) + forest.side(b)) + 0.4 * forest.side(a);
            (0..3).any(|d| (forest.centre(a)[d] - forest.centre(b)[d]).abs() > reach)
        };
        let (mut offsets, mut boxes) = (vec![0], Vec::new());
        for &leaf in &forest.leaves {
            let from = leaf as usize % 3;
            let far = (from..forest.n_boxes()).step_by(7).filter(|&b| apart(b, leaf as usize));
            boxes.extend(far.take(leaf as usize % 3).map(|b| b as u32));
            offsets.push(boxes.len() as u32);
        }
        let rows = [&offsets, &boxes].map(|items| machine.buffer_of(items).unwrap());
        let list = ListRows { offsets: rows[0].view(), items: rows[1].view() };
        let n = forest.points.len();
        let mut field = machine.buffer_of(&vec![Vec4([T::ZERO; 4]); n]).unwrap();
        let (tree, receivers) = (planted.tree(), planted.points.view());
        let arrays = M2pArrays {
            leaves: tree.leaves,
            rows: list,
            receivers,
            multipole: multipole.view(),
            field: field.view_mut(),
        };
        operators.m2p(machine, &tree, arrays, FarBoxes::Excluded).unwrap();
        let mut want = vec![[0.0; 4]; n];
        let tables = M2pTables::new(order);
        for (row, &leaf) in forest.leaves.iter().enumerate() {
            for &b in &boxes[offsets[row] as usize..offsets[row + 1] as usize] {
                let b = b as usize;
                let (points, _) = forest.box_points(leaf as usize, b);
                add_at_points(&forest, leaf as usize, &mut want, |sums| {
                    m2p(&tables, multipoles.row(b), &points, sums);
                });
            }
        }
        assert_field(
            &items(machine, &field),
            &want,
            2.0 * tolerance::<T>(order),
            &format!("p = {order}"),
        );
    }
}

fn m2p_adds<M: Launcher>(machine: &M) {
    m2p_of::<M, f32>(machine);
    m2p_of::<M, f64>(machine);
}

/// Field of the boxes that are no neighbours of a receiver's leaf: by multipoles and local expansions, or by multipoles
/// alone, against the direct sum.
fn whole_of<M: Launcher, T: Operator>(machine: &M, order: usize, locals: bool) {
    let forest = Forest::new(&points(150, false), Depth::Uniform(3));
    let planted = Planted::<M, T>::new(machine, &forest);
    let (operators, mut scratch) = operators_of(machine, order, &planted.tree());
    let (n, tree) = (forest.points.len(), planted.tree());
    let length = operators.length(forest.n_boxes());
    let mut multipole = machine.allocate::<Vec4<T>>(length).unwrap();
    let mut local = machine.allocate::<Vec4<T>>(length).unwrap();
    let mut leaf_of = machine.allocate(n).unwrap();
    let mut field = machine.allocate::<Vec4<T>>(n).unwrap();
    let points = planted.points.view();
    operators.p2m(machine, &tree, points, multipole.view_mut()).unwrap();
    operators.m2m(machine, &tree, multipole.view_mut(), 2, scratch.view_mut()).unwrap();
    label(machine, &tree, leaf_of.view_mut()).unwrap();
    let (multipole, sums) = (multipole.view(), field.view_mut());
    if locals {
        operators.m2l(machine, &tree, multipole, local.view_mut(), scratch.view_mut()).unwrap();
        operators.l2l(machine, &tree, local.view_mut(), scratch.view_mut()).unwrap();
        let (leaf_of, local) = (leaf_of.view(), local.view());
        let arrays = L2pArrays { leaf_of, receivers: points, local, field: sums };
        operators.l2p(machine, &tree, arrays, Accumulation::Overwrite).unwrap();
    } else {
        machine.fill(0, &mut field).unwrap();
        let offsets = machine.buffer_of(&vec![0; forest.leaves.len() + 1]).unwrap();
        let rows = ListRows { offsets: offsets.view(), items: View::EMPTY };
        let (leaves, receivers) = (tree.leaves, points);
        let arrays = M2pArrays { leaves, rows, receivers, multipole, field: sums };
        operators.m2p(machine, &tree, arrays, FarBoxes::Included).unwrap();
    }

    let labels = items(machine, &leaf_of);
    let near = |i: usize, j: usize| {
        forest.offset(labels[i] as usize, labels[j] as usize).iter().all(|c| c.abs() < 2)
    };
    let (mut error, mut norm) = ([0.0; 4], [0.0; 4]);
    for (i, Vec4(got)) in items(machine, &field).into_iter().enumerate() {
        let mut far = [0.0; 4];
        for j in (0..n).filter(|&j| !near(i, j)) {
            let d = [0, 1, 2].map(|d| forest.points[j][d] - forest.points[i][d]);
            let inverse = d.iter().map(|d| d * d).sum::<f64>().sqrt().recip();
            let charge = forest.points[j][3];
            for k in 0..3 {
                far[k] += charge * d[k] * inverse.powi(3);
            }
            far[3] += charge * inverse;
        }
        for k in 0..4 {
            error[k] += (got[k].to_f64() - far[k]).powi(2);
            norm[k] += far[k] * far[k];
        }
    }
    for k in 0..4 {
        let relative = (error[k] / norm[k]).sqrt();
        assert!(
            relative < 0.2 * 0.6_f64.powi(order as i32),
            "p = {order}, component {k}: {relative:e}"
        );
    }
}

/// Errors of such charges about halve with each degree; they must fall at least as 0.6^p.
fn whole_far_field<M: Launcher>(machine: &M) {
    for order in [3, 5, 8] {
        whole_of::<M, f32>(machine, order, true);
    }
    for order in [3, 6, 10, 26] {
        whole_of::<M, f64>(machine, order, true);
    }
    whole_of::<M, f32>(machine, 5, false);
    whole_of::<M, f64>(machine, 6, false);
    whole_of::<M, f64>(machine, 20, false);
}

on_every_machine!(
    waves,
    upward,
    m2l_overwrites,
    l2l_adds,
    p2l_adds,
    l2p_writes_and_adds,
    m2p_adds,
    whole_far_field,
    multipoles_of_leaves,
    multipoles_of_parents,
    locals_of_children,
    fields_of_locals,
    fields_of_multipoles,
);
