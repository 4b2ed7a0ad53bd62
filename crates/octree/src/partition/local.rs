//! The tree of one rank: its own points in the cube of all.

use super::cuts::Partition;
use crate::boxes::aabb::Aabb;
use crate::boxes::coordinate::Coordinate;
use crate::error::{Error, PointSet};
use crate::morton::MAX_LEVEL;
use crate::tree::build::build_in;
use crate::tree::octree::Octree;
use crate::tree::points;
use crate::tree::split::SplitRule;

/// The bounds of one process's points, or the first one that is not finite: the first step of a distributed tree.
///
/// # Errors
/// [`Error::NotFinite`], [`Error::TooManyPoints`].
pub fn point_bounds<C: Coordinate>(
    sources: &[[C; 3]],
    receivers: Option<&[[C; 3]]>,
) -> Result<Aabb, Error> {
    points::bounds_of(sources, receivers)
}

impl Octree {
    /// The part of the distributed tree that holds the points of `rank`, which owns all of them.
    ///
    /// Boxes are those of the tree of all points in which the rank has a point. A shared box is a leaf nowhere,
    /// because no cut lies inside a leaf, and so it is always split. All points of any other box are here, and the
    /// usual rule gives the answer that it gives for the whole tree.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooManyPoints`]: points that no tree holds; [`Error::NotACut`]: a cut inside a box of the
    /// deepest level; [`Error::NotOwned`]: a point of another rank; [`Error::TooManyBoxes`].
    pub fn build_part<C: Coordinate>(
        rule: &SplitRule,
        partition: &Partition,
        rank: usize,
        sources: &[[C; 3]],
        receivers: Option<&[[C; 3]]>,
    ) -> Result<Octree, Error> {
        points::bounds_of(sources, receivers)?;
        let below = (1 << (3 * (MAX_LEVEL - rule.deepest()))) - 1;
        if let Some(index) = partition.cuts().iter().position(|&cut| cut & below != 0) {
            return Err(Error::NotACut { index, cut: partition.cuts()[index] });
        }
        let tree = build_in(rule, sources, receivers, &|key| partition.is_shared(key))?;
        // Leaves are in the order of the curve, and none is shared.
        let ends = [tree.leaves().first(), tree.leaves().last()].into_iter().flatten();
        let is_own = |leaf: &u32| partition.owners(tree.key(*leaf as usize)) == (rank..rank + 1);
        if !ends.into_iter().all(is_own) {
            check_owner(rule, partition, rank, sources, PointSet::Sources)?;
            check_owner(rule, partition, rank, receivers.unwrap_or(&[]), PointSet::Receivers)?;
        }
        Ok(tree)
    }
}

fn check_owner<C: Coordinate>(
    rule: &SplitRule,
    partition: &Partition,
    rank: usize,
    points: &[[C; 3]],
    set: PointSet,
) -> Result<(), Error> {
    let owners = partition.owners_of(rule.cube(), points);
    match owners.iter().position(|&owner| owner as usize != rank) {
        None => Ok(()),
        Some(index) => Err(Error::NotOwned { set, index, owner: owners[index] as usize, rank }),
    }
}
