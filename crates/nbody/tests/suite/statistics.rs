//! Distances between samples and distributions, and the limits that a right sample keeps.

pub(crate) fn radius(p: &[f64; 3]) -> f64 {
    p.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Asserts that `values` are a sample of the uniform distribution of [0, 1): Kolmogorov's distance
/// is below 2.75/√n, which a right sample exceeds with probability 6e-7.
pub(crate) fn assert_uniform(what: &str, values: impl Iterator<Item = f64>) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    assert!(n > 0.0, "{what}: no values");
    let distance = sorted.iter().enumerate().fold(0.0, |worst, (i, &u)| {
        let (below, above) = (u - i as f64 / n, (i + 1) as f64 / n - u);
        f64::max(worst, f64::max(below, above))
    });
    assert!(distance < 2.75 / n.sqrt(), "{what}: Kolmogorov distance {distance} of {n} values");
}

/// Asserts that the directions of `points` are uniform: cosine of the polar angle and azimuth.
pub(crate) fn assert_isotropic(what: &str, points: &[[f64; 3]]) {
    assert_uniform(what, points.iter().map(|p| 0.5 * (1.0 + p[2] / radius(p))));
    assert_uniform(what, points.iter().map(azimuth));
}

/// The angle about z, of [0, 1] turns.
pub(crate) fn azimuth(p: &[f64; 3]) -> f64 {
    0.5 + p[1].atan2(p[0]) / std::f64::consts::TAU
}
