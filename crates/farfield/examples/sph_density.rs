//! Densities of a laser scan: the density sum of smoothed particle hydrodynamics, by neighbour search and group walk.
//!
//! Each point gets a smoothing length h that follows its 48 nearest neighbours, and the density is a sum of a cubic spline
//! over the points within 2h. Few points in a large ball are stray: birds, dust, wires. Coordinates are near 6·10⁵ and
//! 8·10⁵ feet, with steps of 0.01, which f32 has no digits for.
//!
//! Run with `cargo run --release -p farfield --example sph_density`.

use std::error::Error;
use std::f64::consts::PI;

use farfield::formats::{Charges, Column, Selection, read_points};
use farfield::octree;
use farfield::octree::neighbors::Neighbors;
use farfield::octree::walk::{GroupWalk, ReceiverGroup, receiver_groups, tree_cells};
use farfield::octree::{Aabb, Depth, Octree, source_bounds};

/// Trees, roofs and ground of 250 by 250 feet, airborne laser scan; class 2 is ground.
const SCAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/autzen-sample.csv.gz");
const GROUND: f64 = 2.0;

/// Share of the median density below which a point is stray.
const STRAY: f64 = 0.02;

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
fn densities(points: &[[f64; 3]], masses: &[f64]) -> Result<Vec<(f64, f64)>, octree::Error> {
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

/// Density of one point by the sum over all pairs.
fn density(points: &[[f64; 3]], masses: &[f64], at: &[f64; 3], h: f64) -> f64 {
    points.iter().zip(masses).map(|(p, m)| m * spline(distance(p, at), h)).sum()
}

fn main() -> Result<(), Box<dyn Error>> {
    // The class of a point is read where other files have a charge.
    let class = Charges::Column(Column::Name("class".to_owned()));
    let scan = read_points(SCAN, &Selection { charges: class, ..Selection::default() })?;
    let ones = vec![1.0; scan.positions.len()];
    let found = densities(&scan.positions, &ones)?;

    for i in (0..found.len()).step_by(200) {
        let exact = density(&scan.positions, &ones, &scan.positions[i], found[i].0);
        assert!((found[i].1 / exact - 1.0).abs() < 1e-10);
    }

    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let of = |ground: bool| {
        let pairs = found.iter().zip(&scan.charges);
        pairs.filter(|(_, class)| (**class == GROUND) == ground).map(|(found, _)| found.1).collect()
    };
    let typical = median(of(true));
    println!("{} points, checked against all pairs at every 200th", found.len());
    println!(
        "ground: {typical:.4} points a cubic foot in the median, others {:.4}",
        median(of(false))
    );
    let stray = found.iter().filter(|found| found.1 < STRAY * typical).count();
    println!("{stray} stray points, of less than {STRAY} of the ground's density");
    Ok(())
}
