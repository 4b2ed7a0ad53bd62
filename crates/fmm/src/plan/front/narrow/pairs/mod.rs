//! Pairs so close that narrowing changes them: what a sum in f32 makes of them is compared with what they are. A pair whose positions
//! are one in f32 is left out as coincident. Few receivers have all of such errors, and a check that looks at some does not find them.
//!
//! Points are sorted into cells, of which hashes alone are kept. A source is in its own cell and a receiver in all cells within reach,
//! so that each pair meets once. Where too many points have company, or too many are in one cell, cells and reach are made smaller;
//! in the end only points of one position in f32 are paired. Errors that so many receivers have, a check sees.

mod cells;
#[cfg(test)]
mod tests;

use super::super::repeats::may_repeat;
use super::super::shuffle::{Shuffle, of_all};
use super::frame::Frame;
use crate::api::Error;
use crate::ranks::Group;
use cells::{Cells, Filed, SMALLER, own_cells, share_in_company};

/// Pairs that are kept beside one for each point that has company, at most. A sum in f32 that leaves more out is given up.
const MOST: usize = 1 << 16;

/// Pairs of a cell that are looked at, at most: the points of a fuller one are sorted into smaller cells.
const MOST_OF_CELL: usize = 1 << 17;

/// Least reach in the frame's unit but that of one position, of cells for all points and of a search in few: f32 has steps of 6e-8 and
/// less, by which points are apart.
const LEAST_OF_ALL: f64 = 1e-7;
const LEAST: f64 = 1e-9;

/// Share of the points that may have company, and number of points that may.
const COMPANY: (f64, f64) = (0.03, 16384.0);

/// Pairs of receivers and sources that narrowing changes. Over ranks, each is known to the one on which its points meet.
#[derive(Clone, Debug, Default)]
pub(super) struct NarrowedPairs {
    /// Own sources that may have company.
    candidates: Vec<u32>,
    /// Way to the ranks where they meet those of others.
    shuffle: Shuffle,
    /// Pairs, those of a receiver in a cell side by side.
    pairs: Vec<Pair>,
    /// Whether more are left out by sums in f32.
    is_cut: bool,
}

/// A pair, by the numbers of its points among those that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    receiver: u32,
    source: u32,
    /// Vector from the receiver to the source, in f64 and in f32.
    apart: [f64; 3],
    narrowed: [f64; 3],
}

/// A point in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    cell: u64,
    is_receiver: bool,
    index: u32,
}

impl NarrowedPairs {
    /// The pairs of the points of a frame, whose positions in f32 are these. O(points); over ranks some 12 bytes a point travel.
    /// Collective.
    pub(super) fn new(
        ranks: Option<&Group>,
        frame: &Frame,
        sources: &[[f32; 3]],
        receivers: Option<&[[f32; 3]]>,
    ) -> Result<Self, Error> {
        let n_own = (sources.len() + receivers.map_or(0, <[_]>::len)) as u64;
        let n_points: u64 = of_all(ranks, vec![n_own])?.into_iter().sum();
        let (share, few) = COMPANY;
        let most_company = few.max(share * n_points as f64);
        let sets = [sources, receivers.unwrap_or_default()];
        let mut cells = Cells::of(n_points as usize, frame.extent);
        let mut own = own_cells(cells, sets);
        while let Some(smaller) = cells.smaller(LEAST_OF_ALL) {
            if share_in_company(ranks, &own)? * n_points as f64 <= most_company {
                break;
            }
            cells = smaller;
            own = own_cells(cells, sets);
        }
        let filed = Filed::new(cells, own, receivers.unwrap_or(sources));
        let repeats = may_repeat(ranks, filed.hashes.clone())?;
        Self::of_cells(ranks, frame, (cells, filed, repeats), receivers.is_none())
    }

