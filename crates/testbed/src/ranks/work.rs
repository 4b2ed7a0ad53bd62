//! Work of points and of ranks, in units of one near pair.

use octree::{InteractionLists, ListOptions, Octree, SplitRule};

use super::anatomy::Counts;
use super::sums::RankSum;
use crate::fit::positive_fit;

/// Costs in units of one near pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// One M2L of a pair of boxes.
    pub translation: f64,
    /// Work that grows with points alone: P2M, L2P, and M2M and L2L, whose boxes go with the points.
    pub point: f64,
}

impl Costs {
    /// Costs from ranks of which pairs are counted and seconds measured: least squares of the far field's seconds in far
    /// pairs and points, over the mean seconds of a near pair.
    pub fn of_ranks(counts: &[Counts], sums: &[RankSum]) -> Self {
        let near_pairs: u64 = counts.iter().map(|counts| counts.near_pairs).sum();
        let pair = sums.iter().map(|sum| sum.near).sum::<f64>() / near_pairs.max(1) as f64;
        let rows: Vec<[f64; 2]> =
            counts.iter().map(|counts| [counts.far_pairs as f64, counts.points as f64]).collect();
        let seconds: Vec<f64> = sums.iter().map(|sum| sum.far).collect();
        let [translation, point] = positive_fit(&rows, &seconds).map(|seconds| seconds / pair);
        Self { translation, point }
    }

    /// Work of each point: the near pairs of its leaf, and its part in the far pairs of all boxes that it is in. Parts
    /// of a near pair are rounded away. O(N), and the lists of the whole tree.
    ///
    /// # Errors
    ///
    /// Errors of [`Octree::build`].
    pub fn weights(
        &self,
        points: &[[f64; 3]],
        rule: &SplitRule,
    ) -> Result<Vec<u32>, octree::Error> {
        let tree = Octree::build(points, rule.depth())?;
        let lists = InteractionLists::build(&tree, ListOptions::default());
        let mut shares = vec![0.0; tree.n_boxes()];
        let mut weights = vec![0; points.len()];
        for b in 0..tree.n_boxes() {
            let n = tree.receivers(b).len().max(1) as f64;
            let above = tree.parent(b).map_or(0.0, |parent| shares[parent]);
            shares[b] = above + self.translation * lists.far().row(b).len() as f64 / n;
            if !tree.is_leaf(b) {
                continue;
            }
            let near = lists.near().row(b).iter();
            let near: usize = near.map(|source| tree.sources(*source as usize).len()).sum();
            let weight = near as f64 + shares[b] + self.point;
            for place in tree.receivers(b) {
                weights[tree.receiver_permutation()[place] as usize] = weight.round() as u32;
            }
        }
        Ok(weights)
    }

    /// Work of a rank.
    pub fn work(&self, counts: &Counts) -> f64 {
        let Counts { near_pairs, far_pairs, points, .. } = *counts;
        near_pairs as f64 + self.translation * far_pairs as f64 + self.point * points as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds;
    use crate::ranks::anatomy::{Anatomy, Problem};
    use octree::partition::{imbalance, point_bounds};
    use octree::{Cube, Depth};

    #[test]
    fn costs_of_synthetic_ranks_are_found() {
        let costs = Costs { translation: 40.0, point: 150.0 };
        let rank = |k: u64| Counts {
            points: 1000,
            near_pairs: 500_000 + 1000 * k,
            far_pairs: 3000 + 200 * k,
            ..Counts::default()
        };
        let counts: Vec<Counts> = (0..9).map(rank).collect();
        let sum = |c: &Counts| RankSum {
            near: 1e-9 * c.near_pairs as f64,
            far: 1e-9 * (costs.work(c) - c.near_pairs as f64),
            ..RankSum::default()
        };
        let found = Costs::of_ranks(&counts, &counts.iter().map(sum).collect::<Vec<_>>());
        assert!((found.translation / costs.translation - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found.point / costs.point - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn weights_add_up_to_the_work_and_balance_it() {
        let points = clouds::plummer(20_000, 51).positions;
        let cube = Cube::around(point_bounds(&points, None).unwrap()).unwrap();
        let rule = SplitRule::new(cube, Depth::Adaptive { leaf_capacity: 16 }).unwrap();
        let costs = Costs { translation: 30.0, point: 20.0 };
        let weights = costs.weights(&points, &rule).unwrap();
        let works = |weights, n_ranks| -> Vec<f64> {
            let problem = Problem { points: &points, weights, rule: &rule, n_ranks };
            let parts = Anatomy::of_all(&problem).unwrap();
            parts.iter().map(|part| costs.work(&part.counts)).collect()
        };
        let total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
        assert!((total / works(None, 1)[0] - 1.0).abs() < 1e-2);
        let [plain, weighted] =
            [None, Some(&weights[..])].map(|weights| imbalance(works(weights, 6).into_iter()));
        assert!(weighted < 0.06 && weighted < plain / 2.0, "{plain} {weighted}");
    }
}
