//! Work of points and of ranks, in units of one near pair.

use octree::{InteractionLists, ListOptions, Octree, SplitRule};

use super::anatomy::Counts;

/// Costs in units of one near pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// One M2L of a pair of boxes.
    pub translation: f64,
    /// All that grows with points alone: P2M, L2P, and M2M and L2L, whose boxes go with the points.
    pub point: f64,
}

impl Costs {
    /// Work of each point: the near pairs of its leaf, and its part in the far pairs of all boxes that it is in. Parts
    /// of a near pair are rounded away. O(N), and the lists of the whole tree.
    ///
    /// # Errors
    ///
    /// Those of [`Octree::build`].
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
            shares[b] = above + self.translation * lists.far.row(b).len() as f64 / n;
            if !tree.is_leaf(b) {
                continue;
            }
            let near = lists.near.row(b).iter();
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

/// The largest value over the mean, minus 1; 0 for nothing.
pub fn imbalance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (largest, sum) = values.clone().fold((0.0f64, 0.0), |(m, s), x| (m.max(x), s + x));
    if sum > 0.0 { largest * values.count() as f64 / sum - 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds;
    use crate::ranks::anatomy::{Anatomy, Problem};
    use octree::partition::point_bounds;
    use octree::{Cube, Depth};

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
