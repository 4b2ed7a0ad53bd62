//! P2P: accuracy classes, left-out pairs, softening, runs, any number of receivers and vectors.

use expansions::Scalar;
use expansions::operators::{PairAccuracy, PointSums, Sources, p2p};
use std::ops::Range;

use super::support::{Cloud, Cube, Sums, direct, uniform};

const ACCURACIES: [(PairAccuracy, f64); 4] = [
    (PairAccuracy::Digits4, 6.2e-5),
    (PairAccuracy::Digits8, 1e-8),
    (PairAccuracy::Digits12, 1e-12),
    (PairAccuracy::Full, 0.0),
];

/// All sources, in two runs.
fn all(n: usize) -> [Range<usize>; 2] {
    [0..n / 3, n / 3..n]
}

fn run<T: Scalar>(
    sources: &Cloud<T>,
    runs: &[Range<usize>],
    receivers: &Cloud<T>,
    softening: T,
    accuracy: PairAccuracy,
) -> Sums<T> {
    let mut sums = Sums::zeros(receivers.len());
    let charges = [sources.charges.as_slice()];
    let given = Sources { coordinates: sources.slices(), charges: &charges };
    p2p(&given, runs, receivers.slices(), softening, accuracy, &mut [sums.as_mut()]);
    sums
}

/// The relative error of every single pair, over distances of ten decades.
fn check_accuracy<T: Scalar>(softening: f64) {
    let mut next = uniform(1);
    let points: Vec<[f64; 3]> = (0..3000)
        .map(|_| {
            let size = 10.0_f64.powf(10.0 * next());
            [next(), next(), next()].map(|c| c * size)
        })
        .collect();
    let receivers = Cloud::<T>::from_points(&points, &vec![0.0; points.len()]);
    let sources = Cloud::from_points(&[[0.0; 3]], &[1.0]);
    let exact = direct(&sources, &receivers, softening);
    for (accuracy, promised) in ACCURACIES {
        let sums = run(&sources, &all(1), &receivers, T::narrow(softening), accuracy);
        let epsilon = T::epsilon().widen();
        let mut worst = [0.0_f64; 2];
        for i in 0..points.len() {
            let error = (sums.potential[i].widen() / exact.potential[i] - 1.0).abs();
            let pull = |s: [f64; 3]| s.iter().map(|c| c * c).sum::<f64>().sqrt();
            let got = [0, 1, 2].map(|k| sums.gradient[k][i].widen());
            let want = [0, 1, 2].map(|k| exact.gradient[k][i]);
            let gradient = pull([0, 1, 2].map(|k| got[k] - want[k])) / pull(want);
            worst = [worst[0].max(error), worst[1].max(gradient)];
        }
        let name = T::NAME;
        // The gradient has the cube of 1/r.
        assert!(worst[0] <= promised + 3.0 * epsilon, "{name} {accuracy:?}: {:e}", worst[0]);
        assert!(worst[1] <= 3.1 * promised + 9.0 * epsilon, "{name} {accuracy:?}: {:e}", worst[1]);
    }
}

#[test]
fn every_accuracy_keeps_its_promise() {
    for softening in [0.0, 0.125] {
        check_accuracy::<f64>(softening);
        check_accuracy::<f32>(softening);
    }
}

#[test]
fn a_tolerance_gets_a_tenth_of_itself() {
    for exponent in 0..160 {
        let tolerance = 10.0_f64.powf(-0.1 * f64::from(exponent));
        let chosen = PairAccuracy::for_tolerance(tolerance);
        let promised = ACCURACIES.iter().find(|(a, _)| *a == chosen).unwrap().1;
        assert!(promised <= 0.1001 * tolerance, "{tolerance:e}: {chosen:?}");
    }
}

