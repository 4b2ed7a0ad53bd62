//! Opening criteria of the treecode.

use std::fmt;

use octree::walk::Criterion;

/// The treecode's opening criterion: which cells act through their multipoles.
///
/// Below, l is the side of a cell, d the distance from its centre of charge to the receivers (to the
/// nearest point of their bounding box, where receivers walk as a group) and s the distance between
/// its centre of charge and its geometric centre. Every criterion opens a cell for
/// receivers within the sphere about its centre of charge that holds its cube.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Opening {
    /// Neighbour lists of the FMM: cells act on the boxes of their own level that do not touch
    /// them but whose parents touch (Yokota & Barba; comparable to θ = 2/3).
    Neighbours,
    /// l/d < θ (Barnes & Hut 1986).
    BarnesHut {
        /// Opening angle.
        theta: f64,
    },
    /// l/θ + s < d (Nakasato, sec. 3.2; Barnes 1994).
    Nakasato {
        /// Opening angle.
        theta: f64,
    },
    /// |Q| l² / d⁴ < α |∇Φ|, with the gradient of an earlier evaluation (Springel 2005); |Q| is the
    /// sum of the magnitudes of the cell's charges. The gradient is an argument of
    /// [`Plan::evaluate_after`](crate::Plan::evaluate_after): in a simulation, that of the step before.
    /// Other evaluations get it from a coarse walk of their own.
    Relative {
        /// Tolerated relative error of one cell.
        alpha: f64,
    },
}

impl Opening {
    /// The criterion of walks; `None` for lists.
    pub(crate) fn criterion(self) -> Option<Criterion> {
        match self {
            Self::Neighbours => None,
            Self::BarnesHut { theta } => Some(Criterion::BarnesHut { theta }),
            Self::Nakasato { theta } => Some(Criterion::Nakasato { theta }),
            Self::Relative { alpha } => Some(Criterion::Relative { alpha }),
        }
    }

    /// The opening by a criterion of walks.
    pub(crate) fn by(criterion: Criterion) -> Self {
        match criterion {
            Criterion::BarnesHut { theta } => Self::BarnesHut { theta },
            Criterion::Nakasato { theta } => Self::Nakasato { theta },
            Criterion::Relative { alpha } => Self::Relative { alpha },
        }
    }

    /// The number that the criterion is given by, if any.
    pub(crate) fn parameter(self) -> Option<f64> {
        self.criterion().map(Criterion::parameter)
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Neighbours => f.write_str("neighbour lists"),
            Self::BarnesHut { theta } => write!(f, "Barnes-Hut, θ = {theta}"),
            Self::Nakasato { theta } => write!(f, "l/θ + s < d, θ = {theta}"),
            Self::Relative { alpha } => write!(f, "relative to the last gradient, α = {alpha}"),
        }
    }
}
