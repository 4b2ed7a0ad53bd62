//! Opening test: the distance below which a cell is opened.

use std::ops::Range;

use octree::Aabb;
use octree::opening::{HALF_DIAGONAL, enclosing_radius, opening_distance, relative_reach};
use octree::walk::{Criterion, WalkCell};

use crate::choose::Walk;

/// Cell as the walk reads it: centre, opening distances and content. One cache line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellShape {
    /// Centre of charge.
    pub(crate) center: [f64; 3],
    /// The cell acts on receivers at a distance d with d² > `floor2` and d² > `reach2` times a factor that
    /// belongs to the group.
    floor2: f64,
    reach2: f64,
    /// Children, first and one past the last; a leaf has none.
    children: [u32; 2],
    /// Sources as tree positions.
    sources: [u32; 2],
}

/// Cell as the upward pass finds it.
#[derive(Clone, Debug)]
pub(crate) struct TestedCell {
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
    /// The shape of a cell in a walk. Cells nearer than `least` are opened. A cell of fewer than
    /// [`Walk::fewest_sources`] never acts and has no children: the walk takes the sources themselves.
    pub(crate) fn new(walk: &Walk, cell: &TestedCell, least: f64) -> Self {
        let TestedCell { center, middle, side, weight, .. } = *cell;
        let ends = |range: &Range<usize>| [range.start as u32, range.end as u32];
        let sources = ends(&cell.sources);
        if cell.sources.len() < walk.fewest_sources {
            let (floor2, reach2) = (f64::INFINITY, f64::INFINITY);
            return Self { center, floor2, reach2, children: [0; 2], sources };
        }
        let shift = [0, 1, 2].map(|axis| center[axis] - middle[axis]);
        let s = shift.iter().map(|c| c * c).sum::<f64>().sqrt();
        let floor = enclosing_radius(side, s, HALF_DIAGONAL).max(least);
        let square = |x: f64| x * x;
        let reach2 = match walk.criterion {
            Criterion::BarnesHut { theta } => square(opening_distance(side / theta, s, 0.0)),
            Criterion::Nakasato { theta } => square(opening_distance(side / theta, s, 1.0)),
            Criterion::Relative { alpha } => relative_reach(side, (weight / alpha).sqrt()),
        };
        Self { center, floor2: floor * floor, reach2, children: ends(&cell.children), sources }
    }

    /// The cell with other children and sources.
    pub(crate) fn with_content(self, children: Range<usize>, sources: Range<usize>) -> Self {
        let ends = |range: Range<usize>| [range.start as u32, range.end as u32];
        Self { children: ends(children), sources: ends(sources), ..self }
    }

    /// The cell as one that never acts: walks open it wherever they meet it.
    pub(crate) fn opened(self) -> Self {
        Self { floor2: f64::INFINITY, ..self }
    }

    /// Whether there are receivers that the cell acts on as a whole.
    pub(crate) fn acts(&self) -> bool {
        self.floor2 < f64::INFINITY
    }

    /// Centre and opening distances, to be sent.
    pub(crate) fn to_words(self) -> [u64; 5] {
        let [x, y, z] = self.center;
        [x, y, z, self.floor2, self.reach2].map(f64::to_bits)
    }

    /// The cell of [`to_words`](Self::to_words), without children and sources.
    pub(crate) fn from_words(words: [u64; 5]) -> Self {
        let [x, y, z, floor2, reach2] = words.map(f64::from_bits);
        Self { center: [x, y, z], floor2, reach2, ..Self::default() }
    }

    /// Cell that lists refer to.
    pub(crate) fn at(center: [f64; 3]) -> Self {
        Self { center, ..Self::default() }
    }

    /// Whether the cell is too near to act on the receivers in `group` as a whole, or nearer than
    /// √`least2`. `factor` is 1, or |∇Φ|^(−1/2) for [`Criterion::Relative`].
    #[inline]
    pub(crate) fn is_opened_for(&self, group: &Aabb, factor: f64, least2: f64) -> bool {
        let distance2 = group.squared_distance_to(&self.center);
        (distance2 <= self.floor2) | (distance2 <= self.reach2 * factor) | (distance2 < least2)
    }
}

impl WalkCell for CellShape {
    #[inline]
    fn children(&self) -> [u32; 2] {
        self.children
    }

    #[inline]
    fn sources(&self) -> [u32; 2] {
        self.sources
    }
}