/// All numbers of receivers around the widths of lanes, with and without gradient.
fn check_receivers<T: Scalar>() {
    let sources = Cloud::<T>::in_cube(33, Cube::UNIT, 1);
    let scale = T::epsilon().widen() * sources.total();
    for n in 0..=70 {
        let receivers = Cloud::in_cube(n, Cube::UNIT.neighbor([1, 0, 1]), 2);
        let exact = direct(&sources, &receivers, 0.0);
        let sums = run(&sources, &[0..10, 10..10, 10..33], &receivers, T::ZERO, PairAccuracy::Full);
        // Corners of the cubes meet, so the nearest pairs are as close as rounding lets them be
        // left out, and the next at a distance of order 0.1.
        let [potential, gradient] = sums.errors(&exact);
        assert!(potential <= 100.0 * scale, "{} {n}: {potential:e}", T::NAME);
        assert!(gradient <= 10_000.0 * scale, "{} {n}: {gradient:e}", T::NAME);
        let mut alone = Sums::zeros(n);
        let charges = [sources.charges.as_slice()];
        let given = Sources { coordinates: sources.slices(), charges: &charges };
        let runs = [0..10, 10..10, 10..33];
        let slices = receivers.slices();
        p2p(&given, &runs, slices, T::ZERO, PairAccuracy::Full, &mut [alone.potential_only()]);
        assert_eq!(alone.potential, sums.potential);
    }
}

#[test]
fn any_number_of_receivers_is_served() {
    check_receivers::<f64>();
    check_receivers::<f32>();
}

#[test]
fn any_number_of_charge_vectors_is_served() {
    let cloud = Cloud::<f64>::in_cube(150, Cube::UNIT, 3);
    let receivers = Cloud::in_cube(37, Cube::UNIT, 4);
    let vectors: Vec<Vec<f64>> = (0..21)
        .map(|seed| {
            let mut next = uniform(seed);
            (0..150).map(|_| next()).collect()
        })
        .collect();
    for n in [1, 2, 3, 4, 5, 7, 8, 16, 17, 21] {
        for with_gradient in [true, false] {
            let charges: Vec<&[f64]> = vectors[..n].iter().map(Vec::as_slice).collect();
            let given = Sources { coordinates: cloud.slices(), charges: &charges };
            let mut sums = vec![Sums::zeros(37); n];
            let mut to: Vec<PointSums<'_, f64>> = sums
                .iter_mut()
                .map(|s| if with_gradient { s.as_mut() } else { s.potential_only() })
                .collect();
            p2p(&given, &all(150), receivers.slices(), 0.0, PairAccuracy::Full, &mut to);
            for (sums, charges) in sums.iter().zip(&vectors) {
                let sources = Cloud { charges: charges.clone(), ..cloud.clone() };
                let mut exact = direct(&sources, &receivers, 0.0);
                if !with_gradient {
                    exact.gradient = Sums::zeros(37).gradient;
                }
                let errors = sums.errors(&exact);
                for (error, size) in errors.into_iter().zip(exact.sizes()) {
                    assert!(error <= 1e-13 * size, "{n} vectors: {error:e} of {size:e}");
                }
            }
        }
    }
}

/// Softened pairs act at distances whose third power is no number, as long as the square is one.
#[test]
fn softened_pairs_act_however_close() {
    for distance in [1e-90, 1e-103, 1e-120, 1e-150] {
        let sources = Cloud::<f64>::from_points(&[[distance, 0.0, 0.0]], &[1.0]);
        let receivers = Cloud::from_points(&[[0.0; 3]], &[0.0]);
        for (accuracy, promised) in ACCURACIES {
            let sums = run(&sources, &all(1), &receivers, 0.125, accuracy);
            let error = (sums.potential[0] / 8.0 - 1.0).abs();
            assert!(error <= promised.max(1e-15), "{distance:e}, {accuracy:?}: {error:e}");
        }
    }
}

