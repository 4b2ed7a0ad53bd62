//! Neighbour searches against brute force, on the clouds that break trees.

use crate::common::{Shape, cloud, clouds_of, shapes};
use octree::Error;
use octree::neighbors::{Nearest, Neighbors};
use proptest::prelude::*;

fn squared_distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

fn brute_within(sources: &[[f64; 3]], at: &[f64; 3], radius: f64) -> Vec<u32> {
    let near = |i: &u32| squared_distance(at, &sources[*i as usize]) <= radius * radius;
    (0..sources.len() as u32).filter(near).collect()
}

fn brute_nearest(sources: &[[f64; 3]], at: &[f64; 3], k: usize) -> Vec<(f64, u32)> {
    let squares = sources.iter().map(|source| squared_distance(at, source));
    let mut all: Vec<(f64, u32)> = squares.zip(0..).collect();
    // Before the roots, which round different squares to one distance.
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(k).map(|(square, i)| (square.sqrt(), i)).collect()
}

fn row(nearest: &Nearest, i: usize) -> Vec<(f64, u32)> {
    nearest.distances(i).iter().copied().zip(nearest.indices(i).iter().copied()).collect()
}

fn radii() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 1e-3..0.5, Just(f64::INFINITY)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn of_one_set(cloud in clouds_of(shapes(), 0..300), radius in radii(), k in 0usize..40) {
        let (points, n) = (cloud.points(), cloud.n);
        let neighbors = Neighbors::of(&points).unwrap();
        let (within, nearest) = (neighbors.within(radius).unwrap(), neighbors.nearest(k));
        prop_assert_eq!((within.n_rows(), nearest.n_receivers(), nearest.k()), (n, n, k.min(n)));
        for (i, at) in points.iter().enumerate() {
            prop_assert_eq!(within.row(i), brute_within(&points, at, radius));
            prop_assert_eq!(row(&nearest, i), brute_nearest(&points, at, k));
        }
    }

    #[test]
    fn of_two_sets(
        sources in clouds_of(shapes(), 0..300), receivers in clouds_of(shapes(), 0..100),
        scale in 0.0..1.0, k in 0usize..20,
    ) {
        let (n, m) = (sources.n, receivers.n);
        let (sources, receivers) = (sources.points(), receivers.points());
        let neighbors = Neighbors::between(&sources, &receivers).unwrap();
        let radii: Vec<f64> = receivers.iter().map(|at| scale * at[0].abs()).collect();
        let (within, nearest) = (neighbors.within_each(&radii).unwrap(), neighbors.nearest(k));
        prop_assert_eq!((within.n_rows(), nearest.n_receivers(), nearest.k()), (m, m, k.min(n)));
        for (i, at) in receivers.iter().enumerate() {
            prop_assert_eq!(within.row(i), brute_within(&sources, at, radii[i]));
            prop_assert_eq!(row(&nearest, i), brute_nearest(&sources, at, k));
        }
    }

    /// Scales at which squares over- or underflow: the same neighbours as at scale 1.
    #[test]
    fn scales_do_not_matter(cloud in clouds_of(shapes(), 2..100), exponent in -960i32..960) {
        let (points, n, scale) = (cloud.points(), cloud.n, f64::from(exponent).exp2());
        let scaled: Vec<[f64; 3]> = points.iter().map(|point| point.map(|c| c * scale)).collect();
        let (plain, other) = (Neighbors::of(&points).unwrap(), Neighbors::of(&scaled).unwrap());
        prop_assert_eq!(plain.within(0.25).unwrap(), other.within(0.25 * scale).unwrap());
        let (plain, other) = (plain.nearest(5), other.nearest(5));
        for i in 0..n {
            prop_assert_eq!(plain.indices(i), other.indices(i));
            let expected: Vec<f64> = plain.distances(i).iter().map(|d| d * scale).collect();
            prop_assert_eq!(expected, other.distances(i));
        }
    }
}

/// All pairs of so many points would take minutes.
#[test]
fn many_coincident_points_end() {
    let mut points = vec![[0.5; 3]; 200_000];
    points.push([1.5, 0.5, 0.5]);
    let nearest = Neighbors::of(&points).unwrap().nearest(3);
    assert_eq!((nearest.indices(99_999), nearest.distances(7)), (&[0, 1, 2][..], &[0.0; 3][..]));
    assert_eq!(
        (nearest.indices(200_000), nearest.distances(200_000)),
        (&[200_000, 0, 1][..], &[0.0, 1.0, 1.0][..])
    );
}

#[test]
fn bad_radii_are_named() {
    let neighbors = Neighbors::of(&cloud(Shape::Cube, 4, 1)).unwrap();
    assert_eq!(neighbors.within(-1.0).unwrap_err(), Error::NotADistance { index: 0, radius: -1.0 });
    let error = neighbors.within_each(&[0.0, 1.0, f64::NAN, 2.0]).unwrap_err();
    assert!(matches!(error, Error::NotADistance { index: 2, .. }));
    assert_eq!(
        neighbors.within_each(&[1.0]).unwrap_err(),
        Error::WrongLength { what: "radius", expected: 4, found: 1 }
    );
}

#[test]
fn single_precision_and_threads_give_the_same() {
    let points: Vec<[f32; 3]> =
        cloud(Shape::Cluster, 5000, 9).iter().map(|p| p.map(|c| c as f32)).collect();
    let search = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let neighbors = Neighbors::of(&points).unwrap();
            (neighbors.within(0.01).unwrap(), neighbors.nearest(8))
        })
    };
    assert_eq!(search(1), search(3));
    let double: Vec<[f64; 3]> = points.iter().map(|p| p.map(f64::from)).collect();
    assert_eq!(search(1).1, Neighbors::of(&double).unwrap().nearest(8));
}
