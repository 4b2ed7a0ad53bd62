//! Seconds of the work on boxes, points and pairs of boxes.

use fmm::{Depth, Fmm, M2l, Method, Scalar, Stage, Tolerance};
use testbed::clouds;
use testbed::conformance::Problem;
use testbed::fit::{median, positive_fit};

use super::is_f64;
use super::timing::{Machine, Timing, masses, time};
use crate::tables::Numbers;
use crate::{Outcome, SEED};

/// The largest order at which dense M2L is tried: beyond, p⁴ numbers a pair take longer than rotation does.
const LARGEST_DENSE: usize = 10;

/// Orders that polynomials are fitted to: on a GPU, the larger ones are in f64.
fn orders<T: Scalar>(machine: Machine) -> &'static [usize] {
    const CORES: [usize; 8] = [3, 4, 6, 8, 10, 12, 16, 20];
    const GPU: [usize; 10] = [4, 5, 6, 8, 10, 12, 16, 22, 28, 36];
    let of_gpu = if is_f64::<T>() { &GPU[..] } else { &GPU[..7] };
    machine.pick(&CORES[..], of_gpu)
}

/// The largest order of M2L by rotation on a GPU.
const LARGEST_ROTATED_ON_GPU: usize = 16;

/// The FMM by expansions of an order on a uniform tree.
fn uniform(machine: Machine, order: usize, level: u8) -> Fmm {
    let fmm = machine.fmm().method(Method::Fmm).tolerance(Tolerance::Order(order));
    fmm.depth(Depth::Uniform(level))
}

/// Points and depth of a tree whose time is that of M2L: a few points a leaf.
fn far_tree<T: Scalar>(machine: Machine) -> (Problem<T>, u8) {
    let n = machine.pick(1 << 15, 1 << 20);
    (masses(&clouds::uniform_cube(n, SEED)), machine.pick(4, 6))
}

/// Coefficients of p², p³ and p⁴ of an M2L translation by the faster pairwise form. On cores dense matrices and
/// rotation leave p² and p⁴; kernels of a GPU rotate: p² and p³.
pub(super) fn m2l<T: Scalar>(machine: Machine) -> Outcome<[f64; 3]> {
    let (problem, level) = far_tree::<T>(machine);
    let last = machine.pick(4, 3);
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    let largest = machine.pick(usize::MAX, LARGEST_ROTATED_ON_GPU);
    for order in orders::<T>(machine).iter().filter(|order| **order <= largest) {
        let dense = !machine.is_gpu() && *order <= LARGEST_DENSE;
        let forms: &[M2l] = if dense { &[M2l::Rotation, M2l::Dense] } else { &[M2l::Rotation] };
        let mut fastest = f64::INFINITY;
        for form in forms {
            let timing = time(uniform(machine, *order, level).m2l(*form), &problem, 1)?;
            fastest = fastest.min(timing.of(Stage::M2l) / timing.report.m2l_pairs as f64);
        }
        rows.push([2, last].map(|power| (*order as f64).powi(power)));
        values.push(fastest);
    }
    let [square, other] = positive_fit(&rows, &values);
    Ok(machine.pick([square, 0.0, other], [square, other, 0.0]))
}

/// The cost of an offset without a source box over one with: from M2L on a sphere's surface, which has a fifth of a
/// volume's far boxes. 0 on cores, whose M2L has lists of pairs.
pub(super) fn empty_offset<T: Scalar>(machine: Machine) -> Outcome<f64> {
    const OFFSETS: f64 = 189.0;
    if !machine.is_gpu() {
        return Ok(0.0);
    }
    let (volume, level) = far_tree::<T>(machine);
    let n = volume.sources.len();
    let surface = masses(&clouds::sphere_surface(n, SEED));
    let mut shares = Vec::new();
    for order in [6, 8, 10] {
        // Seconds and pairs of a box that has far pairs.
        let of_box = |problem: &Problem<T>, level: u8| -> Outcome<[f64; 2]> {
            let timing = time(uniform(machine, order, level), problem, 1)?;
            let boxes = (timing.report.boxes - 9) as f64;
            Ok([timing.of(Stage::M2l) / boxes, timing.report.m2l_pairs as f64 / boxes])
        };
        let ([all, pairs], [few, part]) = (of_box(&volume, level)?, of_box(&surface, level + 1)?);
        // all = m (pairs + e (189 − pairs)), and the same for few.
        let ratio = few / all;
        let share = (ratio * pairs - part) / ((OFFSETS - part) - ratio * (OFFSETS - pairs));
        shares.push(share.clamp(0.0, 1.0));
    }
    Ok(median(shares))
}

/// Orders of plane waves on a GPU: those for which its kernels of rotation are slow, or end.
const WAVES_ON_GPU: [usize; 4] = [13, 20, 28, 36];

/// Coefficients of p and p² of the plane waves of a box, where half of the work is that of families; 0 in f32 on a GPU,
/// which has none.
pub(super) fn waves<T: Scalar>(machine: Machine) -> Outcome<[f64; 2]> {
    if machine.is_gpu() && !is_f64::<T>() {
        return Ok([0.0; 2]);
    }
    // On a GPU leaves of 32 points, as small tolerances have, and few parts.
    let (problem, finest) = far_tree::<T>(machine);
    let level = machine.pick(finest, finest - 1);
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for order in machine.pick(orders::<T>(machine), &WAVES_ON_GPU[..]) {
        let timing = time(uniform(machine, *order, level).m2l(M2l::PlaneWaves), &problem, 1)?;
        let report = &timing.report;
        // The root and its children have no far pairs.
        let (boxes, families) = (report.boxes - 9, report.boxes - report.leaves);
        let units = 0.5 * boxes as f64 + 4.0 * families as f64;
        let p = *order as f64;
        rows.push([units * p, units * p * p]);
        values.push(timing.of(Stage::M2l));
    }
    Ok(positive_fit(&rows, &values))
}

