//! The points, the tree over them and what is to be done with it: all that does not depend on
//! charges.
//!
//! The direct sum is the tree of one leaf.

use std::sync::OnceLock;

use octree::{Cube, Depth, InteractionLists, ListOptions, Octree};

use crate::passes::TOP;
use crate::points::{Points, Unit};
use crate::schedule::{Chunk, far_chunks};
use crate::stopwatch::{Seconds, Stage};
use crate::tasks::{MUTUAL_SEGMENT, ReceiverTask, SEGMENT, Segment, receiver_tasks, segments};
use crate::treecode::walk_tasks;
use crate::waves::{WaveLevel, wave_levels};
use crate::{Error, Scalar, tuning};

/// Points, tree, lists and schedule.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy<T> {
    pub(crate) tree: Octree,
    pub(crate) lists: InteractionLists,
    /// Made when first needed.
    far: OnceLock<Vec<Chunk>>,
    wave_levels: OnceLock<Vec<WaveLevel>>,
    far_chunk: usize,
    pub(crate) tasks: Vec<ReceiverTask>,
    /// All points, where they are sources and receivers and lists U are symmetric, so that a pair can be
    /// summed for both its points; otherwise none.
    pub(crate) mutual: Vec<Segment>,
    pub(crate) unit: Unit,
    sources: Points<T>,
    /// `None`: the receivers are the sources.
    receivers: Option<Points<T>>,
    /// Tree position of each of the caller's receivers.
    pub(crate) receiver_rank: Vec<u32>,
}

/// How to build a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) depth: Depth,
    /// By how much the cube of level 0 is larger than need be.
    pub(crate) enlarged: f64,
    pub(crate) list_options: ListOptions,
    /// Receiver boxes whose far pairs are worked off together.
    pub(crate) far_chunk: usize,
    /// For a walk, which makes its own lists: how many receivers a group has at most.
    pub(crate) walk_group: Option<usize>,
}

impl Shape {
    /// Whether leaves of one set of points are on each other's list U or on none.
    fn lists_are_symmetric(&self) -> bool {
        let ListOptions { min_sources_for_m2p, min_receivers_for_p2l } = self.list_options;
        min_sources_for_m2p == min_receivers_for_p2l
    }
}

impl<T: Scalar> Hierarchy<T> {
    pub(crate) fn new(
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
        shape: Shape,
        seconds: &mut Seconds,
    ) -> Result<Self, Error> {
        let tree = seconds.time(Stage::Sort, || {
            Octree::build_enlarged(sources, receivers, shape.depth, shape.enlarged)
        })?;
        let (lists, tasks, mutual) = seconds.time(Stage::Lists, || match shape.walk_group {
            Some(max_receivers) => {
                let tasks = walk_tasks(&tree, max_receivers);
                (InteractionLists::default(), tasks, Vec::new())
            }
            None => {
                let lists = InteractionLists::build(&tree, shape.list_options);
                let tasks = receiver_tasks(&tree, tree.leaves(), SEGMENT);
                let mutual = match tree.sources_are_receivers() && shape.lists_are_symmetric() {
                    true => segments(&tree, tree.leaves(), MUTUAL_SEGMENT),
                    false => Vec::new(),
                };
                (lists, tasks, mutual)
            }
        });
        let unit = Unit::of(tree.cube().side());
        let (sources, receivers, receiver_rank) = seconds.time(Stage::Other, || {
            let sources = Points::gather(sources, tree.source_permutation(), unit);
            let receivers = receivers
                .map(|receivers| Points::gather(receivers, tree.receiver_permutation(), unit));
            let mut rank = vec![0; tree.receiver_permutation().len()];
            for (position, index) in tree.receiver_permutation().iter().enumerate() {
                rank[*index as usize] = position as u32;
            }
            (sources, receivers, rank)
        });
        Ok(Self {
            tree,
            lists,
            far: OnceLock::new(),
            wave_levels: OnceLock::new(),
            far_chunk: shape.far_chunk,
            tasks,
            mutual,
            unit,
            sources,
            receivers,
            receiver_rank,
        })
    }

    pub(crate) fn sources(&self) -> &Points<T> {
        &self.sources
    }

    pub(crate) fn receivers(&self) -> &Points<T> {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }

    /// Centre and side of box `b` in the plan's unit.
    pub(crate) fn frame(&self, b: usize) -> ([f64; 3], f64) {
        let (cube, key): (&Cube, _) = (self.tree.cube(), self.tree.key(b));
        let center = cube.center(key).map(|c| self.unit.shrink(c));
        (center, self.unit.shrink(cube.side_at(key.level())))
    }

    /// The far pairs for M2L pair by pair.
    pub(crate) fn far(&self) -> &[Chunk] {
        self.far.get_or_init(|| far_chunks(&self.tree, &self.lists, self.far_chunk))
    }

    /// The families of boxes for M2L by plane waves.
    pub(crate) fn wave_levels(&self) -> &[WaveLevel] {
        self.wave_levels.get_or_init(|| wave_levels(&self.tree))
    }

    /// Whether plane waves are the faster M2L at an order.
    pub(crate) fn waves_win(&self, order: usize) -> bool {
        let above: usize =
            (0..TOP.min(self.tree.n_levels())).map(|level| self.tree.level(level).len()).sum();
        let boxes = self.tree.n_boxes();
        let families = boxes - self.tree.leaves().len();
        tuning::waves_win(order, self.lists.far.n_items(), boxes - above, families)
    }

    /// Whether anything is far from anything.
    pub(crate) fn has_expansions(&self) -> bool {
        self.lists.far.n_items() > 0 || self.lists.m2p.n_items() > 0 || self.lists.p2l.n_items() > 0
    }

    /// Memory of points, tree, lists and schedule in bytes, to within what the tree keeps to itself.
    pub(crate) fn bytes(&self) -> usize {
        let csr = [&self.lists.near, &self.lists.far, &self.lists.m2p, &self.lists.p2l];
        let lists: usize = csr.iter().map(|csr| 8 * csr.offsets().len() + 4 * csr.n_items()).sum();
        let far: usize = self
            .far
            .get()
            .into_iter()
            .flatten()
            .map(|chunk| 8 * (chunk.pairs.len() + chunk.ends.len()))
            .sum();
        let points = self.sources.bytes() + self.receivers.as_ref().map_or(0, Points::bytes);
        let orders = 4 * (self.tree.source_permutation().len() + 2 * self.receiver_rank.len());
        let boxes = self.tree.n_boxes() * 40;
        let waves: usize = self.wave_levels.get().into_iter().flatten().map(WaveLevel::bytes).sum();
        waves + points + orders + boxes + lists + 2 * self.lists.far_offset.len() + far
    }
}
