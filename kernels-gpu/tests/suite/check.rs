//! The checks of a field against plain sums in f64.

use crate::pairs::{cube, errors, fields, vectors};
use expansions::numerics::importance::BLOCK;
use kernels_gpu::check::weights::{Places, WeighedField};
use kernels_gpu::check::{
    ChargeFacts, Checkable, Checked, FewSum, Inspector, Picked, Picker, Picking, place_extremes,
};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Buffer, Machine};
use kernels_gpu::operators::{Boxes, Geometry};

on_every_machine!(
    few_receivers_have_the_direct_sum,
    coincident_pairs_count_nothing,
    no_points_are_fine,
    squares_add_up,
    picks_estimate_errors_of_all_receivers,
    rare_receivers_with_all_of_the_error_are_picked,
    receivers_in_corners_and_faces_are_picked,
    extremes_go_to_the_order_of_the_points,
    nothing_is_picked_of_nothing,
    charges_are_told,
    results_are_told,
);

fn sum<M: Machine, T: Checkable>(
    machine: &M,
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
) -> Vec<Vec4<f64>> {
    let receivers = machine.buffer_of(&vectors::<f64>(receivers)).unwrap();
    let sources = machine.buffer_of(&vectors::<T>(sources)).unwrap();
    let mut output = machine.allocate(receivers.len()).unwrap();
    let (from, at) = (sources.view(), receivers.view());
    let softening = T::from_f64(softening);
    FewSum::new().sum(machine, from, at, softening, output.view_mut()).unwrap();
    machine.items_of(&output).unwrap()
}

fn agree<M: Machine>(machine: &M, receivers: &[[f64; 4]], sources: &[[f64; 4]], softening: f64) {
    let exact = fields(receivers, sources, softening);
    let single = errors(&sum::<M, f32>(machine, receivers, sources, softening), &exact);
    let double = errors(&sum::<M, f64>(machine, receivers, sources, softening), &exact);
    // Pairs in f32 round to some units in the last place.
    assert!(single.iter().all(|e| *e < 4.0 * f64::from(f32::EPSILON)), "{single:?}");
    assert!(double.iter().all(|e| *e < 1e-14), "{double:?}");
}

fn few_receivers_have_the_direct_sum<M: Machine>(machine: &M) {
    agree(machine, &cube(17, 1, 0.1), &cube(1517, 2, 0.1), 0.0);
    agree(machine, &cube(3, 3, 0.1), &cube(1, 4, 0.1), 0.0);
    agree(machine, &cube(9, 5, 0.1), &cube(300, 6, 0.1), 0.05);
}

fn coincident_pairs_count_nothing<M: Machine>(machine: &M) {
    let points = cube(400, 7, 0.1);
    for softening in [0.0, 0.02] {
        agree(machine, &points[100..112], &points, softening);
    }
}

fn no_points_are_fine<M: Machine>(machine: &M) {
    assert!(sum::<M, f32>(machine, &[], &cube(5, 1, 0.1), 0.0).is_empty());
    let zero = sum::<M, f64>(machine, &cube(5, 1, 0.1), &[], 0.0);
    assert!(zero.iter().all(|Vec4(v)| *v == [0.0; 4]));
}

/// Boxes of these keys and levels in the cube from 0 to 1.
fn boxes(key: View<u64>, level: View<u32>) -> Boxes<f64> {
    Boxes {
        cube: Geometry::new([0.0; 3], 1.0),
        count: key.len() as u32,
        key,
        level,
        range: View::EMPTY,
        parent: View::EMPTY,
        child: View::EMPTY,
        colleague: View::EMPTY,
        level_start: View::EMPTY,
    }
}

/// Leaves in the cube from 0 to 1, and the leaf of each receiver; none where no local expansions act.
#[derive(Default)]
struct Leaves<'a> {
    keys: &'a [u64],
    levels: &'a [u32],
    leaf_of: &'a [u32],
    order: u32,
}

