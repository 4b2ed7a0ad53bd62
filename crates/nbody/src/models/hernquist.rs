//! Hernquist's model with its isotropic velocities.

use super::speeds::unimodal;
use super::{moving, radius};
use crate::initial_conditions::cloud;
use crate::initial_conditions::random::{direction, scaled, unit};
use crate::system::System;

/// Radius at which [`hernquist`] ends.
pub const HERNQUIST_EDGE: f64 = 300.0;

/// Hernquist's model of scale radius 1 and mass 1, in equilibrium: density 1/(2π r (1 + r)³), potential −1/(1 + r).
///
/// L. Hernquist, Astrophys. J. 356, 359, 1990: radii by inverting the enclosed mass r²/(1 + r)², equation 3; speeds by the
/// distribution function, equation 17. The energies are T = 1/12 and U = −1/6. The outermost 0.7 % of the mass,
/// beyond [`HERNQUIST_EDGE`], are not drawn.
pub fn hernquist(n: usize, seed: u64) -> System {
    const S_EDGE: f64 = HERNQUIST_EDGE / (HERNQUIST_EDGE + 1.0);
    let positions = cloud(n, seed, |random, _| {
        let s = S_EDGE * unit(random).sqrt();
        scaled(direction(random), s / (1.0 - s))
    });
    moving(positions, seed, |random, _, at| {
        let depth = 1.0 / (1.0 + radius(at));
        let escape = (2.0 * depth).sqrt();
        let speed = unimodal(random, escape, |v| v * v * distribution(depth - 0.5 * v * v));
        scaled(direction(random), speed)
    })
}

/// Equation 17 but for a constant, of the binding energy in [0, 1).
fn distribution(energy: f64) -> f64 {
    // At the escape speed, rounding may leave less than 0.
    let q2 = energy.max(0.0);
    let (q, rest) = (q2.sqrt(), 1.0 - q2);
    let polynomial = (1.0 - 2.0 * q2) * (8.0 * q2 * q2 - 8.0 * q2 - 3.0);
    let sum = 3.0 * libm::asin(q) + q * rest.sqrt() * polynomial;
    sum.max(0.0) / (rest * rest * rest.sqrt())
}
