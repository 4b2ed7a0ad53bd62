//! The result of an evaluation.

use super::report::Report;

/// Potential and gradient at the receivers, in the caller's order, with a report.
///
/// An output that was not asked for is empty; the other has one entry a receiver. Errors are those of the plan's
/// [`Tolerance`](crate::Tolerance), plus rounding to `T`. An evaluation into a field replaces all of it, and keeps its
/// memory on cores and on a GPU that holds all points.
///
/// ```
/// use fmm::{Fmm, Outputs};
///
/// let (sources, receivers) = ([[0.0, 0.0, 0.0]], [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
/// let field = Fmm::new().plan((&sources, &receivers))?.evaluate(&[8.0])?;
/// assert_eq!(field.potential, [8.0 / 2.0, 8.0 / 4.0]);
/// assert_eq!(field.gradient, [[-8.0 / 4.0, 0.0, 0.0], [0.0, -8.0 / 16.0, 0.0]]); // uphill: to the source
///
/// let field = Fmm::new().outputs(Outputs::Potential).plan((&sources, &receivers))?.evaluate(&[8.0])?;
/// assert!(field.gradient.is_empty());
/// # Ok::<(), fmm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Field<T> {
    /// Φ(x_i) = Σ_j q_j / |x_i − y_j|, one number a receiver, in units of charge over length.
    pub potential: Vec<T>,
    /// ∇Φ(x_i) = Σ_j q_j (y_j − x_i) / |x_i − y_j|³, one vector a receiver, in units of charge over length squared.
    pub gradient: Vec<[T; 3]>,
    /// Account of the evaluation: choices, counts, memory and seconds by stage.
    pub report: Report,
}

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self { potential: Vec::new(), gradient: Vec::new(), report: Report::default() }
    }
}
