//! The net force on an isolated system, which is zero but for errors.

use crate::engine::Scalar;

/// Forces that one task adds up: chunks of fixed length give the same bits for any number of threads.
const CHUNK: usize = 1 << 13;

/// Forces that are added up side by side.
const LANES: usize = 8;

/// |Σ q ∇Φ| / Σ |q ∇Φ| over charges and the gradients at them; 0 if all forces are zero.
pub(crate) fn net_force<T: Scalar>(charges: &[T], gradient: &[[T; 3]]) -> f64 {
    net_force_of(force_sums(charges, gradient))
}

/// |Σ q ∇Φ| / Σ |q ∇Φ| from the three parts of Σ q ∇Φ, and Σ |q ∇Φ|.
pub(crate) fn net_force_of([x, y, z, total]: [f64; 4]) -> f64 {
    if total > 0.0 { x.hypot(y).hypot(z) / total } else { 0.0 }
}

/// The parts of Σ q ∇Φ, and Σ |q ∇Φ|.
pub(crate) fn force_sums<T: Scalar>(charges: &[T], gradient: &[[T; 3]]) -> [f64; 4] {
    let parts = charges.chunks(CHUNK).zip(gradient.chunks(CHUNK));
    added(parallel::map_parts(parts, |_, (charges, gradient)| forces(charges, gradient)))
}

/// Parts of Σ q ∇Φ, and Σ |q ∇Φ|, of a part of all forces, by one core. Neighbours are in lanes, so that no sum waits for the
/// one before.
fn forces<T: Scalar>(charges: &[T], gradient: &[[T; 3]]) -> [f64; 4] {
    let n = charges.len().min(gradient.len());
    let (rows, rest) = charges[..n].as_chunks::<LANES>();
    let (gradient_rows, gradient_rest) = gradient[..n].as_chunks::<LANES>();
    let mut sums = [[0.0; LANES]; 4];
    for (charges, gradient) in rows.iter().zip(gradient_rows) {
        add(charges, gradient, &mut sums);
    }
    let (mut charges, mut gradient) = ([T::ZERO; LANES], [[T::ZERO; 3]; LANES]);
    charges[..rest.len()].copy_from_slice(rest);
    gradient[..rest.len()].copy_from_slice(gradient_rest);
    add(&charges, &gradient, &mut sums);
    sums.map(|lanes| lanes.into_iter().sum())
}

/// Adds forces and their lengths, one a lane.
#[inline]
fn add<T: Scalar>(charges: &[T; LANES], gradient: &[[T; 3]; LANES], sums: &mut [[f64; LANES]; 4]) {
    let mut terms = [[0.0; LANES]; 4];
    let mut is_safe = true;
    for k in 0..LANES {
        let [x, y, z] = gradient[k].map(|part| charges[k].widen() * part.widen());
        let length = (x * x + y * y + z * z).sqrt();
        // Squares do not under- or overflow between the roots of the smallest and the largest normal number, 1e-154 and 1e154.
        let is_zero = x.abs() + y.abs() + z.abs() == 0.0;
        is_safe &= is_zero | (1e-150..=1e150).contains(&length);
        terms[0][k] = x;
        terms[1][k] = y;
        terms[2][k] = z;
        terms[3][k] = length;
    }
    if !is_safe {
        // `hypot` costs ten times as much.
        terms[3] = std::array::from_fn(|k| terms[0][k].hypot(terms[1][k]).hypot(terms[2][k]));
    }
    for (sums, terms) in sums.iter_mut().zip(&terms) {
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    }
}

/// The sum of parts of forces, in their order.
fn added(parts: impl IntoIterator<Item = [f64; 4]>) -> [f64; 4] {
    parts.into_iter().fold([0.0; 4], |a, b| [0, 1, 2, 3].map(|k| a[k] + b[k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_hold_at_any_scale() {
        let gradient: Vec<[f64; 3]> =
            (0..21).map(|i| [3.0, 4.0, 12.0].map(|x| x * f64::from(i))).collect();
        for scale in [1.0, 1e-200, 1e200] {
            let [x, _, z, total] = forces(&[scale; 21], &gradient).map(|sum| sum / scale);
            let lengths = 210.0;
            let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-14;
            assert!(
                near(x, 3.0 * lengths) && near(z, 12.0 * lengths) && near(total, 13.0 * lengths)
            );
        }
        assert_eq!(forces::<f32>(&[], &[[1.0; 3]]), [0.0; 4]);
    }
}
