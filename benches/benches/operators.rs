//! The operators of `expansions`, one thread, f64: time of an M2L translation, of all far boxes of a box
//! by waves, and of a point of P2M, L2P and P2P.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime};
use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{
    CellMaker, Cells, FarOffset, M2l, M2lForm, PairAccuracy, PointSums, Receiver, Sources,
    WaveBuffer, WaveScratch, Waves, l2p, m2p_cells, p2m, p2p,
};
use expansions::{BoxPoints, Gradient, Harmonics, RowPair, Scalar};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let group =
        |criterion: &mut Criterion, name: &str, run: fn(&mut BenchmarkGroup<'_, WallTime>)| {
            let mut group = criterion.benchmark_group(name);
            group
                .sample_size(15)
                .warm_up_time(Duration::from_millis(200))
                .measurement_time(Duration::from_millis(800));
            run(&mut group);
            group.finish();
        };
    group(&mut criterion, "m2l", bench_m2l);
    group(&mut criterion, "waves", bench_waves);
    group(&mut criterion, "p2m", bench_p2m);
    group(&mut criterion, "l2p", bench_l2p);
    group(&mut criterion, "m2p_cells", bench_m2p_cells);
    group(&mut criterion, "p2p", bench_p2p);
    criterion.final_summary();
}

/// Boxes of a chunk, as the FMM works them off.
const BOXES: usize = 512;

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.618_033_988_7).fract() - 0.5).collect()
}

fn bench_m2l(group: &mut BenchmarkGroup<'_, WallTime>) {
    for (form, name, orders) in [
        (M2lForm::Dense, "dense", &[3, 4, 5, 6, 8][..]),
        (M2lForm::Rotation, "rotation", &[3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 26, 32, 40]),
    ] {
        for &order in orders {
            let m2l = M2l::<f64>::new(order, form);
            let multipoles = numbers(BOXES * row_length(order));
            let mut locals = vec![0.0; BOXES * row_length(order)];
            // As inside a uniform grid: three boxes in five have a source at an offset.
            let pairs: Vec<RowPair> = (0..BOXES as u32)
                .filter(|i| i % 5 < 3)
                .map(|i| [(i * 7 + 3) % BOXES as u32, i])
                .collect();
            let offsets: Vec<FarOffset> = FarOffset::all().step_by(20).collect();
            group.throughput(Throughput::Elements((offsets.len() * pairs.len()) as u64));
            group.bench_function(BenchmarkId::new(name, order), |bencher| {
                bencher.iter(|| {
                    let batches = offsets.iter().map(|offset| (*offset, pairs.as_slice()));
                    m2l.apply(batches, black_box(&multipoles), &mut locals);
                });
            });
        }
    }
}

/// All far boxes of a box, inside a uniform grid: eight families send, and each receives from 18 along each axis.
fn bench_waves(group: &mut BenchmarkGroup<'_, WallTime>) {
    const FAMILIES: usize = 8;
    // Errors of the potential by the expansions, charges being of both signs.
    const ORDERS_AND_ERRORS: [(usize, f64); 9] = [
        (4, 2.8e-3),
        (7, 1.17e-4),
        (10, 8.0e-6),
        (14, 3.23e-7),
        (17, 3.63e-8),
        (20, 4.1e-9),
        (27, 1.31e-10),
        (33, 9.86e-12),
        (42, 2.1e-13),
    ];
    group.throughput(Throughput::Elements(8 * FAMILIES as u64));
    for (order, error) in ORDERS_AND_ERRORS {
        let waves = Waves::<f64>::new(order, error);
        let multipoles = numbers(8 * FAMILIES * row_length(order));
        let mut locals = vec![0.0; 8 * FAMILIES * row_length(order)];
        let rows: Vec<[u32; 8]> = (0..FAMILIES as u32)
            .map(|family| [0, 1, 2, 3, 4, 5, 6, 7].map(|octant| 8 * family + octant))
            .collect();
        let (mut sent, mut scratch) = (WaveBuffer::default(), WaveScratch::default());
        group.bench_function(BenchmarkId::from_parameter(order), |bencher| {
            bencher.iter(|| {
                for part in waves.parts() {
                    let length = part.sent_length();
                    let sent = sent.room(FAMILIES * length);
                    part.send(&rows, black_box(&multipoles), sent, &mut scratch);
                    let half = |i: usize| &sent[i % (2 * FAMILIES) * length / 2..][..length / 2];
                    let sources = [0, 1].map(|way| {
                        [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|across| half(2 * across + way))
                    });
                    let mut receivers: Vec<Receiver<'_, f64>> = locals
                        .chunks_exact_mut(8 * row_length(order))
                        .map(|locals| Receiver { sources, locals, rows: rows[0] })
                        .collect();
                    part.receive(&mut receivers, &mut scratch);
                }
            });
        });
    }
}

const POINTS: usize = 64;

