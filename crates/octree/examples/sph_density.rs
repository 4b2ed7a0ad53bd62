//! Neighbour search and group walk together: the density sum of smoothed particle hydrodynamics with a cubic
//! spline and a smoothing length for each particle.

use std::f64::consts::PI;

use octree::neighbors::Neighbors;
use octree::walk::{GroupWalk, ReceiverGroup, receiver_groups, tree_cells};
use octree::{Aabb, Depth, Error, Octree, source_bounds};

/// Neighbours within reach of the spline.
const N_NEIGHBORS: usize = 48;

/// The cubic spline (Monaghan and Lattanzio 1985) with smoothing length `h`; 0 from r = 2h on.
fn spline(r: f64, h: f64) -> f64 {
    let q = r / h;
    let shape = match q {
        q if q < 1.0 => 1.0 - 1.5 * q * q + 0.75 * q.powi(3),
        q if q < 2.0 => 0.25 * (2.0 - q).powi(3),
        _ => 0.0,
    };
    shape / (PI * h.powi(3))
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
}

/// Smoothing lengths, so that 2h reaches [`N_NEIGHBORS`], and densities; in the caller's order.
fn densities(points: &[[f64; 3]], masses: &[f64]) -> Result<Vec<(f64, f64)>, Error> {
    let nearest = Neighbors::of(points)?.nearest(N_NEIGHBORS);
    let h = |i: u32| 0.5 * nearest.distances(i as usize).last().copied().unwrap_or(1.0);
    let tree = Octree::build(points, Depth::Adaptive { leaf_capacity: 8 })?;
    let caller = tree.source_permutation();
    let sorted: Vec<[f64; 3]> = caller.iter().map(|&i| points[i as usize]).collect();
    let (cells, bounds) = (tree_cells(&tree), source_bounds(&tree, &sorted));
    let mut densities = vec![(0.0, 0.0); points.len()];
    let mut walk = GroupWalk::default();
    for ReceiverGroup { receivers, .. } in receiver_groups(&tree, 32) {
        let group = Aabb::around(&sorted[receivers.clone()]);
        let reach = receivers.clone().map(|i| 2.0 * h(caller[i])).fold(0.0, f64::max);
        // Accepted cells are out of the spline's reach: they add nothing.
        walk.walk(&cells, |b, _| group.squared_distance(&bounds[b]) < reach * reach);
        for i in receivers {
            let h = h(caller[i]);
            let term = |j| masses[caller[j] as usize] * spline(distance(&sorted[j], &sorted[i]), h);
            densities[caller[i] as usize] = (h, walk.sources().map(term).sum());
        }
    }
    Ok(densities)
}

/// Points that fill the unit cube, denser towards x = 0.
fn points(n: u32) -> Vec<[f64; 3]> {
    let even = |i: u32| [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|c| (c * f64::from(i)).fract());
    (0..n).map(even).map(|[x, y, z]| [x * x, y, z]).collect()
}

fn main() -> Result<(), Error> {
    let n = 50_000;
    let points = points(n);
    let found = densities(&points, &vec![1.0 / f64::from(n); points.len()])?;
    println!("x     density    exact");
    for x in [0.1, 0.2, 0.4, 0.8] {
        let near = |p: &[f64; 3]| distance(p, &[x, 0.5, 0.5]) < 0.05;
        let here: Vec<f64> =
            points.iter().zip(&found).filter(|(p, _)| near(p)).map(|(_, found)| found.1).collect();
        let mean = here.iter().sum::<f64>() / here.len() as f64;
        println!("{x:.1} {mean:10.3} {:10.3}", 0.5 / f64::sqrt(x));
    }
    Ok(())
}

#[test]
fn the_walk_gives_the_sum_over_all_pairs() -> Result<(), Error> {
    let points = points(1200);
    let masses: Vec<f64> = (0..1200).map(|i| 1.0 + 0.1 * f64::from(i % 7)).collect();
    for ((h, found), at) in densities(&points, &masses)?.into_iter().zip(&points) {
        let terms = points.iter().zip(&masses).map(|(p, m)| m * spline(distance(p, at), h));
        let exact: f64 = terms.sum();
        assert!(h > 0.0 && exact > 0.0);
        // Sums of n_terms positive terms in two orders.
        assert!((found - exact).abs() <= points.len() as f64 * f64::EPSILON * exact);
    }
    Ok(())
}
