//! All ranks of a partition in one thread: points dealt out by owner, records and totals passed by function calls.
//!
//! | file | what |
//! |---|---|
//! | `checks` | boxes, lists, cargos and ghosts against one process |
//! | `needs` | needs by brute force against imports, exports and kinds |

pub(crate) mod checks;
pub(crate) mod needs;

use octree::partition::{BoxRecord, Partition, SharedBoxes, TopTree, Totals, halo};
use octree::{Octree, SplitRule};

/// Totals over ranks that run one after the other: each rank adds its values, and then all take the sums.
#[derive(Debug, Default)]
struct InTurns {
    sums: Vec<u64>,
    is_complete: bool,
}

impl Totals for InTurns {
    fn sum(&mut self, values: &mut [u64]) {
        self.sums.resize(values.len(), 0);
        for (value, sum) in values.iter_mut().zip(&mut self.sums) {
            if self.is_complete {
                *value = *sum;
            } else {
                *sum += *value;
            }
        }
    }

    fn max(&mut self, _: &mut [u64]) {
        unreachable!("parts and halos take sums only");
    }
}

/// Points of a rank, with their numbers among all.
pub(crate) struct Dealt {
    pub(crate) sources: Vec<u32>,
    pub(crate) receivers: Vec<u32>,
    pub(crate) part: Octree,
}

/// All ranks, before they assemble their essential trees.
pub(crate) struct Ranks {
    pub(crate) partition: Partition,
    pub(crate) dealt: Vec<Dealt>,
    pub(crate) shared: SharedBoxes,
    /// The top of the tree, as each rank sees it.
    pub(crate) tops: Vec<TopTree>,
    /// `records[k][j]`: what rank k sends to rank j.
    pub(crate) records: Vec<Vec<Vec<BoxRecord>>>,
}

impl Ranks {
    pub(crate) fn new(
        rule: &SplitRule,
        partition: Partition,
        sources: &[[f64; 3]],
        receivers: Option<&[[f64; 3]]>,
    ) -> Ranks {
        let n_ranks = partition.n_ranks();
        let deal = |points: &[[f64; 3]]| {
            let mut dealt = vec![Vec::new(); n_ranks];
            for (i, owner) in partition.owners_of(rule.cube(), points).into_iter().enumerate() {
                dealt[owner as usize].push(i as u32);
            }
            dealt
        };
        let of = |points: &[[f64; 3]], numbers: &[u32]| -> Vec<[f64; 3]> {
            numbers.iter().map(|&i| points[i as usize]).collect()
        };
        let dealt_sources = deal(sources);
        let dealt_receivers = receivers.map_or_else(|| dealt_sources.clone(), deal);
        let part = |(rank, (own_sources, own_receivers)): (usize, (Vec<u32>, Vec<u32>))| {
            let receivers = receivers.map(|points| of(points, &own_receivers));
            let sources = of(sources, &own_sources);
            let part =
                Octree::build_part(rule, &partition, rank, &sources, receivers.as_deref()).unwrap();
            Dealt { sources: own_sources, receivers: own_receivers, part }
        };
        let both = dealt_sources.into_iter().zip(dealt_receivers);
        let dealt: Vec<Dealt> = both.enumerate().map(part).collect();

        let mut totals = InTurns::default();
        let collect = |totals: &mut InTurns| {
            let counts = dealt
                .iter()
                .enumerate()
                .map(|(rank, dealt)| SharedBoxes::collect(&dealt.part, &partition, rank, totals));
            counts.last().unwrap()
        };
        collect(&mut totals);
        totals.is_complete = true;
        let shared = collect(&mut totals);
        let mut totals = InTurns::default();
        let top =
            |dealt: &Dealt, totals: &mut InTurns| TopTree::collect(&dealt.part, &partition, totals);
        dealt.iter().for_each(|dealt| drop(top(dealt, &mut totals)));
        totals.is_complete = true;
        let tops = dealt.iter().map(|dealt| top(dealt, &mut totals)).collect();
        let to_all =
            |dealt: &Dealt| (0..n_ranks).map(|rank| halo(&dealt.part, &partition, rank)).collect();
        let records = dealt.iter().map(to_all).collect();
        Ranks { partition, dealt, shared, tops, records }
    }

    /// The records that rank `j` receives from each rank.
    pub(crate) fn halos_of(&self, j: usize) -> Vec<Vec<BoxRecord>> {
        self.records.iter().map(|records| records[j].clone()).collect()
    }
}