fn box_points(coordinates: &[Vec<f64>; 3]) -> BoxPoints<f64> {
    let mut points = BoxPoints::new();
    points.set([0.0; 3], 1.0, coordinates.each_ref().map(Vec::as_slice));
    points
}

fn coordinates(n: usize) -> [Vec<f64>; 3] {
    let all = numbers(3 * n);
    [0, 1, 2].map(|axis| all[axis * n..(axis + 1) * n].to_vec())
}

fn bench_p2m(group: &mut BenchmarkGroup<'_, WallTime>) {
    let (points, charges) = (box_points(&coordinates(POINTS)), numbers(POINTS));
    group.throughput(Throughput::Elements(POINTS as u64));
    for order in [4, 8, 16, 32] {
        let harmonics = Harmonics::new(order);
        let mut multipole = vec![0.0; n_coefficients(order)];
        group.bench_function(BenchmarkId::from_parameter(order), |bencher| {
            bencher.iter(|| p2m(&harmonics, black_box(&points), &charges, &mut multipole));
        });
    }
}

fn bench_l2p(group: &mut BenchmarkGroup<'_, WallTime>) {
    let points = box_points(&coordinates(POINTS));
    group.throughput(Throughput::Elements(POINTS as u64));
    for order in [4, 8, 16, 32] {
        let (harmonics, gradient) = (Harmonics::new(order), Gradient::new(order));
        let local = numbers(row_length(order));
        let mut sums = [(); 4].map(|()| vec![0.0; POINTS]);
        group.bench_function(BenchmarkId::from_parameter(order), |bencher| {
            bencher.iter(|| {
                let [potential, x, y, z] = &mut sums;
                let mut sums = PointSums { potential, gradient: [x, y, z] };
                l2p(&harmonics, &gradient, black_box(&local), &points, &mut sums);
            });
        });
    }
}

fn bench_m2p_cells(group: &mut BenchmarkGroup<'_, WallTime>) {
    bench_m2p_cells_of::<f64>(group, PairAccuracy::Full);
    bench_m2p_cells_of::<f32>(group, PairAccuracy::Digits4);
}

fn bench_m2p_cells_of<T: Scalar>(group: &mut BenchmarkGroup<'_, WallTime>, accuracy: PairAccuracy) {
    let n_cells = 256;
    let narrowed = |shift: f64| {
        coordinates(n_cells)
            .map(|axis| axis.into_iter().map(|x| T::narrow(x + shift)).collect::<Vec<_>>())
    };
    let (centers, mut receivers) = (narrowed(3.0), narrowed(0.0));
    receivers.iter_mut().for_each(|axis| axis.truncate(POINTS));
    let list: Vec<u32> = (0..n_cells as u32).collect();
    group.throughput(Throughput::Elements((POINTS * n_cells) as u64));
    for order in [2, 3, 4, 5, 8] {
        let (harmonics, gradient) = (Harmonics::<f64>::new(order), Gradient::new(order));
        let multipole = numbers(row_length(order));
        let mut cells = Cells::<T>::default();
        cells.reset(order, n_cells);
        let (form, blocks) = cells.parts_mut();
        let mut maker = CellMaker::new(&harmonics, &gradient);
        for block in blocks.chunks_exact_mut(Cells::<T>::block_length(order)) {
            maker.from_multipole(1.0, &multipole, form, block);
        }
        let mut sums = [(); 4].map(|()| vec![T::ZERO; POINTS]);
        group.bench_function(BenchmarkId::new(T::NAME, order), |bencher| {
            bencher.iter(|| {
                let [potential, x, y, z] = &mut sums;
                let mut sums = PointSums { potential, gradient: [x, y, z] };
                let centers = centers.each_ref().map(Vec::as_slice);
                let receivers = receivers.each_ref().map(Vec::as_slice);
                m2p_cells(black_box(&cells), &list, centers, receivers, accuracy, &mut sums);
            });
        });
    }
}

fn bench_p2p(group: &mut BenchmarkGroup<'_, WallTime>) {
    let n_sources = 2048;
    let (from, to) = (coordinates(n_sources), coordinates(POINTS));
    let charges = numbers(n_sources);
    group.throughput(Throughput::Elements((POINTS * n_sources) as u64));
    for (accuracy, name) in [
        (PairAccuracy::Digits4, "4 digits"),
        (PairAccuracy::Digits8, "8 digits"),
        (PairAccuracy::Digits12, "12 digits"),
        (PairAccuracy::Full, "full"),
    ] {
        let mut sums = [(); 4].map(|()| vec![0.0; POINTS]);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let [potential, x, y, z] = &mut sums;
                let part = PointSums { potential, gradient: [x, y, z] };
                let charges = [charges.as_slice()];
                let coordinates = black_box(&from).each_ref().map(Vec::as_slice);
                let sources = Sources { coordinates, charges: &charges };
                let receivers = to.each_ref().map(Vec::as_slice);
                let all = 0..n_sources;
                p2p(&sources, &[all], receivers, 0.0, accuracy, &mut [part]);
            });
        });
    }
}
