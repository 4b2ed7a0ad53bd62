//! Even sets whose fields cancel by symmetry, seen from where they do: of charges of one sign, too.

use super::lattices::fibonacci;
use super::{Parts, Row, SEED, Size, placed};
use crate::{charges, clouds};

pub(super) const ROWS: &[Row] = &[
    ("octahedral-shell-middle", octahedral_shell),
    ("ring-middle", ring),
    ("mirror-images-beside-plane", mirror_images),
    ("concentric-spheres-outside", concentric_spheres),
];

/// Masses at the 24 images of each of some directions by rotations of axes and mirrors; receivers near the middle, where the pulls
/// of all images cancel.
fn octahedral_shell(size: Size) -> Parts {
    let directions = clouds::sphere_surface(size.of(100, 15), SEED + 130).positions;
    let images = |[x, y, z]: &[f64; 3]| {
        let axes = [[*x, *y, *z], [*y, *z, *x], [*z, *x, *y]];
        let mirrored = move |at: [f64; 3]| {
            let sign = |mirror: usize, axis: usize| 1.0 - 2.0 * (mirror >> axis & 1) as f64;
            (0..8).map(move |mirror| [0, 1, 2].map(|axis| at[axis] * sign(mirror, axis)))
        };
        axes.into_iter().flat_map(mirrored)
    };
    let shell: Vec<[f64; 3]> = directions.iter().flat_map(images).collect();
    super::equal(shell).at(middle(size, 1e-5, SEED + 131))
}

/// Masses at even distances on a circle; receivers near its middle.
fn ring(size: Size) -> Parts {
    let n = size.of(2500, 300);
    let on_circle = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
        [cos, sin, 0.0]
    };
    super::equal((0..n).map(on_circle).collect()).at(middle(size, 1e-6, SEED + 132))
}

/// Receivers on a small sphere around the origin.
fn middle(size: Size, radius: f64, seed: u64) -> Vec<[f64; 3]> {
    let directions = clouds::sphere_surface(size.of(1500, 200), seed).positions;
    placed(&directions, radius, [0.0; 3])
}

/// Charges and their mirror images of opposite sign; receivers beside the plane between them, where the potential is 0.
fn mirror_images(size: Size) -> Parts {
    let one_side = clouds::uniform_cube(size.of(1500, 150), SEED + 133).positions;
    let mut charges = charges::mixed(one_side.len(), SEED + 134);
    let images = one_side.iter().map(|[x, y, z]| [*x, *y, -z]);
    let sources = one_side.iter().copied().chain(images).collect();
    charges.extend(charges.clone().iter().map(|charge| -charge));
    let beside = clouds::uniform_cube(size.of(1500, 200), SEED + 135).positions;
    let receivers = beside.iter().map(|[x, y, z]| [*x, *y, 1e-13 * (0.5 + z)]).collect();
    Parts::new(sources, charges).at(receivers)
}

/// A sphere of charges and one of opposite charges inside; receivers outside, where both have nearly the same field.
fn concentric_spheres(size: Size) -> Parts {
    let sphere = fibonacci(size.of(10_000, 200));
    let mut charges = vec![1.0; sphere.len()];
    charges.extend(vec![-1.0; sphere.len()]);
    let sources = [sphere.clone(), placed(&sphere, 0.5, [0.0; 3])].concat();
    let directions = clouds::sphere_surface(size.of(1500, 200), SEED + 136).positions;
    let radius = |k: usize| 1.3 + 2.0 * (k % 97) as f64 / 97.0;
    let outside = directions.iter().enumerate();
    let receivers = outside.map(|(k, x)| x.map(|x| radius(k) * x)).collect();
    Parts::new(sources, charges).at(receivers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_cancel_in_pairs() {
        for parts in [mirror_images(Size::Small), concentric_spheres(Size::Small)] {
            let (one, other) = parts.charges.split_at(parts.charges.len() / 2);
            assert!(one.iter().zip(other).all(|(a, b)| a + b == 0.0));
        }
    }

    #[test]
    fn images_of_a_shell_have_their_middle_at_the_origin() {
        for parts in [octahedral_shell(Size::Small), ring(Size::Small)] {
            for axis in 0..3 {
                let sum: f64 = parts.sources.iter().map(|x| x[axis]).sum();
                assert!(sum.abs() < 1e-12, "{sum}");
            }
        }
    }
}
