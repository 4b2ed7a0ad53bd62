//! Prints `docs/accuracy.md`: the measured errors at the tolerances that are promised.
//!
//! The whole table takes some minutes; an argument sets the number of points (default 100000).

use std::error::Error;

use fmm::{Fmm, Method};
use testbed::{charges, clouds, norms, reference, sample};

const INTRODUCTION: &str = "\
# Accuracy

The relative L2 error of potential and gradient, ‖f − f*‖₂ / ‖f*‖₂, against a compensated direct sum
in f64 at 1,000 random receivers, at the tolerances that are promised. Masses are uniform in [0, 1),
mixed charges in [−0.5, 0.5); `own` are those of the data set. The receivers of *apart* are other
points than the sources, of the same distribution. The method is the FMM throughout, in f64.

Orders are chosen for the worse output and the hardest set, so the potential, and sets that are
easier than the hardest, come out better than asked for. `cargo xtask accuracy` measures this page
anew.
";

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    println!("{INTRODUCTION}");
    println!("| set | points | charges | tolerance | order | potential | gradient | seconds |");
    println!("|---|--:|---|--:|--:|--:|--:|--:|");
    let mut clouds = clouds::distributions(n, 1);
    clouds.extend(clouds::real()?);
    for cloud in &clouds {
        let n = cloud.positions.len();
        let own = cloud.charges.as_slice();
        let (masses, mixed) = (charges::masses(n, 2), charges::mixed(n, 3));
        let receivers = sample(n, 1000, 4);
        let at: Vec<[f64; 3]> = receivers.iter().map(|i| cloud.positions[*i]).collect();
        for (kind, charges) in [("masses", masses.as_slice()), ("mixed", &mixed), ("own", own)] {
            let reference = reference::direct(&cloud.positions, charges, &at, 0.0);
            for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
                let fmm = Fmm::new().method(Method::Fmm).tolerance(tolerance);
                let field = fmm.plan(&cloud.positions)?.evaluate(charges)?;
                let potential: Vec<f64> = receivers.iter().map(|i| field.potential[*i]).collect();
                let gradient: Vec<_> = receivers.iter().map(|i| field.gradient[*i]).collect();
                let errors = (
                    norms::scalar(&potential, &reference.0).l2,
                    norms::vector(&gradient, &reference.1).l2,
                );
                println!(
                    "| {} | {n} | {kind} | {tolerance:.0e} | {} | {:.1e} | {:.1e} | {:.2} |",
                    cloud.name,
                    field.report.order,
                    errors.0,
                    errors.1,
                    field.report.seconds.total()
                );
            }
        }
    }
    Ok(())
}
