//! Hu, Gumerov and Duraiswami's structures against `octree::papers::grid` and `octree::neighborhood`.

use crate::clouds::{Cloud, clouds, device_points};
use kernels_gpu::device::Plain;
use kernels_gpu::machine::{Buffer, Grid, Launcher};
use kernels_gpu::memory::Grown;
use kernels_gpu::papers::grid::neighbors::{E2_SOURCES, E2Sources, E4_BOXES, E4_QUERY, E4Query};
use kernels_gpu::papers::grid::{BoxedPoints, GridError, UniformGrid};
use octree::papers::grid::Boxes;

fn structures_are_those_of_the_host<M: Launcher>(machine: &M) {
    let mut grid = UniformGrid::<M, f64>::new();
    for Cloud { name, sources, receivers } in clouds() {
        let receivers = receivers.unwrap_or_else(|| sources.iter().copied().rev().collect());
        let points = machine.buffer_of(&device_points(&sources, Some(&receivers))).unwrap();
        for level in [0, 1, 2, 3, 5] {
            grid.rebuild(machine, points.view(), sources.len(), level).unwrap();
            let expected =
                octree::papers::grid::Grid::build(&sources, &receivers, level as u8).unwrap();
            let name = format!("{name}, level {level}");
            assert_eq!(grid.cube(), Some(expected.cube()));
            same_boxes(machine, grid.sources(), expected.sources(), &sources, &name);
            same_boxes(machine, grid.receivers(), expected.receivers(), &receivers, &name);
            same_neighbors(machine, &grid, &expected, &name);
            same_queries(machine, &grid, &expected, &name);
        }
    }
}

fn items<M: Launcher, T: Plain>(machine: &M, memory: &Grown<M, T>, len: usize) -> Vec<T> {
    let mut items = vec![T::default(); len];
    memory.download(machine, &mut items).unwrap();
    items
}

fn same_boxes<M: Launcher>(
    machine: &M,
    found: &BoxedPoints<M, f64>,
    expected: &Boxes<f64>,
    points: &[[f64; 3]],
    name: &str,
) {
    let (n, n_boxes) = (points.len(), expected.n_boxes());
    assert_eq!((found.n_points(), found.n_boxes()), (n, n_boxes), "{name}");
    let bookmark = items(machine, &found.bookmark, n_boxes + 1);
    assert_eq!(bookmark, expected.bookmark, "{name}");
    let index = items(machine, &found.non_empty_box_index, n_boxes);
    assert!(index.iter().map(|&i| u64::from(i)).eq(expected.non_empty_box_index.iter().copied()));

    // In a box the same points, in any order; and back to the caller's order by the permutation.
    let mut permutation = items(machine, &found.permutation, n);
    let sorted = items(machine, &found.sorted, n);
    let mut restored = vec![[f64::NAN; 3]; n];
    for (&i, point) in permutation.iter().zip(&sorted) {
        restored[i as usize] = [point.0[0], point.0[1], point.0[2]];
    }
    assert_eq!(restored, points, "{name}");
    for i in 0..n_boxes {
        permutation[expected.range(i)].sort_unstable();
    }
    assert_eq!(permutation, expected.permutation, "{name}");
}

fn same_neighbors<M: Launcher>(
    machine: &M,
    grid: &UniformGrid<M, f64>,
    expected: &octree::papers::grid::Grid<f64>,
    name: &str,
) {
    let n_boxes = expected.receivers().n_boxes();
    let bookmark = items(machine, grid.neighbor_bookmark(), n_boxes + 1);
    let list = items(machine, grid.neighbor_list(), grid.n_neighbors());
    assert!(
        bookmark.iter().map(|&i| i as usize).eq(expected.neighbors().offsets().iter().copied())
    );
    assert_eq!(list, expected.neighbors().items(), "{name}");
}

/// Alg. 2 and the E4 query.
fn same_queries<M: Launcher>(
    machine: &M,
    grid: &UniformGrid<M, f64>,
    expected: &octree::papers::grid::Grid<f64>,
    name: &str,
) {
    let n = expected.receivers().n_boxes();
    let mut counts = machine.allocate(n).unwrap();
    let args = E2Sources { neighbors: grid.neighbors(), counts: counts.view_mut() };
    machine.launch(&E2_SOURCES, Grid::over(n, 128), args).unwrap();
    let found = machine.items_of(&counts).unwrap();
    let expected_count = |i| expected.e2_sources(i).map(|range| range.len() as u32).sum::<u32>();
    assert!(found.into_iter().eq((0..n).map(expected_count)), "{name}");

    let mut boxes = machine.allocate(E4_BOXES * n).unwrap();
    let args = E4Query {
        sources: grid.sources().ranks(),
        receiver_box_index: grid.receivers().non_empty_box_index.view(n),
        counts: counts.view_mut(),
        boxes: boxes.view_mut(),
        level: grid.level(),
    };
    machine.launch(&E4_QUERY, Grid::over(n, 128), args).unwrap();
    let (counts, boxes) = (machine.items_of(&counts).unwrap(), machine.items_of(&boxes).unwrap());
    for i in 0..n {
        let mut found: Vec<u32> = (0..counts[i] as usize).map(|k| boxes[k * n + i]).collect();
        let mut e4: Vec<u32> = expected.e4_boxes(i).collect();
        found.sort_unstable();
        e4.sort_unstable();
        assert_eq!(found, e4, "{name}, box {i}");
    }
}

fn levels_without_memory_are_refused<M: Launcher>(machine: &M) {
    let points = machine.buffer_of(&device_points(&[[0.0; 3]], None)).unwrap();
    let error = UniformGrid::<M, f64>::new().rebuild(machine, points.view(), 1, 10).unwrap_err();
    assert!(matches!(error, GridError::TooDeep { level: 10 }));
}

on_every_machine!(structures_are_those_of_the_host, levels_without_memory_are_refused);
