//! Dimension of a set of points, estimated from a sample before the tree is built.
//!
//! A box of a volume has 27 neighbours and 189 far boxes, one of a surface half and a fifth of them: leaves that
//! suit the one are too small for the other. The estimate is the correlation sum of Grassberger and Procaccia (1983),
//! with boxes for balls: the number of points that share a box with the average point.

use octree::morton::common_level;
use octree::{Cube, MAX_LEVEL};

use crate::engine::{Scalar, random_bits};

/// Dimension of points that fill a volume.
pub(crate) const VOLUME: f64 = 3.0;

/// Points in a leaf, about: the size of boxes at which the dimension counts. Dimensions change slowly with the size, so
/// that one value serves all orders.
const LEAF: f64 = 50.0;

/// Number of pairs of a sample that share such a box, at least: the dimension is then known to 0.1, since such a
/// count varies by 4 % and its binary logarithm by 0.06.
const PAIRS: f64 = 600.0;

/// Points of a sample whose distances from others are looked at, at most, and these others: the numbers of neighbours of 64
/// points tell their average to an eighth, even where they vary as much as in a cluster.
const PICKS: usize = 64;
const OTHERS: usize = 1024;

/// Numbers of points in a box, level by level.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// Dimension d: boxes of half the side hold 2^−d as many points.
    dimension: f64,
    /// Average number of others that share a box with a point, by level.
    others: Vec<f64>,
    sample: Vec<[f64; 3]>,
}

impl Spread {
    /// The spread of `n` points that fill a cube evenly.
    pub(crate) fn even(n: usize) -> Self {
        let others = (0..=MAX_LEVEL).map(|level| n as f64 / 8f64.powi(level.into())).collect();
        Self { dimension: VOLUME, others, sample: Vec::new() }
    }

    /// The spread of any points, by a sample. Cost: √N log N.
    pub(crate) fn of<T: Scalar>(points: &[[T; 3]]) -> Self {
        Self::of_sample(&spread_sample(points), points.len())
    }

    /// The spread of `n` points by a sample of them.
    pub(crate) fn of_sample<T: Scalar>(sample: &[[T; 3]], n: usize) -> Self {
        // Positions without a cube are for the tree to refuse: it names the point.
        let Ok(cube) = Cube::bounding(sample.iter().map(|point| point.map(T::widen))) else {
            return Self::even(n);
        };
        let mut codes: Vec<u64> = sample.iter().map(|point| cube.key(point).code()).collect();
        codes.sort_unstable();
        let all = (codes.len() * codes.len().saturating_sub(1)) as f64;
        let common = |pair: &[u64]| common_level(pair[0], pair[1], MAX_LEVEL.into());
        let shared: Vec<u32> = codes.windows(2).map(common).collect();
        let mut pairs = f64::INFINITY;
        let others = |level: u8| {
            // Smaller boxes than those that nobody shares are shared by nobody.
            if pairs > 0.0 {
                pairs = pairs_sharing(level.into(), &shared);
            }
            pairs / all.max(1.0) * n as f64
        };
        let others: Vec<f64> = (0..=MAX_LEVEL).map(others).collect();
        let dimension = match first_below(&others, LEAF) {
            Some(level) if level > 0 => (others[level - 1] / others[level].max(1.0)).log2(),
            _ => VOLUME,
        };
        let sample = sample.iter().map(|point| point.map(T::widen)).collect();
        Self { dimension: dimension.clamp(1.0, VOLUME), others, sample }
    }

    /// 3 for a volume, 2 for a surface, 1 for a curve, and between, at the size of leaves.
    pub(crate) fn dimension(&self) -> f64 {
        self.dimension
    }

    /// Average number of the `n` points within each of two distances of one of them. Cost: some ten thousand distances.
    pub(crate) fn within(&self, distances: [f64; 2], n: usize) -> [f64; 2] {
        let thinned =
            |count: usize| self.sample.iter().step_by(self.sample.len().div_ceil(count).max(1));
        let (mut pairs, mut all) = ([0_u32; 2], 0_u32);
        for pick in thinned(PICKS) {
            for point in thinned(OTHERS).filter(|point| !std::ptr::eq(*point, pick)) {
                let square: f64 = (0..3).map(|axis| (point[axis] - pick[axis]).powi(2)).sum();
                let is_near = distances.map(|distance| square < distance * distance);
                (0..2).for_each(|k| pairs[k] += u32::from(is_near[k]));
                all += 1;
            }
        }
        pairs.map(|pairs| n as f64 * f64::from(pairs) / f64::from(all.max(1)))
    }

    /// Average number of others that share a box of a level, or between two levels, in the smallest cube with a point.
    pub(crate) fn others(&self, level: f64) -> f64 {
        let level = level.clamp(0.0, f64::from(MAX_LEVEL) - 1.0);
        let (above, part) = (level as usize, level.fract());
        self.others[above].powf(1.0 - part) * self.others[above + 1].powf(part)
    }

