//! Whole pipelines, tree and lists included, at the error levels of the peers, with the time of each
//! stage beside what the operators alone would take.

use std::time::Instant;

use expansions::RowPair;
use expansions::layout::row_length;
use expansions::operators::{FarOffset, M2l, M2lForm, PairAccuracy, PointSums, Sources, p2p};
use fmm::{Fmm, Report, Stage};
use testbed::clouds::{self, Cloud};
use testbed::fit::median;

use super::{CheckedCloud, Extent, Failure, head, row, run, seconds};

/// A set of points and the accuracies to reach on it.
struct Set {
    cloud: fn(usize, u64) -> Cloud,
    n: usize,
    /// Potential error to reach, the tolerance that does, and the seconds of the best peer on two
    /// AVX-512 cores of another machine.
    levels: &'static [(f64, f64, f64)],
}

const SETS: [Set; 4] = [
    Set {
        cloud: clouds::uniform_cube,
        n: 100_000,
        levels: &[
            (2e-4, 2.81e-3, 0.33),
            (2.6e-7, 5.61e-6, 0.43),
            (1.2e-10, 1.51e-9, 0.88),
            (8e-14, 4.61e-13, 1.46),
        ],
    },
    Set {
        cloud: clouds::uniform_cube,
        n: 1_000_000,
        levels: &[
            (2.7e-4, 1.021e-3, 3.75),
            (5e-8, 5.61e-7, 6.2),
            (3e-11, 4.81e-10, 10.4),
            (8e-14, 4.61e-13, 28.0),
        ],
    },
    Set {
        cloud: clouds::sphere_surface,
        n: 1_000_000,
        levels: &[(9e-5, 1.021e-3, 3.4), (1.6e-8, 3.41e-7, 6.1), (9e-12, 2.61e-10, 13.4)],
    },
    Set {
        cloud: clouds::plummer,
        n: 1_000_000,
        levels: &[(2.5e-4, 1.021e-3, 4.3), (4.5e-8, 5.61e-7, 9.2), (2.6e-11, 4.81e-10, 15.3)],
    },
];

/// Prints the table and returns the seconds of the levels, set by set.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn section(extent: Extent) -> Result<Vec<String>, Failure> {
    head(
        "Whole pipeline, potential and gradient, sources = receivers; in brackets: pairs / rate of the operator alone",
        &[
            "set",
            "to reach",
            "order",
            "seconds",
            "peer",
            "potential",
            "gradient",
            "10⁶ points/s",
            "m2l",
            "p2p",
            "sort + lists",
            "p2m … l2p",
            "other",
            "B/point",
        ],
    );
    let mut summary = Vec::new();
    for set in SETS {
        let n = if extent == Extent::Quick { set.n / 10 } else { set.n };
        let repeats = if n > 500_000 { 3 } else { 7 };
        let case = CheckedCloud::new((set.cloud)(n, 1), true);
        let mut times = Vec::new();
        for (level, tolerance, peer) in set.levels {
            let peer = if n == set.n { *peer } else { f64::NAN };
            let fmm = Fmm::new().tolerance(*tolerance);
            let (time, field) = run(fmm, &case.positions, &case.charges, repeats)?;
            print_row(
                &case,
                format!("{level:.1e}"),
                time,
                &field.report,
                case.errors(&field),
                peer,
            );
            times.push(format!("{time:.3}"));
        }
        summary.push(times.join(" / "));
        let masses = CheckedCloud::new((set.cloud)(n, 1), false);
        let (time, field) = run(Fmm::new(), &masses.positions, &masses.charges, repeats)?;
        print_row(&masses, "1e-6".into(), time, &field.report, masses.errors(&field), f64::NAN);
    }
    Ok(summary)
}

fn print_row(
    case: &CheckedCloud,
    level: String,
    time: f64,
    report: &Report,
    errors: [f64; 2],
    peer: f64,
) {
    let threads = rayon::current_num_threads() as f64;
    let of = |stage| report.seconds.of(stage);
    let accuracy = match report.tolerance {
        fmm::Tolerance::L2(tolerance) => PairAccuracy::for_tolerance(tolerance),
        _ => PairAccuracy::Full,
    };
    let m2l = report.m2l_pairs as f64 * m2l_seconds(report.order) / threads;
    let p2p = report.p2p_pairs as f64 * pair_seconds(accuracy) / threads;
    let expansions = [Stage::P2m, Stage::M2m, Stage::P2l, Stage::L2l, Stage::L2p, Stage::M2p];
    row(&[
        case.name.clone(),
        level,
        report.order.to_string(),
        seconds(time),
        if peer.is_nan() { "".into() } else { format!("{peer} ({:.1}×)", peer / time) },
        format!("{:.1e}", errors[0]),
        format!("{:.1e}", errors[1]),
        format!("{:.2}", 1e-6 * report.n_receivers as f64 / time),
        format!("{:.3} ({m2l:.3})", of(Stage::M2l)),
        format!("{:.3} ({p2p:.3})", of(Stage::P2p)),
        format!("{:.3}", of(Stage::Sort) + of(Stage::Lists)),
        format!("{:.3}", expansions.map(of).iter().sum::<f64>()),
        format!("{:.3}", of(Stage::Other)),
        format!("{}", report.bytes / report.n_receivers.max(1)),
    ]);
}

/// Seconds of one M2L translation in full batches from the cache, one thread.
pub(super) fn m2l_seconds(order: usize) -> f64 {
    const BOXES: u32 = 256;
    if order == 0 {
        return 0.0;
    }
    let m2l = M2l::<f64>::new(order, M2lForm::fastest(order));
    let multipoles = vec![0.5; BOXES as usize * row_length(order)];
    let mut locals = vec![0.0; multipoles.len()];
    let pairs: Vec<RowPair> = (0..BOXES).map(|i| [(i * 7 + 3) % BOXES, i]).collect();
    let offsets: Vec<FarOffset> = FarOffset::all().step_by(20).collect();
    let times = (0..5).map(|_| {
        let clock = Instant::now();
        m2l.apply(offsets.iter().map(|offset| (*offset, &*pairs)), &multipoles, &mut locals);
        clock.elapsed().as_secs_f64() / (offsets.len() * pairs.len()) as f64
    });
    median(times)
}

/// Seconds of a pair of points, potential and gradient, one thread.
pub(super) fn pair_seconds(accuracy: PairAccuracy) -> f64 {
    let n = 2048;
    let points: [Vec<f64>; 3] = [1, 2, 3].map(|axis| {
        (0..n).map(|i| (f64::from(i) * 0.618_033_988_7 * f64::from(axis)).fract()).collect()
    });
    let coordinates = points.each_ref().map(Vec::as_slice);
    let charges = vec![1.0; n as usize];
    let mut sums = [(); 4].map(|()| vec![0.0; n as usize]);
    let times = (0..5).map(|_| {
        let [potential, x, y, z] = &mut sums;
        let part = PointSums { potential, gradient: [x, y, z] };
        let sources = Sources { coordinates, charges: &[&charges] };
        let clock = Instant::now();
        p2p(
            &sources,
            std::slice::from_ref(&(0..n as usize)),
            coordinates,
            0.0,
            accuracy,
            &mut [part],
        );
        clock.elapsed().as_secs_f64() / f64::from(n * n)
    });
    median(times)
}
