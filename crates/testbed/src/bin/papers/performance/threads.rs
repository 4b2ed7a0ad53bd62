//! Plan and evaluation by threads of the CPU, and the direct sum beside them.

use fmm::{Fmm, Method, Scalar, Stage, Treecode};
use testbed::clouds::{self, Cloud};

use super::case::Case;
use super::tolerance::column;
use super::{find, lines, milliseconds, rows, values};
use crate::timing::on_threads;
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

/// Measures 1, 2, 4 … threads, up to all.
pub(super) fn measure(settings: Settings) -> Outcome<Table> {
    let stages = Stage::ALL.map(column);
    let mut table =
        Table::new(["N", "threads", "time / s"].map(str::to_owned).into_iter().chain(stages));
    let n = settings.pick(1_000, 1_000_000, 1_000_000);
    let few = settings.pick(1_000, 50_000, 50_000);
    let (cube, plummer) = (clouds::uniform_cube(n, 1), clouds::plummer(n, 1));
    let to_three = Fmm::new().tolerance(1e-3);
    let fast = Fmm::new().method(Method::Fmm);
    add::<f64>(settings, &mut table, "cube, 10⁻⁶, f64", (fast, &cube))?;
    add::<f32>(
        settings,
        &mut table,
        "Plummer, 10⁻³, f32",
        (to_three.method(Method::Fmm), &plummer),
    )?;
    let treecode = to_three.method(Treecode::new());
    add::<f32>(settings, &mut table, "Plummer by treecode, f32", (treecode, &plummer))?;
    let direct = Fmm::new().method(Method::Direct);
    add::<f64>(settings, &mut table, "direct sum, f64", (direct, &clouds::uniform_cube(few, 1)))?;
    Ok(table)
}

/// Adds a row for each number of threads.
fn add<T: Scalar>(
    settings: Settings,
    table: &mut Table,
    name: &str,
    (fmm, cloud): (Fmm, &Cloud),
) -> Outcome {
    let case = Case::<T>::new(cloud);
    for threads in thread_counts() {
        let timed = on_threads(threads, || case.timed(fmm, settings.pick(1, 3, 5)))?;
        let first = [cloud.positions.len() as f64, threads as f64, timed.plan + timed.evaluation];
        let stages = Stage::ALL.map(|stage| timed.report.seconds.of(stage));
        table.push_named(name.to_owned(), first.into_iter().chain(stages).map(Some));
    }
    Ok(())
}

/// Numbers of threads: 1, 2, 4 … and all.
fn thread_counts() -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let doubled = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n < all);
    doubled.chain([all]).collect()
}

/// Milliseconds by threads, and the time on one thread over that on all.
pub(super) fn page(record: &Record) -> String {
    let counts = values(record, "threads");
    let heads = counts.iter().map(f64::to_string).chain(["scaling".to_owned()]);
    let heads: Vec<String> = std::iter::once("case, threads".to_owned()).chain(heads).collect();
    let mut table: Vec<Vec<String>> = Vec::new();
    for (name, row) in rows(record) {
        let n = record.table.get(row, "N").unwrap_or_default();
        if table.last().is_some_and(|last| last[0].starts_with(name)) {
            continue;
        }
        let times: Vec<Option<f64>> = counts
            .iter()
            .map(|threads| find(record, name, &[("N", n), ("threads", *threads)], "time / s"))
            .collect();
        let scaling = times.first().copied().flatten().zip(times.last().copied().flatten());
        let mut cells = vec![format!("{name}, {}", super::points(n))];
        cells.extend(times.into_iter().map(milliseconds));
        cells.push(scaling.map_or("–".to_owned(), |(one, all)| format!("{:.1}", one / all)));
        table.push(cells);
    }
    lines(&heads, &table)
}
