//! Potential and gradient at receivers, as writers take them.

use crate::error::Fault;

/// A field at its receivers. All arrays have the same length N and order.
#[derive(Clone, Copy, Debug)]
pub struct FieldTable<'a> {
    /// Positions of the receivers: shape (N, 3).
    pub positions: &'a [[f64; 3]],
    /// Charges of the receivers: shape (N); `None` where receivers are not sources.
    pub charges: Option<&'a [f64]>,
    /// Potential Φ: shape (N).
    pub potential: &'a [f64],
    /// Gradient ∇Φ: shape (N, 3).
    pub gradient: &'a [[f64; 3]],
}

impl FieldTable<'_> {
    /// Compares the lengths of the arrays.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let expected = self.positions.len();
        let lengths = [
            ("charges", self.charges.map_or(expected, <[f64]>::len)),
            ("potential", self.potential.len()),
            ("gradient", self.gradient.len()),
        ];
        match lengths.into_iter().find(|&(_, found)| found != expected) {
            Some((array, found)) => Err(Fault::Length { array, found, expected }),
            None => Ok(()),
        }
    }

    /// Names of the columns, in the order of [`row`](Self::row).
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let charge = self.charges.map(|_| "charge");
        let field = ["potential", "gradient_x", "gradient_y", "gradient_z"];
        ["x", "y", "z"].into_iter().chain(charge).chain(field).collect()
    }

    /// Position, charge if given, potential and gradient of receiver `i`.
    pub(crate) fn row(&self, i: usize) -> Vec<f64> {
        let charge = self.charges.map(|charges| charges[i]);
        let position = self.positions[i].into_iter().chain(charge);
        position.chain([self.potential[i]]).chain(self.gradient[i]).collect()
    }
}
