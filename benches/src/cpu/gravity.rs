//! Masses in f32 on one thread at falcON's errors.

use fmm::Fmm;
use testbed::clouds;

use super::{CheckedCloud, Extent, Failure, head, row, run, seconds, with_threads};

/// Prints the table.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn section(extent: Extent) -> Result<(), Failure> {
    head(
        "Gravity: masses, f32, one thread, whole pipeline",
        &[
            "set",
            "gradient error to reach",
            "order",
            "seconds",
            "gradient error",
            "falcON",
            "ratio",
        ],
    );
    let n = if extent == Extent::Quick { 100_000 } else { 1_000_000 };
    let sets = [
        (clouds::uniform_cube(n, 1), [(4.2e-3, 5e-3, 1.9), (1.7e-3, 2e-3, 3.1)]),
        (clouds::plummer(n, 1), [(5.0e-3, 5e-3, 2.2), (1.9e-3, 2e-3, 3.6)]),
    ];
    for (cloud, levels) in sets {
        let case = CheckedCloud::new(cloud, false);
        let positions: Vec<_> = case.positions.iter().map(|p| p.map(|x| x as f32)).collect();
        let charges: Vec<_> = case.charges.iter().map(|q| *q as f32).collect();
        for (level, tolerance, falcon) in levels {
            let fmm = Fmm::new().tolerance(tolerance);
            let (time, field) = with_threads(1, || run(fmm, &positions, &charges, 3))?;
            row(&[
                case.name.clone(),
                format!("{level:.1e}"),
                field.report.order.to_string(),
                seconds(time),
                format!("{:.1e}", case.errors(&field)[1]),
                falcon.to_string(),
                format!("{:.1}×", falcon / time),
            ]);
        }
    }
    Ok(())
}
