//! The direct sum and the paper's listings against plain sums in f64.

use crate::pairs::{accuracies, cube, errors, fields, vectors};
use expansions::operators::PairAccuracy;
use kernels_gpu::device::{Real, Vec4};
use kernels_gpu::direct::{DirectSum, Precision};
use kernels_gpu::machine::{Buffer, Grid, Launcher};
use kernels_gpu::papers::p2p_listing::{
    LISTING_SHARED, LISTING_THREADS, ListingError, P2P_KERNEL, P2pKernel, Padding, TargetBlocks,
};

on_every_machine!(
    sums_agree_in_all_precisions,
    coincident_pairs_count_nothing,
    softened_coincident_pairs_count_nothing,
    pairs_have_the_digits_asked_for,
    shares_add_up,
    no_points_are_fine,
    rounding_does_not_grow_with_the_number_of_sources,
    pairs_too_close_for_f32_count_nothing,
    several_vectors_have_the_bits_of_each,
    listing_2_sums_all_remainders,
);

fn sum<M: Launcher, T: Precision<O>, O: Real>(
    machine: &M,
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
) -> Vec<Vec4<O>> {
    let receivers = machine.buffer_of(&vectors::<T>(receivers)).unwrap();
    let sources = machine.buffer_of(&vectors::<T>(sources)).unwrap();
    let mut output = machine.allocate(receivers.len()).unwrap();
    let (from, at) = (sources.view(), receivers.view());
    let mut direct = DirectSum::new();
    direct.sum(machine, from, at, T::from_f64(softening), output.view_mut()).unwrap();
    machine.items_of(&output).unwrap()
}

/// The sums of several vectors of charges at once.
fn sum_vectors<M: Launcher, T: Precision<O>, O: Real>(
    machine: &M,
    receivers: &[[f64; 4]],
    sources: &[Vec<[f64; 4]>],
    softening: f64,
    accuracy: PairAccuracy,
) -> Vec<Vec4<O>> {
    let (n, count) = (receivers.len(), sources.len());
    let receivers = machine.buffer_of(&vectors::<T>(receivers)).unwrap();
    let sources = machine.buffer_of(&vectors::<T>(&sources.concat())).unwrap();
    let mut output = machine.allocate(count * n).unwrap();
    let points = [sources.view(), receivers.view()];
    let law = (T::from_f64(softening), accuracy);
    let mut direct = DirectSum::new();
    direct.sum_vectors(machine, points, law, count, output.view_mut()).unwrap();
    machine.items_of(&output).unwrap()
}

fn compare_vectors<M: Launcher, T: Precision<O>, O: Real>(
    machine: &M,
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
) {
    let charge = |v: usize, i: usize| f64::from((i as i32 * 7 + v as i32) % 17 - 8) / 4.0;
    let of_vector = |v: usize| {
        let points = sources.iter().enumerate();
        points.map(move |(i, [x, y, z, q])| [*x, *y, *z, if v == 0 { *q } else { charge(v, i) }])
    };
    let all: Vec<Vec<[f64; 4]>> = (0..5).map(|v| of_vector(v).collect()).collect();
    for (accuracy, _) in accuracies() {
        for count in 1..=5 {
            let sum = |all| sum_vectors::<M, T, O>(machine, receivers, all, softening, accuracy);
            for (v, found) in sum(&all[..count]).chunks(receivers.len()).enumerate() {
                let alone = match accuracy {
                    PairAccuracy::Full => {
                        self::sum::<M, T, O>(machine, receivers, &all[v], softening)
                    }
                    _ => sum(&all[v..=v]),
                };
                assert!(found == alone, "vector {v} of {count}, {accuracy:?}");
            }
        }
    }
}