    /// The side of the cube of level 0 over that of the smallest cube, for which boxes of some level hold about `points`.
    ///
    /// A whole number of boxes is along the smallest cube: what fills it would else leave boxes at its faces half
    /// empty, whose parents are not worth splitting, and pairs with such large leaves are many.
    pub(crate) fn enlargement(&self, points: f64) -> f64 {
        match first_below(&self.others, points) {
            Some(level) if level > 1 => {
                let factor = (points / self.others[level]).powf(1.0 / self.dimension);
                let boxes = 2f64.powi(level as i32);
                boxes / (boxes / factor.min(2.0)).round()
            }
            _ => 1.0,
        }
    }
}

/// Number of ordered pairs that share a box of a level, by the deepest levels that neighbours in Morton order share.
fn pairs_sharing(level: u32, shared: &[u32]) -> f64 {
    let (mut before, mut pairs) = (0_u64, 0_u64);
    for deepest in shared {
        // Points in the box of this one that came before.
        before = if *deepest >= level { before + 1 } else { 0 };
        pairs += before;
    }
    2.0 * pairs as f64
}

/// The coarsest level whose boxes hold no more than `points`.
fn first_below(others: &[f64], points: f64) -> Option<usize> {
    others.iter().position(|others| *others <= points)
}

/// A sample that tells the dimension of the points: one of every so many, which one by pseudo-random bits, since points
/// may come in any order.
fn spread_sample<T: Copy>(points: &[T]) -> Vec<T> {
    spread_indices(points.len()).map(|index| points[index]).collect()
}

/// Indices of the sample of `n` points, ascending.
pub(crate) fn spread_indices(n: usize) -> impl Iterator<Item = usize> {
    // Of m sampled points among n, m² LEAF / 2n pairs share a box.
    let count = (2.0 * PAIRS / LEAF * n as f64).sqrt() as usize;
    let part = n / count.max(1);
    // A sample of a quarter or more saves little.
    let (count, part) = if part < 4 { (n, 1) } else { (count, part) };
    (0..count).map(move |i| i * part + random_bits(i as u64) as usize % part)
}

/// Points of a unit cube in general position.
#[cfg(test)]
pub(crate) fn cube_for_tests(n: usize) -> Vec<[f64; 3]> {
    let steps = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9];
    (0..n).map(|i| steps.map(|step| (i as f64 * step).fract())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_told() {
        let volume = cube_for_tests(40_000);
        let surface: Vec<_> = volume.iter().map(|[x, y, _]| [*x, *y, 0.3 * x - 0.4 * y]).collect();
        let curve: Vec<_> =
            volume.iter().map(|[x, _, _]| [(3.0 * x).cos(), (3.0 * x).sin(), *x]).collect();
        for (points, dimension) in [(volume, 3.0), (surface, 2.0), (curve, 1.0)] {
            let found = Spread::of(&points).dimension();
            assert!((found - dimension).abs() < 0.2, "{found} instead of {dimension}");
        }
    }

    #[test]
    fn a_sample_of_a_full_cube_is_as_even_as_the_cube_for_tests() {
        let n = 40_000;
        let (sampled, even) = (Spread::of(&cube_for_tests(n)), Spread::even(n));
        for level in 0..3 {
            let ratio = sampled.others[level] / even.others[level];
            assert!((ratio - 1.0).abs() < 0.1, "level {level}: {ratio}");
        }
    }

    #[test]
    fn enlarged_boxes_hold_what_is_asked_for() {
        let n = 1_000_000;
        for points in [20.0, 50.0, 110.0, 200.0] {
            let factor = Spread::even(n).enlargement(points);
            assert!((1.0..=2.0).contains(&factor));
            let side = factor * (n as f64).cbrt();
            let nearest = (0..10).map(|level| (side / 2f64.powi(level)).powi(3) / points);
            let nearest = nearest.map(|ratio| ratio.ln().abs()).fold(f64::INFINITY, f64::min);
            // Boxes come in whole numbers, 16 or more along the cube.
            assert!(nearest < 3.0 * 0.5 / 16.0, "{points}: {factor}");
        }
    }

    #[test]
    fn any_points_have_a_spread() {
        let coincident = vec![[0.3, 0.7, -1.1]; 1000];
        let far_apart = [vec![[0.0; 3]; 500], vec![[1e300; 3]; 500]].concat();
        for points in [vec![], vec![[1.0; 3]], coincident, far_apart, vec![[f64::NAN; 3]; 9]] {
            let spread = Spread::of(&points);
            assert!((1.0..=VOLUME).contains(&spread.dimension()));
            assert!((1.0..=2.0).contains(&spread.enlargement(50.0)));
        }
    }
}
