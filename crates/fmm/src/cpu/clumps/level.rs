//! The level at which trees with crowded leaves end.
//!
//! A cluster that fills some boxes of the deepest level along each axis would share each of them with up to 27 clumps. Some
//! levels higher, two boxes along each axis hold all of it, and it is one clump.

use octree::{Depth, Octree};

use super::{Boxes, OVER_CAPACITY, crowded};
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

/// The level at which a tree of this shape should end for the sake of crowded leaves; `None` if it has none or was not
/// free to go on. Costs nothing but for trees that reach their deepest level.
pub(in crate::cpu) fn last_level(tree: &Octree, shape: &TreeShape) -> Option<usize> {
    let deepest = tree.cube().exact_level();
    let is_free = match shape.depth {
        Depth::Uniform(_) => false,
        Depth::Adaptive { .. } => true,
        Depth::AdaptiveTo { max_level, .. } => max_level >= deepest,
    };
    let deepest = usize::from(deepest);
    let reaches = tree.n_levels() == deepest + 1;
    if !(is_free && reaches && tree.cube().side() > SMALLEST_SIDE) {
        return None;
    }
    let lowest = cost(tree, shape, deepest);
    if lowest == 0.0 {
        return None;
    }
    let higher = (deepest.saturating_sub(TRIED)..deepest).rev();
    let costs = higher.map(|level| (cost(tree, shape, level) / WORTH, level));
    let best =
        costs.fold((lowest, deepest), |best, next| if next.0 < best.0 { next } else { best });
    Some(best.1)
}

/// Cost of the clumps and of the near pairs of large boxes, in pairs, of a tree that ends at `level`.
fn cost(tree: &Octree, shape: &TreeShape, level: usize) -> f64 {
    let crowded = crowded(shape);
    let capacity = shape.depth.leaf_capacity().unwrap_or(0);
    let large = Boxes::above(tree, level, (OVER_CAPACITY * capacity).min(crowded));
    if large.boxes.is_empty() {
        return 0.0;
    }
    let n_receivers = |b: u32| tree.receivers(b as usize).len() as f64;
    let near = |b: &usize| n_receivers(*b as u32) * large.n_sources(&large.near(*b)) as f64;
    let all_pairs: f64 = large.boxes.iter().map(near).sum();
    let mut clumps = 0.0;
    for (sources, receivers) in Boxes::above(tree, level, crowded).by_neighbors() {
        let n_sources = large.n_sources(&sources) as f64;
        let n_receivers: f64 = receivers.iter().map(|b| n_receivers(*b)).sum();
        clumps += clump_cost(shape, n_sources, n_receivers) - n_sources * n_receivers;
    }
    all_pairs + clumps
}

/// Cost of a clump, in pairs.
pub(super) fn clump_cost(shape: &TreeShape, n_sources: f64, n_receivers: f64) -> f64 {
    let unit = shape.depth.leaf_capacity().unwrap_or(0).max(CAPACITY) as f64;
    unit * (SOURCE * n_sources + RECEIVER * n_receivers)
}
