//! Hu, Gumerov and Duraiswami (2012), "Parallel algorithms for constructing data structures for fast multipole methods":
//! Table 3, Figures 1 and 5 to 8.

pub(crate) mod launches;
mod neighbourhoods;
mod paper;
pub(crate) mod ranks;
pub(crate) mod structures;
mod text;
pub(crate) mod traffic;

use crate::Outcome;
use crate::curves::exponent;
use crate::page::{Page, count, factor, items, logarithmic, number};
use paper::{BY_LEVEL, EXCHANGE, SPEED_UPS};
use testbed::record::{Record, Records};

/// Points from which on the time of a level is expected to grow as N.
const MANY: f64 = 1e6;

/// Writes the page.
///
/// # Errors
/// Errors of drawing.
pub(crate) fn page(records: &Records) -> Outcome<Page> {
    let mut page = Page::new("hu-gumerov-duraiswami.md", text::TITLE, text::INTRODUCTION);
    items(&mut page, &text::ITEMS);
    neighbourhoods_figure(&mut page);
    by_level(&mut page, records)?;
    by_number(&mut page, records)?;
    weak(&mut page, records)?;
    strong(&mut page, records)?;
    shares(&mut page, records)?;
    traffic::section(&mut page, records)?;
    page.errata(&text::ERRATA);
    Ok(page)
}

fn neighbourhoods_figure(page: &mut Page) {
    page.heading("hu-fig1: neighbourhoods");
    let [e2, e3, e4] = neighbourhoods::counts();
    page.drawing("hu-fig1", "Neighbourhoods E1 to E4 of a box", neighbourhoods::figure());
    page.paragraph(&format!(
        "The box has Morton index {} on level 3; thick lines are the divisions of levels 1 and 2. E2 has {e2} boxes, E3 {e3}, E4 {e4}. \
         The caption says level 2, on which indices end at 15.",
        neighbourhoods::INDEX
    ));
}

fn by_level(page: &mut Page, records: &Records) -> Outcome {
    let both = [records.cpu("hu-table3"), records.gpu("hu-table3")];
    page.heading("hu-table3: data structures by level");
    page.paragraph(text::BY_LEVEL);
    let of = |record: Option<&Record>, level: u8| {
        record.and_then(|record| record.table.find("lmax", f64::from(level), "time / ms"))
    };
    let row = |(level, papers): &(u8, [f64; 3])| {
        let ours = both.map(|record| of(record, *level));
        let ratio = ours[0].zip(ours[1]).map(|(cpu, gpu)| cpu / gpu);
        let mut cells = vec![level.to_string()];
        cells.extend(papers.map(count_or_tenths));
        cells.extend(ours.map(number));
        cells.extend([factor(papers[1] / papers[2]), factor(ratio)]);
        cells
    };
    page.table(0, &text::BY_LEVEL_HEADS, &BY_LEVEL.iter().map(row).collect::<Vec<_>>());
    let ours = |record| -> Vec<(f64, f64)> {
        BY_LEVEL.iter().filter_map(|(l, _)| Some((f64::from(*l), of(record, *l)?))).collect()
    };
    let theirs = |k: usize| -> Vec<(f64, f64)> {
        BY_LEVEL.iter().map(|(l, t)| (f64::from(*l), t[k])).collect()
    };
    let series = vec![
        ("paper, CPU", theirs(0)),
        ("paper, improved CPU", theirs(1)),
        ("paper, GPU", theirs(2)),
        ("one core", ours(both[0])),
        ("GPU", ours(both[1])),
    ];
    let mut panel = logarithmic("2²⁰ sources and 2²⁰ receivers", ["lmax", "time / ms"], series);
    panel.x.logarithmic = false;
    page.diagram("hu-table3", "Time of the data structures by level", vec![panel])?;
    let ratios: Vec<f64> =
        BY_LEVEL.iter().filter_map(|(l, _)| Some(of(both[0], *l)? / of(both[1], *l)?)).collect();
    speed_up(page, &ratios, SPEED_UPS[0]);
    page.origin(both);
    Ok(())
}

