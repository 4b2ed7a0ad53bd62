//! Steps from accelerations.

/// The step of a particle: `accuracy` times the time in which its acceleration crosses `length`.
///
/// √(length/|a|) with the softening as length is the criterion of S05 (equation 34) and others.
pub(super) fn own_step(accuracy: f64, length: f64, acceleration: [f64; 3]) -> f64 {
    let squared: f64 = acceleration.iter().map(|a| a * a).sum();
    accuracy * (length / squared.sqrt()).sqrt()
}

/// The step of the particle with the largest acceleration, and `longest` at most.
pub(super) fn smallest_step(accuracy: f64, length: f64, largest: f64, longest: f64) -> f64 {
    longest.min(accuracy * (length / largest).sqrt())
}