/// Checks a field at places by `count` picks, each at the middle of its share of the probability. The caller's order is the
/// reverse of the tree's, in which field and places are given.
fn checked<M: Machine>(
    machine: &M,
    [field, places, sources]: [&[[f64; 4]]; 3],
    factors: [f64; 2],
    count: usize,
    leaves: Leaves<'_>,
) -> Checked {
    let reversed: Vec<[f64; 4]> = field.iter().rev().copied().collect();
    let [field, places, sources] =
        [&reversed, places, sources].map(|rows| machine.buffer_of(&vectors::<f64>(rows)).unwrap());
    let n = field.len();
    let permutation: Vec<u32> = (0..n as u32).rev().collect();
    let permutation = machine.buffer_of(&permutation).unwrap();
    let keys = machine.buffer_of(leaves.keys).unwrap();
    let [levels, leaf_of] =
        [leaves.levels, leaves.leaf_of].map(|items| machine.buffer_of(items).unwrap());
    let places = Places {
        boxes: boxes(keys.view(), levels.view()),
        receivers: places.view(),
        leaf_of: leaf_of.view(),
        order: leaves.order,
    };
    let (field, permutation) = (field.view(), permutation.view());
    let weighed = WeighedField { field, permutation, factors, places };
    let picking = Picking { weighed, sources: sources.view(), softening: 0.0 };
    let targets = || (0..count).map(|k| (k as f64 + 0.5) / count as f64).collect();
    let limiting = || (0..n as u32).step_by(7).collect();
    let mut picker = Picker::new();
    picker.prepare(machine, [n, count], limiting, targets).unwrap();
    let first = picker.check(machine, picking, count, || Ok(())).unwrap();
    // Memory of an earlier check changes nothing.
    picker.prepare(machine, [n, count], Vec::new, Vec::new).unwrap();
    let again = picker.check(machine, picking, count, || Ok(())).unwrap();
    assert_eq!(again, first);
    first
}

fn squares_add_up<M: Machine>(machine: &M) {
    let n = 2 * BLOCK + 77;
    // Every seventh tells the limits.
    let value =
        |i: usize| [1.0, -2.0, if i.is_multiple_of(7) { 0.5 } else { 0.75 }, (i % 5) as f64];
    let field: Vec<[f64; 4]> = (0..n).map(value).collect();
    let places = vec![[0.0; 4]; n];
    let none = Leaves::default();
    let found = checked(machine, [&field, &places, &[]], [2.0, 3.0], 4, none).sums;
    let squares = |i: usize| {
        let [x, y, z, phi] = value(i);
        [9.0 * phi * phi, 4.0 * (x * x + y * y + z * z)]
    };
    let sum = |of: usize, limit: f64| -> f64 {
        (0..n).map(|i| squares(i)[of]).filter(|square| *square <= limit).sum()
    };
    let expected = [sum(0, 1e9), sum(1, 1e9), 0.0, 0.0, sum(0, 9.0 * 16.0), sum(1, 4.0 * 5.25)];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-13 * expected, "{found} {expected}");
    }
}

fn picks_estimate_errors_of_all_receivers<M: Machine>(machine: &M) {
    let n = 3 * BLOCK + 211;
    let (places, sources) = (cube(n, 11, 0.5), cube(40, 12, 0.05));
    let exact = fields(&places, &sources, 0.0);
    let error = |i: usize| 1e-3 * (1.0 + (i % 11) as f64) * exact[i][3];
    let field: Vec<[f64; 4]> =
        (0..n).map(|i| [exact[i][0], exact[i][1], exact[i][2], exact[i][3] + error(i)]).collect();
    let none = Leaves::default();
    let Checked { sums, picks } =
        checked(machine, [&field, &places, &sources], [1.0; 2], 256, none);
    assert_eq!(picks.len(), 256);
    let found: f64 = picks.iter().map(|p| p.factor * (p.value[3] - p.sum[3]).powi(2)).sum();
    let expected: f64 = (0..n).map(|i| error(i) * error(i)).sum();
    assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
    let norm: f64 = field.iter().map(|f| f[3] * f[3]).sum();
    assert!((sums[0] / norm - 1.0).abs() < 1e-12);
    // The factors of all receivers add up to their number.
    let weight: f64 = picks.iter().map(|p| p.factor).sum();
    assert!((weight / n as f64 - 1.0).abs() < 0.1, "{weight} {n}");
    for pick in &picks {
        let at = pick.place;
        assert_eq!(pick.value, field[at]);
        for (found, expected) in pick.sum.into_iter().zip(exact[at]) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{at}");
        }
    }
}

fn rare_receivers_with_all_of_the_error_are_picked<M: Machine>(machine: &M) {
    let n = 4 * BLOCK;
    let mut field = vec![[1e-3, 0.0, 0.0, 1.0]; n];
    field[1777] = [1e4, 0.0, 0.0, 1.0];
    let places = vec![[0.0; 4]; n];
    let Checked { picks, .. } =
        checked(machine, [&field, &places, &[]], [1.0; 2], 12, Leaves::default());
    let rare: Vec<_> = picks.iter().filter(|pick| pick.value[0] == 1e4).collect();
    // A third of the probability, and an outlier of the gradient.
    assert_eq!(rare.len(), 4);
    let weight: f64 = rare.iter().map(|pick| pick.factor).sum();
    assert!((weight - 1.0).abs() < 0.01, "{weight}");
    assert!(rare.iter().all(|pick| pick.within == [true, false]));
    assert!(picks.iter().all(|pick| pick.within[1] == (pick.value[0] < 1.0)));
}

