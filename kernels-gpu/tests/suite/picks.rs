//! Picks of receivers by the weights of a field, and direct sums there.

use crate::leaves::{Errors, Leaves, boxes};
use crate::pairs::{cube, fields, vectors};
use expansions::numerics::importance::{self, BLOCK, Probability};
use kernels_gpu::check::weights::{Places, WeighedField};
use kernels_gpu::check::{Checked, Picked, Picker, Picking, Share, expected_errors};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::NONE;
use kernels_gpu::operators::expected::BoxErrors;
use kernels_gpu::transfer::SummedField;

on_every_machine!(
    squares_add_up,
    picks_estimate_errors_of_all_receivers,
    rare_receivers_with_all_of_the_error_are_picked,
    receivers_in_corners_and_faces_are_picked,
    receivers_of_leaves_with_large_last_degrees_are_picked,
    receivers_nearest_to_another_box_are_picked,
    few_receivers_are_all_picked,
    devices_share_the_picks_of_one,
    expected_errors_go_to_the_order_of_the_points,
    nothing_is_picked_of_nothing,
);

/// Checks a field at places by `count` picks, each at the middle of its share of the probability. The caller's order is the
/// reverse of the tree's, in which field and places are given.
fn checked<M: Launcher>(
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
    let errors = Errors::of(machine, &leaves);
    let places = Places {
        boxes: boxes(keys.view(), levels.view()),
        receivers: places.view(),
        leaf_of: leaf_of.view(),
        errors: errors.view(),
        order: leaves.order,
    };
    let (field, permutation) = (SummedField::whole(field.view()), permutation.view());
    let weighed = WeighedField { field, permutation, factors, places };
    let picking = Picking { weighed, sources: sources.view(), softening: 0.0 };
    let targets = || (0..count).map(|k| (k as f64 + 0.5) / count as f64).collect();
    let limiting = || (0..n as u32).step_by(7).collect();
    let mut picker = Picker::new();
    picker.prepare_limits(machine, n, limiting).unwrap();
    picker.prepare_targets(machine, count, targets).unwrap();
    picker.weigh_field(machine, weighed).unwrap();
    let first = picker.check(machine, picking, count, || Ok(())).unwrap();
    // The weights of a field that is brought to the caller's order are the same.
    let in_order: Vec<[f64; 4]> = reversed.iter().rev().copied().collect();
    let in_order = machine.buffer_of(&vectors::<f64>(&in_order)).unwrap();
    let (field, none) = (SummedField::whole(in_order.view()), View::EMPTY);
    let scattered = WeighedField { field, permutation: none, ..weighed };
    let mut output = machine.buffer_of(&vec![Vec4([0.0_f64; 4]); n]).unwrap();
    picker.weigh_and_scatter(machine, scattered, permutation, output.view_mut()).unwrap();
    assert_eq!(machine.items_of(&output).unwrap(), vectors::<f64>(&reversed));
    let picking = Picking { weighed: scattered, ..picking };
    assert_eq!(picker.check(machine, picking, count, || Ok(())).unwrap(), first);
    // Memory of an earlier check changes nothing.
    picker.prepare_limits(machine, n, Vec::new).unwrap();
    picker.prepare_targets(machine, count, Vec::new).unwrap();
    let again = picker.check(machine, picking, count, || Ok(())).unwrap();
    assert_eq!(again, first);
    first
}

fn squares_add_up<M: Launcher>(machine: &M) {
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

fn picks_estimate_errors_of_all_receivers<M: Launcher>(machine: &M) {
    let n = 3 * BLOCK + 211;
    let (places, sources) = (cube(n, 11, 0.5), cube(40, 12, 0.05));
    let exact = fields(&places, &sources, 0.0);
    let error = |i: usize| 1e-3 * (1.0 + (i % 11) as f64) * exact[i][3];
    let field: Vec<[f64; 4]> =
        (0..n).map(|i| [exact[i][0], exact[i][1], exact[i][2], exact[i][3] + error(i)]).collect();
    let none = Leaves::default();
    let Checked { sums, picks, direct } =
        checked(machine, [&field, &places, &sources], [1.0; 2], 256, none);
    assert_eq!(picks.len(), 256);
    let pairs = picks.iter().zip(&direct.sums);
    let found: f64 = pairs.map(|(p, sum)| p.factor * (p.value[3] - sum[3]).powi(2)).sum();
    let expected: f64 = (0..n).map(|i| error(i) * error(i)).sum();
    assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
    let norm: f64 = field.iter().map(|f| f[3] * f[3]).sum();
    assert!((sums[0] / norm - 1.0).abs() < 1e-12);
    // The factors of all receivers add up to their number.
    let weight: f64 = picks.iter().map(|p| p.factor).sum();
    assert!((weight / n as f64 - 1.0).abs() < 0.1, "{weight} {n}");
    for (pick, direct) in picks.iter().zip(direct.sums) {
        let at = pick.place;
        assert_eq!(pick.value, field[at]);
        for (found, expected) in direct.into_iter().zip(exact[at]) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{at}");
        }
    }
}

