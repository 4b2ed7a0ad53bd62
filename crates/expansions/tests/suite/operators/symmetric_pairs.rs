//! Symmetric P2P against P2P one way, for all sizes and runs.

#![expect(clippy::single_range_in_vec_init, reason = "runs are ranges")]

use expansions::Scalar;
use expansions::operators::{
    CompensatedSums, Meeting, PairAccuracy, PointSums, Sources, SymmetricPoints, p2p, p2p_symmetric,
};
use proptest::prelude::*;
use std::ops::Range;

use super::support::{Cloud, Cube, Sums, direct, uniform};

const ACCURACIES: [PairAccuracy; 4] =
    [PairAccuracy::Digits4, PairAccuracy::Digits8, PairAccuracy::Digits12, PairAccuracy::Full];

/// Numbers of the first points of both sets.
const FIRST: [usize; 2] = [1000, 7];

/// Options of a sum.
#[derive(Clone, Copy, Debug)]
struct Options {
    softening: f64,
    accuracy: PairAccuracy,
    gradient: bool,
}

fn view<T: Scalar>(sums: &mut Sums<T>, gradient: bool) -> PointSums<'_, T> {
    if gradient { sums.as_mut() } else { sums.potential_only() }
}

/// Sums at `a` and at the points of `b` in `runs`, by symmetric P2P.
fn both_ways<T: Scalar>(
    [a, b]: [&Cloud<T>; 2],
    charges: [&[T]; 2],
    runs: &[Range<usize>],
    options: Options,
) -> [Sums<T>; 2] {
    let [mut to_a, mut to_b] =
        [a, b].map(|cloud| [Sums::zeros(cloud.len()), Sums::zeros(cloud.len())]);
    // The points of `a` in two stretches, and numbers from anywhere on.
    let (half, n) = (FIRST[0] + a.len() / 2, FIRST[0] + a.len());
    let stretches = [FIRST[0]..half, half..n].into_iter().filter(|points| !points.is_empty());
    let meetings: Vec<_> = stretches
        .flat_map(|points| {
            let of_run = move |run: &Range<usize>| {
                let others = FIRST[1] + run.start..FIRST[1] + run.end;
                Meeting { points: points.clone(), others }
            };
            runs.iter().map(of_run)
        })
        .collect();
    p2p_symmetric(
        points(a, charges[0], &mut to_a, (FIRST[0], options)),
        points(b, charges[1], &mut to_b, (FIRST[1], options)),
        &meetings,
        T::narrow(options.softening),
        options.accuracy,
    );
    [to_a, to_b].map(|[mut total, compensation]| {
        let add = |total: &mut Vec<T>, compensation: &[T]| {
            total
                .iter_mut()
                .zip(compensation)
                .for_each(|(total, compensation)| *total += *compensation);
        };
        add(&mut total.potential, &compensation.potential);
        total
            .gradient
            .iter_mut()
            .zip(&compensation.gradient)
            .for_each(|(to, compensation)| add(to, compensation));
        total
    })
}

fn points<'a, T: Scalar>(
    cloud: &'a Cloud<T>,
    charges: &'a [T],
    [total, compensation]: &'a mut [Sums<T>; 2],
    (first, options): (usize, Options),
) -> SymmetricPoints<'a, T> {
    let sums = CompensatedSums {
        total: view(total, options.gradient),
        compensation: view(compensation, options.gradient),
    };
    SymmetricPoints { first, coordinates: cloud.slices(), charges, sums }
}

/// Sums at the receivers due to the sources in `runs`, by P2P one way.
fn one_way<T: Scalar>(
    sources: &Cloud<T>,
    charges: &[&[T]],
    runs: &[Range<usize>],
    receivers: &Cloud<T>,
    options: Options,
) -> Vec<Sums<T>> {
    let mut to = vec![Sums::zeros(receivers.len()); charges.len()];
    let sources = Sources { coordinates: sources.slices(), charges };
    let mut sums: Vec<_> = to.iter_mut().map(|sums| view(sums, options.gradient)).collect();
    let softening = T::narrow(options.softening);
    p2p(&sources, runs, receivers.slices(), softening, options.accuracy, &mut sums);
    to
}

fn charges<T: Scalar>(n: usize, seed: u64) -> Vec<T> {
    let mut next = uniform(seed);
    (0..n).map(|_| T::narrow(next())).collect()
}

/// Points of `b` in the runs, one after the other.
fn chosen<T: Scalar>(b: &Cloud<T>, runs: &[Range<usize>]) -> Vec<usize> {
    let all: Vec<usize> = (0..b.len()).collect();
    runs.iter().flat_map(|run| all[run.clone()].to_vec()).collect()
}