fn count_or_tenths(x: f64) -> String {
    if x < 200.0 { format!("{x:.1}") } else { count(x) }
}

/// Says how much faster the GPU is.
fn speed_up(page: &mut Page, ratios: &[f64], [from, to]: [f64; 2]) {
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        page.paragraph(&format!(
            "The GPU is {} to {} as fast as one core here; in the paper {from:.0} to {to:.0} ×.",
            factor(least),
            factor(most)
        ));
    }
}

fn by_number(page: &mut Page, records: &Records) -> Outcome {
    let both = [records.cpu("hu-fig5"), records.gpu("hu-fig5")];
    page.heading("hu-fig5: data structures of points on a sphere");
    page.paragraph(text::BY_NUMBER);
    let levels = BY_LEVEL.map(|(level, _)| level);
    let of = |record: Option<&Record>, level: u8| {
        record.map_or(Vec::new(), |record| record.table.pairs("N", &structures::column(level)))
    };
    let panels = levels.map(|level| {
        let series = vec![("one core", of(both[0], level)), ("GPU", of(both[1], level))];
        logarithmic(&format!("lmax = {level}"), ["N", "time / ms"], series)
    });
    page.diagram(
        "hu-fig5",
        "Time of the data structures by the number of points, one panel a level",
        panels.to_vec(),
    )?;
    for (record, device) in both.into_iter().zip(["one core", "GPU"]) {
        let Some(record) = record else { continue };
        page.paragraph(&format!("Milliseconds, {device}:"));
        let heads: Vec<String> = std::iter::once("N".to_owned())
            .chain(levels.map(|level| format!("lmax {level}")))
            .collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let row = |row: &Vec<Option<f64>>| {
            let cells =
                levels.map(|level| number(record.table.get(row, &structures::column(level))));
            std::iter::once(count(row[0].unwrap_or_default())).chain(cells).collect()
        };
        page.table(0, &heads, &record.table.rows.iter().map(row).collect::<Vec<Vec<String>>>());
        let exponents: Vec<f64> =
            levels.iter().filter_map(|level| exponent(&of(Some(record), *level), MANY)).collect();
        let (least, most) = exponents
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        if !exponents.is_empty() {
            let linear =
                if most <= 1.1 { "no faster than linearly" } else { "faster than linearly" };
            page.paragraph(&format!(
                "From 10⁶ points on the time grows as N^{least:.2} to N^{most:.2}, by level: {linear} (HU-11)."
            ));
        }
    }
    let ratios: Vec<f64> = levels
        .iter()
        .flat_map(|level| {
            let (cpu, gpu) = (of(both[0], *level), of(both[1], *level));
            let common = cpu.into_iter().filter(|point| point.0 >= MANY);
            let ratio = move |c: (f64, f64)| Some(c.1 / gpu.iter().find(|g| g.0 == c.0)?.1);
            common.filter_map(ratio).collect::<Vec<f64>>()
        })
        .collect();
    speed_up(page, &ratios, SPEED_UPS[1]);
    page.origin(both);
    Ok(())
}

/// Points of a column by P.
fn by_ranks(record: Option<&Record>, column: &str) -> Vec<(f64, f64)> {
    record.map_or(Vec::new(), |record| record.table.pairs("P", column))
}

/// The table of a scaling, milliseconds, with shares of the total where they are asked for.
fn scaling_table(page: &mut Page, record: Option<&Record>) {
    let Some(record) = record else { return };
    let columns = [
        "P2P / s",
        "translations / s",
        "region / s",
        "overhead / s",
        "exchange / s",
        "structure / s",
    ];
    let row = |row: &Vec<Option<f64>>| {
        let of = |column: &str| number(record.table.get(row, column).map(|x| 1e3 * x));
        let start = ["P", "N"].map(|c| record.table.get(row, c).map_or("–".into(), count));
        start.into_iter().chain(columns.map(of)).collect()
    };
    let rows: Vec<Vec<String>> = record.table.rows.iter().map(row).collect();
    page.table(0, &text::SCALING_HEADS, &rows);
}