/// A point does not act on itself, nor do coincident ones on each other, softened or not.
#[test]
fn coincident_pairs_are_left_out() {
    fn check<T: Scalar>() {
        let mut cloud = Cloud::<T>::in_cube(60, Cube::UNIT, 5);
        cloud.append(&cloud.clone());
        let cases = [(0.0, PairAccuracy::Digits4), (0.125, PairAccuracy::Digits4)];
        for (softening, accuracy) in cases.into_iter().chain([(0.125, PairAccuracy::Digits8)]) {
            let soft = T::narrow(softening);
            let sums = run(&cloud, &all(cloud.len()), &cloud, soft, accuracy);
            let exact = direct(&cloud, &cloud, softening);
            // Softened sums are taken to 4 digits or to rounding.
            let digits4 = accuracy == PairAccuracy::Digits4;
            let relative = if digits4 { 1e-4 } else { 40.0 * T::epsilon().widen() };
            for (error, size) in sums.errors(&exact).into_iter().zip([cloud.total(); 2]) {
                assert!(error <= 50.0 * relative * size, "{softening}: {error:e} of {size:e}");
            }
        }
        let same = Cloud::<T>::from_points(&[[0.3, -0.1, 7.0]; 21], &[1.0; 21]);
        for softening in [0.0, 0.1].map(T::narrow) {
            let sums = run(&same, &all(21), &same, softening, PairAccuracy::Full);
            assert_eq!(sums, Sums::zeros(21));
        }
    }
    check::<f64>();
    check::<f32>();
}

#[test]
fn softening_is_plummers() {
    let sources = Cloud::<f64>::from_points(&[[3.0, 0.0, 0.0]], &[2.0]);
    let receivers = Cloud::from_points(&[[0.0; 3]], &[0.0]);
    let sums = run(&sources, &all(1), &receivers, 4.0, PairAccuracy::Full);
    assert!((sums.potential[0] - 0.4).abs() < 1e-16);
    assert!((sums.gradient[0][0] - 6.0 / 125.0).abs() < 1e-16);
    assert_eq!((sums.gradient[1][0], sums.gradient[2][0]), (0.0, 0.0));
}

#[test]
fn sums_are_added_to_what_is_there() {
    let cloud = Cloud::<f64>::in_cube(40, Cube::UNIT, 6);
    let mut twice = run(&cloud, &all(40), &cloud, 0.0, PairAccuracy::Full);
    let once = twice.clone();
    let charges = [cloud.charges.as_slice()];
    let given = Sources { coordinates: cloud.slices(), charges: &charges };
    p2p(&given, &all(40), cloud.slices(), 0.0, PairAccuracy::Full, &mut [twice.as_mut()]);
    let doubled = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| *b == 2.0 * a);
    assert!(doubled(&once.potential, &twice.potential));
    assert!((0..3).all(|k| doubled(&once.gradient[k], &twice.gradient[k])));
    p2p(&given, &[], cloud.slices(), 0.0, PairAccuracy::Full, &mut [twice.as_mut()]);
    assert!(doubled(&once.potential, &twice.potential));
}

/// A plain f32 sum of so many terms of one sign would be wrong in the fourth digit.
#[test]
fn a_million_sources_lose_no_digits_in_single_precision() {
    let n = 1_000_000;
    let mut sources = Cloud::<f32>::in_cube(n, Cube::UNIT, 7);
    sources.charges.fill(1.0);
    let receivers = Cloud::<f32>::in_cube(9, Cube::UNIT.neighbor([2, 0, 0]), 8);
    let exact = direct(&sources, &receivers, 0.0);
    let sums = run(&sources, &all(n), &receivers, 0.0, PairAccuracy::Full);
    for i in 0..receivers.len() {
        let error = (f64::from(sums.potential[i]) / exact.potential[i] - 1.0).abs();
        assert!(error < 4.0 * f64::from(f32::EPSILON), "{error:e}");
        let error = (f64::from(sums.gradient[0][i]) / exact.gradient[0][i] - 1.0).abs();
        assert!(error < 8.0 * f64::from(f32::EPSILON), "{error:e}");
    }
}
