//! The result of an evaluation.

use super::report::Report;

/// Potential and gradient at the receivers, in the caller's order.
#[derive(Clone, Debug)]
pub struct Field<T> {
    /// Φ(x_i) = Σ_j q_j / |x_i − y_j|, in units of charge over length; empty where only the gradient was asked
    /// for.
    pub potential: Vec<T>,
    /// ∇Φ(x_i), in units of charge over length squared; empty where only the potential was asked
    /// for.
    pub gradient: Vec<[T; 3]>,
    /// Account of the evaluation: what was chosen and how long each stage took.
    pub report: Report,
}

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self { potential: Vec::new(), gradient: Vec::new(), report: Report::default() }
    }
}
