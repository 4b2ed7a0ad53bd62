//! Places of several ranks: a place may have points of many.
//!
//! A rank that the hash of a place names adds up what all ranks have there, and the first rank that brought the place keeps
//! it: places of all ranks, one rank's after the other's, are those of one process that has all points.

use std::collections::HashMap;

use bytemuck::Pod;

use super::hash::hash_of_bits;
use super::shuffle::Shuffle;
use crate::api::Error;
use crate::engine::Compensated;
use crate::ranks::Group;

/// Ways between the places of a rank and the ranks that add them up.
#[derive(Clone, Debug)]
pub(super) struct Across {
    group: Group,
    /// Number of places of this rank.
    n: usize,
    shuffle: Shuffle,
    /// Number of the place of each row that is added up here.
    added: Vec<u32>,
    /// Places of this rank that it keeps, ascending.
    kept: Vec<u32>,
}

impl Across {
    /// The ways of places with these coordinates, which are distinct on this rank. Collective.
    pub(super) fn new(group: &Group, places: &[[u64; 3]]) -> Result<Self, Error> {
        let n = places.len();
        let shuffle = Shuffle::new(Some(group), n, |row| hash_of_bits(&places[row]))?;
        let met = shuffle.gather(places.to_vec())?;
        let mut numbers = HashMap::new();
        let mut added = Vec::with_capacity(met.len());
        let mut is_first = Vec::with_capacity(met.len());
        for coordinates in met {
            let next = numbers.len() as u32;
            let number = *numbers.entry(coordinates).or_insert(next);
            is_first.push(u8::from(number == next));
            added.push(number);
        }
        let is_kept = shuffle.give_back(is_first)?.into_iter().enumerate();
        let kept = is_kept.filter(|(_, first)| *first == 1).map(|(place, _)| place as u32);
        let kept = kept.collect();
        Ok(Self { group: group.clone(), n, shuffle, added, kept })
    }

    /// Places of this rank that it keeps, ascending.
    pub(super) fn kept(&self) -> &[u32] {
        &self.kept
    }

    pub(super) fn group(&self) -> &Group {
        &self.group
    }

    /// The sums over all ranks of what they have at each place of this rank. Collective.
    pub(super) fn sums<const N: usize>(
        &self,
        rows: &[[Compensated; N]],
    ) -> Result<Vec<[f64; N]>, Error>
    where
        [f64; N]: Pod,
        [[f64; 2]; N]: Pod,
    {
        let parts: Vec<[[f64; 2]; N]> =
            rows.iter().map(|row| row.map(Compensated::parts)).collect();
        let parts = self.shuffle.gather(parts)?;
        let n_places = self.added.iter().max().map_or(0, |last| *last as usize + 1);
        let mut sums = vec![[Compensated::default(); N]; n_places];
        for (place, parts) in self.added.iter().zip(parts) {
            for (sum, part) in sums[*place as usize].iter_mut().zip(parts.as_flattened().chunks(2))
            {
                *sum = part.iter().copied().fold(*sum, Compensated::with);
            }
        }
        let total = |place: &u32| sums[*place as usize].map(Compensated::total);
        let totals: Vec<[f64; N]> = self.added.iter().map(total).collect();
        self.shuffle.give_back(totals)
    }

    /// Values of the places that are kept, at all places of this rank. Collective.
    pub(super) fn spread<const N: usize>(&self, kept: &[[f64; N]]) -> Result<Vec<[f64; N]>, Error>
    where
        [f64; N]: Pod,
        [[f64; 2]; N]: Pod,
    {
        let mut rows = vec![[Compensated::default(); N]; self.n];
        for (place, values) in self.kept.iter().zip(kept) {
            rows[*place as usize] = values.map(|value| Compensated::default().with(value));
        }
        self.sums(&rows)
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.added.len() + self.kept.len()) + size_of::<usize>() * self.n
    }
}
