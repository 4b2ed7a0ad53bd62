//! Azimuth of a vector, by a polynomial, because the device has no arc tangent.

use core::f32::consts::{FRAC_PI_2, PI};

use crate::device::Real;

/// Coefficients of Abramowitz and Stegun (1964), 4.4.49: atan t = t (1 + Σ aₖ t²ᵏ⁺²) for |t| ≤ 1, with an error of 2·10⁻⁸.
const ARC_TANGENT: [f32; 8] = [
    -0.333_331_45,
    0.199_935_51,
    -0.142_089,
    0.106_562_64,
    -0.075_289_64,
    0.042_909_614,
    -0.016_165_737,
    0.002_866_225_7,
];

/// Azimuth of (x, y) in −π … π; 0 for the zero vector. Its error is a few units in the last place of π.
#[inline(always)]
pub(super) fn azimuth(x: f32, y: f32) -> f32 {
    let (across, along) = (y.abs(), x.abs());
    let [small, large] = if across < along { [across, along] } else { [along, across] };
    let t = if large > 0.0 { small / large } else { 0.0 };
    let t2 = t * t;
    let mut series = 0.0;
    for k in (0..ARC_TANGENT.len()).rev() {
        series = Real::mul_add(series, t2, ARC_TANGENT[k]);
    }
    let mut angle = Real::mul_add(series * t2, t, t);
    angle = if across < along {
        angle
    } else if large > 0.0 {
        FRAC_PI_2 - angle
    } else {
        0.0
    };
    angle = if x < 0.0 { PI - angle } else { angle };
    if y < 0.0 { -angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::azimuth;

    #[test]
    fn azimuths_are_those_of_the_host() {
        for k in 0..10_000 {
            let angle = (f64::from(k) / 5_000.0 - 1.0) * std::f64::consts::PI;
            let radius = 0.01 * f64::from(1 + k % 97);
            let [x, y] = [radius * angle.cos(), radius * angle.sin()].map(|c| c as f32);
            let error = f64::from(azimuth(x, y)) - f64::from(y).atan2(f64::from(x));
            // Roundings of the quotient, of the series, of π and of the difference, half a unit of π at most each.
            assert!(error.abs() < 4.0 * f64::from(f32::EPSILON), "{x} {y}: {error:e}");
        }
        for (x, y, angle) in [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.5), (0.0, -2.0, -0.5)]
        {
            assert_eq!(azimuth(x, y), angle * std::f32::consts::PI);
        }
        assert_eq!(azimuth(-3.0, 0.0), std::f32::consts::PI);
    }
}
