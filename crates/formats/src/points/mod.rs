//! Points with charges, as readers make them and writers take them.

/// Points with charges (or masses).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointTable {
    /// Positions in the file's order and unit: shape (N, 3).
    pub positions: Vec<[f64; 3]>,
    /// Charges in the order of `positions`: shape (N); empty if they were not asked for.
    pub charges: Vec<f64>,
}
