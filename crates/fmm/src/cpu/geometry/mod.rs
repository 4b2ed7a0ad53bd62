//! Geometry: points, tree and lists, and the work that follows from them. No part of it depends on charges.
//!
//! The direct sum is the tree of one leaf.
//!
//! | file | what |
//! |---|---|
//! | `points.rs` | coordinates and charges in tree order |
//! | `receivers.rs` | receivers dealt out to tasks, and their sums |
//! | `groups.rs` | receivers that walk together |
//! | `encounters.rs` | stretches of points that meet, in an order for many threads |
//! | `far_chunks.rs`, `families.rs` | far pairs for M2L pair by pair, families of boxes for plane waves |

pub(super) mod encounters;
pub(super) mod families;
pub(super) mod far_chunks;
mod groups;
pub(super) mod points;
pub(super) mod receivers;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use octree::walk::{ReceiverGroup, receiver_groups};
use octree::{Cube, InteractionLists, Key, Octree};
use rayon::prelude::*;

use super::clumps::{ClumpKeys, Clumps, last_level};
use super::peers::ghosts::Ghosts;
use crate::api::{Error, Seconds, Stage};
use crate::choose::TreeShape;
use crate::engine::{COARSEST_FAR_LEVEL, PointSets, Scalar, Unit, made_once};
use families::{Roles, WaveLevel, wave_levels};
use far_chunks::{Chunk, far_chunks};
use groups::walk_tasks;
use points::Points;
use receivers::{ReceiverTask, SEGMENT, SYMMETRIC_SEGMENT, Segment, receiver_tasks, segments};

/// Points whose tree positions one task writes.
const POSITIONS: usize = parallel::min_length(1.3);

/// Bytes of a box in the tree.
pub(super) const BOX_BYTES: usize = 40;

/// Points, tree, lists and the tasks of the passes.
#[derive(Clone, Debug)]
pub(crate) struct Geometry<T> {
    pub(crate) tree: Octree,
    pub(crate) lists: InteractionLists,
    /// Far pairs for M2L pair by pair, made when first needed.
    far: OnceLock<Vec<Chunk>>,
    wave_levels: OnceLock<Vec<WaveLevel>>,
    far_chunk: usize,
    /// Families of a slab of plane waves, at least.
    wave_slab: usize,
    /// Whether groups of receivers walk the tree.
    walked: bool,
    /// Points whose near pairs are on no list.
    pub(crate) clumps: Clumps,
    pub(crate) tasks: Vec<ReceiverTask>,
    /// Segments of all points, where they are sources and receivers and lists U are symmetric, so that a pair can be
    /// summed for both its points; otherwise none.
    pub(crate) symmetric: Vec<Segment>,
    pub(crate) unit: Unit,
    /// `None`: this process has all points.
    pub(crate) ghosts: Option<Ghosts>,
    sources: Points<T>,
    /// `None`: the receivers are the sources.
    receivers: Option<Points<T>>,
    /// Tree position of each of the caller's receivers.
    pub(crate) receiver_positions: Vec<u32>,
}

/// Tree of a process with its lists, from which the near pairs of clumps are left out.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    pub(crate) tree: Octree,
    pub(crate) lists: InteractionLists,
    pub(crate) clumps: &'a ClumpKeys,
}

/// Points of one process among several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPoints<'a, T> {
    pub(crate) own: PointSets<'a, T>,
    /// Source points of other processes, which the tree counts behind the own sources.
    pub(crate) ghosts: &'a [[T; 3]],
}

/// The tree of points and its clumps. With clumps it may end above the deepest level.
fn build_tree<T: Scalar>(
    points: &PointSets<'_, T>,
    shape: &TreeShape,
) -> Result<(Octree, ClumpKeys), Error> {
    let PointSets { sources, receivers } = *points;
    let build = |depth| Octree::build_enlarged(sources, receivers, depth, shape.enlarged);
    let mut tree = build(shape.depth)?;
    let Some(level) = last_level(&tree, tree.cube(), tree.n_levels(), shape)? else {
        return Ok((tree, ClumpKeys::default()));
    };
    if level + 1 < tree.n_levels() {
        tree = build(shape.ending_at(level))?;
    }
    let clumps = ClumpKeys::new(&tree, shape, level)?;
    Ok((tree, clumps))
}

/// Tree position of each of the caller's receivers.
fn tree_positions(tree: &Octree) -> Vec<u32> {
    let order = tree.receiver_permutation();
    // Each place is written once; atomics only make that known to the compiler.
    let zeros = order.par_iter().with_min_len(POSITIONS);
    let positions: Vec<AtomicU32> = zeros.map(|_| AtomicU32::new(0)).collect();
    parallel::for_parts(order.chunks(POSITIONS), |task, order| {
        for (position, index) in (task * POSITIONS..).zip(order) {
            positions[*index as usize].store(position as u32, Ordering::Relaxed);
        }
    });
    positions.into_iter().map(AtomicU32::into_inner).collect()
}

