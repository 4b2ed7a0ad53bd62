//! Point clouds to start from, drawn by ChaCha8 from a seed.
//!
//! Only operations that IEEE 754 rounds exactly are used (no `sin`, `cbrt` or `powf`, which differ
//! between platforms), so a seed names the same cloud everywhere. Each cloud costs O(n).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Points with masses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Positions, one `[x, y, z]` a point, in the order drawn: shape (n, 3).
    pub positions: Vec<[f64; 3]>,
    /// Masses in the order of `positions`: shape (n). Equal, with sum 1.
    pub masses: Vec<f64>,
}

/// Plummer's model with scale radius 1 and total mass 1: density 3/(4π) (1 + r²)^(−5/2).
///
/// The enclosed mass is M(r) = s³ with s = r/√(1 + r²) (S. J. Aarseth, M. Hénon and R. Wielen,
/// Astron. Astrophys. 37, 183, 1974, appendix). A uniform point b of the unit ball has |b|³
/// uniform in [0, 1), so that b/√(1 − |b|²) is a point of the model, isotropic and without a cube
/// root. As in that paper, points with M(r) ≥ 0.999 are drawn again: r < 38.7.
/// Lengths are in scale radii; the cloud is neither recentred nor rescaled.
pub fn plummer(n: usize, seed: u64) -> Cloud {
    cloud(n, seed, |random| {
        loop {
            let (b, s2) = in_unit_ball(random);
            if s2 * s2.sqrt() < 0.999 {
                return scaled(b, 1.0 / (1.0 - s2).sqrt());
            }
        }
    })
}

/// Uniform points of the unit cube [0, 1)³.
pub fn uniform_cube(n: usize, seed: u64) -> Cloud {
    cloud(n, seed, |random| [unit(random), unit(random), unit(random)])
}

/// Uniform points of the surface of the unit sphere about the origin.
pub fn sphere_surface(n: usize, seed: u64) -> Cloud {
    cloud(n, seed, |random| {
        loop {
            let (b, s2) = in_unit_ball(random);
            // Too near the centre, the lattice of the random numbers shows in the direction.
            if s2 > 1e-4 {
                return scaled(b, 1.0 / s2.sqrt());
            }
        }
    })
}

fn cloud(n: usize, seed: u64, mut point: impl FnMut(&mut ChaCha8Rng) -> [f64; 3]) -> Cloud {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let positions = (0..n).map(|_| point(&mut random)).collect();
    Cloud { positions, masses: vec![1.0 / n as f64; n] }
}

/// A uniform point of the open unit ball and its squared distance from the centre.
fn in_unit_ball(random: &mut ChaCha8Rng) -> ([f64; 3], f64) {
    loop {
        let b = [0; 3].map(|_| 2.0 * unit(random) - 1.0);
        let s2 = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
        if s2 < 1.0 {
            return (b, s2);
        }
    }
}

/// A uniform number of [0, 1), a multiple of 2⁻⁵³.
fn unit(random: &mut ChaCha8Rng) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    (random.next_u64() >> 11) as f64 * STEP
}

fn scaled(v: [f64; 3], factor: f64) -> [f64; 3] {
    v.map(|component| factor * component)
}
