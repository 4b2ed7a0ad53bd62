//! Balanced cuts, level by level from totals over processes.

use std::ops::Range;

use super::cuts::{END, Partition, codes_of};
use super::sorted::{SortedPoints, SortedSet};
use super::totals::Totals;
use crate::error::Error;
use crate::tree::split::{Node, SortedCodes, SplitRule};

/// Requirements on a balanced partition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance<'a> {
    /// Number of ranks; 1 or more.
    pub n_ranks: usize,
    /// Largest weight of a rank above the mean, as a part of the mean, that needs no deeper cut. 0 cuts down to
    /// leaves.
    pub tolerance: f64,
    /// Weights of this process's points; `None`: 1 for each source and each receiver, and 1 for a point that is both.
    pub weights: Option<Weights<'a>>,
}

/// Work of each point, in any unit that all processes share: integers, so that the cuts do not depend on which process
/// holds which point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights<'a> {
    /// One weight a source.
    pub sources: &'a [u32],
    /// One weight a receiver; empty where the receivers are the sources.
    pub receivers: &'a [u32],
}

/// A partition, and what it leaves of imbalance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balanced {
    /// The partition.
    pub partition: Partition,
    /// Weight of each rank.
    pub weights: Vec<u64>,
}

impl Balance<'_> {
    /// Tolerance of [`Self::new`], below the spread of measured times of equal work on one machine.
    pub const TOLERANCE: f64 = 0.02;

    /// Equal numbers of points, to [`Self::TOLERANCE`], on each of `n_ranks`.
    pub fn new(n_ranks: usize) -> Balance<'static> {
        Balance { n_ranks, tolerance: Self::TOLERANCE, weights: None }
    }
}

impl Balanced {
    /// The largest weight of a rank over the mean, minus 1; 0 without weight.
    pub fn imbalance(&self) -> f64 {
        imbalance(self.weights.iter().map(|weight| *weight as f64))
    }
}

/// The largest of some values, one a process, over their mean, minus 1; 0 for nothing.
pub fn imbalance(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    let (largest, sum) = values.fold((0.0_f64, 0.0), |(most, sum), x| (most.max(x), sum + x));
    if sum > 0.0 { largest * n / sum - 1.0 } else { 0.0 }
}

impl Partition {
    /// The partition that balances the points of all processes, of which each gives those that it happens to hold.
    ///
    /// Cut r starts in the root and goes down to the child that holds the part r/P of the weight, until the nearer end
    /// of the box is within half of the tolerance, or until the box is a leaf of the tree that one process would build
    /// of all points; there the cut snaps to the nearer end. So no cut lies inside a leaf, and all processes find the
    /// same cuts.
    ///
    /// Two collectives a level: sums of 24, and maxima of 16, integers for each box that a cut goes through, at most
    /// P − 1 of them. O(P log N) a level, with weights O(N) before. The points are sorted by the same rule, and errors
    /// are known to all processes before, because a process that returns early leaves the others waiting.
    ///
    /// # Errors
    /// [`Error::NoRanks`], [`Error::NotATolerance`]; [`Error::WrongLength`]: weights of another number than points.
    pub fn balanced(
        rule: &SplitRule,
        points: &SortedPoints,
        balance: Balance<'_>,
        totals: &mut dyn Totals,
    ) -> Result<Balanced, Error> {
        let (sources, receivers) = (points.sources(), points.receivers());
        check(sources, receivers, balance)?;
        let weigh = |sorted: SortedSet<'_>, weights: &[u32]| prefix_sums(sorted.order(), weights);
        let weights = balance.weights.map(|weights| {
            let of_receivers = receivers.map(|sorted| weigh(sorted, weights.receivers));
            (weigh(sources, weights.sources), of_receivers.unwrap_or_default())
        });
        let local = Local { codes: points.codes(), weights };
        Ok(Search::run(&local, rule, balance, totals))
    }
}

fn check(
    sources: SortedSet<'_>,
    receivers: Option<SortedSet<'_>>,
    balance: Balance<'_>,
) -> Result<(), Error> {
    if balance.n_ranks == 0 {
        return Err(Error::NoRanks);
    }
    if balance.tolerance.is_nan() || balance.tolerance < 0.0 {
        return Err(Error::NotATolerance { tolerance: balance.tolerance });
    }
    let Some(weights) = balance.weights else { return Ok(()) };
    for (what, expected, found) in [
        ("source weights", sources.order().len(), weights.sources.len()),
        ("receiver weights", receivers.map_or(0, |set| set.order().len()), weights.receivers.len()),
    ] {
        if expected != found {
            return Err(Error::WrongLength { what, expected, found });
        }
    }
    Ok(())
}

/// n + 1 sums of the weights before each sorted place.
fn prefix_sums(permutation: &[u32], weights: &[u32]) -> Vec<u64> {
    let mut sum = 0;
    let after = permutation.iter().map(|&i| {
        sum += u64::from(weights[i as usize]);
        sum
    });
    std::iter::once(0).chain(after).collect()
}

/// The points of this process.
pub(super) struct Local<'a> {
    pub(super) codes: SortedCodes<'a>,
    /// Prefix sums over sorted sources and receivers; `None`: each point weighs 1.
    pub(super) weights: Option<(Vec<u64>, Vec<u64>)>,
}

impl Local<'_> {
    fn weight(&self, node: &Node) -> u64 {
        let of = |sums: Option<&Vec<u64>>, (start, end): (u32, u32)| match sums {
            Some(sums) => sums[end as usize] - sums[start as usize],
            None => u64::from(end - start),
        };
        let weights = self.weights.as_ref();
        let sources = of(weights.map(|sums| &sums.0), node.sources);
        match self.codes.receivers {
            None => sources,
            Some(_) => sources + of(weights.map(|sums| &sums.1), node.receivers),
        }
    }
}