/// Segments of the sources that are a process's own receivers.
fn own_segments(tree: &Octree, ghosts: &Ghosts) -> Vec<Segment> {
    let mut segments = segments(tree, tree.leaves(), SYMMETRIC_SEGMENT);
    for Segment { receivers, .. } in &mut segments {
        *receivers = receivers.start + ghosts.own.start..receivers.end + ghosts.own.start;
    }
    segments
}

impl<T: Scalar> Geometry<T> {
    pub(crate) fn new(
        points: &PointSets<'_, T>,
        shape: TreeShape,
        seconds: &mut Seconds,
    ) -> Result<Self, Error> {
        let PointSets { sources, receivers } = *points;
        let (tree, clump_keys) = seconds.time(Stage::Sort, || build_tree(points, &shape))?;
        let clumps = Clumps::of(&tree, &clump_keys, 0..sources.len());
        let unit = Unit::of(tree.cube().side());
        let lists_of_tree = || match shape.group_capacity {
            Some(_) => InteractionLists::default(),
            None => {
                let mut lists = InteractionLists::build(&tree, shape.list_options);
                clump_keys.take_from(&tree, &mut lists);
                lists
            }
        };
        let tasks_of_tree = || match shape.group_capacity {
            Some(largest) => (walk_tasks(&receiver_groups(&tree, largest)), Vec::new()),
            None => {
                let is_symmetric = tree.sources_are_receivers() && shape.lists_are_symmetric();
                let leaves = if is_symmetric { tree.leaves() } else { &[] };
                let tasks = receiver_tasks(&tree, tree.leaves(), SEGMENT);
                (tasks, segments(&tree, leaves, SYMMETRIC_SEGMENT))
            }
        };
        let points_of_tree = || {
            let sources = Points::gather(sources, tree.source_permutation(), unit);
            let gather = |set| Points::gather(set, tree.receiver_permutation(), unit);
            (sources, receivers.map(gather), tree_positions(&tree))
        };
        // None of them needs the others.
        let (lists, ((tasks, symmetric), (sources, receivers, receiver_positions))) = seconds
            .time(Stage::Lists, || {
                parallel::join(lists_of_tree, || parallel::join(tasks_of_tree, points_of_tree))
            });
        let bare = Self::bare(tree, &shape, sources, receivers);
        Ok(Self { lists, clumps, tasks, symmetric, receiver_positions, ..bare })
    }

    /// A tree with its points in the plan's unit, without lists and tasks.
    fn bare(
        tree: Octree,
        shape: &TreeShape,
        sources: Points<T>,
        receivers: Option<Points<T>>,
    ) -> Self {
        Self {
            lists: InteractionLists::default(),
            far: OnceLock::new(),
            wave_levels: OnceLock::new(),
            far_chunk: shape.far_chunk,
            wave_slab: shape.wave_slab,
            walked: shape.group_capacity.is_some(),
            clumps: Clumps::default(),
            tasks: Vec::new(),
            symmetric: Vec::new(),
            unit: Unit::of(tree.cube().side()),
            ghosts: None,
            sources,
            receivers,
            receiver_positions: Vec::new(),
            tree,
        }
    }

    /// The geometry of one process among several: its tree with ghosts, and the lists of its own receivers without the near
    /// pairs of clumps.
    pub(crate) fn of_part(
        Listed { tree, lists, clumps }: Listed<'_>,
        shape: &TreeShape,
        points: &PartPoints<'_, T>,
        ghosts: Ghosts,
    ) -> Self {
        let unit = Unit::of(tree.cube().side());
        let PartPoints { own, ghosts: of_others } = *points;
        let n_own = own.sources.len();
        let sources = Points::gather_from(tree.source_permutation(), unit, |index| {
            own.sources.get(index).copied().unwrap_or_else(|| of_others[index - n_own])
        });
        let one_set = own.receivers.is_none();
        let receivers = match own.receivers {
            None => sources.part(ghosts.own.clone()),
            Some(receivers) => Points::gather(receivers, tree.receiver_permutation(), unit),
        };
        let symmetric = match one_set && shape.lists_are_symmetric() {
            true => own_segments(&tree, &ghosts),
            false => Vec::new(),
        };
        Self {
            clumps: Clumps::of(&tree, clumps, ghosts.own.clone()),
            tasks: receiver_tasks(&tree, tree.leaves(), SEGMENT),
            symmetric,
            ghosts: Some(ghosts),
            receiver_positions: tree_positions(&tree),
            lists,
            ..Self::bare(tree, shape, sources, Some(receivers))
        }
    }

