//! Pairs that narrowing changes or leaves out.

use super::*;
use crate::engine::PointSets;

/// Points spread over the unit cube, the last of them beside the first.
fn points(n: usize, beside: f64) -> Vec<[f64; 3]> {
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    let [x, y, z] = point(0);
    (0..n - 1).map(point).chain([[x + beside, y, z]]).collect()
}

fn pairs(sources: &[[f64; 3]], receivers: Option<&[[f64; 3]]>) -> NarrowedPairs {
    let frame = Frame::new(None, &PointSets { sources, receivers }).unwrap();
    let (sources, receivers) = frame.narrowed();
    NarrowedPairs::new(None, &frame, &sources, receivers.as_deref()).unwrap()
}

/// Distances along x of pairs that sums in f32 leave out, ascending.
fn left_out(pairs: &NarrowedPairs) -> Vec<f64> {
    let left_out = pairs.pairs.iter().filter(|pair| pair.narrowed == [0.0; 3]);
    let mut apart: Vec<f64> = left_out.map(|pair| pair.apart[0]).collect();
    apart.sort_unstable_by(f64::total_cmp);
    apart
}

#[test]
fn pairs_are_left_out_that_are_apart_in_f64_alone() {
    let n = 5000;
    for (beside, expected) in [(1e-3, vec![]), (0.0, vec![]), (1e-12, vec![-1e-12, 1e-12])] {
        let found = left_out(&pairs(&points(n, beside), None));
        assert_eq!(found.len(), expected.len(), "{beside}");
        // In the frame's unit, half of the extent at least.
        let near = |(a, b): (&f64, &f64)| (0.9..2.2).contains(&(a / b));
        assert!(found.iter().zip(&expected).all(near), "{beside}: {found:?}");
    }
    let receivers = [points(n, 1e-12)[n - 1], [0.5; 3]];
    assert_eq!(left_out(&pairs(&points(n, 0.3), Some(&receivers))).len(), 1);
    let crowd: Vec<[f64; 3]> = (0..1000).map(|i| [1e-13 * f64::from(i), 0.0, 0.0]).collect();
    assert!(pairs(&[crowd, vec![[1.0; 3]]].concat(), None).is_cut);
}

/// In the middle, about which positions are narrowed, f32 tells points apart that its sums leave out as coincident.
#[test]
fn pairs_are_left_out_beside_the_origin_too() {
    for beside in [1e-16, 7e-16, 1e-13, 4e-13] {
        let pair = [[0.5, 0.3, 0.3], [0.5 - beside, 0.3, 0.3]];
        let cube = [[0.0; 3], [1.0; 3]];
        let all = [points(2000, 0.3), pair.to_vec(), cube.to_vec()].concat();
        let expected = if pair[0] == pair[1] { 0 } else { 2 };
        assert_eq!(left_out(&pairs(&all, None)).len(), expected, "{beside}");
    }
}

/// Pairs across walls of cells, too; each receiver's error once.
#[test]
fn errors_of_close_pairs_are_those_of_their_positions() {
    let n = 3000;
    for apart in [3e-8, 1e-6, 2e-4] {
        for at in [0.25, 0.5, 0.731_234_567_8] {
            let pair = [[at, at, 0.62], [at + apart, at - 0.7 * apart, 0.62 + 0.2 * apart]];
            let sources = [points(n, 0.3), pair.to_vec()].concat();
            let mut charges = vec![0.0; n + 2];
            charges[n..].copy_from_slice(&[2e-9, 3e-9]);
            let frame =
                Frame::new(None, &PointSets { sources: &sources, receivers: None }).unwrap();
            let [a, b] = [n, n + 1].map(|i| frame.sources[i]);
            let [a32, b32] = [a, b].map(|at| frame.narrow(at).map(f64::from));
            let between = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|axis| b[axis] - a[axis]);
            let (exact, narrowed) =
                (of_pair(1.0, between(a, b), 0.0), of_pair(1.0, between(a32, b32), 0.0));
            let square = |of: usize| (exact[of] - narrowed[of]).powi(2) * (9e-18 + 4e-18);
            let expected = [square(0), square(1) + square(2) + square(3)];
            let found = pairs(&sources, None).squares(0.0, &charges).unwrap();
            for (found, expected) in found.iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-9, "{apart}, {at}: {found} {expected}");
            }
        }
    }
}

/// Few points are looked at again, those of a lattice and of a cluster too.
#[test]
fn few_points_are_candidates() {
    let lattice = |side: usize| -> Vec<[f64; 3]> {
        let at = |i: usize| i as f64 / side as f64;
        (0..side.pow(3)).map(|i| [at(i % side), at(i / side % side), at(i / side / side)]).collect()
    };
    let cluster = |n: usize| -> Vec<[f64; 3]> {
        points(n, 0.3).iter().map(|point| point.map(|x| (x - 0.5).powi(5))).collect()
    };
    for points in [points(30_000, 0.3), lattice(32), lattice(33), lattice(46), cluster(30_000)] {
        let found = pairs(&points, None);
        let share = found.candidates.len() as f64 / points.len() as f64;
        let n_pairs = found.pairs.len();
        assert!(share < 0.55 && n_pairs < points.len(), "{share}, {n_pairs}");
        assert!(!found.is_cut);
    }
}

/// A cell of many points, whose pairs are not all looked at.
#[test]
fn full_cells_keep_what_is_left_out() {
    let cluster = points(2_000, 1e-9).iter().map(|point| point.map(|x| 0.3 + 1e-5 * x)).collect();
    let all: Vec<[f64; 3]> = [points(30_000, 0.3), cluster].concat();
    let found = pairs(&all, None);
    let of_places = left_out(&found);
    assert!(of_places.len() >= 2 && !found.is_cut, "{}", of_places.len());
}
