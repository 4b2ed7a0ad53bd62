//! Point clouds to start from, drawn by ChaCha8 from a seed.
//!
//! Only operations that IEEE 754 rounds exactly are used (no `sin`, `ln` or `powf`, which differ
//! between platforms), so a seed names the same cloud everywhere. Each cloud costs O(n).

pub(crate) mod galaxy;
pub(crate) mod random;

pub use galaxy::{GalaxyComponents, disk_galaxy};

use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;
use random::{direction, in_unit_ball, scaled, unit};

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
    cloud(n, seed, |random, _| {
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
    cloud(n, seed, |random, _| [unit(random), unit(random), unit(random)])
}

/// Uniform points of the open unit ball: the uniform sphere of the papers.
pub fn uniform_sphere(n: usize, seed: u64) -> Cloud {
    cloud(n, seed, |random, _| in_unit_ball(random).0)
}

/// Uniform points of the surface of the unit sphere about the origin.
pub fn sphere_surface(n: usize, seed: u64) -> Cloud {
    cloud(n, seed, |random, _| direction(random))
}

/// A cloud of `n` points, of which `point` draws the one with an index.
pub(crate) fn cloud(
    n: usize,
    seed: u64,
    point: impl Fn(&mut ChaCha8Rng, usize) -> [f64; 3],
) -> Cloud {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let positions = (0..n).map(|i| point(&mut random, i)).collect();
    Cloud { positions, masses: vec![1.0 / n as f64; n] }
}