/// Receivers near the centres of eight leaves, one in a corner and one in the middle of a face: at order 30 their errors are
/// those of all.
fn receivers_in_corners_and_faces_are_picked<M: Machine>(machine: &M) {
    let n = 2 * BLOCK + 99;
    let centre = |k: u32, axis: u32| if k >> axis & 1 == 1 { 0.75 } else { 0.25 };
    let near = |i: usize| {
        let (k, shift) = (i as u32 % 8, 1e-3 * (i % 50) as f64);
        [centre(k, 0) + shift, centre(k, 1) - shift, centre(k, 2), 0.0]
    };
    let mut places: Vec<[f64; 4]> = (0..n).map(near).collect();
    let leaf_of: Vec<u32> = (0..n as u32).map(|i| i % 8).collect();
    // The lower corner of the last leaf, and a face of the first.
    places[711] = [0.5, 0.5, 0.5, 0.0];
    places[304] = [0.5, 0.25, 0.25, 0.0];
    assert_eq!([leaf_of[711], leaf_of[304]], [7, 0]);
    let field = vec![[1.0, 0.0, 0.0, 1.0]; n];
    let keys: Vec<u64> = (0..8).collect();
    let picks = |leaf_of: &[u32]| {
        let leaves = Leaves { keys: &keys, levels: &[1; 8], leaf_of, order: 30 };
        checked(machine, [&field, &places, &[]], [1.0; 2], 20, leaves)
    };
    let at = |place: usize, checked: &Checked| -> Vec<Picked> {
        checked.picks.iter().filter(|pick| pick.place == place).copied().collect()
    };
    let (found, without) = (picks(&leaf_of), picks(&[]));
    assert!((found.sums[2] - 1.0).abs() < 1e-9, "{:?}", found.sums);
    // The corner is at 2.75 from the nearest far box's centre, squared; the others are at 3.6 at least.
    let others = n as f64 * (2.25_f64 / 3.6).powi(30);
    let in_faces = found.sums[3] - 1.0 - (2.25_f64 / 2.75).powi(30);
    assert!((0.0..others).contains(&in_faces), "{:?}", found.sums);
    for place in [711, 304] {
        // A fifth of the probability each.
        let at_place = at(place, &found);
        assert!((3..=5).contains(&at_place.len()), "{place}: {}", at_place.len());
        let weight: f64 = at_place.iter().map(|pick| pick.factor).sum();
        assert!((weight - 1.0).abs() <= 0.26, "{place}: {weight}");
        assert!(at(place, &without).is_empty());
    }
}

fn extremes_go_to_the_order_of_the_points<M: Machine>(machine: &M) {
    // A box of side 1/4 from (1/4, 0, 1/2): Morton digits of x, y and z from the lowest bit.
    let (key, level, order) = (0b100_001_u64, 2_u32, 12);
    let rows: [[f64; 4]; 3] =
        [[0.375, 0.125, 0.625, 9.0], [0.25, 0.25, 0.5, 9.0], [0.5, 0.125, 0.625, 9.0]];
    let receivers = machine.buffer_of(&vectors::<f64>(&rows)).unwrap();
    let (key, level) = (machine.buffer_of(&[key]).unwrap(), machine.buffer_of(&[level]).unwrap());
    let leaf_of = machine.buffer_of(&[0_u32; 3]).unwrap();
    let permutation = machine.buffer_of(&[2, 0, 1]).unwrap();
    let places = Places {
        boxes: boxes(key.view(), level.view()),
        receivers: receivers.view(),
        leaf_of: leaf_of.view(),
        order,
    };
    let mut found = machine.allocate(3).unwrap();
    place_extremes(machine, places, permutation.view(), found.view_mut()).unwrap();
    let found: Vec<[f64; 4]> =
        machine.items_of(&found).unwrap().into_iter().map(|Vec4(row)| row).collect();
    // A corner, the middle of a face, the centre.
    let [third, of_corner] = [1.0 / 3.0, 2.25 / 2.75].map(|x: f64| f64::from(x as f32));
    assert_eq!(
        found,
        [[1.0, of_corner, 0.0, 0.0], [third, 1.0, 0.0, 0.0], [0.0, 0.5625, 0.0, 0.0]]
    );
}