fn several_vectors_have_the_bits_of_each<M: Launcher>(machine: &M) {
    let points = with_copies(600);
    for softening in [0.0, 0.02] {
        compare_vectors::<M, f32, f32>(machine, &points, &points, softening);
        compare_vectors::<M, f64, f64>(machine, &points, &points, softening);
        compare_vectors::<M, f32, f64>(machine, &points[..50], &points, softening);
    }
    // Several blocks share the sources of one.
    compare_vectors::<M, f32, f32>(machine, &points[..3], &cube(2000, 15, 0.1), 0.0);
}

/// Bounds of relative errors: some units in the last place of a pair's f32 or f64 terms.
const SINGLE: f64 = 4.0 * f32::EPSILON as f64;
const DOUBLE: f64 = 16.0 * f64::EPSILON;

fn agree<M: Launcher>(machine: &M, receivers: &[[f64; 4]], sources: &[[f64; 4]], softening: f64) {
    let exact = fields(receivers, sources, softening);
    let single = errors(&sum::<M, f32, f32>(machine, receivers, sources, softening), &exact);
    let mixed = errors(&sum::<M, f32, f64>(machine, receivers, sources, softening), &exact);
    let double = errors(&sum::<M, f64, f64>(machine, receivers, sources, softening), &exact);
    for (found, bound) in [(single, SINGLE), (mixed, SINGLE), (double, DOUBLE)] {
        assert!(found.iter().all(|e| *e < bound), "{found:?}, bound {bound:e}");
    }
}

fn sums_agree_in_all_precisions<M: Launcher>(machine: &M) {
    agree(machine, &cube(301, 1, 0.1), &cube(517, 2, 0.1), 0.0);
    agree(machine, &cube(3, 3, 0.1), &cube(1, 4, 0.1), 0.0);
    agree(machine, &cube(130, 5, 0.1), &cube(300, 6, 0.1), 0.05);
}

/// A set with points that occur twice and three times, some without charge.
fn with_copies(n: usize) -> Vec<[f64; 4]> {
    let mut points = cube(n, 7, 0.1);
    for i in (0..n).step_by(7) {
        let [x, y, z, _] = points[i];
        points[(3 * i + 5) % n] = [x, y, z, 0.25];
        points[(5 * i + 1) % n] = [x, y, z, 0.0];
    }
    points
}

fn coincident_pairs_count_nothing<M: Launcher>(machine: &M) {
    let points = with_copies(400);
    agree(machine, &points, &points, 0.0);
}

fn softened_coincident_pairs_count_nothing<M: Launcher>(machine: &M) {
    let points = with_copies(300);
    agree(machine, &points, &points, 0.02);
}

fn pairs_have_the_digits_asked_for<M: Launcher>(machine: &M) {
    let points = with_copies(500);
    for softening in [0.0, 0.02] {
        let exact = fields(&points, &points, softening);
        for (accuracy, bounds) in accuracies() {
            let sources = [points.clone()];
            let found = sum_vectors::<M, f64, f64>(machine, &points, &sources, softening, accuracy);
            let found = errors(&found, &exact);
            assert!(found.iter().all(|e| bounds.contains(e)), "{accuracy:?}: {found:?}");
        }
    }
}

fn shares_add_up<M: Launcher>(machine: &M) {
    agree(machine, &cube(2, 8, 0.1), &cube(3000, 9, 0.1), 0.0);
}

fn no_points_are_fine<M: Launcher>(machine: &M) {
    let points = cube(5, 10, 0.1);
    assert_eq!(sum::<M, f32, f32>(machine, &points, &[], 0.0), [Vec4([0.0; 4]); 5]);
    assert!(sum::<M, f32, f32>(machine, &[], &points, 0.0).is_empty());
}

fn rounding_does_not_grow_with_the_number_of_sources<M: Launcher>(machine: &M) {
    let (receivers, sources) = (cube(1, 11, 0.1), cube(60_000, 12, 0.9));
    let exact = fields(&receivers, &sources, 0.0);
    let [_, single] = errors(&sum::<M, f32, f32>(machine, &receivers, &sources, 0.0), &exact);
    let [_, mixed] = errors(&sum::<M, f32, f64>(machine, &receivers, &sources, 0.0), &exact);
    assert!(single < f64::from(f32::EPSILON), "{single:e}");
    assert!(mixed < 0.5 * f64::from(f32::EPSILON), "{mixed:e}");
}

