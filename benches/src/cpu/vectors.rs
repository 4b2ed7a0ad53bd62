//! Evaluation alone with a ready plan, and several charge vectors at once.

use fmm::{Fmm, Outputs};
use testbed::{charges, clouds};

use super::{Extent, Failure, evaluate_alone, head, row, seconds};

/// Prints the table.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn section(extent: Extent) -> Result<(), Failure> {
    head(
        "Seconds of evaluations alone, a charge vector (±): one, several at once, and in brackets with a plan for one",
        &["set", "outputs", "tolerance", "1", "4", "16"],
    );
    let sets = match extent {
        Extent::Quick => vec![clouds::uniform_cube(20_000, 1), clouds::plummer(20_000, 1)],
        Extent::Whole => vec![clouds::uniform_cube(100_000, 1), clouds::plummer(100_000, 1)],
        Extent::Large => vec![clouds::uniform_cube(100_000, 1), clouds::uniform_cube(1_000_000, 1)],
    };
    for cloud in sets {
        let n = cloud.positions.len();
        let vectors: Vec<Vec<f64>> = (0..16).map(|seed| charges::mixed(n, seed)).collect();
        let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
        for (outputs, name) in [
            (Outputs::PotentialAndGradient, "potential, gradient"),
            (Outputs::Potential, "potential"),
        ] {
            for tolerance in [1e-3, 1e-6, 1e-9] {
                let fmm = Fmm::new().tolerance(tolerance).outputs(outputs);
                let plan = fmm.plan(&cloud.positions)?;
                let mut cells =
                    vec![format!("{} {n}", cloud.name), name.into(), format!("{tolerance:.0e}")];
                let one = evaluate_alone(&plan, &vectors[..1], 5)?;
                cells.push(seconds(one));
                for k in [4, 16] {
                    let for_all = fmm.vectors(k).plan(&cloud.positions)?;
                    let all = &vectors[..k];
                    let each = evaluate_alone(&for_all, all, 3)? / k as f64;
                    let unprepared = evaluate_alone(&plan, all, 3)? / k as f64;
                    cells.push(format!(
                        "{}: {:.2}× ({:.2}×)",
                        seconds(each),
                        one / each,
                        one / unprepared
                    ));
                }
                row(&cells);
            }
        }
    }
    Ok(())
}
