//! Evaluations alone on a plan that stands: one vector of charges of both signs, and several at once.

use std::time::Instant;

use fmm::{Field, Fmm, Outputs, Plan, Workspace};
use testbed::charges;
use testbed::fit::median;

use super::case::SETS;
use super::{groups, level, lines, milliseconds, points, rows, values};
use crate::page::number;
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

/// Vectors at once.
const COUNTS: [usize; 3] = [1, 4, 16];

const OUTPUTS: [(&str, Outputs); 2] =
    [("potential, gradient", Outputs::PotentialAndGradient), ("potential", Outputs::Potential)];

/// Measures a cube and a Plummer model; a plan is made for the number of vectors.
pub(super) fn measure(settings: Settings) -> Outcome<Table> {
    let times = COUNTS.map(|count| format!("{count} / s"));
    let mut table = Table::new(["N", "tolerance"].map(str::to_owned).into_iter().chain(times));
    let n = settings.pick(1_000, 100_000, 100_000);
    let vectors: Vec<Vec<f64>> = (0..16).map(|seed| charges::mixed(n, seed)).collect();
    let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
    for (name, cloud) in &SETS[..2] {
        let positions = cloud(n, 1).positions;
        for (output, outputs) in OUTPUTS {
            for tolerance in [1e-3, 1e-6, 1e-9] {
                let fmm = Fmm::new().tolerance(tolerance).outputs(outputs);
                let mut row = vec![n as f64, tolerance];
                for count in COUNTS {
                    let plan = fmm.vectors(count).plan(&positions)?;
                    row.push(
                        evaluated(&plan, &vectors[..count], settings.pick(1, 3, 5))? / count as f64,
                    );
                }
                table.push_named(format!("{name}, {output}"), row.into_iter().map(Some));
            }
        }
    }
    Ok(table)
}

/// Median seconds of evaluations of all vectors at once; one more comes before, which makes tables and memory.
fn evaluated(plan: &Plan<f64>, charges: &[&[f64]], runs: usize) -> Outcome<f64> {
    let (mut fields, mut workspace) = (vec![Field::default(); charges.len()], Workspace::new());
    let mut seconds = Vec::new();
    for _ in 0..=runs {
        let clock = Instant::now();
        plan.evaluate_many_into(charges, &mut fields, &mut workspace)?;
        seconds.push(clock.elapsed().as_secs_f64());
    }
    Ok(median(seconds.split_off(1)))
}

/// Milliseconds of one vector by tolerance, and the factor by which a vector among several is faster.
pub(super) fn page(record: &Record) -> String {
    let tolerances = values(record, "tolerance");
    let heads = tolerances.iter().flat_map(|x| {
        let [_, more @ ..] = COUNTS;
        std::iter::once(level(*x)).chain(more.map(|count| count.to_string()))
    });
    let heads: Vec<String> = std::iter::once("points, outputs".to_owned()).chain(heads).collect();
    let row = |(name, n): (String, f64)| {
        let of_name = rows(record).filter(|(label, _)| *label == name);
        let cells = of_name.flat_map(|(_, row)| {
            let [one, more @ ..] =
                COUNTS.map(|count| record.table.get(row, &format!("{count} / s")));
            let factor = |all: Option<f64>| one.zip(all).map(|(one, all)| one / all);
            std::iter::once(milliseconds(one)).chain(more.map(|all| number(factor(all))))
        });
        let (set, outputs) = name.split_once(", ").unwrap_or((&name, ""));
        std::iter::once(format!("{set} {}: {outputs}", points(n))).chain(cells).collect()
    };
    lines(&heads, &groups(record, "N").into_iter().map(row).collect::<Vec<_>>())
}
