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
    /// Errors of the potential; zero where there is none.
    pub potential: Errors,
    /// Errors of the gradient; zero where there is none.
    pub gradient: Errors,
}