fn pairs_too_close_for_f32_count_nothing<M: Launcher>(machine: &M) {
    let receivers = [[0.0, 0.0, 0.0, 1.0], [1e-25, 0.0, 0.0, 1.0]];
    let sources = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    let found = sum::<M, f32, f32>(machine, &receivers, &sources, 0.0);
    for Vec4([x, y, z, potential]) in found {
        assert!((x - 1.0).abs() < 1e-6 && (potential - 1.0).abs() < 1e-6, "{x} {potential}");
        assert_eq!([y, z], [0.0; 2]);
    }
}

#[test]
fn padding_is_the_papers() {
    let padding = Padding::new(2000, 128);
    assert_eq!(padding, Padding { blocks: 16, pads: 48 });
    assert_eq!(100.0 * padding.pads as f64 / 128.0, 37.5);
    assert_eq!(Padding::new(256, 128), Padding { blocks: 2, pads: 0 });
}

#[test]
fn more_than_27_cells_are_refused() {
    let runs: Vec<_> = (0..28).map(|i| i..i + 1).collect();
    let blocks = TargetBlocks::new([(0..3, &runs[..27]), (3..5, &runs[..])]);
    assert_eq!(blocks, Err(ListingError::Interactions { cell: 1, count: 28 }));
}

fn listing_2_sums_all_remainders<M: Launcher>(machine: &M) {
    let (block, eps) = (LISTING_THREADS, 1e-4f32);
    // Cells of targets, and runs of sources of all kinds of length; the last run ends where the buffer does.
    let sources = cube(1200, 13, 0.1);
    let targets = cube(block as usize + 40, 14, 0.1);
    let lengths = [1, 31, block - 1, block, block + 1, 2 * block, 3 * block + 7];
    let mut start = 0;
    let mut runs: Vec<_> = lengths
        .iter()
        .map(|length| {
            start += length;
            start - length..start
        })
        .collect();
    runs.push(1200 - 45..1200);
    let cells = [(0..40, &runs[..3]), (40..40 + block, &runs[3..])];
    let blocks = TargetBlocks::new(cells.clone()).unwrap();
    assert_eq!(blocks.target.len(), 2 * block as usize);

    let at = |i: &Option<u32>| i.map_or([0.0; 4], |i| targets[i as usize]);
    let padded: Vec<_> = blocks.target.iter().map(at).collect();
    let offset = machine.buffer_of(&blocks.offset).unwrap();
    let pos_target = machine.buffer_of(&vectors::<f32>(&padded)).unwrap();
    let pos_source = machine.buffer_of(&vectors::<f32>(&sources)).unwrap();
    let mut accel = machine.allocate(padded.len()).unwrap();
    let args = P2pKernel {
        offset: offset.view(),
        pos_target: pos_target.view(),
        pos_source: pos_source.view(),
        eps,
        accel: accel.view_mut(),
    };
    let grid = Grid::over(padded.len(), LISTING_THREADS).shared(LISTING_SHARED);
    machine.launch(&P2P_KERNEL, grid, args).unwrap();
    let accel = machine.items_of(&accel).unwrap();

    for (cell, (range, runs)) in cells.into_iter().enumerate() {
        let from: Vec<_> = runs
            .iter()
            .flat_map(|run| &sources[run.start as usize..run.end as usize])
            .copied()
            .collect();
        let at = &targets[range.start as usize..range.end as usize];
        let exact = fields(at, &from, f64::from(eps).sqrt());
        let start = cell * block as usize;
        let [error, _] = errors(&accel[start..start + at.len()], &exact);
        assert!(error < 16.0 * f64::from(f32::EPSILON), "{error:e}");
    }
}
