//! The k nearest sources: a walk for each receiver, whose reach shrinks as it finds.

use super::{Neighbors, TASK, squared_distance};

/// Receivers whose rows one task writes.
const ROWS: usize = 1 << 10;

/// The nearest sources of each receiver, nearest first, equally near ones by the caller's index.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    n_receivers: usize,
    k: usize,
    /// n_receivers rows of k: the caller's indices of sources.
    indices: Vec<u32>,
    /// Distances of `indices`, in the caller's unit of length.
    distances: Vec<f64>,
}

impl Nearest {
    /// Number of receivers, which is that of rows.
    pub fn n_receivers(&self) -> usize {
        self.n_receivers
    }

    /// Number of sources in each row: the number asked for, or that of all sources.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The caller's indices of the k sources nearest to receiver `i`.
    pub fn indices(&self, i: usize) -> &[u32] {
        &self.indices[i * self.k..(i + 1) * self.k]
    }

    /// Distances of the k sources nearest to receiver `i`.
    pub fn distances(&self, i: usize) -> &[f64] {
        &self.distances[i * self.k..(i + 1) * self.k]
    }
}

impl Neighbors {
    /// The `k` sources nearest to each receiver, or all if there are fewer; rows in the caller's order of receivers.
    ///
    /// O(k) sources and O(log N) cells are looked at for each receiver, in clouds whose density changes
    /// smoothly. Among points closer than 2⁻²¹ of the cube, yet not coincident, all pairs are tested.
    pub fn nearest(&self, k: usize) -> Nearest {
        let n_receivers = self.receivers().len();
        let k = k.min(self.sources.len());
        let mut nearest =
            Nearest { n_receivers, k, indices: vec![0; n_receivers * k], distances: Vec::new() };
        if nearest.indices.is_empty() {
            return nearest;
        }
        let leaves = self.tree.leaves().chunks(TASK);
        let rows = parallel::map_parts(leaves, |_, leaves| self.rows(leaves, k));
        let rows: Vec<&[Candidate]> = rows.iter().flat_map(|rows| rows.chunks(k)).collect();
        nearest.distances = vec![0.0; n_receivers * k];
        let positions = self.receiver_positions();
        let indices = nearest.indices.chunks_mut(k * ROWS);
        let outputs = indices.zip(nearest.distances.chunks_mut(k * ROWS));
        parallel::for_parts(outputs.zip(positions.chunks(ROWS)), |_, (outputs, positions)| {
            let outputs = outputs.0.iter_mut().zip(outputs.1);
            let found = positions.iter().flat_map(|&position| rows[position as usize]);
            for ((index, distance), found) in outputs.zip(found) {
                *index = found.source;
                *distance = f64::from_bits(found.bits).sqrt() * self.unit;
            }
        });
        nearest
    }

    /// The rows of the receivers of some leaves, one after the other.
    fn rows(&self, leaves: &[u32], k: usize) -> Vec<Candidate> {
        let mut rows = Vec::new();
        let mut search = Search::new(self, k);
        for &leaf in leaves {
            // The smallest box around the leaf that holds enough bounds the reach of what follows.
            let mut home = leaf as usize;
            while let (true, Some(parent)) =
                (self.tree.sources(home).len() < k, self.tree.parent(home))
            {
                home = parent;
            }
            for &at in &self.receivers()[self.tree.receivers(leaf as usize)] {
                search.start(at);
                search.visit(home);
                if home != 0 {
                    search.done = Some(home);
                    search.visit(0);
                }
                search.finish();
                rows.extend_from_slice(&search.found);
            }
        }
        rows
    }
}

/// Source found. `Ord` is the sequence in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Bits of the squared distance; for numbers that are not negative, bits sort as values.
    bits: u64,
    /// The caller's index.
    source: u32,
}

/// Search of one receiver: boxes in Morton order, those out of reach left out.
struct Search<'a> {
    of: &'a Neighbors,
    k: usize,
    at: [f64; 3],
    /// The k best so far and newer ones, in no order, up to [`Search::room`].
    found: Vec<Candidate>,
    /// Squared distance beyond which no source can be among the k best.
    reach: f64,
    /// Box that was searched before.
    done: Option<usize>,
}

impl<'a> Search<'a> {
    fn new(of: &'a Neighbors, k: usize) -> Search<'a> {
        Search { of, k, at: [0.0; 3], found: Vec::new(), reach: f64::INFINITY, done: None }
    }

    fn start(&mut self, at: [f64; 3]) {
        self.at = at;
        self.found.clear();
        self.reach = f64::INFINITY;
        self.done = None;
    }

    /// Candidates at which the best are picked: often enough to shorten the reach, and O(1) for each candidate.
    fn room(&self) -> usize {
        2 * self.k + 8
    }

    fn consider(&mut self, i: usize) {
        let square = squared_distance(&self.at, &self.of.sources[i]);
        if square <= self.reach {
            let source = self.of.tree.source_permutation()[i];
            self.found.push(Candidate { bits: square.to_bits(), source });
            if self.found.len() == self.room() {
                self.pick();
            }
        }
    }

    /// Drops all but the k best, of which there are enough.
    fn pick(&mut self) {
        let (_, last, _) = self.found.select_nth_unstable(self.k - 1);
        self.reach = f64::from_bits(last.bits);
        self.found.truncate(self.k);
    }

    fn finish(&mut self) {
        if self.found.len() > self.k {
            self.pick();
        }
        self.found.sort_unstable();
    }

    /// Considers the sources of box `b` that are within reach.
    fn visit(&mut self, b: usize) {
        let of = self.of;
        let cell = &of.cells[b];
        if self.done == Some(b) || cell.bounds.squared_distance_to(&self.at) > self.reach {
            return;
        }
        if !cell.is_leaf() {
            (cell.children[0]..cell.children[1]).for_each(|child| self.visit(child as usize));
            return;
        }
        let [start, end] = cell.sources.map(|at| at as usize);
        // Coincident points are in the caller's order: those after the first k cannot be among the best.
        let coincident = cell.bounds.min == cell.bounds.max;
        let n_useful = if coincident { self.k } else { end - start };
        (start..end).take(n_useful).for_each(|i| self.consider(i));
    }
}
