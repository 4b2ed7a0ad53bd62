//! Points with charges, and plain sums over their pairs in f64 to compare with.

use crate::random::random;
use expansions::operators::PairAccuracy;
use kernels_gpu::device::{Real, Vec4};
use std::ops::Range;

/// `n` points in the unit cube with charges between `least` and 1. Numbers are those of f32.
pub(crate) fn cube(n: usize, seed: u64, least: f64) -> Vec<[f64; 4]> {
    let number = |i: usize, d: u64| random(1_000_000 * seed + 4 * i as u64 + d) as f32;
    let charge = |i| least + (1.0 - least) * f64::from(number(i, 3));
    let point = |i| {
        let [x, y, z] = [0, 1, 2].map(|d| f64::from(number(i, d)));
        [x, y, z, f64::from(charge(i) as f32)]
    };
    (0..n).map(point).collect()
}

/// The points as a kernel takes them.
pub(crate) fn vectors<T: Real>(points: &[[f64; 4]]) -> Vec<Vec4<T>> {
    points.iter().map(|point| Vec4(point.map(T::from_f64))).collect()
}

/// Gradient and potential at `at`; coincident pairs count nothing.
pub(crate) fn field(at: &[f64; 4], sources: &[[f64; 4]], softening: f64) -> [f64; 4] {
    sources.iter().fold([0.0; 4], |sum, source| {
        let d = [0, 1, 2].map(|k| source[k] - at[k]);
        let r2 = d.iter().map(|d| d * d).sum::<f64>();
        if r2 == 0.0 {
            return sum;
        }
        let inverse = (r2 + softening * softening).sqrt().recip();
        let strength = source[3] * inverse.powi(3);
        let [x, y, z] = d.map(|d| d * strength);
        [sum[0] + x, sum[1] + y, sum[2] + z, sum[3] + source[3] * inverse]
    })
}

/// The fields at all receivers.
pub(crate) fn fields(
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
) -> Vec<[f64; 4]> {
    receivers.iter().map(|at| field(at, sources, softening)).collect()
}

/// Relative L2 errors of gradient and potential.
pub(crate) fn errors<T: Real>(found: &[Vec4<T>], exact: &[[f64; 4]]) -> [f64; 2] {
    assert_eq!(found.len(), exact.len());
    let mut sums = [[0.0; 2]; 2];
    for (Vec4(found), exact) in found.iter().zip(exact) {
        for k in 0..4 {
            let part = &mut sums[k / 3];
            part[0] += (found[k].to_f64() - exact[k]).powi(2);
            part[1] += exact[k].powi(2);
        }
    }
    sums.map(
        |[difference, exact]| if difference == 0.0 { 0.0 } else { (difference / exact).sqrt() },
    )
}

/// All accuracies of 1/r in f64, with the errors of gradients and potentials by it: at most thrice that of a pair, and what
/// the next better one does not have.
pub(crate) fn accuracies() -> [(PairAccuracy, Range<f64>); 4] {
    let power = |bits: i32| 2f64.powi(-bits);
    [
        (PairAccuracy::Digits4, power(30)..3.0 * power(20)),
        (PairAccuracy::Digits8, power(47)..3.0 * power(40)),
        (PairAccuracy::Digits12, power(47)..3.0 * power(40)),
        (PairAccuracy::Full, 0.0..8.0 * f64::EPSILON),
    ]
}
