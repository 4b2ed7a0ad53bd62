//! Counts of the whole tree, from what each rank has of it.

use octree::partition::{Holder, Partition, TopTree};
use octree::{Key, Octree};

use super::survey::Survey;
use super::trees::Trees;
use crate::api::{Error, Request};
use crate::choose::{Scheme, TreeStatistics};
use crate::engine::COARSEST_FAR_LEVEL;
use crate::ranks::Group;

/// Boxes and pairs of boxes of the whole tree.
#[derive(Clone, Copy, Debug)]
pub(in crate::ranks) struct Counts {
    pub(in crate::ranks) levels: usize,
    pub(in crate::ranks) boxes: usize,
    pub(in crate::ranks) leaves: usize,
    pub(in crate::ranks) far_pairs: usize,
    far_boxes: usize,
    /// Receivers whose leaf has no source.
    alone: usize,
    /// Whether expansions act anywhere.
    pub(in crate::ranks) expands: bool,
}

impl Counts {
    /// Sums over the boxes that ranks own, and over the shared ones.
    pub(in crate::ranks) fn new(group: &Group, trees: &Trees<'_>) -> Result<Self, Error> {
        let Trees { part, shared, essential, exchange } = trees;
        let (tree, lists) = (essential.tree(), &exchange.lists);
        let mut sums = [0; 6];
        for b in (0..tree.n_boxes()).filter(|b| essential.holders()[*b] == Holder::Own) {
            let is_far = usize::from(tree.key(b).level()) >= COARSEST_FAR_LEVEL;
            let alone = match essential.in_part(b) {
                Some(own) if tree.is_leaf(b) && part.sources(own).is_empty() => {
                    part.receivers(own).len()
                }
                _ => 0,
            };
            let far_pairs = lists.far().row(b).len();
            let of_box =
                [1, usize::from(tree.is_leaf(b)), far_pairs, usize::from(is_far), alone, 0];
            sums.iter_mut().zip(of_box).for_each(|(sum, n)| *sum += n as u64);
        }
        sums[5] = (lists.m2p().n_items() + lists.p2l().n_items()) as u64;
        group.sum(&mut sums)?;
        // A row of a shared box is that of the whole tree on every rank with receivers in the box.
        let row = |key: &Key| tree.find(*key).map_or(0.0, |b| lists.far().row(b).len() as f64);
        let mut rows: Vec<f64> = shared.keys().iter().map(row).collect();
        rows.push(tree.n_levels() as f64);
        group.largest(&mut rows)?;
        let levels = rows.pop().unwrap_or(0.0) as usize;
        let far_pairs = sums[2] as usize + rows.iter().sum::<f64>() as usize;
        let is_full = |i: &usize| shared.totals(*i) != [0, 0];
        let full: Vec<usize> = (0..shared.keys().len()).filter(is_full).collect();
        let is_far = |i: &&usize| usize::from(shared.keys()[**i].level()) >= COARSEST_FAR_LEVEL;
        Ok(Self {
            levels,
            boxes: sums[0] as usize + full.len(),
            leaves: sums[1] as usize,
            far_pairs,
            far_boxes: sums[3] as usize + full.iter().filter(is_far).count(),
            alone: sums[4] as usize,
            expands: far_pairs > 0 || sums[5] > 0,
        })
    }

    /// Sums over the boxes that ranks own, and over the shared ones, of a tree that groups walk. Collective.
    pub(in crate::ranks) fn of_walks(
        group: &Group,
        partition: &Partition,
        part: &Octree,
        top: &TopTree,
    ) -> Result<Self, Error> {
        let is_far = |level: u8| usize::from(usize::from(level) >= COARSEST_FAR_LEVEL);
        let mut sums = [0; 4];
        for b in (0..part.n_boxes()).filter(|b| !partition.is_shared(part.key(*b))) {
            let is_alone = part.is_leaf(b) && part.sources(b).is_empty();
            let alone = if is_alone { part.receivers(b).len() } else { 0 };
            let of_box = [1, usize::from(part.is_leaf(b)), is_far(part.key(b).level()), alone];
            sums.iter_mut().zip(of_box).for_each(|(sum, n)| *sum += n as u64);
        }
        group.sum(&mut sums)?;
        let mut levels = [part.n_levels() as f64];
        group.largest(&mut levels)?;
        let shared = top.boxes().iter().filter(|shared| shared.owner.is_none());
        let [boxes, leaves, far_boxes, alone] = sums.map(|sum| sum as usize);
        Ok(Self {
            levels: levels[0] as usize,
            boxes: boxes + shared.clone().count(),
            leaves,
            far_pairs: 0,
            far_boxes: far_boxes + shared.map(|shared| is_far(shared.key.level())).sum::<usize>(),
            alone,
            expands: true,
        })
    }

    /// The whole tree, for the chooser.
    pub(in crate::ranks) fn statistics(
        &self,
        survey: &Survey,
        scheme: Scheme,
        request: &Request,
    ) -> TreeStatistics {
        let Self { boxes, leaves, far_pairs, far_boxes, alone, expands, .. } = *self;
        let counts = survey.counts;
        TreeStatistics {
            counts,
            scheme,
            dimension: survey.statistics().dimension(),
            far_pairs,
            far_boxes,
            families: boxes - leaves,
            alone: if counts.ask_for_alone(request) { alone } else { 0 },
            expands,
        }
    }
}
