//! Crowding: how many points share a place or a box of the deepest level with another, by a sample.

use octree::{Aabb, Cube};

use super::hash::{hash_of, mix};
use crate::api::Error;
use crate::choose::outgrow_a_gpu;
use crate::engine::Scalar;
use crate::ranks::{Which, Whole};

/// Other points at the place of the average point, at least, for which points are merged: their pairs are then a
/// sixteenth of a near field, of some 1000 pairs a point.
const COINCIDENT: f64 = 64.0;

/// Whether many points of a set coincide. Cost: √N. Collective.
pub(super) fn are_coincident<T: Scalar>(whole: &Whole<'_, T>, which: Which) -> Result<bool, Error> {
    let sample = whole.sample(which)?;
    Ok(others(sample.iter().map(hash_of), whole.n(which)) >= COINCIDENT)
}

/// Whether boxes of the deepest level hold so many points that they outgrow a GPU. O(N) where there are many points.
/// Collective.
pub(super) fn are_crowded<T: Scalar>(whole: &Whole<'_, T>) -> Result<bool, Error> {
    let sets = [Which::Sources, Which::Receivers];
    if sets.into_iter().all(|which| !outgrow_a_gpu(whole.n(which) as f64)) {
        return Ok(false);
    }
    let Aabb { min, max } = whole.bounds()?;
    // Positions without a cube are for the tree to refuse: it names the point.
    let Ok(cube) = Cube::bounding([min, max]) else { return Ok(false) };
    for which in sets {
        let sample = whole.sample(which)?;
        let hashes = sample.iter().map(|point| mix(0, cube.key(point).code()));
        if outgrow_a_gpu(others(hashes, whole.n(which))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Number of others with the hash of the average point, of `n` points, by the hashes of a sample.
fn others(hashes: impl ExactSizeIterator<Item = u64>, n: usize) -> f64 {
    // Hashes and how often they came so far, each at the first free place from that of its leading digits on, to which all
    // digits of a place have come.
    let count = hashes.len();
    let places = (2 * count).next_power_of_two().max(2);
    let (shift, last) = (64 - places.ilog2(), places - 1);
    let mut seen = vec![(0_u64, 0_u64); places];
    let mut alike = 0;
    for hash in hashes {
        let mut at = (hash >> shift) as usize;
        while seen[at].1 > 0 && seen[at].0 != hash {
            at = (at + 1) & last;
        }
        alike += seen[at].1;
        seen[at] = (hash, seen[at].1 + 1);
    }
    let all = (count * count.saturating_sub(1)) as f64;
    2.0 * alike as f64 / all.max(1.0) * n as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::cube_for_tests;
    use crate::engine::PointSets;

    /// Points of a process that has all of them.
    fn alone<'a>(points: &'a PointSets<'a, f64>) -> Whole<'a, f64> {
        Whole::new(None, points).unwrap().unwrap()
    }

    fn are_coincident(sources: &[[f64; 3]]) -> bool {
        let points = PointSets { sources, receivers: None };
        super::are_coincident(&alone(&points), Which::Sources).unwrap()
    }

    #[test]
    fn many_coincident_points_are_seen() {
        let n = 100_000;
        let apart = cube_for_tests(n);
        assert!(!are_coincident(&apart));
        assert!(!are_coincident(&[]));
        assert!(are_coincident(&vec![[0.0, -0.0, 1.0]; 100]));
        for places in [1, 50, 1000] {
            let points: Vec<_> = (0..n).map(|i| apart[i * 7919 % places]).collect();
            assert!(are_coincident(&points), "{places}");
        }
        // A tenth of the points at one place.
        let mut points = apart;
        points[n / 3..n / 3 + n / 10].fill([0.0; 3]);
        assert!(are_coincident(&points));
    }

    #[test]
    fn clusters_far_apart_outgrow_a_gpu() {
        let n = 200_000;
        let cluster = cube_for_tests(n);
        let apart = |distance: f64| -> Vec<[f64; 3]> {
            let place =
                |(i, [x, y, z]): (usize, &[f64; 3])| [x + distance * (i % 2) as f64, *y, *z];
            cluster.iter().enumerate().map(place).collect()
        };
        let outgrow = |sources: &[[f64; 3]], receivers: Option<&[[f64; 3]]>| {
            are_crowded(&alone(&PointSets { sources, receivers })).unwrap()
        };
        assert!(!outgrow(&cluster, None));
        assert!(!outgrow(&apart(1e5), None));
        assert!(outgrow(&apart(1e9), None));
        assert!(outgrow(&cluster, Some(&[[1e12, 0.0, 0.0]])));
        assert!(!outgrow(&[[f64::NAN; 3]; 40_000], None));
    }
}
