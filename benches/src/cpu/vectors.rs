//! Evaluation alone with a ready plan, and several charge vectors at once.

use fmm::Fmm;
use testbed::{charges, clouds};

use super::{Extent, Failure, evaluate_alone, head, row, seconds};

/// Prints the table.
///
/// # Errors
///
/// What `fmm` refuses.
pub fn section(extent: Extent) -> Result<(), Failure> {
    head(
        "Seconds of evaluations alone, a charge vector (±), one vector and several at once",
        &["set", "tolerance", "1", "4 at once", "16 at once"],
    );
    let n = if extent == Extent::Quick { 20_000 } else { 100_000 };
    let vectors: Vec<Vec<f64>> = (0..16).map(|seed| charges::mixed(n, seed)).collect();
    let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
    for cloud in [clouds::uniform_cube(n, 1), clouds::plummer(n, 1)] {
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let plan = Fmm::new().tolerance(tolerance).plan(&cloud.positions)?;
            let mut cells = vec![format!("{} {n}", cloud.name), format!("{tolerance:.0e}")];
            let one = evaluate_alone(&plan, &vectors[..1], 5)?;
            cells.push(seconds(one));
            for k in [4, 16] {
                let each = evaluate_alone(&plan, &vectors[..k], 3)? / k as f64;
                cells.push(format!("{} ({:.2}×)", seconds(each), one / each));
            }
            row(&cells);
        }
    }
    Ok(())
}
