//! The level at which trees with crowded leaves end.
//!
//! A cluster that fills some boxes of the deepest level along each axis would share each of them with up to 27 clumps. Some
//! levels higher, two boxes along each axis hold all of it, and it is one clump.

use octree::{Cube, Depth};

use super::boxes::{Boxes, receivers, sources};
use super::census::{BoxCount, Census};
use super::{OVER_CAPACITY, crowded};
use crate::api::Error;
use crate::choose::TreeShape;

/// Levels that are tried: 64 boxes along a cluster are more than leave boxes crowded.
const TRIED: usize = 6;

/// Cost of a source and of a receiver of a clump, in pairs a point of an ordinary leaf. Near fields, of about ten leaf
/// capacities a point, cost as much as far fields; sort and multipoles of the sources cost half of that.
const SOURCE: f64 = 10.0;
const RECEIVER: f64 = 25.0;

/// Capacity of ordinary leaves, at least: the treecode's are smaller than its near field.
const CAPACITY: usize = 64;

/// A higher level has to cost this share or less, since the tree is then built again.
const WORTH: f64 = 0.7;

/// Side of the smallest cube whose clumps have trees of their own, whose cube cannot be smaller than 2⁻¹⁰⁰⁰.
const SMALLEST_SIDE: f64 = f64::from_bits((1023 - 900) << 52);

/// The level at which a tree of this shape and so many levels should end for the sake of crowded leaves; `None` if it has
/// none or was not free to go on. Costs nothing but for trees that reach their deepest level. Collective.
pub(crate) fn last_level(
    census: &dyn Census,
    cube: &Cube,
    n_levels: usize,
    shape: &TreeShape,
) -> Result<Option<usize>, Error> {
    let deepest = cube.exact_level();
    let is_free = match shape.depth {
        Depth::Uniform(_) => false,
        Depth::Adaptive { .. } => true,
        Depth::AdaptiveTo { max_level, .. } => max_level >= deepest,
    };
    let deepest = usize::from(deepest);
    let reaches = n_levels == deepest + 1;
    if !(is_free && reaches && cube.side() > SMALLEST_SIDE) {
        return Ok(None);
    }
    let lowest = cost(census, shape, deepest)?;
    if lowest == 0.0 {
        return Ok(None);
    }
    let mut best = (lowest, deepest);
    for level in (deepest.saturating_sub(TRIED)..deepest).rev() {
        let next = cost(census, shape, level)? / WORTH;
        if next < best.0 {
            best = (next, level);
        }
    }
    Ok(Some(best.1))
}

/// Cost of the clumps and of the near pairs of large boxes, in pairs, of a tree that ends at `level`.
fn cost(census: &dyn Census, shape: &TreeShape, level: usize) -> Result<f64, Error> {
    let crowded = crowded(shape);
    let capacity = shape.depth.leaf_capacity().unwrap_or(0);
    let large = Boxes::above(census, level, (OVER_CAPACITY * capacity).min(crowded))?;
    let near = |count: &BoxCount| count.n_receivers as f64 * sources(&large.near(count.key)) as f64;
    let all_pairs: f64 = large.boxes.iter().map(near).sum();
    let mut clumps = 0.0;
    for (from, to) in large.larger(crowded).by_neighbors() {
        let [n_sources, n_receivers] = [sources(&from), receivers(&to)].map(|n| n as f64);
        clumps += clump_cost(shape, n_sources, n_receivers) - n_sources * n_receivers;
    }
    Ok(all_pairs + clumps)
}

/// Cost of a clump, in pairs.
pub(super) fn clump_cost(shape: &TreeShape, n_sources: f64, n_receivers: f64) -> f64 {
    let unit = shape.depth.leaf_capacity().unwrap_or(0).max(CAPACITY) as f64;
    unit * (SOURCE * n_sources + RECEIVER * n_receivers)
}
