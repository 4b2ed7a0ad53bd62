//! Softened sums on a GPU in f32 at 10⁻³, by the FMM and as the library chooses.

use fmm::{Fmm, Method};
use testbed::clouds;

use super::case::{Case, seconds};
use super::{lines, milliseconds, rows};
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

const COLUMNS: [&str; 6] =
    ["N", "softening", "FMM / s", "FMM: error", "chosen / s", "chosen: error"];

/// Measures a Plummer model and a disk galaxy.
pub(super) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(COLUMNS);
    let n = settings.pick(300, 1_000_000, 1_000_000);
    for (name, cloud) in [("Plummer", clouds::plummer(n, 1)), ("disk galaxy", clouds::galaxy(n, 1))]
    {
        let case = Case::<f32>::new(&cloud);
        for softening in [0.002, 0.01, 0.05] {
            let mut row = vec![Some(n as f64), Some(softening)];
            for method in [Method::Fmm, Method::Auto] {
                let fmm = Fmm::new().tolerance(1e-3).softening(softening).method(method);
                let timed = case.timed(fmm.device(settings.device), settings.pick(1, 3, 3))?;
                let error = timed.error.gradient.map(|errors| errors.l2);
                row.extend([Some(seconds(&timed.report)), error]);
            }
            table.push_named(name.to_owned(), row);
        }
    }
    Ok(table)
}

/// Milliseconds with the relative L2 error of the gradient in brackets.
pub(super) fn page(record: &Record) -> String {
    let heads = ["points", "softening", "FMM", "chosen"].map(str::to_owned);
    let row = |(name, row): (&str, &Vec<Option<f64>>)| {
        let of = |column: &str| record.table.get(row, column);
        let cell = |method: &str| {
            let error =
                of(&format!("{method}: error")).map_or(String::new(), |e| format!(" ({e:.1e})"));
            milliseconds(of(&format!("{method} / s"))) + &error
        };
        let softening = of("softening").map_or("–".to_owned(), |x| x.to_string());
        vec![name.to_owned(), softening, cell("FMM"), cell("chosen")]
    };
    lines(&heads, &rows(record).map(row).collect::<Vec<_>>())
}