    /// The pairs of points that may have company in their cells. Collective.
    fn of_cells(
        ranks: Option<&Group>,
        frame: &Frame,
        (cells, filed, repeats): (Cells, Filed, Vec<u8>),
        is_one_set: bool,
    ) -> Result<Self, Error> {
        let (n_sources, n_receivers) = (frame.sources.len(), frame.receivers().len());
        let n_own = if is_one_set { n_sources } else { n_sources + n_receivers };
        let in_company = |rows: std::ops::Range<usize>| rows.filter(|row| repeats[*row] > 0);
        // Rows of sources, and those of receivers with the receivers' numbers.
        let of_sources: Vec<usize> = in_company(0..n_sources).collect();
        let first = if is_one_set { 0 } else { n_sources };
        let own = in_company(first..n_own).map(|row| (row, (row - first) as u32));
        let further = in_company(n_own..filed.hashes.len());
        let further = further.map(|row| (row, filed.further[row - n_own]));
        let of_receivers: Vec<(usize, u32)> = own.chain(further).collect();

        let hash = |row: usize| filed.hashes[row];
        let shuffle = Shuffle::new(ranks, of_sources.len(), |i| hash(of_sources[i]))?;
        let to = Shuffle::new(ranks, of_receivers.len(), |i| hash(of_receivers[i].0))?;
        let sources_at =
            shuffle.gather(of_sources.iter().map(|row| frame.sources[*row]).collect())?;
        let source_cells = shuffle.gather(of_sources.iter().map(|row| hash(*row)).collect())?;
        let at = |(_, index): &(usize, u32)| frame.receivers()[*index as usize];
        let receivers_at = to.gather(of_receivers.iter().map(at).collect())?;
        let receiver_cells = to.gather(of_receivers.iter().map(|(row, _)| hash(*row)).collect())?;

        let entries = |cells: &[u64], is_receiver| -> Vec<Entry> {
            let entry = |(index, cell): (usize, &u64)| Entry {
                cell: *cell,
                is_receiver,
                index: index as u32,
            };
            cells.iter().enumerate().map(entry).collect()
        };
        let entries = [entries(&source_cells, false), entries(&receiver_cells, true)].concat();
        let candidates = of_sources.iter().map(|row| *row as u32).collect();
        let [sources, receivers] =
            [sources_at, receivers_at].map(|at| NarrowedPlaces::new(frame, at));
        let meeting = Meeting { sources, receivers };
        let Search { pairs, is_cut, .. } = meeting.search(cells, &entries);
        Ok(Self { candidates, shuffle, pairs, is_cut })
    }

    /// Whether pairs are left out by sums in f32 on any rank. Collective.
    pub(super) fn are_left_out(&self, ranks: Option<&Group>) -> Result<bool, Error> {
        let own = self.is_cut || self.pairs.iter().any(|pair| pair.narrowed == [0.0; 3]);
        Ok(of_all(ranks, vec![u8::from(own)])?.contains(&1))
    }

    /// Sums over receivers of the squares of what narrowing changes of potential and gradient, in the frame's unit, by the pairs that
    /// this rank knows; infinite where it does not know all that are left out. Collective.
    pub(super) fn squares(&self, softening: f64, charges: &[f64]) -> Result<[f64; 2], Error> {
        let own = self.candidates.iter().map(|source| charges[*source as usize]).collect();
        let charges = self.shuffle.gather(own)?;
        if self.is_cut {
            return Ok([f64::INFINITY; 2]);
        }
        let mut squares = [0.0; 2];
        for pairs in self.pairs.chunk_by(|a, b| a.receiver == b.receiver) {
            let [potential, x, y, z] = pairs.iter().fold([0.0; 4], |sums, pair| {
                let charge = charges[pair.source as usize];
                let exact = of_pair(charge, pair.apart, softening);
                let narrowed = match pair.narrowed == [0.0; 3] {
                    true => [0.0; 4],
                    false => of_pair(charge, pair.narrowed, softening),
                };
                [0, 1, 2, 3].map(|of| sums[of] + (exact[of] - narrowed[of]))
            });
            squares[0] += potential * potential;
            squares[1] += x * x + y * y + z * z;
        }
        Ok(squares)
    }
}

/// Potential and gradient of a charge that is so far away.
fn of_pair(charge: f64, d: [f64; 3], softening: f64) -> [f64; 4] {
    let square = d.iter().map(|d| d * d).sum::<f64>() + softening * softening;
    let potential = charge / square.sqrt();
    [1.0, d[0] / square, d[1] / square, d[2] / square].map(|factor| potential * factor)
}

/// Positions in the frame, in f64 and as f32 has them.
struct NarrowedPlaces(Vec<([f64; 3], [f32; 3])>);

impl NarrowedPlaces {
    fn new(frame: &Frame, positions: Vec<[f64; 3]>) -> Self {
        Self(positions.into_iter().map(|at| (at, frame.narrow(at))).collect())
    }
}

