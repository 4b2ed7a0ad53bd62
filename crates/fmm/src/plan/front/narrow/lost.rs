//! Pairs that narrowing loses: points apart in f64 whose positions are one in f32. A sum in f32 leaves them out as coincident,
//! so that none of its results tells of them, and a check that looks at some receivers does not find them.

use super::super::hash::{bits_of, hash_of};
use super::super::repeats::may_repeat;
use super::super::shuffle::Shuffle;
use super::TASK;
use super::frame::Frame;
use crate::api::Error;
use crate::ranks::Group;

/// Pairs that are kept, at most. A sum in f32 that loses more is given up.
const MOST: usize = 1 << 16;

/// Pairs of receivers and sources that narrowing loses. Over ranks, each is known to the one on which the points of its place
/// meet.
#[derive(Clone, Debug, Default)]
pub(super) struct LostPairs {
    /// Own sources that may have a twin.
    candidates: Vec<u32>,
    /// Way to the ranks where they meet those of others.
    shuffle: Shuffle,
    /// Pairs, those of a receiver side by side.
    pairs: Vec<Lost>,
    /// Whether there are more.
    is_cut: bool,
}

/// A pair, by the numbers of its points among those that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lost {
    receiver: u32,
    source: u32,
    /// Vector from the receiver to the source.
    apart: [f64; 3],
}

/// A point among those of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Twin {
    /// The position in f32.
    place: [u64; 3],
    is_receiver: bool,
    index: u32,
}

impl LostPairs {
    /// The pairs of the points of a frame, whose positions in f32 are these. O(points); over ranks 9 bytes a point travel.
    /// Collective.
    pub(super) fn new(
        ranks: Option<&Group>,
        frame: &Frame,
        sources: &[[f32; 3]],
        receivers: Option<&[[f32; 3]]>,
    ) -> Result<Self, Error> {
        let is_one_set = receivers.is_none();
        let receivers = receivers.unwrap_or_default();
        let hash = |point: &[f32; 3]| hash_of(&point.map(f64::from));
        let n_sources = sources.len();
        let hashes = parallel::collect(n_sources + receivers.len(), TASK, |row| {
            hash(row.checked_sub(n_sources).map_or_else(|| &sources[row], |row| &receivers[row]))
        });
        let repeats = may_repeat(ranks, hashes)?;
        let (of_sources, of_receivers) = repeats.split_at(sources.len());

        let candidates = |company: &[u8]| -> Vec<u32> {
            (0..company.len() as u32).filter(|row| company[*row as usize] > 0).collect()
        };
        let meet = |candidates: &[u32], narrow: &[[f32; 3]], positions: &[[f64; 3]]| {
            let row = |row: usize| candidates[row] as usize;
            let shuffle = Shuffle::new(ranks, candidates.len(), |i| hash(&narrow[row(i)]))?;
            let own = (0..candidates.len()).map(|i| positions[row(i)]).collect();
            Ok::<_, Error>((shuffle.gather(own)?, shuffle))
        };
        let candidates_of_receivers = candidates(of_receivers);
        let candidates = candidates(of_sources);
        let (from, shuffle) = meet(&candidates, sources, &frame.sources)?;
        let (to, _) = meet(&candidates_of_receivers, receivers, frame.receivers())?;

        let twins = |positions: &[[f64; 3]], is_receiver| -> Vec<Twin> {
            let place = |index: usize| bits_of(&frame.narrow(positions[index]));
            let twin = |index| Twin { place: place(index), is_receiver, index: index as u32 };
            (0..positions.len()).map(twin).collect()
        };
        let mut twins = [twins(&from, false), twins(&to, true)].concat();
        twins.sort_unstable();
        let to = if is_one_set { &from } else { &to };
        let mut lost = Self { candidates, shuffle, ..Self::default() };
        for twins in twins.chunk_by(|a, b| a.place == b.place) {
            let (sources, receivers) = twins.split_at(twins.partition_point(|t| !t.is_receiver));
            lost.add([&from, to], [sources, if is_one_set { sources } else { receivers }]);
        }
        Ok(lost)
    }

    /// Adds the pairs of sources and receivers at one position in f32, whose positions in f64 are `from` and `to`.
    fn add(&mut self, [from, to]: [&[[f64; 3]]; 2], [sources, receivers]: [&[Twin]; 2]) {
        let [sources_at, receivers_at] = [(sources, from), (receivers, to)].map(|(twins, at)| {
            twins.iter().map(|twin| at[twin.index as usize]).collect::<Vec<_>>()
        });
        let all_at =
            |place: [f64; 3]| sources_at.iter().chain(&receivers_at).all(|at| *at == place);
        if sources_at.first().is_none_or(|first| all_at(*first)) {
            return;
        }
        if self.pairs.len() + sources.len().saturating_mul(receivers.len()) > MOST {
            self.is_cut = true;
            return;
        }
        for (receiver, to) in receivers.iter().zip(&receivers_at) {
            for (source, from) in sources.iter().zip(&sources_at) {
                let apart = [0, 1, 2].map(|axis| from[axis] - to[axis]);
                if from != to {
                    self.pairs.push(Lost { receiver: receiver.index, source: source.index, apart });
                }
            }
        }
    }

