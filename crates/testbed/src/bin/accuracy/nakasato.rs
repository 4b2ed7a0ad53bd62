//! Nakasato (2012), Tables 6 and 7: errors on a disk galaxy, beside ours.

use std::error::Error;

use fmm::{Depth, Fmm, Opening, Tolerance, Treecode};
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Measured, Oracle, Precision, Problem};
use testbed::sample;

use crate::CHECKED;

const INTRODUCTION: &str = "\
### The paper's galaxy

Nakasato (2012), Tables 6 and 7: mean relative errors of acceleration and potential for monopoles,
single walks and l/θ + s < d, on a disk galaxy of bulge, disk and halo with masses 1 : 2 : 12. K is 1024.

- **Paper**: a galaxy drawn by GalactICS, sums in f32.
- **f64, f32**: a galaxy of the same proportions drawn by `nbody`. *Ratio* is f64 over paper.
- **Wide**: f64, with the cube made wider by a point without mass outside of the halo, so that boxes cut
  the galaxy elsewhere.
";

const REMARKS: &str = "\
**Acceleration.** Up to 200K, errors are within 7 % of the paper's. At 500K the paper's errors jump to a
floor that even θ = 0.2 does not pass. Farfield's errors show no such floor, in f32 as in f64.

**Potential.** Errors are within 30 % of the paper's at 10K, and smaller by more than 30 % from 50K to
200K. All errors depend on where boxes cut the galaxy, those of the potential by a factor of up to 2, as
the columns *wide* show. Where boxes cut the paper's galaxies is not known.
";

/// θ, N in K, and the paper's errors of acceleration and potential.
const PAPER: [(f64, usize, f64, f64); 6] = [
    (0.6, 10, 3.15e-3, 4.42e-4),
    (0.6, 50, 2.31e-3, 4.34e-4),
    (0.6, 100, 2.20e-3, 6.23e-4),
    (0.6, 200, 2.06e-3, 6.10e-4),
    (0.6, 500, 7.20e-3, 4.28e-4),
    (0.2, 500, 5.73e-3, 4.64e-5),
];

/// Prints the section, without the sets of more than 5 `n` points.
pub(crate) fn print(n: usize) -> Result<(), Box<dyn Error>> {
    println!("{INTRODUCTION}");
    println!(
        "| θ | N | acceleration: paper | f64 | ratio | f32 | wide | \
         potential: paper | f64 | ratio | f32 | wide |"
    );
    println!("|--:|--:|{}", "--:|".repeat(10));
    for (theta, thousands, acceleration, potential) in PAPER {
        if thousands * 1000 > 5 * n {
            continue;
        }
        let galaxy = clouds::galaxy(1024 * thousands, 1);
        let double = measure::<f64>(&galaxy, theta)?;
        let single = measure::<f32>(&galaxy, theta)?;
        let wide = measure::<f64>(&widened(galaxy), theta)?;
        let part = |paper: f64, of: fn(&Measured) -> f64| {
            let [double, single, wide] = [of(&double), of(&single), of(&wide)];
            let ratio = double / paper;
            format!("{paper:.2e} | {double:.2e} | {ratio:.2} | {single:.2e} | {wide:.2e}")
        };
        println!(
            "| {theta} | {thousands}K | {} | {} |",
            part(acceleration, |errors| errors.gradient.mean_relative),
            part(potential, |errors| errors.potential.mean_relative)
        );
    }
    print!("\n{REMARKS}");
    Ok(())
}

/// The galaxy and a point without mass, outside.
fn widened(mut galaxy: Cloud) -> Cloud {
    galaxy.positions.push([50.0, 35.0, 45.0]);
    galaxy.charges.push(0.0);
    galaxy
}

/// Errors at a sample of the points with mass, which are the receivers.
fn measure<T: Precision>(galaxy: &Cloud, theta: f64) -> Result<Measured, fmm::Error> {
    let n = galaxy.charges.iter().filter(|mass| **mass > 0.0).count();
    let receivers: Vec<[f64; 3]> =
        sample(n, CHECKED, 2).iter().map(|i| galaxy.positions[*i]).collect();
    let problem = Problem::<T>::new("galaxy", &galaxy.positions, &galaxy.charges).at(&receivers);
    let fmm = Fmm::new()
        .method(Treecode::new().opening(Opening::Nakasato { theta }).group_capacity(1))
        .tolerance(Tolerance::Order(1))
        .depth(Depth::Adaptive { leaf_capacity: 1 });
    Ok(Oracle::new(&problem, CHECKED).errors(&problem.field(fmm)?))
}
