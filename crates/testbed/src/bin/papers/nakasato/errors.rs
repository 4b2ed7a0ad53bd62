//! Tables 6 and 7: errors of the walk one by one, by N and θ.

use fmm::{Depth, Fmm, Opening, Tolerance, Treecode};
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Measured, Oracle, Precision, Problem};
use testbed::sample;

use super::paper::{ACCELERATION, NUMBERS};
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Receivers at which errors are measured.
const CHECKED: usize = 1000;

/// Measures all cells of both tables on a disk galaxy of bulge, disk and halo, in f64 and in f32.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new([
        "N / K",
        "θ",
        "acceleration, f64",
        "acceleration, f32",
        "potential, f64",
        "potential, f32",
    ]);
    let numbers = settings.pick(&[1][..], &NUMBERS[..], &NUMBERS[..]);
    let angles = settings.pick(&ACCELERATION[4..5], &ACCELERATION[..], &ACCELERATION[..]);
    for &thousands in numbers {
        let galaxy = clouds::galaxy(1024 * thousands, 1);
        let thetas: Vec<f64> = angles.iter().map(|(theta, _)| *theta).collect();
        let double = by_angle::<f64>(&galaxy, &thetas)?;
        let single = by_angle::<f32>(&galaxy, &thetas)?;
        for ((theta, double), single) in thetas.iter().zip(double).zip(single) {
            let potential = [double, single].map(|m| m.potential.mean_relative);
            let gradient = [double, single].map(|m| m.gradient.mean_relative);
            let row =
                [thousands as f64, *theta, gradient[0], gradient[1], potential[0], potential[1]];
            table.push(row.map(Some));
        }
    }
    Ok(table)
}

/// Errors at a sample of the particles, for several opening angles.
pub(super) fn by_angle<T: Precision>(cloud: &Cloud, thetas: &[f64]) -> Outcome<Vec<Measured>> {
    // Particles without mass place the cube and receive nothing.
    let n = cloud.charges.iter().filter(|mass| **mass > 0.0).count();
    let receivers: Vec<[f64; 3]> =
        sample(n, CHECKED, 2).iter().map(|i| cloud.positions[*i]).collect();
    let problem = Problem::<T>::new("galaxy", &cloud.positions, &cloud.charges).at(&receivers);
    let oracle = Oracle::new(&problem, CHECKED);
    let of = |theta: &f64| {
        let opening = Opening::Nakasato { theta: *theta };
        let fmm = Fmm::new()
            .method(Treecode::new().opening(opening).group_capacity(1))
            .tolerance(Tolerance::Order(1))
            .depth(Depth::Adaptive { leaf_capacity: 1 });
        Ok(oracle.errors(&problem.field(fmm)?))
    };
    thetas.iter().map(of).collect()
}