fn nothing_is_picked_of_nothing<M: Machine>(machine: &M) {
    let none = Leaves::default;
    assert!(checked(machine, [&[], &[], &cube(5, 1, 1.0)], [1.0; 2], 16, none()).picks.is_empty());
    // A field of zeros has receivers that are all alike.
    let zeros = vec![[0.0; 4]; 40];
    let Checked { sums, picks } = checked(machine, [&zeros, &zeros, &[]], [1.0; 2], 8, none());
    assert_eq!(sums, [0.0; 6]);
    assert!(picks.iter().all(|pick| (pick.factor - 5.0).abs() < 1e-12));
}

fn charges_are_told<M: Machine>(machine: &M) {
    let facts = |charges: &[f32]| {
        let charges = machine.buffer_of(charges).unwrap();
        Inspector::new().facts(machine, charges.view()).unwrap()
    };
    let mut charges: Vec<f32> = (0..100_000).map(|i| (i % 7) as f32).collect();
    // Sums of whole numbers are exact.
    let sums = |charges: &[f32]| {
        [1, 2].map(|power| charges.iter().map(|q| f64::from(q.abs()).powi(power)).sum::<f64>())
    };
    let shares = sums(&charges);
    let expected = ChargeFacts { largest: 6.0, signs: [true, false], not_finite: None, shares };
    assert_eq!(facts(&charges), expected);
    charges[70_001] = -8.0;
    let shares = sums(&charges);
    let expected = ChargeFacts { largest: 8.0, signs: [true, true], not_finite: None, shares };
    assert_eq!(facts(&charges), expected);
    (charges[80_003], charges[90_005]) = (f32::NAN, f32::INFINITY);
    let found = facts(&charges);
    assert_eq!((found.not_finite, found.largest), (Some(80_003), 8.0));
    let none = ChargeFacts { largest: 0.0, signs: [false; 2], not_finite: None, shares: [0.0; 2] };
    assert_eq!(Inspector::new().facts::<f64>(machine, View::EMPTY).unwrap(), none);
    // Squares that f64 does not hold: 1000 charges of equal size are 1000 by their participation.
    for size in [1e-200, 1e200] {
        let charges = machine.buffer_of(&vec![size; 1000]).unwrap();
        let found = Inspector::new().facts(machine, charges.view()).unwrap();
        let [sum, squares] = found.shares;
        assert!((sum * sum / squares - 1000.0).abs() < 1e-9, "{found:?}");
    }
}

/// Forces of any size against their sums on the host, and the least indices of results that are not finite.
fn results_are_told<M: Machine>(machine: &M) {
    let n = 5000;
    let permutation: Vec<u32> = (0..n as u32).map(|i| (i * 7) % n as u32).collect();
    let sources: Vec<[f64; 4]> = (0..n).map(|i| [0.0, 0.0, 0.0, (i % 5) as f64 - 1.0]).collect();
    let gradient = |i: usize| [2.0, -3.0, 6.0].map(|part| part * (i % 11) as f64);
    let order = machine.buffer_of(&permutation).unwrap();
    let charged = machine.buffer_of(&vectors::<f64>(&sources)).unwrap();
    for scale in [1.0, 1e-200, 1e200] {
        let row = |i| {
            let [x, y, z] = gradient(i).map(|part| scale * part);
            [x, y, z, 1.0]
        };
        let mut field: Vec<[f64; 4]> = (0..n).map(row).collect();
        let facts = |field: &[[f64; 4]], sources: View<Vec4<f64>>| {
            let field = machine.buffer_of(&vectors::<f64>(field)).unwrap();
            let mut inspector = Inspector::new();
            inspector.results(machine, field.view(), order.view(), sources).unwrap()
        };
        let mut expected = [0.0; 4];
        for (source, index) in sources.iter().zip(&permutation) {
            let (q, [x, y, z]) = (source[3], gradient(*index as usize));
            let length = 7.0 * (*index % 11) as f64;
            let terms = [q * x, q * y, q * z, q.abs() * length];
            (0..4).for_each(|k| expected[k] += terms[k]);
        }
        let found = facts(&field, charged.view());
        for k in 0..4 {
            let error = (found.forces[k] / scale - expected[k]).abs();
            assert!(error < 1e-12 * expected[3], "{found:?} {expected:?}");
        }
        assert_eq!((found.bad_gradient, found.bad_potential), (None, None));
        field[4321][1] = f64::NAN;
        field[3456][2] = f64::INFINITY;
        field[4999][3] = f64::NEG_INFINITY;
        let found = facts(&field, View::EMPTY);
        assert_eq!((found.bad_gradient, found.bad_potential), (Some(3456), Some(4999)));
        assert_eq!(found.forces, [0.0; 4]);
    }
}
