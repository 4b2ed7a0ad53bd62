//! King's models: isothermal in the middle, ending at a tidal radius.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use super::speeds::unimodal;
use super::{moving, radius};
use crate::initial_conditions::cloud;
use crate::initial_conditions::random::{direction, scaled, unit};
use crate::system::System;

/// Central depths W₀ of [`king`]: globular clusters have 3 to 9.
pub const KING_DEPTHS: RangeInclusive<f64> = 0.1..=12.0;

/// Refusal of a central depth.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "a King model has no central depth of {depth:?}; choose W0 between {} and {}",
    KING_DEPTHS.start(),
    KING_DEPTHS.end()
)]
pub struct KingError {
    /// The depth asked for.
    pub depth: f64,
}

/// Place in the profile.
#[derive(Clone, Copy)]
struct Shell {
    /// Radius in core radii.
    x: f64,
    /// Depth of the potential below the tidal radius, over σ².
    w: f64,
    /// Enclosed mass, −x² dW/dx.
    mass: f64,
}

/// The King model of central depth `w0`, core radius 1 and mass 1, in equilibrium.
///
/// I. R. King, Astron. J. 71, 64, 1966: W'' + 2W'/x = −9 ρ(W)/ρ(W₀) is integrated from the centre to W = 0 by Runge and
/// Kutta's fourth-order method, in steps of 1 % of the radius. Lengths are in King's core radius √(9σ²/4πGρ₀); speeds follow
/// his distribution function e^(W − v²/2σ²) − 1.
///
/// # Errors
///
/// [`KingError`]: a depth outside of [`KING_DEPTHS`].
pub fn king(n: usize, seed: u64, w0: f64) -> Result<System, KingError> {
    if !KING_DEPTHS.contains(&w0) {
        return Err(KingError { depth: w0 });
    }
    let shells = profile(w0);
    let total = shells[shells.len() - 1].mass;
    // 4πρ₀ = 9 M/(mass x-units), hence σ² = 4πρ₀/9.
    let dispersion = (1.0 / total).sqrt();
    let positions = cloud(n, seed, |random, _| {
        let x = at(&shells, total * unit(random), |shell| shell.mass, |shell| shell.x);
        scaled(direction(random), x)
    });
    Ok(moving(positions, seed, |random, _, place| {
        let w = at(&shells, radius(place), |shell| shell.x, |shell| shell.w);
        let limit = (2.0 * w).sqrt();
        let speed = unimodal(random, limit, |y| y * y * libm::expm1(w - 0.5 * y * y).max(0.0));
        scaled(direction(random), dispersion * speed)
    }))
}

/// `result` where `of` has a value, which rises from shell to shell: by linear interpolation.
fn at(
    shells: &[Shell],
    value: f64,
    of: impl Fn(&Shell) -> f64,
    result: impl Fn(&Shell) -> f64,
) -> f64 {
    let next = shells.partition_point(|shell| of(shell) < value).clamp(1, shells.len() - 1);
    let (a, b) = (&shells[next - 1], &shells[next]);
    let share = ((value - of(a)) / (of(b) - of(a))).clamp(0.0, 1.0);
    result(a) + share * (result(b) - result(a))
}

/// Shells from the centre to the tidal radius.
fn profile(w0: f64) -> Vec<Shell> {
    /// Step over radius, and the radius whose step is the smallest.
    const STEP: f64 = 0.01;
    const SMALLEST: f64 = 0.1;
    let central = density(w0);
    // Slopes of w and mass.
    let slopes = |x: f64, w: f64, mass: f64| (-mass / (x * x), 9.0 * x * x * density(w) / central);
    let mut shells = vec![Shell { x: 0.0, w: w0, mass: 0.0 }];
    // Around the centre the density is constant: W = W₀ − 3x²/2.
    let x = STEP * SMALLEST;
    let mut shell = Shell { x, w: w0 - 1.5 * x * x, mass: 3.0 * x * x * x };
    while shell.w > 0.0 {
        shells.push(shell);
        let Shell { x, w, mass } = shell;
        let h = STEP * x.max(SMALLEST);
        let (w1, m1) = slopes(x, w, mass);
        let (w2, m2) = slopes(x + 0.5 * h, w + 0.5 * h * w1, mass + 0.5 * h * m1);
        let (w3, m3) = slopes(x + 0.5 * h, w + 0.5 * h * w2, mass + 0.5 * h * m2);
        let (w4, m4) = slopes(x + h, w + h * w3, mass + h * m3);
        shell = Shell {
            x: x + h,
            w: w + h / 6.0 * (w1 + 2.0 * (w2 + w3) + w4),
            mass: mass + h / 6.0 * (m1 + 2.0 * (m2 + m3) + m4),
        };
    }
    // The tidal radius, beyond which there is no mass.
    let last = shells[shells.len() - 1];
    let share = last.w / (last.w - shell.w);
    let between = |from: f64, to: f64| from + share * (to - from);
    shells.push(Shell {
        x: between(last.x, shell.x),
        w: 0.0,
        mass: between(last.mass, shell.mass.max(last.mass)),
    });
    shells
}

/// Density at a depth, but for a constant.
fn density(w: f64) -> f64 {
    if w <= 0.0 {
        return 0.0;
    }
    libm::exp(w) * libm::erf(w.sqrt()) - (4.0 * w / PI).sqrt() * (1.0 + 2.0 * w / 3.0)
}
