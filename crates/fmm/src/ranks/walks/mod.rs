//! Walks over ranks: each rank walks with its own groups of receivers, over its own cells and those of others that the
//! groups may reach (Salmon & Warren's locally essential tree, made anew for each vector of charges).
//!
//! Centres and shapes of cells depend on the charges, so that a rank finds out then what the groups of others may reach. It
//! knows them by their hulls: whatever a group opens is opened for its hull. Cells, groups and their walks are those of one
//! process.
//!
//! | file | what |
//! |---|---|
//! | `hulls.rs` | boxes around the groups of each rank, and how far they open cells |
//! | `exports.rs` | cells and sources of this rank that the walks of another may reach |
//! | `merge.rs` | cells of this rank, shared cells and cells of others in one array |
//! | `make_cells.rs` | from charges to these cells |

mod exports;
mod hulls;
mod make_cells;
mod merge;

use std::collections::BTreeMap;

use octree::Octree;
use octree::partition::{Partition, TopTree};
use octree::walk::{CutGroup, ReceiverGroup, part_receiver_groups};

use super::group::Group;
use super::memory::Sharers;
use crate::api::{Error, Request};
use crate::choose::TreeShape;
use crate::cpu::{ClumpKeys, Geometry, Need};
use crate::engine::{PointSets, Scalar};
use hulls::Hulls;

/// Knowledge of a rank about the tree and the groups of all, which does not depend on charges.
#[derive(Clone, Debug)]
pub(super) struct WalkPart {
    pub(super) top: TopTree,
    hulls: Hulls,
    clumps: ClumpKeys,
    /// Clumps with receivers of each rank, by rank.
    clumps_of: Vec<Vec<usize>>,
}

/// Groups of this rank's receivers.
pub(super) struct Groups {
    all: Vec<ReceiverGroup>,
    /// Groups among them that other ranks have receivers of.
    cut: Vec<CutGroup>,
}

/// A rank's part of the tree, and the top of the whole.
pub(super) struct Part<'a> {
    pub(super) tree: Octree,
    pub(super) top: TopTree,
    pub(super) partition: &'a Partition,
}

impl WalkPart {
    /// The top of a tree of which a rank has a part. Collective.
    pub(super) fn top(
        group: &Group,
        part: &Octree,
        partition: &Partition,
    ) -> Result<TopTree, Error> {
        group.with_totals(|totals| TopTree::collect(part, partition, totals))
    }

    /// The geometry of a rank's points, and what it knows of tree and groups of all. Collective.
    pub(super) fn new<T: Scalar>(
        group: &Group,
        Part { tree, top, partition }: Part<'_>,
        shape: &TreeShape,
        points: &PointSets<'_, T>,
        clumps: &ClumpKeys,
    ) -> Result<(Geometry<T>, Self), Error> {
        let groups = Groups::new(&tree, &top, shape.group_capacity.unwrap_or(1));
        let geometry = Geometry::of_walked_part(tree, &groups.all, shape, points, clumps);
        let hulls = Hulls::new(group, &geometry, &groups)?;
        let clumps_of = clumps.by_owner(group.size(), |leaf| partition.owners(leaf).start);
        Ok((geometry, Self { top, hulls, clumps: clumps.clone(), clumps_of }))
    }
}

impl Groups {
    /// The groups of the whole tree that have receivers in a part of it.
    fn new(part: &Octree, top: &TopTree, largest: usize) -> Self {
        let shared: BTreeMap<usize, [usize; 8]> = (0..top.boxes().len())
            .filter_map(|at| Some((top.boxes()[at].in_part?, top.receivers_by_octant(at)?)))
            .collect();
        let (all, cut) = part_receiver_groups(part, largest, |b| shared.get(&b).copied());
        Self { all, cut }
    }
}

/// The ranks, as walks of one of them see the others.
pub(super) struct Walkers<'a> {
    pub(super) group: &'a Group,
    pub(super) part: &'a WalkPart,
    pub(super) request: &'a Request,
    pub(super) sharers: &'a Sharers,
    /// Need of the evaluation besides what comes from others.
    pub(super) need: Need,
}
