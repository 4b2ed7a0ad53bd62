//! Pairs that narrowing loses: points apart in f64 whose positions are one in f32. A sum in f32 leaves them out as coincident,
//! so that none of its results tells of them, and a check that looks at some receivers does not find them.

use super::super::crowding::{name, place};
use super::frame::Frame;

/// Pairs that are kept, at most. A sum in f32 that loses more is given up.
const MOST: usize = 1 << 16;

/// Bits of a table for each point: some 3 % of points without a twin share a bit with another.
const BITS: usize = 32;

/// Pairs of receivers and sources that narrowing loses.
#[derive(Clone, Debug, Default)]
pub(super) struct LostPairs {
    /// Receiver and source of each pair, those of a receiver side by side.
    pairs: Vec<[u32; 2]>,
    /// Whether there are more.
    is_cut: bool,
}

/// A point that may have a twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The position in f32.
    place: [u64; 3],
    is_receiver: bool,
    index: u32,
}

impl LostPairs {
    /// The pairs of a frame's points, whose positions in f32 are these. O(points).
    pub(super) fn new(frame: &Frame, sources: &[[f32; 3]], receivers: Option<&[[f32; 3]]>) -> Self {
        let mut lost = Self::default();
        let mut candidates = candidates(sources, receivers.unwrap_or_default());
        candidates.sort_unstable();
        for twins in candidates.chunk_by(|a, b| a.place == b.place) {
            lost.add(frame, twins);
        }
        lost
    }

    /// Adds the pairs among points of one position in f32, sources first.
    fn add(&mut self, frame: &Frame, twins: &[Candidate]) {
        let position = |twin: &Candidate| match twin.is_receiver {
            true => frame.receivers()[twin.index as usize],
            false => frame.sources[twin.index as usize],
        };
        if twins.iter().all(|twin| position(twin) == position(&twins[0])) {
            return;
        }
        let (sources, receivers) = twins.split_at(twins.partition_point(|twin| !twin.is_receiver));
        let receivers = if frame.receivers.is_none() { sources } else { receivers };
        if self.pairs.len() + sources.len().saturating_mul(receivers.len()) > MOST {
            self.is_cut = true;
            return;
        }
        for receiver in receivers {
            let apart = sources.iter().filter(|source| position(source) != position(receiver));
            self.pairs.extend(apart.map(|source| [receiver.index, source.index]));
        }
    }

    /// Sums over all receivers of the squares of potential and gradient that are lost, in the frame's unit; infinite where
    /// pairs are not known.
    pub(super) fn squares(&self, frame: &Frame, softening: f64, charges: &[f64]) -> [f64; 2] {
        if self.is_cut {
            return [f64::INFINITY; 2];
        }
        let mut squares = [0.0; 2];
        for pairs in self.pairs.chunk_by(|a, b| a[0] == b[0]) {
            let [potential, x, y, z] = pairs.iter().fold([0.0; 4], |sums, [receiver, source]| {
                let to = frame.receivers()[*receiver as usize];
                let from = frame.sources[*source as usize];
                let d = [0, 1, 2].map(|axis| from[axis] - to[axis]);
                let square = d.iter().map(|d| d * d).sum::<f64>() + softening * softening;
                let potential = charges[*source as usize] / square.sqrt();
                let term = [1.0, d[0] / square, d[1] / square, d[2] / square];
                [0, 1, 2, 3].map(|of| sums[of] + potential * term[of])
            });
            squares[0] += potential * potential;
            squares[1] += x * x + y * y + z * z;
        }
        squares
    }
}

/// Points that share a bit of a table with another one.
fn candidates(sources: &[[f32; 3]], receivers: &[[f32; 3]]) -> Vec<Candidate> {
    let n_bits = (BITS * (sources.len() + receivers.len())).next_power_of_two().max(64);
    let bit_of = |point: &[f32; 3]| {
        // The lowest bits of the names of a lattice's points are alike.
        let bit = (name(&point.map(f64::from)) >> 20) as usize & (n_bits - 1);
        (bit / 64, 1_u64 << (bit % 64))
    };
    let points = || sources.iter().chain(receivers);
    let [mut once, mut again] = [(); 2].map(|()| vec![0_u64; n_bits / 64]);
    for (word, bit) in points().map(bit_of) {
        again[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let has_company = |point: &[f32; 3]| {
        let (word, bit) = bit_of(point);
        again[word] & bit != 0
    };
    let candidate = |(i, point): (usize, &[f32; 3])| {
        let is_receiver = i >= sources.len();
        let index = if is_receiver { i - sources.len() } else { i };
        Candidate { place: place(point), is_receiver, index: index as u32 }
    };
    points().enumerate().filter(|(_, point)| has_company(point)).map(candidate).collect()
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
        LostPairs::new(&frame, &sources, receivers.as_deref())
    }

    #[test]
    fn pairs_are_lost_that_are_apart_in_f64_alone() {
        let n = 5000;
        for (beside, expected) in
            [(1e-3, vec![]), (0.0, vec![]), (1e-12, vec![[0, 4999], [4999, 0]])]
        {
            assert_eq!(lost(&points(n, beside), None).pairs, expected, "{beside}");
        }
        let receivers = [points(n, 1e-12)[n - 1], [0.5; 3]];
        assert_eq!(lost(&points(n, 0.3), Some(&receivers)).pairs, [[0, 0]]);
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
            assert_eq!(lost(&all, None).pairs, expected, "{beside}");
        }
    }

    /// Few points are looked at again, those of a lattice too.
    #[test]
    fn few_points_without_a_twin_have_company() {
        for side in [32_u16, 33, 46] {
            let at = |i: u16| f32::from(i) / f32::from(side) - 0.5;
            let row = |x, y| (0..side).map(move |z| [at(x), at(y), at(z)]);
            let plane = |x| (0..side).flat_map(move |y| row(x, y));
            let points: Vec<[f32; 3]> = (0..side).flat_map(plane).collect();
            let found = candidates(&points, &[]).len();
            assert!(20 * found < points.len(), "{side}: {found}");
        }
    }
}
