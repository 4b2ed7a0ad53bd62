//! A GPU from slices of the host to slices of the host, by threads of the host: a cube in f32 at 10⁻³.

use fmm::Fmm;
use testbed::clouds;

use super::case::Case;
use super::{find, lines, milliseconds, points, values};
use crate::timing::on_threads;
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

const COLUMNS: [&str; 4] = ["N", "threads", "plan / s", "evaluation / s"];

/// Measures each number of points on each number of threads.
pub(super) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(COLUMNS);
    let fmm = Fmm::new().tolerance(1e-3).device(settings.device);
    for n in settings.up_to(&[1_000, 100_000, 1_000_000], [1_000, 1_000_000, 1_000_000]) {
        if n == 1_000 && settings.size != crate::Size::Small {
            continue;
        }
        let case = Case::<f32>::new(&clouds::uniform_cube(n, 1));
        for threads in settings.pick(vec![1], vec![1, 4, 16], vec![1, 4, 16]) {
            let timed = on_threads(threads, || case.timed(fmm, settings.pick(1, 21, 21)))?;
            let row = [n as f64, threads as f64, timed.plan, timed.evaluation];
            table.push_named("cube".to_owned(), row.map(Some));
        }
    }
    Ok(table)
}

/// Milliseconds by threads.
pub(super) fn page(record: &Record) -> String {
    let numbers = values(record, "N");
    let heads = numbers.iter().flat_map(|n| {
        [format!("{} points: plan", points(*n)), "evaluation".to_owned(), "both".to_owned()]
    });
    let heads: Vec<String> = std::iter::once("threads".to_owned()).chain(heads).collect();
    let row = |threads: &f64| {
        let cells = numbers.iter().flat_map(|n| {
            let of = |column| find(record, "cube", &[("N", *n), ("threads", *threads)], column);
            let [plan, evaluation] = [of("plan / s"), of("evaluation / s")];
            let both = plan.zip(evaluation).map(|(a, b)| a + b);
            [plan, evaluation, both].map(milliseconds)
        });
        std::iter::once(threads.to_string()).chain(cells).collect()
    };
    lines(&heads, &values(record, "threads").iter().map(row).collect::<Vec<_>>())
}
