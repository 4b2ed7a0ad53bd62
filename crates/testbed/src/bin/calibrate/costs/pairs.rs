//! Seconds of a pair of points, by the direct sum.

use fmm::{Depth, Device, Fmm, Method, Outputs, Scalar, Stage, Tolerance};
use testbed::clouds;
use testbed::conformance::Problem;

use super::timing::{Machine, masses, time};
use crate::{Outcome, SEED};

/// Vectors that share the distance of a pair, on cores and among near pairs on a GPU: `fmm::choose::costs::Costs::sharers`.
const VECTORS: [usize; 2] = [16, 4];

/// Costs of pairs, as in `fmm::choose::costs::Costs`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairCosts {
    pub(super) pair: [f64; 4],
    pub(super) symmetric: f64,
    pub(super) vector: [f64; 2],
    pub(super) sharers: usize,
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
    let sharers = VECTORS[usize::from(machine.is_gpu())];
    // The model has a share of a pair for the distance; a product takes the rest.
    let product = |all: f64| ((all - pair[1]) / sharers as f64).max(0.0);
    if machine.is_gpu() {
        let all = near_pair_on::<T>(machine.fmm(), sharers)?;
        return Ok(PairCosts { pair, symmetric, vector: [product(all); 2], sharers });
    }
    let tolerance = Tolerance::L2(tolerances::<T>(machine)[1]);
    let mut vector = [0.0; 2];
    for (cost, outputs) in
        vector.iter_mut().zip([Outputs::Potential, Outputs::PotentialAndGradient])
    {
        let fmm = direct(tolerance).outputs(outputs).vectors(sharers);
        *cost = product(seconds(fmm, &apart, sharers)?);
    }
    Ok(PairCosts { pair, symmetric, vector, sharers })
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
        let seconds = near_pair_on::<f64>(Fmm::new().device(gpu), 1)?;
        Ok(Self { seconds, cores: effective_cores()? })
    }
}

/// Seconds of a near pair on a GPU, of all vectors together.
fn near_pair_on<T: Scalar>(gpu: Fmm, vectors: usize) -> Outcome<f64> {
    let problem: Problem<T> = masses(&clouds::uniform_cube(1 << 20, SEED));
    // Leaves of about the size that cores and GPU take together.
    let depth = Depth::Uniform(4);
    let fmm = gpu.method(Method::Fmm).depth(depth).tolerance(Tolerance::Order(1));
    let timing = time(fmm.vectors(vectors), &problem, vectors)?;
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
