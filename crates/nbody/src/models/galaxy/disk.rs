//! The disk: rotation, epicycles, asymmetric drift, height.

use std::f64::consts::PI;

use super::masses::{disk_surface, spheroids_within};
use crate::initial_conditions::galaxy::{DISK_EDGE, DISK_HEIGHT};

/// Toomre's Q at [`SUN`].
const TOOMRE: f64 = 1.5;
/// Distance from the axis at which Q is set: that of the Sun, 8.5 kpc of scale lengths of 3.5 kpc.
const SUN: f64 = 2.43;
/// Distance between rows of the table.
const STEP: f64 = 0.02;

/// Moments of the velocity by distance from the axis, row i at (i + 1) × [`STEP`].
pub(super) struct Disk {
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    /// Mean velocity along the rotation.
    mean: f64,
    /// Dispersions: radial, azimuthal, vertical.
    dispersions: [f64; 3],
}

impl Disk {
    pub(super) fn new() -> Self {
        let (_, kappa) = frequencies(SUN);
        let radial_at_sun = TOOMRE * 3.36 * disk_surface() * libm::exp(-SUN) / kappa;
        let count = (DISK_EDGE / STEP) as usize + 2;
        let rows = (1..=count).map(|i| row(i as f64 * STEP, radial_at_sun)).collect();
        Self { rows }
    }

    /// The velocity at a place, of three normal variates.
    pub(super) fn velocity(&self, normals: [f64; 3], [x, y, _]: [f64; 3]) -> [f64; 3] {
        let distance = (x * x + y * y).sqrt();
        let row = self.at(distance);
        let [radial, azimuthal, vertical] = row.dispersions;
        let (outward, along) = (radial * normals[0], row.mean + azimuthal * normals[1]);
        let [cosine, sine] = match distance > 0.0 {
            true => [x / distance, y / distance],
            false => [1.0, 0.0],
        };
        [outward * cosine - along * sine, outward * sine + along * cosine, vertical * normals[2]]
    }

    /// Linear interpolation.
    fn at(&self, distance: f64) -> Row {
        let place = (distance / STEP - 1.0).clamp(0.0, (self.rows.len() - 2) as f64);
        let (i, share) = (place as usize, place.fract());
        let between = |from: f64, to: f64| from + share * (to - from);
        let (a, b) = (self.rows[i], self.rows[i + 1]);
        let dispersion = |axis: usize| between(a.dispersions[axis], b.dispersions[axis]);
        Row { mean: between(a.mean, b.mean), dispersions: [0, 1, 2].map(dispersion) }
    }
}

/// The moments at a distance from the axis, for a radial dispersion at the Sun.
fn row(r: f64, radial_at_sun: f64) -> Row {
    let (omega, kappa) = frequencies(r);
    let radial2 = radial_at_sun * radial_at_sun * libm::exp(SUN - r);
    // σ_φ²/σ_R², by epicycles.
    let ratio = 0.25 * (kappa / omega).powi(2);
    // Density and σ_R² both fall as e^(−R).
    let mean2 = (r * omega).powi(2) + radial2 * (1.0 - ratio - 2.0 * r);
    // Of a sheet ∝ sech²(z/h): its own gravity, and ⟨z²⟩ = π²h²/12 in that of bulge and halo.
    let sphere2 = r * r + DISK_HEIGHT * DISK_HEIGHT;
    let sphere = spheroids_within(sphere2.sqrt()) / (sphere2 * sphere2.sqrt());
    let own = PI * DISK_HEIGHT * disk_surface() * libm::exp(-r);
    let vertical2 = own + sphere * (PI * DISK_HEIGHT).powi(2) / 12.0;
    let dispersions = [radial2, radial2 * ratio, vertical2].map(f64::sqrt);
    Row { mean: mean2.max(0.0).sqrt(), dispersions }
}

/// Angular frequency Ω of circular orbits and their epicyclic frequency κ, κ² = R⁻³ d(R⁴Ω²)/dR.
fn frequencies(r: f64) -> (f64, f64) {
    const H: f64 = 1e-3;
    let moment2 = |r: f64| r * r * circular2(r);
    let slope = (moment2(r * (1.0 + H)) - moment2(r * (1.0 - H))) / (2.0 * H * r);
    (circular2(r).sqrt() / r, (slope / (r * r * r)).max(0.0).sqrt())
}

/// Square of the circular speed: Newton's for bulge and halo, Freeman's for the disk.
fn circular2(r: f64) -> f64 {
    let y = 0.5 * r;
    let [i0, i1, k0, k1] = bessel(y);
    spheroids_within(r) / r + 4.0 * PI * disk_surface() * y * y * (i0 * k0 - i1 * k1)
}

/// The modified Bessel functions I₀, I₁, K₀, K₁ of y in (0, 10] to 1e-12, by the trapezoidal rule for their integrals
/// ∫ e^(y cos t) cos(nt) dt/π over [0, π] and ∫ e^(−y cosh t) cosh(nt) dt over [0, ∞), which converges exponentially.
fn bessel(y: f64) -> [f64; 4] {
    const PARTS: usize = 64;
    let [mut i0, mut i1] = [libm::cosh(y), libm::sinh(y)];
    for part in 1..PARTS {
        let cosine = libm::cos(PI * part as f64 / PARTS as f64);
        let term = libm::exp(y * cosine);
        i0 += term;
        i1 += term * cosine;
    }
    const STEP: f64 = 0.0625;
    let [mut k0, mut k1] = [0.5 * libm::exp(-y); 2];
    for part in 1.. {
        let hyperbolic = libm::cosh(STEP * f64::from(part));
        let term = libm::exp(-y * hyperbolic);
        k0 += term;
        k1 += term * hyperbolic;
        if y * hyperbolic > 50.0 {
            break;
        }
    }
    [i0 / PARTS as f64, i1 / PARTS as f64, STEP * k0, STEP * k1]
}

#[cfg(test)]
mod tests {
    use super::bessel;

    /// M. Abramowitz and I. A. Stegun, table 9.8 (I, K from its products with e^±y).
    #[test]
    fn bessel_functions_have_the_tabulated_values() {
        let table = [
            (0.1, [1.002_501_562_934, 0.050_062_526_047, 2.427_069_024_703, 9.853_844_780_871]),
            (1.0, [1.266_065_877_752, 0.565_159_103_992, 0.421_024_438_241, 0.601_907_230_197]),
            (2.5, [3.289_839_144_050, 2.516_716_245_289, 0.062_347_553_200, 0.073_890_816_348]),
        ];
        for (y, expected) in table {
            for (found, expected) in bessel(y).into_iter().zip(expected) {
                assert!((found - expected).abs() < 2e-12 * expected.max(1.0), "{y}: {found}");
            }
        }
    }
}
