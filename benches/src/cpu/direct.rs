//! The direct sum in interactions a second on one thread, beside a hand-written loop and P2P one way.

use std::time::Instant;

use expansions::operators::{PairAccuracy, PointSums, Sources, p2p};
use fmm::{Field, Fmm, Method, Plan, Scalar, Workspace};
use testbed::clouds;
use testbed::fit::median;

use super::{Extent, Failure, head, row, with_threads};

#[cfg(target_arch = "x86_64")]
use super::loops;

#[cfg(not(target_arch = "x86_64"))]
mod loops {
    //! Stand-in for processors without AVX-512, which have no hand-written loop.
    pub(super) type Axes<T> = [Vec<T>; 3];
    pub(super) fn available() -> bool {
        false
    }
    pub(super) fn pairs_f64(_: &Axes<f64>, _: &[f64], _: &Axes<f64>, _: &mut [Vec<f64>; 4]) {}
    pub(super) fn pairs_f32(_: &Axes<f32>, _: &[f32], _: &Axes<f32>, _: &mut [Vec<f32>; 4]) {}
}

/// Prints the table.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn section(extent: Extent) -> Result<(), Failure> {
    head(
        "Direct sum, potential and gradient, one thread, 10⁹ interactions/s",
        &[
            "precision",
            "hand-written",
            "P2P one way",
            "direct sum",
            "to hand-written",
            "12 digits",
            "8 digits",
            "4 digits",
        ],
    );
    let n = if extent == Extent::Quick { 4096 } else { 16_384 };
    with_threads(1, || {
        precision::<f64>(n, [1e-13, 1e-10, 1e-6, 1e-3], loops::pairs_f64)?;
        precision::<f32>(n, [2e-6, 2e-6, 2e-6, 1e-3], loops::pairs_f32)
    })
}

type HandWritten<T> = fn(&loops::Axes<T>, &[T], &loops::Axes<T>, &mut [Vec<T>; 4]);

/// Prints the row of a precision; the first of `tolerances` asks for full accuracy.
fn precision<T: Scalar>(
    n: usize,
    tolerances: [f64; 4],
    hand_written: HandWritten<T>,
) -> Result<(), Failure> {
    let positions: Vec<[T; 3]> =
        clouds::uniform_cube(n, 5).positions.into_iter().map(|p| p.map(T::narrow)).collect();
    let axes = [0, 1, 2].map(|axis| positions.iter().map(|p| p[axis]).collect::<Vec<T>>());
    let charges = vec![T::ONE; n];
    let direct = Fmm::new().method(Method::Direct);
    let mut plans: Vec<Plan<T>> = Vec::new();
    for tolerance in tolerances {
        plans.push(direct.tolerance(tolerance).plan(&positions)?);
    }
    let mut sums = [(); 4].map(|()| vec![T::ZERO; n]);
    let (mut field, mut workspace) = (Field::default(), Workspace::new());
    let mut times = vec![Vec::new(); 6];
    // In turn, so that a noisy machine is as unfair to one as to another.
    for _ in 0..7 {
        for (case, times) in times.iter_mut().enumerate() {
            let clock = Instant::now();
            match case {
                0 => hand_written(&axes, &charges, &axes, &mut sums),
                1 => one_way(&axes, &charges, &mut sums),
                _ => plans[case - 2].evaluate_into(&charges, &mut field, &mut workspace)?,
            }
            times.push(clock.elapsed().as_secs_f64());
        }
    }
    let rates: Vec<f64> = times.into_iter().map(|t| 1e-9 * (n * n) as f64 / median(t)).collect();
    let mut cells = vec![T::NAME.to_owned()];
    cells.extend(rates[..3].iter().map(|rate| format!("{rate:.2}")));
    cells.push(format!("{:.2}×", rates[2] / rates[0]));
    cells.extend(rates[3..].iter().map(|rate| format!("{rate:.2}")));
    if !loops::available() {
        cells[1] = "–".into();
        cells[4] = "–".into();
    }
    row(&cells);
    Ok(())
}

fn one_way<T: Scalar>(
    axes: &loops::Axes<T>,
    charges: &[T],
    [potential, x, y, z]: &mut [Vec<T>; 4],
) {
    let coordinates = axes.each_ref().map(Vec::as_slice);
    let sources = Sources { coordinates, charges: &[charges] };
    let sums = PointSums { potential, gradient: [x, y, z] };
    let all = 0..charges.len();
    let (runs, full) = (std::slice::from_ref(&all), PairAccuracy::Full);
    p2p(&sources, runs, coordinates, T::ZERO, full, &mut [sums]);
}
