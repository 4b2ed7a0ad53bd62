//! Neighbours of many points at once: all within a radius, or the k nearest.

mod nearest;
mod within;

pub use nearest::Nearest;

use std::ops::Range;

use crate::boxes::aabb::Aabb;
use crate::boxes::coordinate::Coordinate;
use crate::error::Error;
use crate::tree::bounds::source_bounds;
use crate::tree::octree::{Depth, Octree};
use crate::walk::WalkCell;

/// Sources, and receivers, in a leaf.
const LEAF_CAPACITY: usize = 12;

/// Leaves whose receivers one task takes.
const TASK: usize = 16;

/// Points prepared for searches: a tree and tight bounds of its boxes. O(N) to build.
///
/// Receivers ask, sources are found. Results are by the caller's indices, and the same for any number of
/// threads. A point that is a source and a receiver is its own neighbour, at distance 0.
///
/// ```
/// use octree::neighbors::Neighbors;
///
/// # fn main() -> Result<(), octree::Error> {
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
/// let neighbors = Neighbors::of(&points)?;
/// let near = neighbors.within(1.5)?;
/// assert_eq!((near.row(0), near.row(2)), (&[0, 1][..], &[2][..]));
/// let nearest = neighbors.nearest(2);
/// assert_eq!((nearest.indices(2), nearest.distances(2)), (&[2, 0][..], &[0.0, 3.0][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Neighbors {
    tree: Octree,
    /// Sources in tree order, in units of `unit`, so that no square over- or underflows.
    sources: Vec<[f64; 3]>,
    /// Receivers in tree order, in units of `unit`; `None` where the receivers are the sources.
    receivers: Option<Vec<[f64; 3]>>,
    /// Cells by box number.
    cells: Vec<SearchCell>,
    /// A power of two near the side of the cube.
    unit: f64,
}

impl Neighbors {
    /// Searches among `points` for the neighbours of each of them.
    ///
    /// # Errors
    /// Errors of [`Octree::build`] for the points.
    pub fn of<C: Coordinate>(points: &[[C; 3]]) -> Result<Neighbors, Error> {
        let tree = Octree::build(points, Depth::Adaptive { leaf_capacity: LEAF_CAPACITY })?;
        Neighbors::new(tree, points, None)
    }

    /// Searches among `sources` for the neighbours of each receiver.
    ///
    /// # Errors
    /// Errors of [`Octree::build`] for the points.
    pub fn between<C: Coordinate>(
        sources: &[[C; 3]],
        receivers: &[[C; 3]],
    ) -> Result<Neighbors, Error> {
        let depth = Depth::Adaptive { leaf_capacity: LEAF_CAPACITY };
        let tree = Octree::build_between(sources, receivers, depth)?;
        Neighbors::new(tree, sources, Some(receivers))
    }

    fn new<C: Coordinate>(
        tree: Octree,
        sources: &[[C; 3]],
        receivers: Option<&[[C; 3]]>,
    ) -> Result<Neighbors, Error> {
        let unit = tree.cube().unit();
        let in_tree_order = |permutation: &[u32], points: &[[C; 3]]| -> Vec<[f64; 3]> {
            let place = |i: usize| points[permutation[i] as usize].map(|c| c.to_f64() / unit);
            parallel::collect(permutation.len(), 1 << 12, place)
        };
        let sources = in_tree_order(tree.source_permutation(), sources);
        let receivers = receivers.map(|points| in_tree_order(tree.receiver_permutation(), points));
        let cells = search_cells(&tree, &sources);
        Ok(Neighbors { tree, sources, receivers, cells, unit })
    }

    /// Receivers in tree order.
    fn receivers(&self) -> &[[f64; 3]] {
        self.receivers.as_deref().unwrap_or(&self.sources)
    }

    /// Map from the caller's index of a receiver to the tree position.
    fn receiver_positions(&self) -> Vec<u32> {
        let permutation = self.tree.receiver_permutation();
        let mut positions = vec![0; permutation.len()];
        for (position, &caller) in (0..).zip(permutation) {
            positions[caller as usize] = position;
        }
        positions
    }
}

/// Box as the searches read it: one cache line.
#[derive(Debug, Clone, Copy)]
struct SearchCell {
    /// Bounds of the sources in the box.
    bounds: Aabb,
    /// Box numbers, first and one past the last.
    children: [u32; 2],
    /// Tree positions, first and one past the last.
    sources: [u32; 2],
}

impl SearchCell {
    fn is_leaf(&self) -> bool {
        self.children[0] == self.children[1]
    }
}

impl WalkCell for SearchCell {
    #[inline]
    fn children(&self) -> [u32; 2] {
        self.children
    }

    #[inline]
    fn sources(&self) -> [u32; 2] {
        self.sources
    }
}

/// Cells of all boxes; `sources` in tree order.
fn search_cells(tree: &Octree, sources: &[[f64; 3]]) -> Vec<SearchCell> {
    let ends = |range: Range<usize>| [range.start as u32, range.end as u32];
    let cell = |(b, bounds): (usize, Aabb)| SearchCell {
        bounds,
        children: ends(tree.children(b)),
        sources: ends(tree.sources(b)),
    };
    source_bounds(tree, sources).into_iter().enumerate().map(cell).collect()
}

fn squared_distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}
