//! The direct sum in pairs a second on one thread, beside a hand-written loop.

use std::time::Instant;

use expansions::operators::{PairAccuracy, PointSums, Sources, p2p};
use fmm::Scalar;

use super::{Extent, Failure, head, median, row};

#[cfg(target_arch = "x86_64")]
use super::loops;

#[cfg(not(target_arch = "x86_64"))]
mod loops {
    //! No AVX-512, no hand-written loop.
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
/// None.
pub fn section(extent: Extent) -> Result<(), Failure> {
    head(
        "Direct sum, potential and gradient, one thread, 10⁹ pairs/s",
        &[
            "precision",
            "hand-written",
            "full accuracy",
            "ratio",
            "12 digits",
            "8 digits",
            "4 digits",
        ],
    );
    let n = if extent == Extent::Quick { 4096 } else { 16_384 };
    precision::<f64>(n, loops::pairs_f64);
    precision::<f32>(n, loops::pairs_f32);
    Ok(())
}

type HandWritten<T> = fn(&loops::Axes<T>, &[T], &loops::Axes<T>, &mut [Vec<T>; 4]);

fn precision<T: Scalar>(n: usize, hand_written: HandWritten<T>) {
    let points = crate::uniform_cube(n, 5);
    let axes = [0, 1, 2].map(|axis| points.iter().map(|p| T::narrow(p[axis])).collect::<Vec<T>>());
    let charges = vec![T::ONE; n];
    let coordinates = axes.each_ref().map(Vec::as_slice);
    let ours = |accuracy, sums: &mut [Vec<T>; 4]| {
        let [potential, x, y, z] = sums;
        let part = PointSums { potential, gradient: [x, y, z] };
        let sources = Sources { coordinates, charges: &[&charges] };
        p2p(&sources, std::slice::from_ref(&(0..n)), coordinates, T::ZERO, accuracy, &mut [part]);
    };
    let accuracies =
        [PairAccuracy::Full, PairAccuracy::Digits12, PairAccuracy::Digits8, PairAccuracy::Digits4];
    let mut sums = [(); 4].map(|()| vec![T::ZERO; n]);
    let mut times = vec![Vec::new(); 5];
    // In turn, so that a noisy machine is as unfair to one as to another.
    for _ in 0..7 {
        for (case, times) in times.iter_mut().enumerate() {
            let clock = Instant::now();
            match case {
                0 => hand_written(&axes, &charges, &axes, &mut sums),
                _ => ours(accuracies[case - 1], &mut sums),
            }
            times.push(clock.elapsed().as_secs_f64());
        }
    }
    let rates: Vec<f64> = times.into_iter().map(|t| 1e-9 * (n * n) as f64 / median(t)).collect();
    let mut cells = vec![T::NAME.to_owned()];
    cells.extend(rates[..2].iter().map(|rate| format!("{rate:.2}")));
    cells.push(format!("{:.2}×", rates[1] / rates[0]));
    cells.extend(rates[2..].iter().map(|rate| format!("{rate:.2}")));
    if !loops::available() {
        cells[1] = "–".into();
        cells[3] = "–".into();
    }
    row(&cells);
}