fn weak(page: &mut Page, records: &Records) -> Outcome {
    let record = records.cpu("hu-fig6");
    page.heading("hu-fig6: weak scaling");
    page.paragraph(text::WEAK);
    let series = vec![
        ("concurrent region", by_ranks(record, "region / s")),
        ("overhead", by_ranks(record, "overhead / s")),
    ];
    let panel = logarithmic("Weak scaling", ["P", "time / s"], series);
    page.diagram(
        "hu-fig6",
        "Region and overhead by the number of ranks, as many points a rank",
        vec![panel],
    )?;
    scaling_table(page, record);
    let region = by_ranks(record, "region / s");
    if let (Some(first), Some(last)) = (region.first(), region.last().filter(|p| p.0 > 1.0)) {
        page.paragraph(&format!(
            "From {} to {} ranks the region of the slowest rank grows by a factor of {:.2}, where 1 is perfect.",
            count(first.0),
            count(last.0),
            last.1 / first.1
        ));
    }
    page.origin([record]);
    Ok(())
}

fn strong(page: &mut Page, records: &Records) -> Outcome {
    let record = records.cpu("hu-fig7");
    page.heading("hu-fig7: strong scaling");
    page.paragraph(text::STRONG);
    let total = total(record);
    let perfect = total.first().map_or(Vec::new(), |first| {
        total.iter().map(|point| (point.0, first.1 * first.0 / point.0)).collect()
    });
    let series = vec![("region and overhead", total.clone()), ("perfect, 1/P", perfect.clone())];
    let panel = logarithmic("Strong scaling", ["P", "time / s"], series);
    page.diagram("hu-fig7", "Time of an evaluation by the number of ranks", vec![panel])?;
    scaling_table(page, record);
    if let (Some(last), Some(ideal)) = (total.last(), perfect.last()) {
        page.paragraph(&format!(
            "At {} ranks an evaluation is {:.0} % as efficient as on one.",
            count(last.0),
            100.0 * ideal.1 / last.1
        ));
    }
    page.origin([record]);
    Ok(())
}

/// Seconds of an evaluation by P.
fn total(record: Option<&Record>) -> Vec<(f64, f64)> {
    let overhead = by_ranks(record, "overhead / s");
    let sum = |((p, region), (_, overhead)): ((f64, f64), (f64, f64))| (p, region + overhead);
    by_ranks(record, "region / s").into_iter().zip(overhead).map(sum).collect()
}

fn shares(page: &mut Page, records: &Records) -> Outcome {
    let record = records.cpu("hu-fig7");
    page.heading("hu-fig8: exchange and data structures");
    page.paragraph(text::SHARES);
    let (exchange, structure) =
        (by_ranks(record, "exchange / s"), by_ranks(record, "structure / s"));
    let all: Vec<(f64, f64)> =
        total(record).into_iter().zip(&structure).map(|(t, s)| (t.0, t.1 + s.1)).collect();
    let series = vec![
        ("total", all.clone()),
        ("data structures", structure.clone()),
        ("exchange", exchange.clone()),
    ];
    let panel = logarithmic("Exchange and data structures", ["P", "time / s"], series);
    page.diagram(
        "hu-fig8",
        "Exchange, data structures and total by the number of ranks",
        vec![panel],
    )?;
    let ends = |part: &[(f64, f64)]| {
        let shares = part.iter().zip(&all).filter(|(part, _)| part.0 > 1.0);
        let shares: Vec<f64> = shares.map(|(part, all)| 100.0 * part.1 / all.1).collect();
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        (!shares.is_empty()).then(|| [least, shares.iter().copied().fold(0.0, f64::max)])
    };
    if let (Some(exchange), Some(structure)) = (ends(&exchange), ends(&structure)) {
        page.paragraph(&format!(
            "The exchange takes {:.1} to {:.1} % of plan and evaluation (paper: {:.0} to {:.0} %), the data structures {:.0} to {:.0} %.",
            exchange[0], exchange[1], EXCHANGE[0], EXCHANGE[1], structure[0], structure[1]
        ));
    }
    page.origin([record]);
    Ok(())
}