fn rare_receivers_with_all_of_the_error_are_picked<M: Launcher>(machine: &M) {
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
fn receivers_in_corners_and_faces_are_picked<M: Launcher>(machine: &M) {
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
        let leaves = Leaves {
            keys: &keys,
            levels: &[1; 8],
            leaf_of,
            locals: &[1.0; 8],
            sources: &[],
            order: 30,
        };
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

/// The few receivers of a leaf whose local expansion has large last degrees are picked, though they are in no corner.
fn receivers_of_leaves_with_large_last_degrees_are_picked<M: Launcher>(machine: &M) {
    let n = 2 * BLOCK + 99;
    // All at the same place of their leaves; three are in the last one.
    let leaf_of: Vec<u32> = (0..n).map(|i| if i % 400 == 301 { 7 } else { i as u32 % 7 }).collect();
    let centre = |k: u32, axis: u32| if k >> axis & 1 == 1 { 0.75 } else { 0.25 };
    let near = |k: &u32| [centre(*k, 0) + 0.2, centre(*k, 1) - 0.1, centre(*k, 2), 0.0];
    let places: Vec<[f64; 4]> = leaf_of.iter().map(near).collect();
    let field = vec![[1.0, 0.0, 0.0, 1.0]; n];
    let keys: Vec<u64> = (0..8).collect();
    let picks = |locals: &[f32]| {
        let (leaf_of, order) = (&leaf_of[..], 12);
        let leaves = Leaves { keys: &keys, levels: &[1; 8], leaf_of, locals, sources: &[], order };
        let found = checked(machine, [&field, &places, &[]], [1.0; 2], 20, leaves);
        found.picks.iter().filter(|pick| leaf_of[pick.place] == 7).count()
    };
    assert!(picks(&[1.0; 8]) <= 1);
    // A fifth of the probability.
    let found = picks(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3e4]);
    assert!((3..=6).contains(&found), "{found}");
}

/// Three receivers of a leaf that are nearest to a box beside it, whose multipole acts there.
fn receivers_nearest_to_another_box_are_picked<M: Launcher>(machine: &M) {
    let n = 2 * BLOCK + 99;
    let leaf_of = vec![0; n];
    let near = |i: usize| [if i % 400 == 301 { 0.4 } else { 0.2 }, 0.25, 0.25, 0.0];
    let places: Vec<[f64; 4]> = (0..n).map(near).collect();
    let field = vec![[1.0, 0.0, 0.0, 1.0]; n];
    let picks = |source: u32| {
        let (keys, levels, locals, sources) = (&[0, 1][..], &[1; 2], &[0.0; 2], &[source; 2]);
        let leaves = Leaves { keys, levels, leaf_of: &leaf_of, locals, sources, order: 24 };
        let found = checked(machine, [&field, &places, &[]], [1.0; 2], 20, leaves);
        found.picks.iter().filter(|pick| pick.place % 400 == 301).count()
    };
    assert!(picks(NONE) <= 4);
    // A fourth of the probability: 0.7 sides from the other box, the others 1.1.
    let found = picks(1);
    assert!((4..=7).contains(&found), "{found}");
}

/// Each receiver is picked once where there are as many picks, whatever it weighs.
fn few_receivers_are_all_picked<M: Launcher>(machine: &M) {
    let n = BLOCK + 9;
    let field: Vec<[f64; 4]> = (0..n).map(|i| [0.0, 0.0, 1.0, (i * i) as f64]).collect();
    let places = cube(n, 4, 0.1);
    let found = checked(machine, [&field, &places, &[]], [1.0; 2], n, Leaves::default());
    for (place, pick) in found.picks.iter().enumerate() {
        assert_eq!((pick.place, pick.factor, pick.value), (place, 1.0, field[place]));
    }
    assert_eq!(found.picks.len(), n);
}

/// Receivers of three devices, one of which has none: the picks are those of one device with all. Their field is in the
/// tree's order, in two parts that add up.
fn devices_share_the_picks_of_one<M: Launcher>(machine: &M) {
    let n = 3 * BLOCK + 201;
    let value = |i: usize| [(i % 7) as f64, 0.5, -1.0, if i == 900 { 40.0 } else { 1.0 }];
    let field: Vec<[f64; 4]> = (0..n).map(value).collect();
    let places = cube(n, 9, 0.1);
    let limiting: Vec<u32> = (0..n as u32).step_by(7).collect();
    let (count, factors) = (24, [0.5, 2.0]);
    let none = Leaves::default();
    let whole = checked(machine, [&field, &places, &[]], factors, count, none);

    let cuts = [0, 2 * BLOCK, 2 * BLOCK, n];
    let more: Vec<[f64; 4]> = field.iter().map(|row| row.map(|x| 3.0 * x)).collect();
    let [field, more, places] =
        [&field, &more, &places].map(|rows| machine.buffer_of(&vectors::<f64>(rows)).unwrap());
    let weighed = |k: usize| {
        let (first, len) = (cuts[k], cuts[k + 1] - cuts[k]);
        let places = Places {
            boxes: boxes(View::EMPTY, View::EMPTY),
            receivers: places.view().part(first, len),
            leaf_of: View::EMPTY,
            errors: BoxErrors::NONE,
            order: 0,
        };
        let field = SummedField {
            sums: field.view().part(first, len),
            more: more.view().part(first, len),
            gradient_factor: 0.25,
            potential_factor: 0.25,
        };
        WeighedField { field, permutation: View::EMPTY, factors, places }
    };
    let mut pickers = [Picker::new(), Picker::new(), Picker::new()];
    let mut limits = [0.0; 2];
    for (k, picker) in pickers.iter_mut().enumerate() {
        let here = limiting.iter().filter(|at| (cuts[k]..cuts[k + 1]).contains(&(**at as usize)));
        let here: Vec<u32> = here.map(|at| at - cuts[k] as u32).collect();
        let of_share = picker.limits(machine, weighed(k), &here).unwrap();
        limits = [0, 1].map(|of| f64::max(limits[of], of_share[of]));
    }
    let sums = [0, 1, 2].map(|k| pickers[k].sums(machine, weighed(k), limits).unwrap());
    let all = sums.into_iter().fold([0.0; 6], importance::add);
    for (found, expected) in all.iter().zip(whole.sums) {
        assert!((found - expected).abs() <= 1e-12 * expected, "{all:?} {:?}", whole.sums);
    }
    let probability = Probability::new(n, all);
    let (mut start, mut found) = (0.0, Vec::new());
    for (k, picker) in pickers.iter_mut().enumerate() {
        let [a, b, c, d, ..] = sums[k];
        let end = start + probability.of(cuts[k + 1] - cuts[k], [a, b, c, d]);
        let targets = (0..count).map(|pick| (pick as f64 + 0.5) / count as f64);
        let targets: Vec<f64> = targets.filter(|target| (start..end).contains(target)).collect();
        let share = Share { n, sums: all, start, picks: count };
        for (pick, Vec4([x, ..])) in picker.picks(machine, weighed(k), share, &targets).unwrap() {
            let place = pick.place + cuts[k];
            assert_eq!(x, items_of_first(machine, &places)[place]);
            found.push(Picked { place, ..pick });
        }
        start = end;
    }
    assert_eq!(found.len(), count);
    for (found, expected) in found.iter().zip(&whole.picks) {
        let near = (found.factor / expected.factor - 1.0).abs() < 1e-12;
        assert!(near, "{found:?} {expected:?}");
        assert_eq!(*found, Picked { factor: found.factor, ..*expected });
    }
}

fn items_of_first<M: Launcher>(machine: &M, rows: &M::Buffer<Vec4<f64>>) -> Vec<f64> {
    machine.items_of(rows).unwrap().into_iter().map(|Vec4([x, ..])| x).collect()
}

fn expected_errors_go_to_the_order_of_the_points<M: Launcher>(machine: &M) {
    // A box of side 1/4 from (1/4, 0, 1/2): Morton digits of x, y and z from the lowest bit.
    let (key, level, order) = (0b100_001_u64, 2_u32, 12);
    let rows: [[f64; 4]; 3] =
        [[0.375, 0.125, 0.625, 9.0], [0.25, 0.25, 0.5, 9.0], [0.5, 0.125, 0.625, 9.0]];
    let receivers = machine.buffer_of(&vectors::<f64>(&rows)).unwrap();
    let (key, level) = (machine.buffer_of(&[key]).unwrap(), machine.buffer_of(&[level]).unwrap());
    let leaf_of = machine.buffer_of(&[0_u32; 3]).unwrap();
    let one = Leaves { keys: &[0], levels: &[0], locals: &[3.0], ..Leaves::default() };
    let errors = Errors::of(machine, &one);
    let permutation = machine.buffer_of(&[2, 0, 1]).unwrap();
    let places = Places {
        boxes: boxes(key.view(), level.view()),
        receivers: receivers.view(),
        leaf_of: leaf_of.view(),
        errors: errors.view(),
        order,
    };
    let mut found = machine.allocate(6).unwrap();
    expected_errors(machine, places, permutation.view(), found.view_mut()).unwrap();
    let found: Vec<f32> =
        machine.items_of(&found).unwrap().into_iter().map(f32::from_bits).collect();
    // A corner, the middle of a face, the centre.
    let [third, of_corner] = [1.0 / 3.0, 2.25 / 2.75].map(|x: f64| f64::from(x as f32));
    let expected = [9.0, of_corner.powi(12), 9.0 * third.powi(12), 1.0, 0.0, 0.5625_f64.powi(12)];
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() <= 1e-6 * expected, "{found} {expected}");
    }
}

fn nothing_is_picked_of_nothing<M: Launcher>(machine: &M) {
    let none = Leaves::default;
    assert!(checked(machine, [&[], &[], &cube(5, 1, 1.0)], [1.0; 2], 16, none()).picks.is_empty());
    // A field of zeros has receivers that are all alike.
    let zeros = vec![[0.0; 4]; 40];
    let Checked { sums, picks, .. } = checked(machine, [&zeros, &zeros, &[]], [1.0; 2], 8, none());
    assert_eq!(sums, [0.0; 6]);
    assert!(picks.iter().all(|pick| (pick.factor - 5.0).abs() < 1e-12));
}
