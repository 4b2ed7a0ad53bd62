//! Properties of any points and charges: linearity, no effect of the points' order or of zero
//! charges, a set and itself.

use fmm::{Depth, Device, Fmm, Tolerance};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use testbed::conformance::{Bed, Engine, Oracle, Problem};
use testbed::{charges, clouds, norms, reference};

const TOLERANCE: f64 = 1e-4;

/// Positions of a named shape, few enough to check every receiver.
fn positions(bed: Bed) -> impl Strategy<Value = Vec<[f64; 3]>> {
    let most = if bed.is_slow() { 150 } else { 500_usize };
    (0..8_usize, 1..most, 0..1000_u64).prop_map(|(shape, n, seed)| {
        let shapes = clouds::distributions(n, seed).into_iter().chain(clouds::degenerate(n, seed));
        shapes.map(|cloud| cloud.positions).nth(shape).unwrap()
    })
}

fn depth() -> impl Strategy<Value = Depth> {
    prop_oneof![
        (1..60_usize).prop_map(|leaf_capacity| Depth::Adaptive { leaf_capacity }),
        (0..5_u8).prop_map(Depth::Uniform),
    ]
}

fn deep(engine: Engine, depth: Depth) -> Fmm {
    engine.fmm().tolerance(TOLERANCE).depth(depth)
}

