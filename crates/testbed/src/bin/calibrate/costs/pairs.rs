//! Seconds of a pair of points, by the direct sum.

use fmm::{Depth, Device, Fmm, Method, Outputs, Scalar, Stage, Tolerance};
use testbed::clouds;
use testbed::conformance::Problem;

use super::timing::{Machine, masses, time};
use crate::{Outcome, SEED};

/// Vectors that share the distance of a pair.
const VECTORS: usize = 16;

/// Costs of pairs, as in `fmm::choose::costs::Costs`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairCosts {
    pub(super) pair: [f64; 4],
    pub(super) symmetric: f64,
    pub(super) vector: [f64; 2],
}

/// Tolerances for which pairs are summed to 4, 8 and 12 digits and in full.
fn tolerances<T: Scalar>(machine: Machine) -> [f64; 4] {
    match machine.is_gpu() && size_of::<T>() == size_of::<f32>() {
        // Kernels have one accuracy.
        true => [1e-3; 4],
        false => [1e-3, 1e-6, 1e-9, 1e-12],
    }
}

pub(super) fn measure<T: Scalar>(machine: Machine) -> Outcome<PairCosts> {
    let n = machine.pick(1 << 13, 1 << 17);
    let one_set: Problem<T> = masses(&clouds::uniform_cube(n, SEED));
    let apart = one_set.clone().at(&clouds::uniform_cube(n, SEED + 1).positions);
    let direct = |tolerance| machine.fmm().method(Method::Direct).tolerance(tolerance);
    let (mut pair, mut shares) = ([0.0; 4], [0.0; 4]);
    for (k, tolerance) in tolerances::<T>(machine).into_iter().enumerate() {
        pair[k] = seconds(direct(Tolerance::L2(tolerance)), &apart, 1)?;
        shares[k] = seconds(direct(Tolerance::L2(tolerance)), &one_set, 1)? / pair[k];
    }
    let symmetric = shares.iter().sum::<f64>() / shares.len() as f64;
    if machine.is_gpu() {
        // Vectors take turns: every product has distances of its own.
        return Ok(PairCosts { pair, symmetric, vector: [pair[1]; 2] });
    }
    let tolerance = Tolerance::L2(tolerances::<T>(machine)[1]);
    let mut vector = [0.0; 2];
    for (cost, outputs) in
        vector.iter_mut().zip([Outputs::Potential, Outputs::PotentialAndGradient])
    {
        let fmm = direct(tolerance).outputs(outputs).vectors(VECTORS);
        let all = seconds(fmm, &apart, VECTORS)?;
        // The model has a sixteenth of a pair for the distance; a product takes the rest.
        *cost = ((all - pair[1]) / VECTORS as f64).max(0.0);
    }
    Ok(PairCosts { pair, symmetric, vector })
}

/// Seconds a pair, of all vectors together.
fn seconds<T: Scalar>(fmm: Fmm, problem: &Problem<T>, vectors: usize) -> Outcome<f64> {
    let timing = time(fmm, problem, vectors)?;
    Ok(timing.of(Stage::P2p) / timing.report.p2p_pairs as f64)
}

/// A near pair that a GPU sums while the cores do all else.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    /// Seconds on the GPU, in f64.
    pub(super) seconds: f64,
    /// Work of all threads of the host over that of one.
    pub(super) cores: f64,
}

impl NearPair {
    pub(super) fn measure(gpu: Device) -> Outcome<Self> {
        Ok(Self { seconds: near_pair_on(gpu)?, cores: effective_cores()? })
    }
}

/// Seconds of a near pair on a GPU, in f64.
fn near_pair_on(gpu: Device) -> Outcome<f64> {
    let problem: Problem<f64> = masses(&clouds::uniform_cube(1 << 20, SEED));
    // Leaves of about the size that cores and GPU take together.
    let depth = Depth::Uniform(4);
    let fmm =
        Fmm::new().device(gpu).method(Method::Fmm).depth(depth).tolerance(Tolerance::Order(1));
    let timing = time(fmm, &problem, 1)?;
    // The near pairs run beside a far field of order 1, whose stages are part of the same time.
    let far = [Stage::P2m, Stage::M2m, Stage::M2l, Stage::L2l, Stage::L2p];
    let spent = timing.of(Stage::P2p) + far.iter().map(|stage| timing.of(*stage)).sum::<f64>();
    Ok(spent / timing.report.p2p_pairs as f64)
}

/// The work of all threads of the host over that of one, at the direct sum.
fn effective_cores() -> Outcome<f64> {
    let problem: Problem<f64> = masses(&clouds::uniform_cube(1 << 14, SEED));
    let fmm = Fmm::new().method(Method::Direct).tolerance(1e-6);
    let together = seconds(fmm, &problem, 1)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    Ok(pool.install(|| seconds(fmm, &problem, 1))? / together)
}
