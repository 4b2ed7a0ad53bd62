//! The page of the figures on several GPUs.

use super::case::Set;
use super::forecast;
use crate::Outcome;
use crate::page::{Page, count, items, logarithmic, number};
use testbed::record::{Record, Records};

const TITLE: &str = "Several GPUs";

const INTRODUCTION: &str = "\
Figures 6 to 8 of Hu, Gumerov and Duraiswami (2012) on the GPUs of one host, f32. The paper has up to 32 nodes with two Tesla C1060 \
each; [its own page](hu-gumerov-duraiswami.md) has the same figures over ranks on cores.

A run begins with points in the devices' memory, of which each GPU has consecutive ones, so that most points belong to another GPU. \
It ends with potentials and gradients there, in the same order: cuts, redistribution, trees, lists, sums, and results on their way \
back are measured. Not measured, on one GPU as on several, is what is the host's: copies from and to it, choices from its sample of \
the points, charges put beside the sorted points, and the check of the tolerance. Seconds are those of \
the slowest GPU, the fastest of three repetitions after a first one. Errors are relative L2 errors at 1000 receivers.

One call measures all three tables on a host with up to eight GPUs, in less than ten minutes:

```sh
cargo xtask papers --device cuda gpus-strong gpus-weak gpus-largest
```

On a machine without Rust, the program that this command builds is enough; `--commit` names its source:

```sh
cargo build --release -p testbed --features cuda --bin papers
./papers --device cuda --folder pages --commit COMMIT gpus-strong gpus-weak gpus-largest
```

`cargo xtask papers --pages` writes this page from its records.";

const ONE_GPU: &str = "\
The host had one GPU: rows of several are missing, and a time with P = 1 is the base of their forecasts.";

const FORECAST: &str = "\
*Forecast* is computed from the time of one GPU before any run on several: its P-th part, work on boxes at the cuts, and points that \
cross to their owners and back at 350 GB/s; [`forecast.rs`](../../crates/testbed/src/bin/papers/gpus/forecast.rs) has its terms. \
*Structure* is sort and lists, *near* the time of P2P beyond that of the far field, beside which it runs. *MB out* are the bytes that \
leave a GPU by its links for other GPUs in plan and evaluation, of the GPU with most.";

const HEADS: [&str; 15] = [
    "set",
    "tolerance",
    "P",
    "N",
    "time, ms",
    "forecast, ms",
    "speed-up",
    "structure",
    "near",
    "far",
    "exchange",
    "rest",
    "imbalance, %",
    "MB out",
    "gradient error",
];

/// Speed-up that eight GPUs shall reach, for each set and tolerance of 10⁸ points.
const WANTED: f64 = 6.0;

/// One row of a record.
#[derive(Clone, Copy)]
struct Row<'a> {
    record: &'a Record,
    set: &'a str,
    row: &'a [Option<f64>],
}

impl<'a> Row<'a> {
    fn all(record: &'a Record) -> impl Iterator<Item = Self> {
        let rows = record.table.labels.iter().zip(&record.table.rows);
        rows.map(move |(set, row)| Self { record, set, row })
    }

    fn get(&self, column: &str) -> f64 {
        self.record.table.get(self.row, column).unwrap_or(f64::NAN)
    }

    /// The row of one GPU with the same set and tolerance, and as many points, or as many a GPU.
    fn of_one(&self, same: &str) -> Option<Self> {
        let agrees = |other: &Self, column: &str| other.get(column) == self.get(column);
        Self::all(self.record).find(|other| {
            other.get("P") == 1.0
                && other.set == self.set
                && agrees(other, "tolerance")
                && agrees(other, same)
        })
    }

    /// Seconds that one GPU would take for all points, by its time for as many, or for as many a GPU.
    fn by_one(&self, same: &str) -> Option<f64> {
        let one = self.of_one(same)?;
        Some(one.get("time / s") * self.get("N") / one.get("N"))
    }

    fn cells(&self, same: &str) -> Vec<String> {
        let by_one = self.by_one(same);
        let forecast = by_one.map(|one| forecast::seconds(one, self.get("N"), self.get("P")));
        let time = self.get("time / s");
        let mut cells = vec![self.set.to_owned(), format!("{:e}", self.get("tolerance"))];
        cells.extend(["P", "N"].map(|column| count(self.get(column))));
        cells.push(number(1e3 * time));
        cells.push(number(forecast.map(|seconds| 1e3 * seconds)));
        cells.push(number(by_one.map(|one| one / time)));
        let stages = ["structure / s", "near / s", "far / s", "exchange / s", "rest / s"];
        cells.extend(stages.map(|stage| number(1e3 * self.get(stage))));
        cells.push(number(1e2 * self.get("imbalance")));
        cells.push(number(1e-6 * self.get("bytes sent")));
        cells.push(format!("{:.1e}", self.get("gradient error")));
        cells
    }
}

