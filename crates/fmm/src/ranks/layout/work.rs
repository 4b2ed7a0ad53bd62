//! Work of a rank, counted from its lists, and its part on each point.

use octree::Octree;
use octree::partition::Holder;

use super::trees::Trees;
use crate::choose::WorkCosts;
use crate::engine::COARSEST_FAR_LEVEL;

/// Work that a rank has between some cuts.
pub(in crate::ranks) struct Work<'a> {
    /// Seconds of an evaluation, by the cost table.
    pub(in crate::ranks) seconds: f64,
    part: &'a Octree,
    /// Own leaves with receivers, as numbers of the part, and seconds of each of their receivers.
    leaves: Vec<(u32, f64)>,
    /// Seconds of each source, its part in the work as a receiver apart.
    of_source: f64,
}

/// Work of each owned point.
pub(in crate::ranks) struct PointWork {
    /// Nanoseconds of each owned source, in the order in which the sources came.
    pub(in crate::ranks) of_sources: Vec<u32>,
    /// Nanoseconds of each owned receiver; empty where the receivers are the sources.
    pub(in crate::ranks) of_receivers: Vec<u32>,
}

impl<'a> Work<'a> {
    /// Counts pairs and boxes. Work on a box counts for the receivers below it; work on boxes of others, and on boxes
    /// without receivers, counts for all points of the rank alike, because it changes with the cuts. O(boxes of the
    /// essential tree, lists).
    pub(in crate::ranks) fn of_part(trees: &Trees<'a>, costs: &WorkCosts) -> Self {
        let tree = trees.essential.tree();
        let one_set = trees.part.sources_are_receivers();
        let n_sources = trees.part.n_sources();
        let n_receivers = trees.part.n_receivers();
        let mut elsewhere = 0.0;
        // Seconds a receiver of each box, those of the boxes above included.
        let mut shares = vec![0.0; tree.n_boxes()];
        for b in 0..tree.n_boxes() {
            let above = tree.parent(b).map_or(0.0, |parent| shares[parent]);
            let own = trees.essential.in_part(b).map(|own| trees.part.receivers(own).len());
            shares[b] = match own {
                Some(n) if n > 0 => above + of_receivers(trees, costs, b, n) / n as f64,
                of_sources => {
                    let upward = if of_sources.is_some() { costs.one_box } else { 0.0 };
                    elsewhere += upward + of_sending(trees, costs, b);
                    above
                }
            };
        }
        let n_points = if one_set { n_sources } else { n_sources + n_receivers };
        let everywhere = elsewhere / n_points.max(1) as f64;
        let part: &Octree = trees.part;
        let leaf = |(b, share): (usize, &f64)| {
            let own = trees.essential.in_part(b)?;
            let is_one = part.is_leaf(own) && !part.receivers(own).is_empty();
            is_one.then_some((own as u32, share + everywhere + costs.point))
        };
        let leaves: Vec<(u32, f64)> = shares.iter().enumerate().filter_map(leaf).collect();
        let of_source = if one_set { costs.point } else { costs.point + everywhere };
        let of_leaf = |(b, share): &(u32, f64)| part.receivers(*b as usize).len() as f64 * share;
        let seconds = leaves.iter().map(of_leaf).sum::<f64>() + n_sources as f64 * of_source;
        Self { seconds, part, leaves, of_source }
    }

    /// Work of walks, which is alike for all receivers, and for all sources: seconds of a source and of a receiver. O(leaves).
    pub(in crate::ranks) fn of_walks(part: &'a Octree, [of_source, of_receiver]: [f64; 2]) -> Self {
        let leaves = part.leaves().iter().map(|leaf| (*leaf, of_receiver)).collect();
        let n_sources = part.n_sources() as f64;
        let n_receivers = part.n_receivers() as f64;
        let seconds = n_receivers * of_receiver + n_sources * of_source;
        Self { seconds, part, leaves, of_source }
    }

    /// The part of each owned point. O(points).
    pub(in crate::ranks) fn of_points(&self) -> PointWork {
        // Even a point without work has to weigh something, so that points without any are shared too.
        let weight = |seconds: f64| (1e9 * seconds).round().max(1.0) as u32;
        let order = self.part.receiver_permutation();
        let one_set = self.part.sources_are_receivers();
        let more = if one_set { self.of_source } else { 0.0 };
        let mut of_receivers = vec![weight(more); order.len()];
        for &(leaf, seconds) in &self.leaves {
            for place in self.part.receivers(leaf as usize) {
                of_receivers[order[place] as usize] = weight(seconds + more);
            }
        }
        match one_set {
            true => PointWork { of_sources: of_receivers, of_receivers: Vec::new() },
            false => {
                let n_sources = self.part.n_sources();
                PointWork { of_sources: vec![weight(self.of_source); n_sources], of_receivers }
            }
        }
    }
}