    /// Sums over receivers of the squares of potential and gradient that are lost, in the frame's unit, by the pairs that this
    /// rank knows; infinite where it does not know all. Collective.
    pub(super) fn squares(&self, softening: f64, charges: &[f64]) -> Result<[f64; 2], Error> {
        let own = self.candidates.iter().map(|source| charges[*source as usize]).collect();
        let charges = self.shuffle.gather(own)?;
        if self.is_cut {
            return Ok([f64::INFINITY; 2]);
        }
        let mut squares = [0.0; 2];
        for pairs in self.pairs.chunk_by(|a, b| a.receiver == b.receiver) {
            let [potential, x, y, z] = pairs.iter().fold([0.0; 4], |sums, pair| {
                let d = pair.apart;
                let square = d.iter().map(|d| d * d).sum::<f64>() + softening * softening;
                let potential = charges[pair.source as usize] / square.sqrt();
                let term = [1.0, d[0] / square, d[1] / square, d[2] / square];
                [0, 1, 2, 3].map(|of| sums[of] + potential * term[of])
            });
            squares[0] += potential * potential;
            squares[1] += x * x + y * y + z * z;
        }
        Ok(squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::PointSets;

    /// Points spread over the unit cube, the last of them beside the first.
    fn points(n: usize, beside: f64) -> Vec<[f64; 3]> {
        let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
        let [x, y, z] = point(0);
        (0..n - 1).map(point).chain([[x + beside, y, z]]).collect()
    }

    fn lost(sources: &[[f64; 3]], receivers: Option<&[[f64; 3]]>) -> LostPairs {
        let frame = Frame::new(None, &PointSets { sources, receivers }).unwrap();
        let (sources, receivers) = frame.narrowed();
        LostPairs::new(None, &frame, &sources, receivers.as_deref()).unwrap()
    }

    /// Receivers and sources of pairs, as indices of the points of a process alone.
    fn indices(lost: &LostPairs, candidates_of_receivers: Option<&[u32]>) -> Vec<[u32; 2]> {
        let of_receivers = candidates_of_receivers.unwrap_or(&lost.candidates);
        let index = |pair: &Lost| {
            [of_receivers[pair.receiver as usize], lost.candidates[pair.source as usize]]
        };
        lost.pairs.iter().map(index).collect()
    }

    #[test]
    fn pairs_are_lost_that_are_apart_in_f64_alone() {
        let n = 5000;
        for (beside, expected) in
            [(1e-3, vec![]), (0.0, vec![]), (1e-12, vec![[0, 4999], [4999, 0]])]
        {
            assert_eq!(indices(&lost(&points(n, beside), None), None), expected, "{beside}");
        }
        let receivers = [points(n, 1e-12)[n - 1], [0.5; 3]];
        assert_eq!(indices(&lost(&points(n, 0.3), Some(&receivers)), Some(&[0])), [[0, 0]]);
        let crowd: Vec<[f64; 3]> = (0..1000).map(|i| [1e-13 * f64::from(i), 0.0, 0.0]).collect();
        assert!(lost(&[crowd, vec![[1.0; 3]]].concat(), None).is_cut);
    }

    /// In the middle, about which positions are narrowed, f32 tells points apart that its sums leave out as coincident.
    #[test]
    fn pairs_are_lost_beside_the_origin_too() {
        for beside in [1e-16, 7e-16, 1e-13, 4e-13] {
            let pair = [[0.3, 0.5, 0.3], [0.3, 0.5 - beside, 0.3]];
            let cube = [[0.0; 3], [1.0; 3]];
            let all = [points(2000, 0.3), pair.to_vec(), cube.to_vec()].concat();
            let expected = match pair[0] == pair[1] {
                true => vec![],
                false => vec![[2000, 2001], [2001, 2000]],
            };
            assert_eq!(indices(&lost(&all, None), None), expected, "{beside}");
        }
    }

    /// Few points are looked at again, those of a lattice too.
    #[test]
    fn few_points_without_a_twin_are_candidates() {
        for side in [32_u16, 33, 46] {
            let at = |i: u16| f32::from(i) / f32::from(side) - 0.5;
            let row = |x, y| (0..side).map(move |z| [at(x), at(y), at(z)]);
            let plane = |x| (0..side).flat_map(move |y| row(x, y));
            let points: Vec<[f32; 3]> = (0..side).flat_map(plane).collect();
            let hashes: Vec<u64> =
                points.iter().map(|point| hash_of(&point.map(f64::from))).collect();
            let found =
                may_repeat(None, hashes).unwrap().iter().filter(|repeats| **repeats > 0).count();
            assert!(20 * found < points.len(), "{side}: {found}");
        }
    }
}
