//! The galaxy's closed forms against MW-A, solved from its distribution functions.
//!
//! K. Kuijken and J. Dubinski, Mon. Not. R. Astron. Soc. 277, 1341, 1995, with the parameters of MW-A
//! that `GalactICS` is distributed with, G = 1. The disk's monopole stands for the disk, so that
//! the model is spherical and one outward integration of Poisson's equation solves it.

use super::galaxy::{bulge_within, disk_within, halo_within};
use std::f64::consts::PI;

const CENTRAL_POTENTIAL: f64 = -4.6;
const HALO_SPEED: f64 = 1.42;
const HALO_RADIUS: f64 = 0.8;
/// (Core radius over King radius)².
const HALO_CORE: f64 = 0.1;
const DISK_MASS: f64 = 0.867;
const BULGE_DENSITY: f64 = 14.45;
const BULGE_CUTOFF: f64 = -2.3;
const BULGE_DISPERSION: f64 = 0.714;

/// Radius with the masses of bulge, disk and halo within it.
type Shell = (f64, [f64; 3]);

/// ∫ f(ψ + v²/2) d³v over the velocities below `edge`, by Simpson's rule.
fn density(psi: f64, edge: f64, f: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 64;
    if psi >= edge {
        return 0.0;
    }
    let h = (2.0 * (edge - psi)).sqrt() / STEPS as f64;
    let term = |i: usize| {
        let v = i as f64 * h;
        let weight = if i % 2 == 1 { 4.0 } else { 2.0 };
        // The integrand vanishes at both ends.
        weight * v * v * f(psi + 0.5 * v * v)
    };
    4.0 * PI * h / 3.0 * (1..STEPS).map(term).sum::<f64>()
}

/// The bulge's King model.
fn bulge_density(psi: f64) -> f64 {
    let variance = BULGE_DISPERSION * BULGE_DISPERSION;
    let norm = BULGE_DENSITY * ((CENTRAL_POTENTIAL - BULGE_CUTOFF) / variance).exp()
        / (2.0 * PI * variance).powf(1.5);
    density(psi, BULGE_CUTOFF, |e| norm * (((BULGE_CUTOFF - e) / variance).exp() - 1.0))
}

/// The halo's lowered Evans model without flattening; `core` is its core radius.
fn halo_density(psi: f64, core: f64) -> f64 {
    let variance = HALO_SPEED * HALO_SPEED;
    let central_density = 3.0 * variance / (4.0 * PI * HALO_RADIUS * HALO_RADIUS);
    let r1 =
        HALO_SPEED / (4.0 * PI * central_density).sqrt() * (-CENTRAL_POTENTIAL / variance).exp();
    let b = (2.0 / PI.powi(5)).sqrt() * core * core / (HALO_SPEED * r1.powi(4));
    let c = 1.0 / (4.0 * PI.powf(2.5) * HALO_SPEED * r1 * r1);
    density(psi, 0.0, |e| {
        let boltzmann = (-2.0 * e / variance).exp();
        (b * boltzmann + c) * (boltzmann - 1.0)
    })
}

/// The core radius is √0.1 King radii of bulge and halo together: a fixed point, by bisection.
fn core_radius() -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let core = 0.5 * (low + high);
        let central = bulge_density(CENTRAL_POTENTIAL) + halo_density(CENTRAL_POTENTIAL, core);
        let wanted = (HALO_CORE * 9.0 * HALO_SPEED * HALO_SPEED / (8.0 * PI * central)).sqrt();
        if wanted > core { low = core } else { high = core }
    }
    low
}

/// The model from the centre to the tidal radius, where the potential is 0, by the midpoint rule.
fn milky_way_a() -> Vec<Shell> {
    let core = core_radius();
    let slopes = |r: f64, psi: f64, [bulge, disk, halo]: [f64; 3]| {
        let area = 4.0 * PI * r * r;
        ((bulge + disk + halo) / (r * r), area * bulge_density(psi), area * halo_density(psi, core))
    };
    let masses = |r: f64, bulge: f64, halo: f64| [bulge, DISK_MASS * disk_within(r), halo];
    let (mut r, mut psi, mut bulge, mut halo) = (1e-4_f64, CENTRAL_POTENTIAL, 0.0, 0.0);
    let mut shells = Vec::new();
    while psi < 0.0 {
        let h = (0.02 * r).clamp(1e-4, 0.02);
        let (gravity, by_bulge, by_halo) = slopes(r, psi, masses(r, bulge, halo));
        let (m, half) = (r + 0.5 * h, 0.5 * h);
        let middle = masses(m, bulge + half * by_bulge, halo + half * by_halo);
        let (gravity, by_bulge, by_halo) = slopes(m, psi + half * gravity, middle);
        (r, psi) = (r + h, psi + h * gravity);
        (bulge, halo) = (bulge + h * by_bulge, halo + h * by_halo);
        shells.push((r, masses(r, bulge, halo)));
    }
    shells
}

#[test]
fn the_closed_forms_follow_milky_way_a() {
    let shells = milky_way_a();
    let &(edge, [bulge, disk, halo]) = shells.last().unwrap();
    assert!((edge - 21.4).abs() < 0.2, "tidal radius {edge}");
    assert!((disk / bulge - 2.0).abs() < 0.2, "disk to bulge {}", disk / bulge);
    assert!((halo / bulge - 12.0).abs() < 0.8, "halo to bulge {}", halo / bulge);

    for &(r, [_, _, within]) in &shells {
        let difference = halo_within(r) - within / halo;
        assert!(difference.abs() < 0.02, "halo within {r}: {difference}");
    }
    let (half, _) = shells.iter().find(|(_, [within, ..])| within / bulge >= 0.5).unwrap();
    assert!((bulge_within(*half) - 0.5).abs() < 0.01, "half the bulge within {half}");
}
