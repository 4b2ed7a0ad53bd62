//! Cores alone and cores with a GPU, in f64, copies included.

use fmm::{Device, Fmm, Method};

use super::case::{Case, SETS};
use super::{find, groups, level, lines, milliseconds, points, values};
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

const COLUMNS: [&str; 4] = ["N", "tolerance", "cores / s", "with the GPU / s"];

/// Measures a cube and a Plummer model by the FMM.
pub(super) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(COLUMNS);
    let with_gpu = match settings.device {
        Device::Cuda(index) => Device::Hybrid(index),
        _ => Device::EmulatedHybrid,
    };
    let n = settings.pick(1_000, 1_000_000, 1_000_000);
    for (name, cloud) in &SETS[..2] {
        let case = Case::<f64>::new(&cloud(n, 1));
        for tolerance in [1e-6, 1e-9] {
            let mut row = vec![Some(n as f64), Some(tolerance)];
            for device in [Device::Cpu, with_gpu] {
                let fmm = Fmm::new().method(Method::Fmm).tolerance(tolerance).device(device);
                let timed = case.timed(fmm, settings.pick(1, 3, 3))?;
                row.push(Some(timed.plan + timed.evaluation));
            }
            table.push_named((*name).to_owned(), row);
        }
    }
    Ok(table)
}

/// Milliseconds by tolerance.
pub(super) fn page(record: &Record) -> String {
    let tolerances = values(record, "tolerance");
    let heads = tolerances
        .iter()
        .flat_map(|x| [format!("{}, cores", level(*x)), "with the GPU".to_owned()]);
    let heads: Vec<String> = std::iter::once("points".to_owned()).chain(heads).collect();
    let row = |(set, n): (String, f64)| {
        let cells = tolerances.iter().flat_map(|x| {
            COLUMNS[2..].iter().map(|column| {
                milliseconds(find(record, &set, &[("N", n), ("tolerance", *x)], column))
            })
        });
        std::iter::once(format!("{set} {}", points(n))).chain(cells).collect()
    };
    lines(&heads, &groups(record, "N").into_iter().map(row).collect::<Vec<_>>())
}
