//! k-nearest search: the density of a point cloud anywhere in space, from the distance of the k-th neighbour.

use std::f64::consts::PI;

use octree::Error;
use octree::neighbors::Neighbors;

/// Points per volume at each probe: k over the volume of the ball that reaches the k-th nearest point.
fn density(points: &[[f64; 3]], probes: &[[f64; 3]], k: usize) -> Result<Vec<f64>, Error> {
    let nearest = Neighbors::between(points, probes)?.nearest(k);
    let ball = |r: &f64| 4.0 / 3.0 * PI * r.powi(3);
    let at = |i: usize| nearest.distances(i).last().map_or(0.0, |r| nearest.k() as f64 / ball(r));
    Ok((0..probes.len()).map(at).collect())
}

/// Points with density proportional to r^-2 in the unit ball.
fn points(n: u32) -> Vec<[f64; 3]> {
    let place = |i: u32| {
        let [u, v, r] = [0.819_172_5, 0.671_043_6, 0.549_700_5].map(|c| (c * f64::from(i)).fract());
        let (z, azimuth) = (2.0 * u - 1.0, 2.0 * PI * v);
        let s = (1.0 - z * z).sqrt();
        [r * s * azimuth.cos(), r * s * azimuth.sin(), r * z]
    };
    (0..n).map(place).collect()
}

fn main() -> Result<(), Error> {
    let n = 100_000;
    let radii = [0.1, 0.2, 0.4, 0.8];
    let found = density(&points(n), &radii.map(|r| [r, 0.0, 0.0]), 64)?;
    println!("r     found      exact");
    for (r, found) in radii.iter().zip(found) {
        println!("{r:.1} {found:10.0} {:10.0}", f64::from(n) / (4.0 * PI * r * r));
    }
    Ok(())
}

#[test]
fn the_kth_neighbour_is_that_of_all_distances() -> Result<(), Error> {
    let (points, probes, k) = (points(1500), points(70), 10);
    for (found, probe) in density(&points, &probes, k)?.iter().zip(&probes) {
        let square = |p: &[f64; 3]| (0..3).map(|d| (p[d] - probe[d]).powi(2)).sum::<f64>();
        let mut distances: Vec<f64> = points.iter().map(|p| square(p).sqrt()).collect();
        distances.sort_by(f64::total_cmp);
        let expected = k as f64 / (4.0 / 3.0 * PI * distances[k - 1].powi(3));
        assert!((found - expected).abs() <= 16.0 * f64::EPSILON * expected);
    }
    Ok(())
}
