//! Table 3 of Hu, Gumerov and Duraiswami (2012): the time of their data structures (Alg. 5) for 2²⁰ sources and
//! 2²⁰ other receivers, uniform in a cube, at lmax 3 to 8. Ends with our columns beside the paper's.

use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::uniform_cube;
use criterion::{Criterion, SamplingMode};
use octree::papers::grid::Grid;
use rayon::ThreadPool;

/// lmax; milliseconds of the paper's CPU (Xeon X5560, one core), improved CPU, and GPU (GTX 480).
const PAPER: [(u8, f64, f64, f64); 6] = [
    (3, 1293.0, 223.0, 7.7),
    (4, 1387.0, 272.0, 13.9),
    (5, 2137.0, 431.0, 13.0),
    (6, 8973.0, 1808.0, 34.6),
    (7, 30652.0, 6789.0, 70.8),
    (8, 58773.0, 7783.0, 124.9),
];

fn main() {
    let n = 1 << 20;
    let (sources, receivers) = (uniform_cube(n, 1), uniform_cube(n, 2));
    let pools = [1, 0].map(|threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool")
    });
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("data_structures");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let mut rows = Vec::new();
    for (level, cpu, improved, gpu) in PAPER {
        let ours = pools.each_ref().map(|pool| {
            let fastest = Cell::new(f64::INFINITY);
            let name = format!("lmax{level}/threads{}", pool.current_num_threads());
            group.bench_function(&name, |bencher| {
                bencher.iter_custom(|repeats| {
                    time(pool, repeats, &fastest, || {
                        Grid::build(&sources, &receivers, level).expect("finite points")
                    })
                });
            });
            fastest.get()
        });
        rows.push((level, ours, [cpu, improved, gpu]));
    }
    group.finish();
    criterion.final_summary();
    print_table(&rows, pools[1].current_num_threads());
}

/// The time of `repeats` builds in `pool`; `fastest` keeps the least of one, in milliseconds.
fn time<T: Send>(
    pool: &ThreadPool,
    repeats: u64,
    fastest: &Cell<f64>,
    build: impl Fn() -> T + Sync,
) -> Duration {
    (0..repeats)
        .map(|_| {
            let clock = Instant::now();
            let built = pool.install(&build);
            let elapsed = clock.elapsed();
            black_box(built);
            fastest.set(fastest.get().min(1e3 * elapsed.as_secs_f64()));
            elapsed
        })
        .sum()
}

/// Rows: lmax; ours on one thread and on all; the paper's three columns. Milliseconds, the fastest of all runs;
/// rows that a filter left out are not printed.
fn print_table(rows: &[(u8, [f64; 2], [f64; 3])], threads: usize) {
    println!(
        "Data structures of 2^20 sources and 2^20 receivers, ms (paper: Hu et al. 2012, Table 3)\n"
    );
    println!(
        "| lmax | paper CPU | paper improved CPU | paper GPU | 1 thread | {threads} threads |"
    );
    println!("|--:|--:|--:|--:|--:|--:|");
    for (level, [one, all], [cpu, improved, gpu]) in rows {
        if one.is_finite() && all.is_finite() {
            println!("| {level} | {cpu} | {improved} | {gpu} | {one:.1} | {all:.1} |");
        }
    }
}
