//! Few points in a cube: plan and evaluation by method, and the crossover with the direct sum.

use fmm::{Fmm, Method};
use testbed::charges;
use testbed::clouds::{self, Cloud};

use super::case::Case;
use super::{level, lines, values};
use crate::curves::crossover;
use crate::page::{number, place};
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

const METHODS: [(&str, Method); 3] =
    [("direct / s", Method::Direct), ("FMM / s", Method::Fmm), ("chosen / s", Method::Auto)];

const NUMBERS: [usize; 8] = [300, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 10_000];

/// Measures charges of both signs.
pub(super) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table =
        Table::new(["tolerance", "N"].into_iter().chain(METHODS.map(|method| method.0)));
    for tolerance in [1e-3, 1e-6, 1e-9] {
        for n in settings.up_to(&NUMBERS, [1_000, 10_000, 10_000]) {
            let charges = charges::mixed(n, 3);
            let case = Case::<f64>::new(&Cloud { charges, ..clouds::uniform_cube(n, 1) });
            let mut row = vec![tolerance, n as f64];
            for (_, method) in METHODS {
                let fmm = Fmm::new().tolerance(tolerance).method(method);
                let timed = case.timed(fmm, settings.pick(1, 21, 51))?;
                row.push(timed.plan + timed.evaluation);
            }
            table.push(row.into_iter().map(Some));
        }
    }
    Ok(table)
}

/// Points from which on the FMM, and the method chosen, stay faster than the direct sum; times of the direct sum and of the choice.
pub(super) fn page(record: &Record) -> String {
    let heads =
        ["tolerance", "FMM faster from", "direct sum of 2000 / ms", "FMM", "of 10⁴ / ms", "FMM"];
    let row = |tolerance: &f64| {
        let of = |column: &str| {
            let rows = record.table.rows.iter();
            let rows = rows.filter(|row| record.table.get(row, "tolerance") == Some(*tolerance));
            let point = |row: &Vec<Option<f64>>| {
                record.table.get(row, "N").zip(record.table.get(row, column))
            };
            rows.filter_map(point).collect::<Vec<_>>()
        };
        let [direct, fmm] = ["direct / s", "FMM / s"].map(of);
        let at = |curve: &[(f64, f64)], n: f64| {
            number(curve.iter().find(|point| point.0 == n).map(|point| 1e3 * point.1))
        };
        let times = [2e3, 1e4].into_iter().flat_map(|n| [at(&direct, n), at(&fmm, n)]);
        [level(*tolerance), place(crossover(&fmm, &direct))].into_iter().chain(times).collect()
    };
    lines(
        &heads.map(str::to_owned),
        &values(record, "tolerance").iter().map(row).collect::<Vec<_>>(),
    )
}