/// Seconds of a box with `n` receivers of this rank: its lists, its waves, its other work.
fn of_receivers(trees: &Trees<'_>, costs: &WorkCosts, b: usize, n: usize) -> f64 {
    let (tree, lists) = (trees.essential.tree(), &trees.exchange.lists);
    let holders = trees.essential.holders();
    let one_set = trees.part.sources_are_receivers();
    let mut seconds = costs.one_box;
    for s in lists.near().row(b).iter().map(|s| *s as usize) {
        let pair = match one_set && holders[s] == Holder::Own {
            true => costs.own_pair,
            false => costs.ghost_pair,
        };
        seconds += pair * (n * tree.sources(s).len()) as f64;
    }
    let n_p2l: usize = lists.p2l().row(b).iter().map(|s| tree.sources(*s as usize).len()).sum();
    seconds += costs.m2p * (n * lists.m2p().row(b).len()) as f64 + costs.p2l * n_p2l as f64;
    let n_far = lists.far().row(b).len() as f64;
    seconds += (costs.translation + costs.far_m2p * n as f64) * n_far;
    // Its children, and the box itself, receive waves and send them.
    seconds + of_waves(trees, costs, b) + of_sending(trees, costs, b)
}

/// Seconds of the waves that a box and its children send, if they have sources.
fn of_sending(trees: &Trees<'_>, costs: &WorkCosts, b: usize) -> f64 {
    match trees.essential.tree().sources(b).is_empty() {
        true => 0.0,
        false => of_waves(trees, costs, b),
    }
}