/// Sums of both sets equal those of P2P one way.
fn agrees<T: Scalar>(sizes: [usize; 2], runs: &[Range<usize>], options: Options) {
    // Every third point is in both sets, so that some pairs coincide.
    let mut a = Cloud::<T>::inside(sizes[0], Cube::UNIT, 1);
    let b = Cloud::<T>::inside(sizes[1], Cube::UNIT, 2);
    for i in (0..sizes[0].min(sizes[1])).step_by(3) {
        for axis in 0..3 {
            a.coordinates[axis][i] = b.coordinates[axis][sizes[1] - 1 - i];
        }
    }
    let (qa, qb) = (charges::<T>(sizes[0], 10), charges::<T>(sizes[1], 90));
    let got = both_ways([&a, &b], [&qa, &qb], runs, options);
    let from_b = one_way(&b, &[&qb], runs, &a, options).remove(0);
    let all_of_a = 0..a.len();
    let from_a = one_way(&a, &[&qa], std::slice::from_ref(&all_of_a), &b, options).remove(0);
    let inside = chosen(&b, runs);
    let epsilon = T::epsilon().widen();
    let close = |got: T, want: T, size: f64| {
        let error = (got.widen() - want.widen()).abs();
        assert!(
            error <= 60.0 * epsilon * size,
            "{options:?} {sizes:?} {runs:?}: {got} {want} {size}"
        );
    };
    // Sizes of the sums, of the terms of which no larger rounding errors come.
    let largest = |sums: &Sums<T>| {
        let size = |x: &[T]| x.iter().map(|x| x.widen().abs()).fold(0.0, f64::max);
        [size(&sums.potential), sums.gradient.iter().map(|x| size(x)).fold(0.0, f64::max)]
    };
    let check = |got: &Sums<T>, want: &Sums<T>, i: usize| {
        let [potential, gradient] = largest(want);
        close(got.potential[i], want.potential[i], potential + sizes[0].max(sizes[1]) as f64);
        for axis in 0..3 {
            close(got.gradient[axis][i], want.gradient[axis][i], gradient + 100.0);
        }
    };
    (0..a.len()).for_each(|i| check(&got[0], &from_b, i));
    inside.iter().for_each(|i| check(&got[1], &from_a, *i));
    let outside = (0..b.len()).filter(|i| !inside.contains(i));
    outside.for_each(|i| assert_eq!(got[1].potential[i], T::ZERO));
}

#[test]
fn every_case_agrees_with_one_way() {
    for accuracy in ACCURACIES {
        for softening in [0.0, 0.1] {
            for gradient in [true, false] {
                let options = Options { softening, accuracy, gradient };
                let runs = [0..5, 5..5, 9..57];
                agrees::<f64>([37, 60], &runs, options);
                agrees::<f32>([37, 60], &runs, options);
            }
        }
    }
}

#[test]
fn all_sizes_around_the_widths_agree() {
    let options = Options { softening: 0.0, accuracy: PairAccuracy::Full, gradient: true };
    for n in 0..70 {
        for m in [0, 1, 7, 16, 33, 66] {
            agrees::<f64>([n, m], &[0..m], options);
            agrees::<f32>([m, n], &[0..n / 3, n / 3..n], options);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_runs_agree(
        a in 1_usize..150,
        cuts in prop::collection::vec(0_usize..200, 1..4),
    ) {
        let mut cuts = cuts;
        cuts.extend([0, 200]);
        cuts.sort_unstable();
        let runs: Vec<_> = cuts.windows(2).step_by(2).map(|cut| cut[0]..cut[1]).collect();
        let options = Options { softening: 0.0, accuracy: PairAccuracy::Digits8, gradient: true };
        agrees::<f64>([a, 200], &runs, options);
        agrees::<f32>([a, 200], &runs, options);
    }
}

/// Sums are added to what is there, and in single precision no digits are compensation to their number, on
/// neither side.
#[test]
fn a_million_points_lose_no_digits_in_single_precision() {
    let options = Options { softening: 0.0, accuracy: PairAccuracy::Full, gradient: true };
    let many = 1_000_000;
    for sizes in [[many, 9], [9, many]] {
        let cubes = [Cube::UNIT, Cube::UNIT.neighbor([2, 0, 0])];
        let [a, b] = [0, 1].map(|i| {
            let mut cloud = Cloud::<f32>::in_cube(sizes[i], cubes[i], i as u64);
            cloud.charges.fill(1.0);
            cloud
        });
        let charges = [&a.charges[..], &b.charges];
        let got = both_ways([&a, &b], charges, &[0..b.len()], options);
        let few = if sizes[0] == many { 1 } else { 0 };
        let (sources, receivers) = if few == 1 { (&a, &b) } else { (&b, &a) };
        let exact = direct(sources, receivers, 0.0);
        for i in 0..9 {
            let sums = &got[few];
            let error = (f64::from(sums.potential[i]) / exact.potential[i] - 1.0).abs();
            assert!(error < 4.0 * f64::from(f32::EPSILON), "{sizes:?}: {error:e}");
            let error = (f64::from(sums.gradient[0][i]) / exact.gradient[0][i] - 1.0).abs();
            assert!(error < 8.0 * f64::from(f32::EPSILON), "{sizes:?}: {error:e}");
        }
    }
}

/// Points so close that 1/r³ is hardly a number of f32 act on each other as they should, and closer
/// ones not at all; a charge of zero gives zero.
#[test]
fn close_points_act_until_they_coincide() {
    let options = Options { softening: 0.0, accuracy: PairAccuracy::Full, gradient: true };
    for (distance, charge) in [(1e-12, 1.0), (1e-12, 0.0), (1e-13, 1.0), (1e-14, 0.0)] {
        let at = |x: f64| Cloud::<f32>::from_points(&[[x, 0.0, 0.0]], &[charge]);
        let one = [charge as f32];
        let charges = [&one[..]; 2];
        let clouds = [&at(0.0), &at(distance)];
        let [a, b] = both_ways(clouds, charges, &[0..1], options);
        let [from_b, of_two] = [1, 2].map(|n_vectors| {
            one_way(clouds[1], &vec![charges[1]; n_vectors], &[0..1], clouds[0], options).remove(0)
        });
        let near = if distance > 6.4e-13 { charge } else { 0.0 };
        let want = [near / distance, near / (distance * distance)];
        for (sums, sign) in [(a, 1.0), (b, -1.0), (from_b, 1.0), (of_two, 1.0)] {
            let got = [sums.potential[0], sign * sums.gradient[0][0]].map(f64::from);
            for (got, want) in got.into_iter().zip(want) {
                assert!((got - want).abs() <= 1e-6 * want, "{distance:e}: {got:e}, not {want:e}");
            }
        }
    }
}
