//! The flat structures of Hu, Gumerov and Duraiswami against brute force.

use crate::common::{Shape, cloud, shapes};
use octree::papers::grid::{Boxes, Grid};
use octree::{Depth, Error, Octree};
use proptest::prelude::*;

fn check_set(grid: &Grid<f64>, boxes: &Boxes<f64>, points: &[[f64; 3]]) {
    let shift = 3 * (21 - grid.level());
    let code = |point: &[f64; 3]| grid.cube().key(point).code() >> shift;
    assert_eq!(boxes.bookmark.len(), boxes.n_boxes() + 1);
    assert!(boxes.non_empty_box_index.is_sorted_by(|a, b| a < b));
    // Bookmarks part the sorted points; each part is not empty and in the box that the index names.
    assert_eq!((boxes.bookmark[0], boxes.bookmark[boxes.n_boxes()] as usize), (0, points.len()));
    for i in 0..boxes.n_boxes() {
        assert!(!boxes.range(i).is_empty());
        assert!(
            boxes.sorted[boxes.range(i)].iter().all(|p| code(p) == boxes.non_empty_box_index[i])
        );
    }
    // The permutation brings the input back: the sorted multiset is the input's.
    let mut restored = vec![None; points.len()];
    for (&i, point) in boxes.permutation.iter().zip(&boxes.sorted) {
        assert_eq!(restored[i as usize].replace(*point), None);
    }
    assert!(restored.iter().zip(points).all(|(a, b)| a.as_ref() == Some(b)));
}

fn distance(a: [u32; 3], b: [u32; 3]) -> u32 {
    (0..3).map(|d| a[d].abs_diff(b[d])).max().unwrap()
}

fn check(sources: &[[f64; 3]], receivers: &[[f64; 3]], level: u8) {
    let grid = Grid::build(sources, receivers, level).unwrap();
    check_set(&grid, grid.sources(), sources);
    check_set(&grid, grid.receivers(), receivers);
    assert_eq!(grid.neighbors().n_rows(), grid.receivers().n_boxes());
    let place = |code: u64| octree::Key::from_code(level, code).coordinates();
    for (i, &receiver) in grid.receivers().non_empty_box_index.iter().enumerate() {
        let at = place(receiver);
        let boxes = |is_listed: &dyn Fn([u32; 3]) -> bool| -> Vec<u32> {
            (0..grid.sources().n_boxes() as u32)
                .filter(|&s| is_listed(place(grid.sources().non_empty_box_index[s as usize])))
                .collect()
        };
        let sorted = |mut row: Vec<u32>| {
            row.sort_unstable();
            row
        };
        let near = boxes(&|s| distance(at, s) <= 1);
        assert_eq!(sorted(grid.neighbors().row(i).to_vec()), near);
        let parents = |s: [u32; 3]| distance(at.map(|c| c / 2), s.map(|c| c / 2));
        let far = boxes(&|s| distance(at, s) > 1 && parents(s) <= 1);
        assert_eq!(sorted(grid.e4_boxes(i).collect()), far);
        let found: usize = grid.e2_sources(i).map(|range| range.len()).sum();
        assert_eq!(found, near.iter().map(|&s| grid.sources().range(s as usize).len()).sum());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn structures_match_brute_force(
        a in shapes(), b in shapes(), n in 0usize..300, m in 0usize..300,
        level in prop_oneof![0u8..6, 0u8..22], seed in any::<u64>(),
    ) {
        check(&cloud(a, n, seed), &cloud(b, m, !seed), level);
    }
}

#[test]
fn grid_and_uniform_tree_hold_the_same_boxes() {
    let (sources, receivers) = (cloud(Shape::Cluster, 20_000, 1), cloud(Shape::Cube, 10_000, 2));
    let level = 4;
    let grid = Grid::build(&sources, &receivers, level).unwrap();
    let tree = Octree::build_between(&sources, &receivers, Depth::Uniform(level)).unwrap();
    assert_eq!(grid.sources().permutation, tree.source_permutation());
    assert_eq!(grid.receivers().permutation, tree.receiver_permutation());
    let codes = |has: &dyn Fn(usize) -> bool| -> Vec<u64> {
        tree.level(level.into()).filter(|&b| has(b)).map(|b| tree.key(b).code()).collect()
    };
    assert_eq!(grid.sources().non_empty_box_index, codes(&|b| !tree.sources(b).is_empty()));
    assert_eq!(grid.receivers().non_empty_box_index, codes(&|b| !tree.receivers(b).is_empty()));
}

#[test]
fn bad_input_is_an_error() {
    let points = [[0.0, 0.0, 0.0], [0.0, f64::NAN, 0.0]];
    assert!(matches!(
        Grid::build(&points[..1], &points, 3),
        Err(Error::NotFinite { index: 1, .. })
    ));
    assert!(matches!(Grid::build(&points[..1], &[], 22), Err(Error::TooDeep { level: 22 })));
}
