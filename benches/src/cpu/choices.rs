//! Leaf capacity that `fmm` chooses, beside the best by hand.

use fmm::{Depth, Fmm};
use testbed::{charges, clouds};

use super::{Extent, Failure, head, row, run, seconds};

/// Prints the table.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn section(extent: Extent) -> Result<(), Failure> {
    head(
        "Leaf capacity: chosen, and the best by hand",
        &["set", "tolerance", "order", "chosen", "seconds", "best by hand", "seconds", "excess"],
    );
    let n = if extent == Extent::Quick { 50_000 } else { 300_000 };
    let sets = [clouds::uniform_cube(n, 1), clouds::sphere_surface(n, 1), clouds::plummer(n, 1)];
    for cloud in sets {
        let charges = charges::mixed(n, 3);
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let fmm = Fmm::new().tolerance(tolerance);
            let (chosen, field) = run(fmm, &cloud.positions, &charges, 5)?;
            let mut best = (f64::INFINITY, 0);
            for leaf_capacity in [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768] {
                let fmm = fmm.depth(Depth::Adaptive { leaf_capacity });
                let (time, _) = run(fmm, &cloud.positions, &charges, 3)?;
                if time < best.0 {
                    best = (time, leaf_capacity);
                }
            }
            row(&[
                format!("{} {n}", cloud.name),
                format!("{tolerance:.0e}"),
                field.report.order.to_string(),
                field.report.leaf_capacity.unwrap_or(0).to_string(),
                seconds(chosen),
                best.1.to_string(),
                seconds(best.0),
                format!("{:+.0} %", 100.0 * (chosen / best.0 - 1.0)),
            ]);
        }
    }
    Ok(())
}