/// Seconds of one way of the waves of a box and of its children.
fn of_waves(trees: &Trees<'_>, costs: &WorkCosts, b: usize) -> f64 {
    let tree = trees.essential.tree();
    let level = usize::from(tree.key(b).level());
    let of_box = if level >= COARSEST_FAR_LEVEL { costs.waves_of_box } else { 0.0 };
    let is_family = level + 1 >= COARSEST_FAR_LEVEL && !tree.is_leaf(b);
    of_box + if is_family { costs.waves_of_family } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use distributed::threads;
    use octree::partition::{Balance, Partition, SortedPoints};
    use octree::{Cube, Depth, InteractionLists, ListOptions, SplitRule};

    use super::*;
    use crate::api::{Error, Seconds};
    use crate::cpu::ClumpKeys;
    use crate::engine::PointSets;
    use crate::ranks::group::Group;
    use crate::ranks::layout::trees::Brought;

    const DEPTH: Depth = Depth::Adaptive { leaf_capacity: 20 };

    /// No cost at all.
    const NOTHING: WorkCosts = WorkCosts {
        own_pair: 0.0,
        ghost_pair: 0.0,
        translation: 0.0,
        waves_of_box: 0.0,
        waves_of_family: 0.0,
        one_box: 0.0,
        point: 0.0,
        m2p: 0.0,
        p2l: 0.0,
        far_m2p: 0.0,
    };

    /// Points that crowd towards a corner.
    fn points(n: usize, seed: f64) -> Vec<[f64; 3]> {
        let place = |i: usize| {
            [0.618_033_988_7, 0.414_213_562_4, 0.732_050_807_6]
                .map(|step| ((i as f64 + seed) * step).fract().powi(2))
        };
        (1..=n).map(place).collect()
    }

    /// Work of all ranks, and the sums of their weights.
    fn works(
        sources: &[[f64; 3]],
        receivers: Option<&[[f64; 3]]>,
        costs: WorkCosts,
        size: usize,
    ) -> Vec<(f64, u64)> {
        let own = |set: &[[f64; 3]], rank: usize| -> Vec<[f64; 3]> {
            set.iter().skip(rank).step_by(size).copied().collect()
        };
        let cube = Cube::bounding(sources.iter().chain(receivers.unwrap_or(&[])).copied());
        let rule = SplitRule::new(cube.unwrap(), DEPTH).unwrap();
        let works = threads::run(size, |communicator| {
            let group = Group::new(communicator);
            let sources = own(sources, group.rank());
            let receivers = receivers.map(|set| own(set, group.rank()));
            let points = PointSets { sources: &sources, receivers: receivers.as_deref() };
            let sorted = SortedPoints::new(&rule, points.sources, points.receivers);
            let balance = Balance::new(size);
            let partition = group
                .with_totals(|totals| Partition::balanced(&rule, &sorted, balance, totals))??;
            let partition = partition.partition;
            let seconds = &mut Seconds::default();
            let (brought, _) = Brought::new(&group, &points, &sorted, &rule, &partition, seconds)?;
            let options = ListOptions { min_sources_for_m2p: 8, min_receivers_for_p2l: 8 };
            let halos = brought.halos(&group, &partition)?;
            let no_clumps = ClumpKeys::default();
            let trees = brought.trees(&partition, (group.rank(), &halos), options, &no_clumps)?;
            let work = Work::of_part(&trees, &costs);
            let PointWork { of_sources, of_receivers } = work.of_points();
            let weights = of_sources.iter().chain(&of_receivers);
            Ok((work.seconds, weights.map(|weight| u64::from(*weight)).sum()))
        });
        works.unwrap().into_iter().collect::<Result<_, Error>>().unwrap()
    }

    /// Pairs of receivers and sources, and of boxes, in the lists of the whole tree: near, M2P, P2L, far, and
    /// receivers in far pairs.
    fn pairs(sources: &[[f64; 3]], receivers: Option<&[[f64; 3]]>) -> [f64; 5] {
        let tree = match receivers {
            None => Octree::build(sources, DEPTH),
            Some(receivers) => Octree::build_between(sources, receivers, DEPTH),
        };
        let tree = tree.unwrap();
        let options = ListOptions { min_sources_for_m2p: 8, min_receivers_for_p2l: 8 };
        let lists = InteractionLists::build(&tree, options);
        let mut counts = [0; 5];
        for b in 0..tree.n_boxes() {
            let n = tree.receivers(b).len();
            let of =
                |row: &[u32]| row.iter().map(|s| tree.sources(*s as usize).len()).sum::<usize>();
            counts[0] += n * of(lists.near().row(b));
            counts[1] += n * lists.m2p().row(b).len();
            counts[2] += of(lists.p2l().row(b));
            counts[3] += lists.far().row(b).len();
            counts[4] += n * lists.far().row(b).len();
        }
        counts.map(|count| count as f64)
    }

    #[test]
    fn counts_are_those_of_the_whole_tree() {
        let (one, other) = (points(3000, 0.0), points(700, 0.4));
        let costs = [
            WorkCosts { own_pair: 1.0, ghost_pair: 1.0, ..NOTHING },
            WorkCosts { m2p: 1.0, ..NOTHING },
            WorkCosts { p2l: 1.0, ..NOTHING },
            WorkCosts { translation: 1.0, ..NOTHING },
            WorkCosts { far_m2p: 1.0, ..NOTHING },
        ];
        for receivers in [None, Some(&other[..])] {
            let pairs = pairs(&one, receivers);
            assert!(pairs.iter().all(|count| *count > 0.0), "{pairs:?}");
            for (pairs, costs) in pairs.into_iter().zip(costs) {
                // Parts of a sum of so many terms are rounded once each.
                let rounding = 1e-12 * pairs;
                let of = |size| works(&one, receivers, costs, size).iter().map(|work| work.0).sum();
                let (alone, many): (f64, f64) = (of(1), of(5));
                assert!((alone - pairs).abs() < rounding, "{alone} of {pairs}");
                // Rows of shared boxes are worked off by each of their owners.
                let is_shared = costs.translation + costs.p2l > 0.0;
                let fits = if is_shared {
                    many > alone - rounding
                } else {
                    (many - pairs).abs() < rounding
                };
                assert!(fits, "{many} of {pairs} by {costs:?}");
            }
        }
    }

    #[test]
    fn weights_add_up_to_the_work() {
        let (one, other) = (points(2000, 0.1), points(900, 0.7));
        let costs = WorkCosts {
            own_pair: 1e-6,
            ghost_pair: 2e-6,
            translation: 3e-5,
            waves_of_box: 4e-5,
            waves_of_family: 1e-4,
            one_box: 1e-5,
            point: 1e-5,
            m2p: 1e-5,
            p2l: 1e-5,
            far_m2p: 2e-6,
        };
        for receivers in [None, Some(&other[..])] {
            for (seconds, weight) in works(&one, receivers, costs, 3) {
                // Half a nanosecond a point is rounded.
                let n = (one.len() + other.len()) as f64;
                assert!(seconds > 0.0);
                assert!((seconds - 1e-9 * weight as f64).abs() <= 0.5e-9 * n, "{seconds} {weight}");
            }
        }
    }
}
