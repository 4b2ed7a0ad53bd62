//! Charges on their way from the ranks that brought the points to owners and ghosts.

use std::borrow::Cow;

use distributed::Rows;

use crate::api::Error;
use crate::engine::{FEW_HEAVY, Heavy, Scalar, VectorFacts};
use crate::ranks::Group;
use crate::ranks::Stretch;
use crate::ranks::layout::{ListWays, Others};

/// Heavy charges of all ranks, with their places in the plan's unit.
#[derive(Clone, Debug, Default)]
pub(in crate::ranks) struct HeavyEverywhere {
    pub(in crate::ranks) coordinates: [Vec<f64>; 3],
    pub(in crate::ranks) charges: Vec<f64>,
}

/// Facts about each vector, the same on all ranks, from those of each rank about its part. Collective.
pub(crate) fn facts_of_all_ranks(
    group: &Group,
    facts: &[VectorFacts],
) -> Result<Vec<VectorFacts>, Error> {
    let row = |of: &VectorFacts| [of.low, of.high, of.shares[0], of.shares[1], of.share_unit];
    let rows: Vec<[f64; 5]> = facts.iter().map(row).collect();
    let mut of_all = vec![VectorFacts::default(); facts.len()];
    for ranks in group.gather_by_rank(rows.as_flattened())? {
        for (all, [low, high, sum, squares, share_unit]) in
            of_all.iter_mut().zip(ranks.as_chunks().0)
        {
            let part = VectorFacts {
                low: *low,
                high: *high,
                shares: [*sum, *squares],
                share_unit: *share_unit,
            };
            *all = all.with(part);
        }
    }
    Ok(of_all)
}

impl Group {
    /// Takes the [`FEW_HEAVY`] heaviest charges of all ranks out of the own ones, whose candidates have these places and rows
    /// (q, x, y, z). Gives the rows of all that are taken, in the order of the ranks. Of equal charges those of lower ranks come
    /// first. Collective.
    pub(crate) fn take_heaviest<T: Scalar>(
        &self,
        own: &mut [T],
        (candidates, rows): (&[usize], &[[f64; 4]]),
    ) -> Result<Vec<[f64; 4]>, Error> {
        let by_rank = self.gather_by_rank(rows.as_flattened())?;
        let of_rank = |(rank, words): (usize, &Vec<f64>)| {
            let rows = words.as_chunks().0.to_vec();
            rows.into_iter().enumerate().map(move |(k, row)| (rank, k, row))
        };
        let mut all: Vec<_> = by_rank.iter().enumerate().flat_map(of_rank).collect();
        all.sort_by(|a, b| b.2[0].abs().total_cmp(&a.2[0].abs()));
        all.truncate(FEW_HEAVY);
        all.sort_by_key(|(rank, k, _)| (*rank, *k));
        for (_, k, _) in all.iter().filter(|(rank, ..)| *rank == self.rank()) {
            own[candidates[*k]] = T::ZERO;
        }
        Ok(all.into_iter().map(|(.., row)| row).collect())
    }
}

impl<T: Scalar> Stretch<T> {
    /// Brings a vector to the owners of its sources: own charges in tree order and in the vector's unit.
    pub(in crate::ranks) fn own_charges(
        &self,
        group: &Group,
        vector: &[T],
        unit: f64,
    ) -> Result<Vec<T>, Error> {
        let owned = self.layout.ways.sources.to_owners(group.communicator(), vector)?;
        let factor = unit.recip();
        let charge = |at: &u32| T::narrow(owned[*at as usize].widen() * factor);
        Ok(self.layout.own_order.iter().map(charge).collect())
    }

    /// Takes the heaviest charges of all ranks out of the own ones. Collective.
    pub(in crate::ranks) fn take_heavy(
        &self,
        group: &Group,
        own: &mut Cow<'_, [T]>,
    ) -> Result<HeavyEverywhere, Error> {
        let geometry = &self.layout.geometry;
        let candidates = Heavy::heaviest(own);
        let sources = geometry.sources().slices(geometry.own_sources());
        let candidate = |at: &usize| {
            [own[*at], sources[0][*at], sources[1][*at], sources[2][*at]].map(T::widen)
        };
        let rows: Vec<[f64; 4]> = candidates.iter().map(candidate).collect();
        let chosen = group.take_heaviest(own.to_mut(), (&candidates, &rows))?;
        let column = |of: usize| chosen.iter().map(|row| row[of]).collect();
        Ok(HeavyEverywhere { coordinates: [column(1), column(2), column(3)], charges: column(0) })
    }

    /// Brings an earlier gradient to the owners of the receivers, in the order in which these came; all ranks have one, or
    /// none has. Collective.
    pub(in crate::ranks) fn own_gradient(
        &self,
        group: &Group,
        earlier: Option<&[[T; 3]]>,
    ) -> Result<Option<Vec<[T; 3]>>, Error> {
        if self.layout.others.walks().is_none() {
            return Ok(None);
        }
        let has_one = u8::from(earlier.is_some());
        if group.gather(&[has_one])?.iter().any(|other| *other != has_one) {
            return Err(Error::EarlierGradientsDiffer);
        }
        let way = self.layout.ways.receivers();
        let bring = |gradient: &[[T; 3]]| way.to_owners(group.communicator(), gradient);
        Ok(earlier.map(bring).transpose()?)
    }

    /// Charges of own sources and of ghosts, in the order of the tree. Walks bring their ghosts themselves. Collective.
    pub(in crate::ranks) fn with_ghosts(
        &self,
        group: &Group,
        own: &[T],
        to: &mut Vec<T>,
    ) -> Result<(), Error> {
        let layout = &self.layout;
        let Others::Lists(ListWays { routes, ghost_places }) = &layout.others else {
            to.clear();
            to.extend_from_slice(own);
            return Ok(());
        };
        let way = &routes.ghosts;
        let ghosts = group.transport.exchange(group.communicator(), way, Rows::new(own, 1))?;
        to.clear();
        to.resize(layout.geometry.sources().len(), T::ZERO);
        to[layout.geometry.own_sources()].copy_from_slice(own);
        for (place, charge) in ghost_places.iter().zip(ghosts) {
            to[*place as usize] = charge;
        }
        Ok(())
    }
}
