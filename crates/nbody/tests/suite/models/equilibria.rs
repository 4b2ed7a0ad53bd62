//! Plummer's and Hernquist's models, the uniform ball.

use super::shells::{assert_dispersion, assert_energies, diagnostics};
use crate::statistics::{assert_isotropic, assert_uniform, radius};
use nbody::models::{hernquist, plummer, uniform_sphere};
use std::f64::consts::PI;

const N: usize = 30_000;
/// Points of direct sums.
const FEW: usize = 4_000;

#[test]
fn plummer_has_its_dispersion_and_its_energies() {
    let model = plummer(N, 5);
    // H. C. Plummer's model: σ² = |Φ|/6.
    assert_dispersion("plummer", &model, |r| 1.0 / (6.0 * (1.0 + r * r).sqrt()));
    assert_isotropic("velocities", &model.velocities);
    assert_energies("plummer", &plummer(FEW, 6), 3.0 * PI / 64.0, -3.0 * PI / 32.0);
}

#[test]
fn plummer_speeds_follow_their_distribution() {
    // Shares x of the escape speed have the density ∝ x² (1 − x²)^(7/2); here by its integral, tabulated by midpoints.
    const CELLS: usize = 20_000;
    let density = |x: f64| x * x * (1.0 - x * x).powf(3.5);
    let mut integral = vec![0.0];
    for cell in 0..CELLS {
        integral.push(integral[cell] + density((cell as f64 + 0.5) / CELLS as f64));
    }
    let model = plummer(N, 5);
    assert_uniform(
        "speed",
        model.positions.iter().zip(&model.velocities).map(|(x, v)| {
            let escape = (2.0 / (1.0 + radius(x).powi(2)).sqrt()).sqrt();
            let place = CELLS as f64 * radius(v) / escape;
            let (cell, share) = (place as usize, place.fract());
            let within = integral[cell] + share * (integral[cell + 1] - integral[cell]);
            within / integral[CELLS]
        }),
    );
}

#[test]
fn hernquist_has_its_density_dispersion_and_energies() {
    let model = hernquist(N, 5);
    let enclosed = |r: f64| (r / (1.0 + r)).powi(2);
    let edge = enclosed(300.0);
    assert_uniform("mass", model.positions.iter().map(|p| enclosed(radius(p)) / edge));
    assert_isotropic("positions", &model.positions);
    assert_isotropic("velocities", &model.velocities);
    // L. Hernquist 1990, equation 10.
    assert_dispersion("hernquist", &model, |r| {
        let logarithm = 12.0 * r * (1.0 + r).powi(3) * ((1.0 + r) / r).ln();
        let polynomial = 25.0 + 52.0 * r + 42.0 * r * r + 12.0 * r.powi(3);
        (logarithm - r / (1.0 + r) * polynomial) / 12.0
    });
    assert_energies("hernquist", &hernquist(FEW, 6), 1.0 / 12.0, -1.0 / 6.0);
}

#[test]
fn the_ball_has_the_virial_ratio_asked_for() {
    for ratio in [0.0, 0.3, 1.0] {
        let found = diagnostics(&uniform_sphere(FEW, 7, ratio));
        assert!((found.potential / -0.6 - 1.0).abs() < 0.03, "{}", found.potential);
        assert!((found.virial_ratio() - ratio).abs() < 0.05 * ratio + 1e-12, "{found:?}");
    }
    assert_eq!(uniform_sphere(9, 7, -1.0), uniform_sphere(9, 7, 0.0));
}
