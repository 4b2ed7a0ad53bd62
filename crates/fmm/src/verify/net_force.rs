//! The net force on an isolated system, which is zero but for errors.

use rayon::prelude::*;

use crate::engine::Scalar;

/// Forces that one task adds up: chunks of fixed length give the same bits for any number of threads.
const CHUNK: usize = 1 << 13;

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
    let parts = charges.par_chunks(CHUNK).zip(gradient.par_chunks(CHUNK));
    let parts: Vec<_> = parts.map(|(charges, gradient)| forces(charges, gradient)).collect();
    added(parts)
}

/// The same of a part of all forces, by one core.
pub(crate) fn forces<T: Scalar>(charges: &[T], gradient: &[[T; 3]]) -> [f64; 4] {
    let term = |(charge, gradient): (&T, &[T; 3])| {
        let [x, y, z] = gradient.map(|part| charge.widen() * part.widen());
        let length = (x * x + y * y + z * z).sqrt();
        // `hypot` costs ten times as much, and squares rarely over- or underflow: not
        // between the roots of the smallest and the largest normal number, 1e-154 and 1e154.
        let is_safe = (1e-150..1e150).contains(&length);
        [x, y, z, if is_safe { length } else { x.hypot(y).hypot(z) }]
    };
    added(charges.iter().zip(gradient).map(term))
}

/// The sum of parts of forces, in their order.
pub(crate) fn added(parts: impl IntoIterator<Item = [f64; 4]>) -> [f64; 4] {
    parts.into_iter().fold([0.0; 4], |a, b| [0, 1, 2, 3].map(|k| a[k] + b[k]))
}