/// Writes the page.
///
/// # Errors
/// Errors of drawing.
pub(crate) fn page(records: &Records) -> Outcome<Page> {
    let mut page = Page::new("several-gpus.md", TITLE, INTRODUCTION);
    items(
        &mut page,
        &[
            [
                "HU-14 to 21",
                "partition, box types, exchange between GPUs",
                "`fmm::gpu::ranks`, `distributed`",
            ],
            ["YB-24", "several GPUs", "`Fmm::plan_over`, `--device cuda:all`"],
        ],
    );
    page.heading("Columns");
    page.paragraph(FORECAST);
    strong(&mut page, records.gpu("gpus-strong"))?;
    weak(&mut page, records.gpu("gpus-weak"))?;
    largest(&mut page, records.gpu("gpus-largest"));
    Ok(page)
}

fn strong(page: &mut Page, record: Option<&Record>) -> Outcome {
    page.heading("gpus-strong: Figure 7, strong scaling");
    page.paragraph("10⁸ and 10⁷ points on 1, 2, 4 and 8 GPUs.");
    section(page, record, "N", ["gpus-strong", "Time of 10⁸ points by the number of GPUs"])?;
    let Some(record) = record else { return Ok(()) };
    let rows = Row::all(record).filter(|row| row.get("P") == 8.0 && row.get("N") > 5e7);
    let speed_ups: Vec<f64> =
        rows.filter_map(|row| Some(row.by_one("N")? / row.get("time / s"))).collect();
    if let Some(least) = speed_ups.iter().copied().reduce(f64::min) {
        let verdict = if least >= WANTED { "reached by all" } else { "not reached by all" };
        page.paragraph(&format!(
            "Eight GPUs are {least:.1} times one or more; the aim, {WANTED:.0} times, is {verdict}."
        ));
    }
    let shares = |column: &str| {
        let several = Row::all(record).filter(|row| row.get("P") > 1.0);
        let shares = several.map(|row| 100.0 * row.get(column) / row.get("time / s"));
        let (least, most) =
            shares.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), x| (a.min(x), b.max(x)));
        (most > 0.0).then(|| format!("{least:.0} to {most:.0} %"))
    };
    if let (Some(exchange), Some(structure)) = (shares("exchange / s"), shares("structure / s")) {
        page.heading("gpus-strong: Figure 8, exchange and data structures");
        page.paragraph(&format!(
            "The exchange takes {exchange} of the time on several GPUs, the data structures {structure}; in the paper both \
             together 1 to 15 %."
        ));
    }
    Ok(())
}

fn weak(page: &mut Page, record: Option<&Record>) -> Outcome {
    page.heading("gpus-weak: Figure 6, weak scaling");
    page.paragraph("As many points on each GPU. The speed-up is over one GPU that would take all points in as many times its time.");
    section(
        page,
        record,
        "N / P",
        ["gpus-weak", "Time by the number of GPUs, as many points on each"],
    )
}

/// Diagram, table and origin of a record.
fn section(
    page: &mut Page,
    record: Option<&Record>,
    same: &str,
    [name, about]: [&str; 2],
) -> Outcome {
    let Some(record) = record else {
        page.paragraph("Not measured yet.");
        return Ok(());
    };
    if Row::all(record).all(|row| row.get("P") == 1.0) {
        page.paragraph(ONE_GPU);
    }
    let panels = Set::ALL.map(|set| {
        let rows: Vec<Row<'_>> = Row::all(record).filter(|row| row.set == set.name()).collect();
        let mut kinds: Vec<(f64, f64)> = Vec::new();
        for row in &rows {
            let kind = (row.get("tolerance"), row.get(same));
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let curves = kinds.iter().map(|kind| {
            let own = rows.iter().filter(|row| (row.get("tolerance"), row.get(same)) == *kind);
            let points = own.map(|row| (row.get("P"), row.get("time / s"))).collect();
            (format!("{:e}, {} = {:.0e}", kind.0, same, kind.1), points)
        });
        let curves: Vec<(String, Vec<(f64, f64)>)> = curves.collect();
        let series = curves.iter().map(|(name, points)| (name.as_str(), points.clone())).collect();
        logarithmic(set.name(), ["P", "time / s"], series)
    });
    page.diagram(name, about, panels.to_vec())?;
    let rows: Vec<Vec<String>> = Row::all(record).map(|row| row.cells(same)).collect();
    page.table(1, &HEADS, &rows);
    page.origin([Some(record)]);
    Ok(())
}

fn largest(page: &mut Page, record: Option<&Record>) {
    page.heading("gpus-largest: the largest sum");
    page.paragraph("Uniform points in a cube on one GPU and on all of the host, tolerance 10⁻³, with the error at 1000 receivers.");
    let Some(record) = record else {
        page.paragraph("Not measured yet.");
        return;
    };
    let row = |row: Row<'_>| {
        let mut cells = ["P", "N"].map(|column| count(row.get(column))).to_vec();
        cells.push(number(1e3 * row.get("time / s")));
        cells.push(number(row.get("memory") * row.get("P") / row.get("N")));
        cells.extend(
            ["potential error", "gradient error"].map(|error| format!("{:.1e}", row.get(error))),
        );
        cells
    };
    let rows: Vec<Vec<String>> = Row::all(record).map(row).collect();
    page.table(
        0,
        &["P", "N", "time, ms", "bytes a point", "potential error", "gradient error"],
        &rows,
    );
    page.origin([Some(record)]);
}
