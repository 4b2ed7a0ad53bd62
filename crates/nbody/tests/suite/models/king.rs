//! King's models against an integration of their own: Simpson's rule over velocities, midpoint steps of Poisson's equation.

use super::shells::{assert_dispersion, diagnostics};
use crate::statistics::{assert_isotropic, assert_uniform, radius};
use nbody::models::{KING_DEPTHS, king};

/// Moment ∫ v^power (e^(w − v²/2) − 1) dv over [0, √(2w)].
fn moment(w: f64, power: i32) -> f64 {
    const PARTS: usize = 200;
    if w <= 0.0 {
        return 0.0;
    }
    let h = (2.0 * w).sqrt() / PARTS as f64;
    let term = |i: usize| {
        let v = i as f64 * h;
        let weight = if i % 2 == 1 { 4.0 } else { 2.0 };
        weight * v.powi(power) * ((w - 0.5 * v * v).exp() - 1.0)
    };
    h / 3.0 * (1..PARTS).map(term).sum::<f64>()
}

/// Radius, depth and enclosed mass from the centre to the edge.
fn profile(w0: f64) -> Vec<(f64, f64, f64)> {
    let central = moment(w0, 2);
    let slopes = |x: f64, w: f64, m: f64| (-m / (x * x), 9.0 * x * x * moment(w, 2) / central);
    let (mut x, mut w, mut m) = (1e-3_f64, w0, 3e-9);
    let mut rows = vec![(x, w, m)];
    while w > 0.0 {
        let h = (0.005 * x).max(1e-3);
        let (dw, dm) = slopes(x, w, m);
        let (dw, dm) = slopes(x + 0.5 * h, w + 0.5 * h * dw, m + 0.5 * h * dm);
        (x, w, m) = (x + h, w + h * dw, m + h * dm);
        rows.push((x, w, m));
    }
    rows
}

#[test]
fn models_follow_density_and_dispersion() {
    for (w0, seed) in [(3.0, 1), (7.0, 2)] {
        let model = king(20_000, seed, w0).unwrap();
        let rows = profile(w0);
        let total = rows[rows.len() - 1].2;
        let row = |r: f64| rows[rows.partition_point(|row| row.0 < r).min(rows.len() - 1)];
        assert_uniform("mass", model.positions.iter().map(|p| row(radius(p)).2 / total));
        assert_isotropic("positions", &model.positions);
        assert_isotropic("velocities", &model.velocities);
        // With the mass 1, σ² of the distribution function is 1/total.
        assert_dispersion("king", &model, |r| {
            let w = row(r).1.max(1e-3);
            moment(w, 4) / moment(w, 2) / 3.0 / total
        });
    }
}

#[test]
fn models_are_virial_and_end_at_the_tidal_radius() {
    // Logarithms of the tidal radius, King 1966, figure 3 and J. Binney and S. Tremaine, figure 4.9.
    for (w0, concentration) in [(3.0, 0.672), (6.0, 1.255), (9.0, 2.119)] {
        let model = king(4000, 3, w0).unwrap();
        let ratio = diagnostics(&model).virial_ratio();
        assert!((ratio - 1.0).abs() < 5.0 / 4000f64.sqrt(), "W0 = {w0}: {ratio}");
        let edge = 10f64.powf(concentration);
        let largest = model.positions.iter().map(radius).fold(0.0, f64::max);
        assert!(largest < 1.01 * edge && largest > 0.6 * edge, "W0 = {w0}: {largest} of {edge}");
        let (x, _, _) = profile(w0).pop().unwrap();
        assert!((x.log10() - concentration).abs() < 0.004, "W0 = {w0}: {x}");
    }
}

#[test]
fn the_range_of_depths_is_kept() {
    for w0 in [*KING_DEPTHS.start(), *KING_DEPTHS.end()] {
        assert!(king(100, 1, w0).unwrap().check().is_ok());
    }
    for w0 in [f64::NAN, 0.0, -3.0, 12.5, f64::INFINITY] {
        let error = king(100, 1, w0).unwrap_err();
        assert!(error.to_string().ends_with("choose W0 between 0.1 and 12"), "{error}");
    }
}
