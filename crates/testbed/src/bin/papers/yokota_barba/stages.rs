//! Figure 6: seconds of the stages of treecode and FMM. The treecode is the paper's: the FMM's lists, with multipoles that
//! act on each receiver.

use fmm::{Fmm, Method, Opening, Stage, Treecode};
use testbed::clouds;

use super::methods::TOLERANCE;
use crate::timing::fastest;
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Stages that the figure puts together.
pub(crate) const GROUPS: [(&str, &[Stage]); 10] = [
    ("P2P", &[Stage::P2p]),
    ("M2P", &[Stage::M2p]),
    ("M2L", &[Stage::M2l]),
    ("P2M", &[Stage::P2m]),
    ("M2M", &[Stage::M2m]),
    ("L2L", &[Stage::L2l]),
    ("L2P", &[Stage::L2p]),
    ("sort", &[Stage::Sort]),
    ("lists", &[Stage::Lists, Stage::Walk]),
    ("other", &[Stage::P2l, Stage::Check, Stage::Other]),
];

/// Place of M2M among the groups.
pub(crate) const M2M: usize = 4;

/// Name of a column.
pub(crate) fn column(method: &str, stage: &str) -> String {
    format!("{method}: {stage} / s")
}

/// Methods of the figure with their builders.
fn methods() -> [(&'static str, Fmm); 2] {
    let treecode = Treecode::new().opening(Opening::Neighbours);
    [("treecode", Fmm::new().method(treecode)), ("FMM", Fmm::new().method(Method::Fmm))]
}

/// Measures points uniform in a cube, in f32.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let names = methods().map(|(method, _)| GROUPS.map(|(stage, _)| column(method, stage)));
    let mut table = Table::new(std::iter::once("N".to_owned()).chain(names.concat()));
    let numbers = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    let most = if settings.is_on_gpu() { 10_000_000 } else { 1_000_000 };
    for n in settings.up_to(&numbers, [1_000, most, 10_000_000]) {
        let cloud = clouds::uniform_cube(n, 1);
        let mut row = vec![Some(n as f64)];
        for (_, fmm) in methods() {
            let fmm = fmm.device(settings.device).tolerance(TOLERANCE);
            let runs = if settings.is_on_gpu() { 3 } else { 2 };
            let report = fastest(fmm, &cloud, runs)?;
            let of = |stages: &[Stage]| stages.iter().map(|s| report.seconds.of(*s)).sum::<f64>();
            row.extend(GROUPS.map(|(_, stages)| Some(of(stages))));
        }
        table.push(row);
    }
    Ok(table)
}