    /// The geometry of one process among several whose groups walk: its part of the tree, with the groups of its receivers.
    pub(crate) fn of_walked_part(
        tree: Octree,
        groups: &[ReceiverGroup],
        shape: &TreeShape,
        points: &PointSets<'_, T>,
        clumps: &ClumpKeys,
    ) -> Self {
        let unit = Unit::of(tree.cube().side());
        let sources = Points::gather(points.sources, tree.source_permutation(), unit);
        let gather = |set| Points::gather(set, tree.receiver_permutation(), unit);
        let receivers = points.receivers.map(gather);
        Self {
            clumps: Clumps::of(&tree, clumps, 0..points.sources.len()),
            tasks: walk_tasks(groups),
            receiver_positions: tree_positions(&tree),
            ..Self::bare(tree, shape, sources, receivers)
        }
    }

    /// Whether box `b` has sources, here or in another process.
    pub(crate) fn acts(&self, b: usize) -> bool {
        match &self.ghosts {
            Some(ghosts) => ghosts.acts[b],
            None => !self.tree.sources(b).is_empty(),
        }
    }

    /// Tree positions of the sources that are no ghosts.
    pub(crate) fn own_sources(&self) -> Range<usize> {
        self.ghosts.as_ref().map_or(0..self.sources.len(), |ghosts| ghosts.own.clone())
    }

    pub(crate) fn sources(&self) -> &Points<T> {
        &self.sources
    }

    pub(crate) fn receivers(&self) -> &Points<T> {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }

    /// Centre and side of box `b` in the plan's unit.
    pub(crate) fn frame(&self, b: usize) -> ([f64; 3], f64) {
        self.frame_of(self.tree.key(b))
    }

    /// Centre and side of a box, which may be one of other processes, in the plan's unit.
    pub(crate) fn frame_of(&self, key: Key) -> ([f64; 3], f64) {
        let cube: &Cube = self.tree.cube();
        let center = cube.center(key).map(|c| self.unit.shrink(c));
        (center, self.unit.shrink(cube.side_at(key.level())))
    }

    /// The far pairs for M2L pair by pair.
    pub(crate) fn far(&self) -> &[Chunk] {
        made_once::<Vec<_>>(&self.far, || far_chunks(&self.tree, &self.lists, self.far_chunk))
    }

    /// The families of boxes for M2L by plane waves.
    pub(crate) fn wave_levels(&self) -> &[WaveLevel] {
        made_once::<Vec<_>>(&self.wave_levels, || {
            let receives = |b: usize| !self.tree.receivers(b).is_empty();
            let roles = Roles { acts: &|b| self.acts(b), receives: &receives };
            wave_levels(&self.tree, &roles, self.wave_slab)
        })
    }

    /// Boxes of the levels that have far pairs.
    pub(crate) fn far_boxes(&self) -> usize {
        let levels = 0..COARSEST_FAR_LEVEL.min(self.tree.n_levels());
        let above: usize = levels.map(|level| self.tree.level(level).len()).sum();
        self.tree.n_boxes() - above
    }

    /// Whether expansions or cells may act: a walked tree, or a list V, W or X that is not empty.
    pub(crate) fn has_expansions(&self) -> bool {
        let lists = [self.lists.far(), self.lists.m2p(), self.lists.p2l()];
        let elsewhere = self.ghosts.as_ref().is_some_and(|ghosts| ghosts.expands);
        elsewhere || self.walked || lists.iter().any(|list| list.n_items() > 0)
    }

    /// Number of receivers whose leaves have no source.
    pub(crate) fn receivers_alone(&self) -> usize {
        let tree = &self.tree;
        let leaves = tree.leaves().iter().map(|leaf| *leaf as usize);
        let alone = leaves.filter(|leaf| tree.sources(*leaf).is_empty());
        alone.map(|leaf| tree.receivers(leaf).len()).sum()
    }

    /// Memory of points, tree, lists and schedule in bytes, to within what the tree keeps to itself.
    pub(crate) fn bytes(&self) -> usize {
        let csr = [self.lists.near(), self.lists.far(), self.lists.m2p(), self.lists.p2l()];
        let lists: usize = csr.iter().map(|csr| 8 * csr.offsets().len() + 4 * csr.n_items()).sum();
        let far: usize = self
            .far
            .get()
            .into_iter()
            .flatten()
            .map(|chunk| 8 * (chunk.pairs.len() + chunk.ends.len()))
            .sum();
        let of_receivers = |receivers: &Points<T>| receivers.bytes_beside(Some(&self.sources));
        let points =
            self.sources.bytes_beside(None) + self.receivers.as_ref().map_or(0, of_receivers);
        let orders = 4 * (self.tree.n_sources() + 2 * self.receiver_positions.len());
        let boxes = self.tree.n_boxes() * BOX_BYTES;
        let waves: usize = self.wave_levels.get().into_iter().flatten().map(WaveLevel::bytes).sum();
        let far_offsets = 2 * self.lists.far_offsets().len();
        waves + points + orders + boxes + lists + far_offsets + far
    }
}