/// Points that meet on a rank.
struct Meeting {
    sources: NarrowedPlaces,
    receivers: NarrowedPlaces,
}

/// A search for pairs within a reach.
struct Search<'a> {
    meeting: &'a Meeting,
    reach: f64,
    pairs: Vec<Pair>,
    /// Whether there is no room for more.
    is_full: bool,
    /// Whether more are left out by sums in f32.
    is_cut: bool,
}

impl Search<'_> {
    /// Adds the pairs of points in cells.
    fn add_cells(&mut self, cells: Cells, mut entries: Vec<Entry>) {
        entries.sort_unstable();
        for entries in entries.chunk_by(|a, b| a.cell == b.cell) {
            let (sources, receivers) =
                entries.split_at(entries.partition_point(|e| !e.is_receiver));
            let n_pairs = sources.len().saturating_mul(receivers.len());
            match cells.smaller(LEAST) {
                Some(smaller) if n_pairs > MOST_OF_CELL => {
                    self.add_cells(smaller, self.meeting.filed(smaller, entries));
                }
                Some(_) => self.add(cells, sources, receivers),
                None if self.meeting.is_one_place(entries) => {}
                None if n_pairs > self.room() => self.is_cut = true,
                None => self.add(cells, sources, receivers),
            }
        }
    }

    /// Adds the pairs of some sources and receivers that are within reach.
    fn add(&mut self, cells: Cells, sources: &[Entry], receivers: &[Entry]) {
        let reach = cells.reach().min(self.reach);
        for receiver in receivers {
            for source in sources {
                let Some(pair) = self.meeting.pair(reach, receiver, source) else { continue };
                if self.room() > 0 {
                    self.pairs.push(pair);
                } else {
                    self.is_full = true;
                    self.is_cut |= pair.narrowed == [0.0; 3];
                }
            }
        }
    }

    /// Number of pairs that there is room for.
    fn room(&self) -> usize {
        let Meeting { sources, receivers } = self.meeting;
        (MOST + sources.0.len() + receivers.0.len()).saturating_sub(self.pairs.len())
    }
}

impl Meeting {
    /// The pairs of points in cells, within the largest reach that there is room for.
    fn search(&self, cells: Cells, entries: &[Entry]) -> Search<'_> {
        let mut reach = cells.reach();
        loop {
            let (pairs, is_full, is_cut) = (Vec::new(), false, false);
            let mut search = Search { meeting: self, reach, pairs, is_full, is_cut };
            search.add_cells(cells, entries.to_vec());
            if !search.is_full || reach == 0.0 {
                return search;
            }
            reach = if reach > LEAST { reach / SMALLER } else { 0.0 };
        }
    }

    /// A position in f64 and f32.
    fn at(&self, entry: &Entry) -> ([f64; 3], [f32; 3]) {
        let set = if entry.is_receiver { &self.receivers } else { &self.sources };
        set.0[entry.index as usize]
    }

    /// Whether all points are at one place in f64.
    fn is_one_place(&self, entries: &[Entry]) -> bool {
        let first = entries.first().map(|first| self.at(first).0);
        first.is_none_or(|first| entries.iter().all(|entry| self.at(entry).0 == first))
    }

    /// Points of a cell in smaller cells.
    fn filed(&self, cells: Cells, entries: &[Entry]) -> Vec<Entry> {
        let mut filed = Vec::new();
        for entry in entries {
            let (_, at) = self.at(entry);
            filed.push(Entry { cell: cells.own(at), ..*entry });
            if entry.is_receiver {
                cells.others(at, |cell| filed.push(Entry { cell, ..*entry }));
            }
        }
        filed
    }

    /// The pair of a receiver and a source that are within reach and not at one place.
    fn pair(&self, reach: f64, receiver: &Entry, source: &Entry) -> Option<Pair> {
        let [(to, to_f32), (from, from_f32)] = [self.at(receiver), self.at(source)];
        let narrowed = [0, 1, 2].map(|axis| f64::from(from_f32[axis]) - f64::from(to_f32[axis]));
        let square: f64 = narrowed.iter().map(|d| d * d).sum();
        let is_within = square <= reach * reach;
        let apart = [0, 1, 2].map(|axis| from[axis] - to[axis]);
        let pair = Pair { receiver: receiver.index, source: source.index, apart, narrowed };
        (is_within && from != to).then_some(pair)
    }
}
