//! Measured errors of a field.

/// Errors of one output over the receivers that were checked.
///
/// Relative ones are |value − reference| / |reference| at each receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// ‖values − references‖₂ / ‖references‖₂.
    pub l2: f64,
    /// Root mean square of the relative errors.
    pub rms: f64,
    /// Largest relative error.
    pub max: f64,
    /// Mean of the relative errors (Nakasato, eq. 4).
    pub mean_relative: f64,
}

/// Measured errors of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SampledError {
    /// Number of receivers that were checked.
    pub receivers: usize,
    /// Errors of the potential, if the plan has it.
    pub potential: Option<Errors>,
    /// Errors of the gradient, if the plan has it.
    pub gradient: Option<Errors>,
}

impl SampledError {
    /// Relative L2 error of the worse output, which [`Tolerance::L2`](crate::Tolerance::L2) is about.
    #[must_use]
    pub fn l2(&self) -> f64 {
        [self.potential, self.gradient].iter().flatten().map(|errors| errors.l2).fold(0.0, worse)
    }
}

/// The larger of two errors, or the one that is not a number.
pub(crate) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}
