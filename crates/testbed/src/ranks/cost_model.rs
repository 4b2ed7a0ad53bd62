//! The cost model of Hu, Gumerov and Duraiswami, equations 5 to 9: seconds of the data structure and of the exchange as
//! sums of counts with constants, which least squares find from runs.
//!
//! The paper's counts are those of the whole tree, because its ranks look at all boxes and its manager at all imports.
//! Ranks here look at the boxes of their essential trees; beside each equation as printed stands a law in those counts.

use super::carrying::Carrier;
use crate::fit::positive_fit;

/// Counts and seconds of one run: one set, one P, one order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Name of the set.
    pub set: &'static str,
    /// P.
    pub n_ranks: f64,
    /// N, all points, which are sources and receivers.
    pub all_points: f64,
    /// Points of the rank with the most, N_i.
    pub points: f64,
    /// Leaves of all ranks, B_{all,lmax}: an adaptive tree has its leaves on several levels.
    pub all_leaves: f64,
    /// Leaves of the rank with the most.
    pub leaves: f64,
    /// Boxes of all levels, B_all.
    pub all_boxes: f64,
    /// l_max.
    pub deepest: f64,
    /// l_crit.
    pub critical: f64,
    /// Order p.
    pub order: f64,
    /// Boxes of the largest essential tree.
    pub essential: f64,
    /// Pairs of boxes in the lists of the rank with the most.
    pub far_pairs: f64,
    /// Multipoles that come to, and go from, the rank with the most.
    pub rows: f64,
    /// Multipoles that cross, of all ranks.
    pub all_rows: f64,
    /// Ghosts of the rank with the most.
    pub ghosts: f64,
    /// Ghosts of all ranks.
    pub all_ghosts: f64,
    /// Seconds of the largest rank: partition, T1.
    pub partition: f64,
    /// Seconds of the largest rank: kinds of boxes and lists, T2.
    pub kinds: f64,
    /// Seconds of the exchange through the manager: rank 0, and the largest of the others, T3.
    pub by_manager: f64,
    /// Seconds of the largest rank in the exchange between neighbours.
    pub by_neighbours: f64,
}

impl Run {
    /// The run of these ranks, with the k-th of the orders that they carried multipoles of.
    pub fn new(set: &'static str, carriers: &[Carrier], k: usize, order: usize) -> Self {
        let counts = || carriers.iter().map(|carrier| carrier.anatomy.counts);
        let sum = |of: fn(&super::anatomy::Counts) -> usize| {
            counts().map(|c| of(&c)).sum::<usize>() as f64
        };
        let most = |of: fn(&super::anatomy::Counts) -> usize| {
            counts().map(|c| of(&c)).max().unwrap_or(0) as f64
        };
        let slowest = |of: &dyn Fn(&Carrier) -> f64| carriers.iter().map(of).fold(0.0, f64::max);
        let others = carriers.get(1..).unwrap_or_default().iter();
        let others = others.map(|carrier| carrier.carried[k][0].seconds).fold(0.0, f64::max);
        Self {
            set,
            n_ranks: carriers.len() as f64,
            all_points: sum(|c| c.points),
            points: most(|c| c.points),
            all_leaves: sum(|c| c.leaves),
            leaves: most(|c| c.leaves),
            all_boxes: sum(|c| c.boxes) + most(|c| c.shared),
            deepest: most(|c| c.levels) - 1.0,
            critical: most(|c| c.critical_level),
            order: order as f64,
            essential: most(|c| c.essential),
            far_pairs: most(|c| c.far_pairs as usize),
            rows: most(|c| c.imports + c.exports),
            all_rows: sum(|c| c.exports),
            ghosts: most(|c| c.ghosts),
            all_ghosts: sum(|c| c.ghosts),
            partition: slowest(&|carrier| carrier.anatomy.seconds.partition),
            kinds: slowest(&|carrier| carrier.anatomy.seconds.kinds),
            by_manager: carriers.first().map_or(0.0, |first| first.carried[k][0].seconds) + others,
            by_neighbours: slowest(&|carrier| carrier.carried[k][2].seconds),
        }
    }

