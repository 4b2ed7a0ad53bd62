//! The checks of a field against plain sums in f64.

use crate::pairs::{cube, errors, fields, vectors};
use kernels_gpu::check::{
    ChargeFacts, Checkable, DirectSums, EACH, FewSum, Inspector, PairDigits, columns,
};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Buffer, Launcher};

on_every_machine!(
    few_receivers_have_the_direct_sum,
    coincident_pairs_count_nothing,
    no_points_are_fine,
    charges_are_told,
    results_are_told,
);

fn sum<M: Launcher, T: Checkable>(
    machine: &M,
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
    digits: PairDigits,
) -> Vec<Vec4<f64>> {
    let receivers = machine.buffer_of(&vectors::<f64>(receivers)).unwrap();
    let sources = machine.buffer_of(&vectors::<T>(sources)).unwrap();
    let mut output = machine.allocate(columns(receivers.len())).unwrap();
    let (from, at) = (sources.view(), receivers.view());
    FewSum::new().sum(machine, from, at, softening, digits, output.view_mut()).unwrap();
    machine.items_of(&output).unwrap()
}

fn agree<M: Launcher>(machine: &M, receivers: &[[f64; 4]], sources: &[[f64; 4]], softening: f64) {
    // Points and charges that f32 holds.
    let rounded = |rows: &[[f64; 4]]| -> Vec<[f64; 4]> {
        rows.iter().map(|row| row.map(|x| f64::from(x as f32))).collect()
    };
    let (receivers, sources) = (&rounded(receivers), &rounded(sources));
    let exact = fields(receivers, sources, softening);
    let sums = |found: Vec<Vec4<f64>>| {
        let DirectSums { magnitudes, .. } = DirectSums::of_columns(receivers.len(), &found);
        assert_magnitudes(&magnitudes, receivers, sources, softening);
        errors(&found[..receivers.len()], &exact)
    };
    let (own, double) = (PairDigits::Own, PairDigits::Double);
    let single = sums(sum::<M, f32>(machine, receivers, sources, softening, own));
    // Pairs in f32 round to some units in the last place.
    assert!(single.iter().all(|e| *e < 4.0 * f64::from(f32::EPSILON)), "{single:?}");
    for found in [
        sum::<M, f64>(machine, receivers, sources, softening, own),
        sum::<M, f64>(machine, receivers, sources, softening, double),
        sum::<M, f32>(machine, receivers, sources, softening, double),
    ] {
        let double = sums(found);
        assert!(double.iter().all(|e| *e < 1e-14), "{double:?}");
    }
}

/// Whether these are the magnitudes at every [`EACH`]-th receiver, those of pulls to a factor.
fn assert_magnitudes(
    found: &[[f64; 2]],
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
) {
    let expected = receivers.iter().step_by(EACH).map(|[a, b, c, _]| {
        sources.iter().fold([0.0; 2], |[potential, pull], [x, y, z, q]| {
            let square = (x - a).powi(2) + (y - b).powi(2) + (z - c).powi(2);
            let soft = square + softening * softening;
            match square {
                0.0 => [potential, pull],
                _ => [
                    potential + q.abs() / soft.sqrt(),
                    pull + q.abs() * square.sqrt() / soft.powf(1.5),
                ],
            }
        })
    });
    assert_eq!(found.len(), receivers.len().div_ceil(EACH));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found[0] - expected[0]).abs() <= 1e-5 * expected[0], "{found:?} {expected:?}");
        // One pull along an axis is two thirds, one along a diagonal 1.16 times.
        let ratio = found[1] / expected[1];
        assert!(expected[1] == 0.0 || (0.66..1.16).contains(&ratio), "{found:?} {expected:?}");
    }
}

fn few_receivers_have_the_direct_sum<M: Launcher>(machine: &M) {
    agree(machine, &cube(17, 1, 0.1), &cube(1517, 2, 0.1), 0.0);
    agree(machine, &cube(3, 3, 0.1), &cube(1, 4, 0.1), 0.0);
    agree(machine, &cube(9, 5, 0.1), &cube(300, 6, 0.1), 0.05);
    // So many shares that several warps add them.
    agree(machine, &cube(3, 8, 0.1), &cube(20_000, 9, 0.1), 0.0);
}

fn coincident_pairs_count_nothing<M: Launcher>(machine: &M) {
    let points = cube(400, 7, 0.1);
    for softening in [0.0, 0.02] {
        agree(machine, &points[100..112], &points, softening);
    }
}

fn no_points_are_fine<M: Launcher>(machine: &M) {
    assert!(sum::<M, f32>(machine, &[], &cube(5, 1, 0.1), 0.0, PairDigits::Own).is_empty());
    let zero = sum::<M, f64>(machine, &cube(5, 1, 0.1), &[], 0.0, PairDigits::Own);
    assert_eq!(zero.len(), columns(5));
    assert!(zero.iter().all(|Vec4(v)| *v == [0.0; 4]));
}

fn charges_are_told<M: Launcher>(machine: &M) {
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
    let expected =
        ChargeFacts { largest: 6.0, signs: [true, false], not_finite: None, shares, unit: 1.0 };
    assert_eq!(facts(&charges), expected);
    charges[70_001] = -8.0;
    let shares = sums(&charges);
    let expected =
        ChargeFacts { largest: 8.0, signs: [true, true], not_finite: None, shares, unit: 1.0 };
    assert_eq!(facts(&charges), expected);
    (charges[80_003], charges[90_005]) = (f32::NAN, f32::INFINITY);
    let found = facts(&charges);
    assert_eq!((found.not_finite, found.largest), (Some(80_003), 8.0));
    let none = ChargeFacts {
        largest: 0.0,
        signs: [false; 2],
        not_finite: None,
        shares: [0.0; 2],
        unit: 1.0,
    };
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
fn results_are_told<M: Launcher>(machine: &M) {
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
