//! Steps from accelerations.

/// The step of a particle: `accuracy` times the time in which its acceleration crosses `length`.
///
/// √(length/|a|) with the softening as length is the criterion of S05 (equation 34) and others.
pub(super) fn own_step(accuracy: f64, length: f64, acceleration: [f64; 3]) -> f64 {
    let squared: f64 = acceleration.iter().map(|a| a * a).sum();
    accuracy * (length / squared.sqrt()).sqrt()
}

/// The smallest step of all particles, and `longest` at most.
pub(super) fn smallest_step(
    accuracy: f64,
    length: f64,
    accelerations: &[[f64; 3]],
    longest: f64,
) -> f64 {
    let squared = |a: &[f64; 3]| a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    let largest = accelerations.iter().map(squared).fold(0.0, f64::max);
    longest.min(accuracy * (length / largest.sqrt()).sqrt())
}