    fn log_ranks(&self) -> f64 {
        self.n_ranks.log2()
    }

    fn coefficients(&self) -> f64 {
        self.order * self.order
    }
}

/// A term of a model: its name, and its count in a run.
pub type Term = (&'static str, fn(&Run) -> f64);

/// A sum of terms that models the seconds of a part of a run.
#[derive(Clone, Copy, Debug)]
pub struct Model<const K: usize> {
    /// Name of the part of a run.
    pub name: &'static str,
    /// The terms, each times a constant.
    pub terms: [Term; K],
    /// The seconds.
    pub seconds: fn(&Run) -> f64,
}

/// Equation 5.
pub const PARTITION: Model<5> = Model {
    name: "partition, eq. 5",
    terms: [
        ("a0 (N_i + M_i)", |run| 2.0 * run.points),
        ("a1 B_i", |run| run.leaves),
        ("a2 B_all", |run| run.all_leaves),
        ("a3 B_all log P", |run| run.all_leaves * run.log_ranks()),
        ("a4 (N + M)", |run| 2.0 * run.all_points),
    ],
    seconds: |run| run.partition,
};

/// The partition here: a rank sorts what it has down to the deepest level, builds boxes, and adds the boxes of P − 1 cuts
/// over all ranks.
pub const PARTITION_HERE: Model<3> = Model {
    name: "partition, by own counts",
    terms: [
        ("N_i log N", |run| run.points * run.all_points.log2()),
        ("B_i", |run| run.leaves),
        ("P", |run| run.n_ranks),
    ],
    seconds: |run| run.partition,
};

/// Equation 6.
pub const KINDS: Model<1> = Model {
    name: "kinds of boxes, eq. 6",
    terms: [("b* B_all", |run| run.all_leaves)],
    seconds: |run| run.kinds,
};

/// Kinds and lists here: boxes of the essential tree, far pairs, and a look at the region of each other rank.
pub const KINDS_HERE: Model<3> = Model {
    name: "kinds of boxes, by essential tree",
    terms: [
        ("E_i", |run| run.essential),
        ("far pairs", |run| run.far_pairs),
        ("P", |run| run.n_ranks),
    ],
    seconds: |run| run.kinds,
};

/// Equation 8; `d2 d3` is the constant of the last term.
pub const EXCHANGE: Model<4> = Model {
    name: "exchange by the manager, eq. 8",
    terms: [
        ("d0 B_all", |run| run.all_boxes),
        ("d1 l_max 4^l_max", |run| run.deepest * 4f64.powf(run.deepest)),
        ("d2 4^l_max p²", |run| 4f64.powf(run.deepest) * run.coefficients()),
        ("d2 d3 8^l_crit p²", |run| 8f64.powf(run.critical) * run.coefficients()),
    ],
    seconds: |run| run.by_manager,
};

/// The manager here, in what crosses: rows of all ranks with their coefficients, ghosts, packets of ranks, and a constant.
pub const EXCHANGE_COUNTED: Model<4> = Model {
    name: "exchange by the manager, by counts",
    terms: [
        ("X p²", |run| run.all_rows * run.coefficients()),
        ("G", |run| run.all_ghosts),
        ("P", |run| run.n_ranks),
        ("1", |_| 1.0),
    ],
    seconds: |run| run.by_manager,
};

/// The exchange between neighbours, in what the rank with the most sends and receives, and in entries of its routes.
pub const NEIGHBOURS: Model<3> = Model {
    name: "exchange between neighbours, by counts",
    terms: [
        ("X_i p²", |run| run.rows * run.coefficients()),
        ("G_i", |run| run.ghosts),
        ("P", |run| run.n_ranks),
    ],
    seconds: |run| run.by_neighbours,
};

impl<const K: usize> Model<K> {
    fn row(&self, run: &Run) -> [f64; K] {
        self.terms.map(|(_, count)| count(run))
    }

    /// The constants that fit the runs best, relative to each run's seconds; none is negative.
    pub fn fit(&self, runs: &[Run]) -> [f64; K] {
        let rows: Vec<[f64; K]> = runs.iter().map(|run| self.row(run)).collect();
        let seconds: Vec<f64> = runs.iter().map(self.seconds).collect();
        positive_fit(&rows, &seconds)
    }

    /// Seconds by these constants.
    pub fn predict(&self, constants: &[f64; K], run: &Run) -> f64 {
        self.row(run).iter().zip(constants).map(|(count, constant)| count * constant).sum()
    }

    /// Pairs of terms that the runs cannot tell apart: the cosine between them, relative to the seconds, is above
    /// `ALIKE`.
    pub fn alike(&self, runs: &[Run]) -> Vec<[&'static str; 2]> {
        let rows: Vec<[f64; K]> =
            runs.iter().map(|run| self.row(run).map(|count| count / (self.seconds)(run))).collect();
        let dot = |j: usize, k: usize| rows.iter().map(|row| row[j] * row[k]).sum::<f64>();
        let pairs = (0..K).flat_map(|j| (j + 1..K).map(move |k| (j, k)));
        let alike = pairs.filter(|&(j, k)| dot(j, k) > ALIKE * (dot(j, j) * dot(k, k)).sqrt());
        alike.map(|(j, k)| [self.terms[j].0, self.terms[k].0]).collect()
    }
}

/// Terms with a larger cosine differ by less than 14 % of their length, which is what seconds of a run are uncertain by.
const ALIKE: f64 = 0.99;

#[cfg(test)]
mod tests {
    use super::*;
    use chacha20::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Runs with counts as on a cube, and the seconds of these constants, each off by up to `noise`.
    fn runs(constants: &[f64; 5], noise: f64) -> Vec<Run> {
        let mut random = ChaCha8Rng::seed_from_u64(61);
        let mut runs = Vec::new();
        for all_points in [1e4, 1e5, 1e6] {
            for n_ranks in [1.0, 4.0, 16.0, 64.0] {
                for capacity in [10.0, 40.0] {
                    let all_leaves: f64 = all_points / capacity;
                    let mut run = Run {
                        n_ranks,
                        all_points,
                        points: all_points / n_ranks,
                        all_leaves,
                        leaves: all_leaves / n_ranks,
                        ..Run::default()
                    };
                    let off = 1.0 + noise * (2.0 * random.random::<f64>() - 1.0);
                    run.partition = PARTITION.predict(constants, &run) * off;
                    runs.push(run);
                }
            }
        }
        runs
    }

    #[test]
    fn constants_of_synthetic_runs_are_found() {
        let constants = [3e-8, 2e-7, 1e-7, 4e-8, 6e-9];
        let found = PARTITION.fit(&runs(&constants, 0.0));
        for (found, constant) in found.iter().zip(constants) {
            assert!((found / constant - 1.0).abs() < 1e-6, "{found} {constant}");
        }
    }

    #[test]
    fn noise_moves_predictions_little_and_absent_terms_stay_small() {
        let constants = [3e-8, 2e-7, 0.0, 4e-8, 0.0];
        let (noisy, exact) = (runs(&constants, 0.1), runs(&constants, 0.0));
        let found = PARTITION.fit(&noisy);
        for run in &exact {
            let ratio = PARTITION.predict(&found, run) / run.partition;
            assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        }
        assert!(found[4] * 2e6 < 0.05 * exact.iter().map(|run| run.partition).fold(0.0, f64::max));
    }

    #[test]
    fn terms_that_grow_alike_are_named() {
        let mut runs = runs(&[1e-8; 5], 0.0);
        assert!(PARTITION.alike(&runs).is_empty(), "{:?}", PARTITION.alike(&runs));
        for run in &mut runs {
            (run.all_leaves, run.leaves) = (run.all_points / 30.0, run.points / 30.0);
        }
        let alike = PARTITION.alike(&runs);
        assert!(alike.contains(&["a0 (N_i + M_i)", "a1 B_i"]), "{alike:?}");
        assert!(alike.contains(&["a2 B_all", "a4 (N + M)"]), "{alike:?}");
    }
}
