//! Receivers of this rank among those of all, which follow each other in the order of the ranks.

use std::ops::Range;

use super::group::Group;
use crate::api::Error;
use crate::verify::{self, PickPart, Picks, Sums, Weights, block_sums, local_limits, total};

/// Receivers of all ranks, as one of them sees them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receivers {
    /// Receivers of all ranks.
    pub(crate) n: usize,
    /// Receivers of this one.
    pub(crate) here: Range<usize>,
}

impl Receivers {
    /// The receivers of all ranks, of which this one has `n_here`. Collective.
    pub(crate) fn new(group: &Group, n_here: usize) -> Result<Self, Error> {
        let by_rank = group.gather(&[n_here as u64])?;
        let before = by_rank[..group.rank()].iter().sum::<u64>() as usize;
        Ok(Self { n: by_rank.iter().sum::<u64>() as usize, here: before..before + n_here })
    }

    /// The picks of this rank, among those that one process would make of at most `count` receivers. Weights and places count
    /// from the first receiver of this rank. Collective.
    pub(crate) fn picks(
        &self,
        group: &Group,
        count: usize,
        weights: impl Fn(usize) -> Weights + Sync,
    ) -> Result<Picks, Error> {
        let Self { n, here } = self.clone();
        let mut limits = local_limits(n, here.clone(), &weights);
        group.largest(&mut limits)?;
        let blocks = block_sums(here.len(), limits, &weights);
        let part = self.part(group, total(&blocks))?;
        Ok(Picks::of_part(&part, count, &blocks, limits, weights))
    }

    /// The receivers of this rank, whose weights have these sums, among those of all. Collective.
    pub(crate) fn part(&self, group: &Group, own: Sums) -> Result<PickPart, Error> {
        let Self { n, here } = self.clone();
        let by_rank: Vec<Sums> = group.gather(&[own])?;
        let sums_before = total(&by_rank[..group.rank()]);
        Ok(PickPart { n, here, sums_before, sums: total(&by_rank) })
    }

    /// Receivers of this rank that tell the limits of outliers, counted from its first.
    #[cfg(feature = "gpu")]
    pub(crate) fn limiting(&self) -> Vec<u32> {
        let Self { n, here } = self;
        let limiting = verify::limiting(*n).into_iter().filter(|at| here.contains(&(*at as usize)));
        limiting.map(|at| at - here.start as u32).collect()
    }

    /// Receivers of this rank among a sample of about `count` of all, counted from its first.
    pub(crate) fn sample(&self, count: usize) -> Vec<usize> {
        let Self { n, here } = self;
        let sample = verify::sample(*n, count).into_iter();
        sample.filter(|at| here.contains(at)).map(|at| at - here.start).collect()
    }
}