/// Few cases, always the same: each is a whole evaluation. Ranks with a GPU each open it anew for every sum.
fn config(bed: Bed) -> ProptestConfig {
    let cases = match bed.is_slow() {
        true => 3,
        false if bed.is_brief() && bed.device != Device::Cpu => 6,
        false => 24,
    };
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Any tree over any shape gives the sum.
fn any_tree_is_right(bed: Bed) {
    proptest!(config(bed), |(positions in positions(bed), depth in depth(), seed in 0..1000_u64)| {
        let n = positions.len();
        for charges in [charges::masses(n, seed), charges::mixed(n, seed)] {
            let problem = Problem::<f64>::new("any", &positions, &charges);
            let magnitudes = Oracle::of_magnitudes(&problem, n, 0.0);
            let oracle = Oracle::new(&problem, n);
            for engine in bed.engines() {
                let field = engine.field(&problem, deep(engine, depth)).unwrap();
                // Few mixed charges may cancel by chance: errors are measured by what cancels.
                let error = distance(&field.potential, &oracle.potential);
                prop_assert!(error <= TOLERANCE * length(&magnitudes.potential), "{error:e}");
            }
        }
    });
}

/// The field of a q + b s is a times the field of q and b times that of s, to rounding. But for
/// the treecode, whose cells depend on the charges.
fn linear_in_the_charges(bed: Bed) {
    proptest!(config(bed), |(
        positions in positions(bed),
        depth in depth(),
        seed in 0..1000_u64,
        a in -3.0..3.0_f64,
        b in -3.0..3.0_f64,
    )| {
        let n = positions.len();
        let (q, s) = (charges::mixed(n, seed), charges::mixed(n, seed + 1));
        let sum: Vec<f64> = q.iter().zip(&s).map(|(q, s)| a * q + b * s).collect();
        let sizes = q.iter().zip(&s).map(|(q, s)| (a * q).abs() + (b * s).abs());
        let magnitudes: Vec<f64> = sizes.collect();
        let (potential, _) = reference::direct(&positions, &magnitudes, &positions, 0.0);
        for engine in bed.engines().filter(|engine| !engine.method.is_treecode()) {
            // One order for all, whatever the signs.
            let order = 10;
            let fmm = engine.fmm().tolerance(Tolerance::Order(order)).depth(depth);
            let plan = fmm.plan(&positions).unwrap();
            let [q, s, sum] = [&q, &s, &sum].map(|charges| plan.evaluate(charges).unwrap());
            // Each operator adds up at most p² terms or one for each source.
            let rounding = (n + 4 * order * order) as f64 * f64::EPSILON;
            for (i, magnitude) in potential.iter().enumerate() {
                let expected = a * q.potential[i] + b * s.potential[i];
                prop_assert!((sum.potential[i] - expected).abs() <= rounding * magnitude);
            }
            let expected: Vec<[f64; 3]> = (0..n)
                .map(|i| [0, 1, 2].map(|d| a * q.gradient[i][d] + b * s.gradient[i][d]))
                .collect();
            let error = norms::vector(&sum.gradient, &expected).l2;
            let size = sum.gradient.as_flattened().iter().map(|x| x.abs()).fold(0.0, f64::max);
            prop_assert!(size == 0.0 || error <= 1e3 * rounding, "{error:e}");
        }
    });
}

/// The caller's order of points is of no account.
fn permuted_points_permute_the_field(bed: Bed) {
    proptest!(config(bed), |(
        positions in positions(bed),
        seed in 0..1000_u64,
        step in 1..40_usize,
    )| {
        let n = positions.len();
        // A stride that is prime to n visits every point once.
        let step = (step..).find(|step| gcd(*step, n) == 1).unwrap();
        let order: Vec<usize> = (0..n).map(|i| (i * step + 3) % n).collect();
        let charges = charges::masses(n, seed);
        let permuted: Vec<[f64; 3]> = order.iter().map(|i| positions[*i]).collect();
        let permuted_charges: Vec<f64> = order.iter().map(|i| charges[*i]).collect();
        for engine in bed.engines() {
            let fmm = deep(engine, Depth::Adaptive { leaf_capacity: 10 });
            let field = Problem::<f64>::new("", &positions, &charges).field(fmm).unwrap();
            let other = Problem::<f64>::new("", &permuted, &permuted_charges).field(fmm).unwrap();
            // The boxes hold the same points, so only the order of additions differs.
            let rounding = (n * 100) as f64 * f64::EPSILON;
            for (k, i) in order.iter().enumerate() {
                let (value, expected) = (other.potential[k], field.potential[*i]);
                prop_assert!((value - expected).abs() <= rounding * expected.abs());
            }
        }
    });
}

/// Sources without charge change the tree, and no result.
fn a_zero_charge_has_no_effect(bed: Bed) {
    proptest!(config(bed), |(
        positions in positions(bed),
        others in positions(bed),
        seed in 0..1000_u64,
    )| {
        let charges = charges::masses(positions.len(), seed);
        let mut more = positions.clone();
        more.extend(&others);
        let mut more_charges = charges.clone();
        more_charges.resize(more.len(), 0.0);
        let problem = Problem::<f64>::new("with zeros", &more, &more_charges).at(&positions);
        let oracle = Oracle::new(&Problem::<f64>::new("", &positions, &charges), positions.len());
        for engine in bed.engines() {
            let fmm = deep(engine, Depth::Adaptive { leaf_capacity: 10 });
            let error = distance(&problem.field(fmm).unwrap().potential, &oracle.potential);
            prop_assert!(error <= TOLERANCE * length(&oracle.potential), "{error:e}");
        }
    });
}

/// Receivers that happen to be the sources get the self-sum: coincident pairs are dropped.
fn a_set_and_itself(bed: Bed) {
    proptest!(config(bed), |(positions in positions(bed), seed in 0..1000_u64)| {
        let charges = charges::masses(positions.len(), seed);
        let same = Problem::<f64>::new("self", &positions, &charges);
        let twice = same.clone().at(&positions);
        for engine in bed.engines() {
            let fmm = deep(engine, Depth::Adaptive { leaf_capacity: 10 });
            let (same, twice) = (same.field(fmm).unwrap(), twice.field(fmm).unwrap());
            let difference = distance(&same.potential, &twice.potential);
            prop_assert!(difference <= TOLERANCE * length(&same.potential), "{difference:e}");
            let gradients = norms::vector(&twice.gradient, &same.gradient);
            prop_assert!(gradients.l2 <= TOLERANCE || length(&same.potential) == 0.0);
        }
    });
}

/// Any tree gives the sum in f32 too, between separate sets.
fn any_tree_is_right_in_f32(bed: Bed) {
    proptest!(config(bed), |(
        positions in positions(bed),
        receivers in positions(bed),
        depth in depth(),
        seed in 0..1000_u64,
    )| {
        let charges = charges::masses(positions.len(), seed);
        let problem = Problem::<f32>::new("any", &positions, &charges).at(&receivers);
        let oracle = Oracle::new(&problem, receivers.len());
        for engine in bed.engines() {
            let field = engine.field(&problem, deep(engine, depth)).unwrap();
            let potential: Vec<f64> = field.potential.iter().map(|x| f64::from(*x)).collect();
            let error = distance(&potential, &oracle.potential);
            prop_assert!(error <= TOLERANCE * length(&oracle.potential), "{error:e}");
        }
    });
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn length(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn distance(values: &[f64], others: &[f64]) -> f64 {
    length(&values.iter().zip(others).map(|(a, b)| a - b).collect::<Vec<_>>())
}

on_devices_and_ranks! {
    any_tree_is_right,
    any_tree_is_right_in_f32,
}

on_every_device! {
    linear_in_the_charges,
    permuted_points_permute_the_field,
    a_zero_charge_has_no_effect,
    a_set_and_itself,
}
