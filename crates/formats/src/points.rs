//! Points with charges, as readers make them and writers take them.

use crate::places::Places;

/// Points with charges (or masses).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointTable {
    /// Positions in the file's order and unit: shape (N, 3).
    pub positions: Vec<[f64; 3]>,
    /// Charges in the order of `positions`: shape (N); empty if they were not asked for.
    pub charges: Vec<f64>,
}

/// Points of some rows of a file.
#[derive(Clone, Debug)]
pub struct PointRows {
    /// The points of the rows.
    pub points: PointTable,
    /// Number of rows of the file.
    pub total: usize,
    /// Places of all points of the file.
    pub places: Places,
}
