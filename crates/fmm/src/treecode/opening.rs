//! When a cell is far enough to act as a whole.

use std::fmt;
use std::ops::Range;

use octree::Aabb;
use octree::opening::{HALF_DIAGONAL, enclosing_radius, opening_distance, relative_reach};

/// The treecode's opening criterion: which cells act through their multipoles.
///
/// Below, l is the side of a cell, d the distance from its centre of charge to the receivers (to the
/// nearest point of their bounding box, where receivers walk as a group) and s the distance between
/// its centre of charge and its geometric centre. Whatever the criterion, a cell is opened for
/// receivers within the sphere about its centre of charge that holds its cube.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Opening {
    /// The neighbour lists of the FMM: cells act on the boxes of their own level that do not touch
    /// them but whose parents touch (Yokota & Barba; comparable to θ = 2/3).
    Neighbours,
    /// l/d < θ (Barnes & Hut 1986).
    BarnesHut {
        /// The opening angle.
        theta: f64,
    },
    /// l/θ + s < d (Nakasato, sec. 3.2; Barnes 1994).
    Nakasato {
        /// The opening angle.
        theta: f64,
    },
    /// |Q| l² / d⁴ < α |∇Φ|, with the gradient of the evaluation before (Springel 2005); |Q| is the
    /// sum of the magnitudes of the cell's charges. The gradient is the one that the
    /// [`Field`](crate::Field) given to [`Plan::evaluate_into`](crate::Plan::evaluate_into) holds: in a
    /// simulation, that of the step before. Where it holds none for as many receivers,
    /// [`Opening::BarnesHut`] with θ = 0.7 goes before.
    Relative {
        /// The tolerated relative error of one cell.
        alpha: f64,
    },
}

impl Opening {
    /// The number that the criterion is given by, if any.
    pub(crate) fn parameter(self) -> Option<f64> {
        match self {
            Self::Neighbours => None,
            Self::BarnesHut { theta } | Self::Nakasato { theta } => Some(theta),
            Self::Relative { alpha } => Some(alpha),
        }
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

/// What a cell is to the walk: its place, when it acts and what is in it. One cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellShape {
    /// Centre of charge.
    pub(crate) center: [f64; 3],
    /// The cell acts on receivers at a distance d with d² > `floor2` and d² > `reach2` times a factor that
    /// belongs to the group.
    floor2: f64,
    reach2: f64,
    /// The first child and the one behind the last; a leaf has none.
    pub(crate) children: [u32; 2],
    /// Tree positions.
    pub(crate) sources: [u32; 2],
}

/// A cell as the upward pass finds it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Centre of charge.
    pub(crate) center: [f64; 3],
    /// Geometric centre.
    pub(crate) middle: [f64; 3],
    pub(crate) side: f64,
    /// Σ |q|
    pub(crate) weight: f64,
    pub(crate) children: Range<usize>,
    pub(crate) sources: Range<usize>,
}

impl CellShape {
    /// The shape of a cell under a criterion. Cells nearer than `least` are opened. A cell of one source
    /// never acts and has no children: the walk takes the source itself.
    pub(crate) fn new(opening: Opening, cell: &Cell, least: f64) -> Self {
        let Cell { center, middle, side, weight, .. } = *cell;
        let ends = |range: &Range<usize>| [range.start as u32, range.end as u32];
        let sources = ends(&cell.sources);
        if cell.sources.len() < 2 {
            let (floor2, reach2) = (f64::INFINITY, f64::INFINITY);
            return Self { center, floor2, reach2, children: [0; 2], sources };
        }
        let shift = [0, 1, 2].map(|axis| center[axis] - middle[axis]);
        let s = shift.iter().map(|c| c * c).sum::<f64>().sqrt();
        let floor = enclosing_radius(side, s, HALF_DIAGONAL).max(least);
        let square = |x: f64| x * x;
        let reach2 = match opening {
            Opening::Neighbours => 0.0,
            Opening::BarnesHut { theta } => square(opening_distance(side / theta, s, 0.0)),
            Opening::Nakasato { theta } => square(opening_distance(side / theta, s, 1.0)),
            Opening::Relative { alpha } => relative_reach(side, (weight / alpha).sqrt()),
        };
        Self { center, floor2: floor * floor, reach2, children: ends(&cell.children), sources }
    }

    /// A cell that lists refer to.
    pub(crate) fn at(center: [f64; 3]) -> Self {
        Self { center, ..Self::default() }
    }

    /// Whether the cell is too near to act on the receivers in `group` as a whole, or nearer than
    /// √`least2`. `factor` is 1, or |∇Φ|^(−1/2) for [`Opening::Relative`].
    #[inline]
    pub(crate) fn is_opened_for(&self, group: &Aabb, factor: f64, least2: f64) -> bool {
        let distance2 = group.squared_distance_to(&self.center);
        (distance2 <= self.floor2) | (distance2 <= self.reach2 * factor) | (distance2 < least2)
    }

    /// Whether it is no leaf.
    #[inline]
    pub(crate) fn has_children(&self) -> bool {
        self.children[0] < self.children[1]
    }
}
