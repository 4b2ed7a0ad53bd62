//! Lengths of the terms of a gradient.

use rayon::prelude::*;

/// Σ |q_j| r_j / (r_j² + ε²)^{3/2} at every receiver, to a few digits: a gradient that is far below has lost as many.
///
/// Arguments and cost are those of [`direct`](crate::direct).
pub fn pulls(
    sources: &[[f64; 3]],
    charges: &[f64],
    receivers: &[[f64; 3]],
    softening: f64,
) -> Vec<f64> {
    let pull = |at: &[f64; 3], source: &[f64; 3], charge: f64| {
        let square: f64 = (0..3).map(|axis| (source[axis] - at[axis]).powi(2)).sum();
        let soft = square + softening * softening;
        if square > 0.0 { charge.abs() / soft * (square / soft).sqrt() } else { 0.0 }
    };
    let sum = |at: &[f64; 3]| {
        sources.iter().zip(charges).map(|(source, charge)| pull(at, source, *charge)).sum()
    };
    receivers.par_iter().map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposite_pulls_add_up() {
        let sources = [[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0; 3]];
        assert_eq!(pulls(&sources, &[4.0, -8.0, 1.0], &[[0.0; 3]], 0.0), [3.0]);
        // Distance 4 and ε = 3 make a softened distance of 5.
        assert!((pulls(&[[0.0, 4.0, 0.0]], &[125.0], &[[0.0; 3]], 3.0)[0] - 4.0).abs() < 1e-14);
    }
}
