//! Bounds of the points in each box, tighter than the box.

use crate::boxes::aabb::Aabb;
use crate::boxes::coordinate::Coordinate;
use crate::tree::octree::Octree;
use crate::tree::upward::upward;

/// The bounds of the sources in each box, one a box; [`Aabb::EMPTY`] for none. O(N).
///
/// `positions`: the sources in tree order, one for each item of [`Octree::source_permutation`].
pub fn source_bounds<C: Coordinate>(tree: &Octree, positions: &[[C; 3]]) -> Vec<Aabb> {
    bounds(tree, |b| Aabb::around(&positions[tree.sources(b)]))
}

/// The bounds of the receivers in each box, as [`source_bounds`].
pub fn receiver_bounds<C: Coordinate>(tree: &Octree, positions: &[[C; 3]]) -> Vec<Aabb> {
    bounds(tree, |b| Aabb::around(&positions[tree.receivers(b)]))
}

fn bounds(tree: &Octree, of_leaf: impl Fn(usize) -> Aabb + Sync) -> Vec<Aabb> {
    upward(tree, |b, children: &[Aabb]| {
        if tree.is_leaf(b) {
            of_leaf(b)
        } else {
            children.iter().copied().fold(Aabb::EMPTY, Aabb::union)
        }
    })
}