/// A box as all processes see it.
#[derive(Clone, Copy)]
pub(super) struct Global {
    weight: u64,
    /// The larger of the numbers of sources and of receivers.
    pub(super) largest: u64,
    /// Whether all points have one code.
    pub(super) coincide: bool,
}

/// A box through which some cuts go.
struct Front {
    /// The box, with the points of this process.
    node: Node,
    /// Weight of all points before the box.
    before: u64,
    /// The cuts, by number.
    cuts: Range<usize>,
}

/// The search for cuts 1 to P − 1.
struct Search<'a> {
    rule: &'a SplitRule,
    n_ranks: usize,
    tolerance: f64,
    /// Weight of all points.
    total: u64,
    /// Codes of the cuts, and the weight before each one.
    cuts: Vec<u64>,
    before: Vec<u64>,
}

impl Search<'_> {
    fn run(
        local: &Local<'_>,
        rule: &SplitRule,
        balance: Balance<'_>,
        totals: &mut dyn Totals,
    ) -> Balanced {
        let n_ranks = balance.n_ranks;
        let root = [local.codes.root()];
        let whole = measure(local, &root, totals);
        let total = whole[0].weight;
        let mut search = Search {
            rule,
            n_ranks,
            tolerance: balance.tolerance,
            total,
            cuts: vec![END; n_ranks + 1],
            before: vec![total; n_ranks + 1],
        };
        (search.cuts[0], search.before[0]) = (0, 0);
        let mut fronts = Vec::new();
        search.settle(1..n_ranks, 0, root.iter().zip(&whole), &mut fronts);
        while !fronts.is_empty() {
            let octants: Vec<Node> =
                fronts.iter().flat_map(|front| local.codes.octants(&front.node)).collect();
            let globals = measure(local, &octants, totals);
            let mut next = Vec::new();
            for (i, Front { before, cuts, .. }) in fronts.into_iter().enumerate() {
                let children = 8 * i..8 * (i + 1);
                let children = octants[children.clone()].iter().zip(&globals[children]);
                search.settle(cuts, before, children, &mut next);
            }
            fronts = next;
        }
        let weights = search.before.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Balanced { partition: Partition::of_cuts(search.cuts), weights }
    }

    /// Leads each of `cuts` to its box among `boxes`, consecutive ones with weight `before` before the first: a cut
    /// snaps to one end, or goes on as part of a front.
    fn settle<'n>(
        &mut self,
        mut cuts: Range<usize>,
        mut before: u64,
        boxes: impl Iterator<Item = (&'n Node, &'n Global)>,
        fronts: &mut Vec<Front>,
    ) {
        for (node, global) in boxes {
            let after = before + global.weight;
            let here = cuts.clone().find(|&cut| self.distance(cut, after) > 0);
            let here = cuts.start..here.unwrap_or(cuts.end);
            cuts.start = here.end;
            let is_split = self.rule.splits(node.key.level(), global.largest, || global.coincide);
            let open: Vec<usize> =
                here.filter(|&cut| !self.snap(cut, node, before..after, is_split)).collect();
            if let (Some(&first), Some(&last)) = (open.first(), open.last()) {
                fronts.push(Front { node: *node, before, cuts: first..last + 1 });
            }
            before = after;
        }
    }

    /// Puts a cut at the nearer end of its box if that is near enough or the box is not split; says whether it did.
    /// `weights`: those before and after the box.
    fn snap(&mut self, cut: usize, node: &Node, weights: Range<u64>, is_split: bool) -> bool {
        let [lower, upper] = [weights.start, weights.end].map(|w| self.distance(cut, w).abs());
        let codes = codes_of(node.key);
        let is_near = 2.0 * lower.min(upper) as f64 <= self.tolerance * self.total as f64;
        if is_split && !is_near {
            return false;
        }
        (self.cuts[cut], self.before[cut]) = match lower <= upper {
            true => (codes.start, weights.start),
            false => (codes.end, weights.end),
        };
        true
    }

    /// Weight of a cut's place, r/P of the total, minus `weight`; in units of 1/P.
    fn distance(&self, cut: usize, weight: u64) -> i128 {
        cut as i128 * i128::from(self.total) - self.n_ranks as i128 * i128::from(weight)
    }
}

/// Totals of some boxes over all processes.
pub(super) fn measure(local: &Local<'_>, nodes: &[Node], totals: &mut dyn Totals) -> Vec<Global> {
    let size = |(start, end): (u32, u32)| u64::from(end - start);
    let mut sums: Vec<u64> = nodes
        .iter()
        .flat_map(|node| [local.weight(node), size(node.sources), size(node.receivers)])
        .collect();
    totals.sum(&mut sums);
    // Codes are below 2⁶³: 0 stands for no point, and the complement turns the lowest into a maximum.
    let mut codes: Vec<u64> = nodes
        .iter()
        .flat_map(|node| match local.codes.code_range(node) {
            Some((lowest, highest)) => [!lowest, highest],
            None => [0, 0],
        })
        .collect();
    totals.max(&mut codes);
    let global = |(sums, codes): (&[u64], &[u64])| Global {
        weight: sums[0],
        largest: sums[1].max(sums[2]),
        coincide: sums[1] + sums[2] == 0 || !codes[0] == codes[1],
    };
    sums.chunks(3).zip(codes.chunks(2)).map(global).collect()
}
