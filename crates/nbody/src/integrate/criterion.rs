//! Steps from accelerations.

/// Largest number of halvings of the longest step.
pub const MOST_LEVELS: u32 = 20;

/// The step of a particle: `accuracy` times the time in which its acceleration crosses `length`.
///
/// √(length/|a|) with the softening as length is the criterion of S05 (equation 34) and others.
pub(super) fn own_step(accuracy: f64, length: f64, acceleration: [f64; 3]) -> f64 {
    let squared: f64 = acceleration.iter().map(|a| a * a).sum();
    accuracy * (length / squared.sqrt()).sqrt()
}

/// Factor of [`crossing_step`] in an accuracy: particles that cross the centre of a core of some sixty lengths then keep the
/// steps that they had at its edge, because there the two rules differ by the sixth root of that number.
const CROSSING: f64 = 0.5;

/// The step of a particle by the change of its acceleration with time: half of `accuracy` times the time in which that
/// crosses `length`. Near the centre of a core accelerations vanish, and [`own_step`] alone has no bound.
pub(super) fn crossing_step(accuracy: f64, length: f64, jerk: f64) -> f64 {
    CROSSING * accuracy * (length / jerk).cbrt()
}

/// The step of the particle with the largest acceleration, `longest` at most, and at least that halved [`MOST_LEVELS`] times,
/// so that two particles that nearly meet do not stop the time of all.
pub(super) fn smallest_step(accuracy: f64, length: f64, largest: f64, longest: f64) -> f64 {
    let shortest = longest / (1_u64 << MOST_LEVELS) as f64;
    (accuracy * (length / largest).sqrt()).clamp(shortest, longest)
}
