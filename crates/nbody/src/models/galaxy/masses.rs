//! Masses within a radius, and densities but for a constant; lengths are in scale lengths of the disk.

use crate::initial_conditions::galaxy::{
    ALL_SHARES, BULGE_EDGE, BULGE_SCALE, BULGE_SHARE, DISK_EDGE, DISK_SHARE, HALO_EDGE, HALO_SCALE,
};

const BULGE: f64 = BULGE_SHARE as f64 / ALL_SHARES as f64;
const DISK: f64 = DISK_SHARE as f64 / ALL_SHARES as f64;
const HALO: f64 = 1.0 - BULGE - DISK;

/// Mass of bulge and halo within r.
pub(super) fn spheroids_within(r: f64) -> f64 {
    let hernquist = |r: f64| (r / (r + BULGE_SCALE)).powi(2);
    BULGE * hernquist(r.min(BULGE_EDGE)) / hernquist(BULGE_EDGE)
        + HALO * gamma_2(r.min(HALO_EDGE) / HALO_SCALE) / gamma_2(HALO_EDGE / HALO_SCALE)
}

/// Mass of the disk within r of its axis.
pub(super) fn disk_within(r: f64) -> f64 {
    DISK * gamma_2(r.min(DISK_EDGE)) / gamma_2(DISK_EDGE)
}

/// Surface density of the disk on its axis.
pub(super) fn disk_surface() -> f64 {
    DISK / (std::f64::consts::TAU * gamma_2(DISK_EDGE))
}

/// Density of the bulge within its edge.
pub(super) fn bulge_density(r: f64) -> f64 {
    if r < BULGE_EDGE { 1.0 / (r * (r + BULGE_SCALE).powi(3)) } else { 0.0 }
}

/// Density of the halo within its edge.
pub(super) fn halo_density(r: f64) -> f64 {
    if r < HALO_EDGE { libm::exp(-r / HALO_SCALE) / r } else { 0.0 }
}

/// ∫₀ˣ t e^(−t) dt.
fn gamma_2(x: f64) -> f64 {
    1.0 - (1.0 + x) * libm::exp(-x)
}