/// M2L between few boxes: the coefficients of p⁴ pair by pair and of p by plane waves; 0 on cores, where few boxes cost
/// little.
pub(super) fn few_boxes<T: Scalar>(machine: Machine) -> Outcome<[f64; 2]> {
    if !machine.is_gpu() {
        return Ok([0.0; 2]);
    }
    const LEVEL: u8 = 3;
    let problem: Problem<T> = masses(&clouds::uniform_cube(4000, SEED));
    let seconds = |order: usize, form: M2l| -> Outcome<f64> {
        Ok(time(uniform(machine, order, LEVEL).m2l(form), &problem, 1)?.of(Stage::M2l))
    };
    let (mut coefficients, mut waves) = (Vec::new(), Vec::new());
    for order in [6, 8, 10] {
        coefficients.push(seconds(order, M2l::Rotation)? / (order as f64).powi(4));
        let by_waves = if is_f64::<T>() { seconds(order, M2l::PlaneWaves)? } else { 0.0 };
        waves.push(by_waves / order as f64);
    }
    Ok([median(coefficients), median(waves)])
}

/// Coefficients of 1 and p² of the work on a box, and on a point, besides pairs and M2L: from trees of two depths,
/// whose leaves have an eighth of the points of the others.
pub(super) fn boxes_and_points<T: Scalar>(machine: Machine) -> Outcome<([f64; 2], [f64; 2])> {
    let n = machine.pick(1 << 16, 1 << 20);
    let problem: Problem<T> = masses(&clouds::uniform_cube(n, SEED));
    let stages = [Stage::P2m, Stage::M2m, Stage::L2l, Stage::L2p, Stage::Other];
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for order in orders::<T>(machine) {
        for level in machine.pick([3, 4], [4, 5]) {
            let timing = time(uniform(machine, *order, level), &problem, 1)?;
            let (boxes, points) = (timing.report.boxes as f64, n as f64);
            let square = (order * order) as f64;
            rows.push([boxes, boxes * square, points, points * square]);
            let spent: f64 = stages.iter().map(|stage| timing.of(*stage)).sum();
            values.push(spent + timing.plan[Stage::Lists as usize]);
        }
    }
    let [one_box, box_square, point, point_square] = positive_fit(&rows, &values);
    Ok(([one_box, box_square], [point, point_square]))
}

/// Coefficients of 1 and p³ of the work whatever the points: on cores what a first evaluation does for a plan
/// whose tables other plans have made, on a GPU the launches of an evaluation of few points.
pub(super) fn fixed<T: Scalar>(machine: Machine) -> Outcome<[f64; 2]> {
    let problem: Problem<T> = masses(&clouds::uniform_cube(2000, SEED));
    if machine.is_gpu() {
        let seconds = median_of(5, || Ok(time(uniform(machine, 6, 2), &problem, 1)?.total()))?;
        return Ok([seconds, 0.0]);
    }
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for order in orders::<T>(machine) {
        let first = || Ok(time(uniform(machine, *order, 2), &problem, 1)?.first_only());
        rows.push([1.0, (*order as f64).powi(3)]);
        values.push(median_of(5, first)?.max(1e-5));
    }
    Ok(positive_fit(&rows, &values))
}

fn median_of(count: usize, mut measure: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    let values: Outcome<Vec<f64>> = (0..count).map(|_| measure()).collect();
    Ok(median(values?))
}

/// M2P of one box at a point and P2L of one point in a box: coefficients of 1 and of the number of coefficients, in
/// pairs. Those on file stay where a Plummer model has no such pairs.
pub(super) fn singles<T: Scalar>(
    machine: Machine,
    pair: f64,
    old: &Numbers,
) -> Outcome<[[f64; 2]; 2]> {
    let n = machine.pick(100_000, 1 << 20);
    let problem: Problem<T> = masses(&clouds::plummer(n, SEED));
    // Large leaves have many sources and receivers, for which single expansions pay.
    let depth = Depth::Adaptive { leaf_capacity: machine.pick(300, 256) };
    let mut timings: Vec<(usize, Timing)> = Vec::new();
    let orders =
        if machine.is_gpu() && is_f64::<T>() { [6, 10, 16, 24, 36] } else { [4, 6, 8, 10, 12] };
    for order in orders {
        let fmm = machine.fmm().method(Method::Fmm).tolerance(Tolerance::Order(order)).depth(depth);
        timings.push((order, time(fmm, &problem, 1)?));
    }
    let fitted = |stage: Stage, pairs: fn(&Timing) -> u64, name: &str| {
        let counted = timings.iter().filter(|(_, timing)| pairs(timing) > 10_000);
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for (order, timing) in counted {
            rows.push([1.0, (order * order) as f64]);
            values.push(timing.of(stage) / pairs(timing) as f64 / pair);
        }
        if rows.len() >= 2 {
            return positive_fit(&rows, &values);
        }
        eprintln!("{name}: too few pairs; the numbers on file stay");
        match old.get(name).map(Vec::as_slice) {
            Some(&[constant, coefficient]) => [constant, coefficient],
            _ => [0.0, 1.0],
        }
    };
    Ok([
        fitted(Stage::M2p, |timing| timing.report.m2p_pairs, "m2p"),
        fitted(Stage::P2l, |timing| timing.report.p2l_pairs, "p2l"),
    ])
}
