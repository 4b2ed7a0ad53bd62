//! Opening criteria of walks, as data.

/// Opening criterion: condition under which a cell acts as a whole. l is the side of the cell, s the distance between
/// its centre and its centre of charge, d the distance from its centre of charge to the receivers.
///
/// [`opening`](crate::opening) has the distances that follow from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// Criterion l/θ < d (Barnes and Hut 1986).
    BarnesHut {
        /// Opening angle.
        theta: f64,
    },
    /// Criterion l/θ + s < d (Nakasato, eq. 2; Barnes 1994).
    Nakasato {
        /// Opening angle.
        theta: f64,
    },
    /// Criterion l (Σ |q| / α)^(1/2) |∇Φ|^(−1/2) < d², with the gradient of an earlier field (Springel 2005).
    Relative {
        /// Tolerated relative error of one cell.
        alpha: f64,
    },
}

impl Criterion {
    /// The number that the criterion is given by.
    pub const fn parameter(self) -> f64 {
        match self {
            Self::BarnesHut { theta } | Self::Nakasato { theta } => theta,
            Self::Relative { alpha } => alpha,
        }
    }
}
