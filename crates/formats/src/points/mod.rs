//! Points with charges, as readers make them and writers take them.
//!
//! | file | what |
//! |---|---|
//! | `selection.rs` | which columns hold positions and charges |
//! | `column.rs` | columns by name or number |
//! | `places.rs` | places of points in their file |

pub(crate) mod column;
pub(crate) mod places;
pub(crate) mod selection;

/// Points with charges (or masses).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointTable {
    /// Positions in the file's order and unit: shape (N, 3).
    pub positions: Vec<[f64; 3]>,
    /// Charges in the order of `positions`: shape (N); empty if they were not asked for.
    pub charges: Vec<f64>,
}
