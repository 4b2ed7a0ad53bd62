//! The two comparisons of section 6: the treecode beside an FMM, and rates of two kinds of walk.

use super::paper::{self, FLOPS};
use super::text;
use crate::page::{Page, factor, number};
use testbed::record::{Record, Records};

/// The treecode beside an FMM.
pub(super) fn treecode_and_fmm(page: &mut Page, records: &Records) {
    page.heading("nk-fmm: treecode and FMM (section 6.3)");
    page.paragraph(text::FMM);
    page.paragraph(&format!(
        "The paper quotes {} s for that FMM, on an older GPU, and measures {} s for its treecode, with {} % of hits in the cache.",
        paper::FMM.1,
        paper::FMM.2,
        paper::FMM_HITS
    ));
    let runs = super::both(records, "nk-fmm");
    let names = [
        "FMM / s",
        "FMM: potential error",
        "treecode / s",
        "treecode: potential error",
        "treecode: force error",
    ];
    let paper = vec![
        "paper".to_owned(),
        number(1e3 * paper::FMM.1),
        number(paper::FMM_ERROR),
        number(1e3 * paper::FMM.2),
        "–".to_owned(),
        "–".to_owned(),
    ];
    let row = |(record, name): (&Record, &str)| {
        let row = record.table.rows.last()?;
        let cells = names.map(|column| {
            let unit = if column.ends_with("/ s") { 1e3 } else { 1.0 };
            number(record.table.get(row, column).map(|x| unit * x))
        });
        Some([vec![name.to_owned()], cells.to_vec()].concat())
    };
    let ours = runs.into_iter().zip(["CPU", "GPU"]).filter_map(|(r, name)| row((r?, name)));
    let rows: Vec<Vec<String>> = std::iter::once(paper).chain(ours).collect();
    page.table(1, &text::FMM_HEADS, &rows);
    for (record, name) in runs.into_iter().zip(["CPU", "GPU"]) {
        let of = |column| record.and_then(|r| r.table.get(r.table.rows.last()?, column));
        let Some((fmm, treecode)) = of("FMM / s").zip(of("treecode / s")) else { continue };
        let times = [paper::FMM.1 / fmm, paper::FMM.2 / treecode].map(factor);
        page.paragraph(&format!(
            "The {name} takes {} s for the FMM and {} s for the treecode; the paper's times are {} and {} as long. The FMM takes {:.0} % of the treecode's time, in the paper {:.0} %.",
            number(fmm),
            number(treecode),
            times[0],
            times[1],
            100.0 * fmm / treecode,
            100.0 * paper::FMM.1 / paper::FMM.2
        ));
    }
    page.origin(runs);
}

/// Rates of walks with lists and on the fly.
pub(super) fn rates(page: &mut Page, records: &Records) {
    page.heading("nk-octgrav: rates of two kinds of walk (section 6.2)");
    page.paragraph(text::RATES);
    let runs = super::both(records, "nk-table5");
    let n = 1024.0 * 800.0;
    let row = |(record, name): (&Record, &str)| {
        let at = |column| record.table.find("θ", paper::THETA, column);
        let flops = FLOPS[0] * n * at("interactions")? * 1e-9;
        let groups = at("groups: build / s")? + at("groups: walk / s")?;
        let rates = [flops / groups, flops / at("one by one / s")?].map(number);
        Some([vec![name.to_owned()], rates.to_vec()].concat())
    };
    let paper = std::iter::once("paper".to_owned()).chain(paper::RATES.map(number)).collect();
    let ours = runs.into_iter().zip(["CPU", "GPU"]).filter_map(|(r, name)| row((r?, name)));
    let rows: Vec<Vec<String>> = std::iter::once(paper).chain(ours).collect();
    page.table(1, &["", "lists or groups, Gflop/s", "one by one, on the fly, Gflop/s"], &rows);
    page.origin(runs);
}
