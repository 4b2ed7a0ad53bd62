//! Yokota and Barba (2011), "Treecode and fast multipole method for N-body simulation with CUDA": Figures 5 to 7, the
//! factors of sections 5 and 7, and the M2L kernel of section 5.2.

mod forms;
pub(crate) mod methods;
pub(crate) mod rates;
pub(crate) mod stages;
pub(crate) mod targets;
mod text;
pub(crate) mod translations;

use crate::Outcome;
use crate::curves::{crossover, extended};
use crate::drawing::stacked_bars;
use crate::page::{Page, count, factor, items, logarithmic, number, place};
use stages::{GROUPS, M2M, column};
use testbed::record::{Record, Records};

/// Methods of Figure 5 with their columns.
const METHODS: [(&str, &str); 3] =
    [("direct", "direct / s"), ("treecode", "treecode / s"), ("FMM", "FMM / s")];

/// Crossovers of Figure 5: which method overtakes which, at how many points on the CPU and on the GPU.
const CROSSOVERS: [(usize, usize, &str, &str); 3] =
    [(1, 0, "3000", "20000"), (2, 0, "3000", "40000"), (2, 1, "3000", "unclear")];

/// Factors of the GPU over one core: direct sum, treecode, FMM.
const SPEED_UPS: [&str; 3] = ["300 ×", "100 ×", "30 ×"];

/// Section 7: points, and the factor of the fast methods over the direct sum on the GPU.
const FACTORS: [(f64, f64); 2] = [(1e6, 15.0), (1e7, 150.0)];

/// Gflop/s of P2P in Figure 7, for many points.
const P2P_RATE: f64 = 300.0;

/// Operations of a pair in P2P (Listing 1).
const P2P_FLOPS: f64 = 19.0;

/// Writes the page.
///
/// # Errors
/// Errors of drawing.
pub(crate) fn page(records: &Records) -> Outcome<Page> {
    let mut page = Page::new("yokota-barba.md", text::TITLE, text::INTRODUCTION);
    items(&mut page, &text::ITEMS);
    times(&mut page, records)?;
    factors(&mut page, records);
    shares(&mut page, records)?;
    rates(&mut page, records)?;
    forms::translations(&mut page, records)?;
    forms::targets(&mut page, records);
    page.errata(&text::ERRATA);
    Ok(page)
}

/// Seconds of a method by N.
fn curve(record: Option<&Record>, column: &str) -> Vec<(f64, f64)> {
    record.map_or(Vec::new(), |record| record.table.pairs("N", column))
}

fn times(page: &mut Page, records: &Records) -> Outcome {
    let both = [records.cpu("yb-fig5"), records.gpu("yb-fig5")];
    page.heading("yb-fig5: time of the three methods");
    page.paragraph(text::TIMES);
    let panel = |title: &str, record: Option<&Record>| {
        let series = METHODS.map(|(name, column)| (name, curve(record, column)));
        logarithmic(title, ["N", "time / s"], series.to_vec())
    };
    let panels = vec![panel("One core", both[0]), panel("GPU", both[1])];
    page.diagram(
        "yb-fig5",
        "Time of the direct sum, the treecode and the FMM by the number of points",
        panels,
    )?;
    let mut numbers: Vec<f64> = both
        .iter()
        .flatten()
        .flat_map(|record| record.table.rows.iter().filter_map(|row| row[0]))
        .collect();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let row = |n: &f64| {
        let of = |record: Option<&Record>, column: &str, unit: f64| {
            number(record.and_then(|r| r.table.find("N", *n, column)).map(|x| unit * x))
        };
        let of_one = |record| {
            let times = METHODS.map(|(_, column)| of(record, column, 1e3));
            let errors = ["treecode error", "FMM error"].map(|column| of(record, column, 1.0));
            times.into_iter().chain(errors)
        };
        std::iter::once(count(*n)).chain(both.into_iter().flat_map(of_one)).collect()
    };
    let rows: Vec<Vec<String>> = numbers.iter().map(row).collect();
    page.table(0, &text::TIMES_HEADS, &rows);
    page.origin(both);
    Ok(())
}

/// Seconds by N of each method, on one core and on the GPU.
type Curves = [[Vec<(f64, f64)>; METHODS.len()]; 2];

fn factors(page: &mut Page, records: &Records) {
    let both = [records.cpu("yb-fig5"), records.gpu("yb-fig5")];
    let curves = both.map(|record| METHODS.map(|(_, column)| curve(record, column)));
    page.heading("yb-factors: crossovers and factors");
    crossovers(page, &curves);
    speed_ups(page, &curves);
    factors_of_direct(page, &curves);
    page.origin(both);
}

/// Numbers of points from which on a method is faster than another.
fn crossovers(page: &mut Page, curves: &Curves) {
    page.paragraph(
        "Points from which on a method stays faster than another, between measured points:",
    );
    let found = |device: usize, (faster, slower): (usize, usize)| {
        let curves = &curves[device];
        match curves[faster].is_empty() {
            true => "–".to_owned(),
            false => place(crossover(&curves[faster], &curves[slower])),
        }
    };
    let row = |(faster, slower, cpu, gpu): &(usize, usize, &str, &str)| {
        let pair = (*faster, *slower);
        let name = format!("{} before {}", METHODS[pair.0].0, METHODS[pair.1].0);
        vec![name, (*cpu).into(), found(0, pair), (*gpu).into(), found(1, pair)]
    };
    let heads = ["", "paper, one core", "here, one core", "paper, GPU", "here, GPU"];
    page.table(1, &heads, &CROSSOVERS.iter().map(row).collect::<Vec<_>>());
}

/// Factors of the GPU over one core.
fn speed_ups(page: &mut Page, curves: &Curves) {
    page.paragraph(
        "Factor of the GPU over one core, at the largest number of points measured on both:",
    );
    let speed_up = |(k, paper): (usize, &&str)| {
        let [cpu, gpu] = [0, 1].map(|device| &curves[device][k]);
        let both =
            cpu.iter().filter_map(|c| Some((c, gpu.iter().find(|g| g.0 == c.0)?))).next_back();
        let (n, ratio) = both.map_or((None, None), |(c, g)| (Some(c.0), Some(c.1 / g.1)));
        vec![
            METHODS[k].0.to_owned(),
            (*paper).to_owned(),
            factor(ratio),
            n.map_or("–".into(), count),
        ]
    };
    let rows: Vec<Vec<String>> = SPEED_UPS.iter().enumerate().map(speed_up).collect();
    page.table(1, &["method", "paper", "here", "N"], &rows);
}

/// Factors of treecode and FMM over the direct sum.
fn factors_of_direct(page: &mut Page, curves: &Curves) {
    page.paragraph(text::FACTORS);
    let row = |(n, paper): &(f64, f64)| {
        let of = |device: usize, k: usize| {
            let [direct, ..] = &curves[device];
            let direct = extended(direct, *n, 2.0)?;
            Some(direct / curves[device][k].iter().find(|p| p.0 == *n)?.1)
        };
        let ours = [(1, 1), (1, 2), (0, 1), (0, 2)].map(|(device, k)| factor(of(device, k)));
        [vec![count(*n), factor(*paper)], ours.to_vec()].concat()
    };
    let heads =
        ["N", "paper, GPU", "treecode, GPU", "FMM, GPU", "treecode, one core", "FMM, one core"];
    page.table(0, &heads, &FACTORS.iter().map(row).collect::<Vec<_>>());
    let best = |n: f64| {
        let direct = extended(&curves[1][0], n, 2.0)?;
        Some(direct / curves[1][2].iter().find(|p| p.0 == n)?.1)
    };
    let met = FACTORS.iter().map(|(n, paper)| Some((*n, *paper, best(*n)?)));
    for (n, paper, ours) in met.flatten() {
        let verb = if ours >= paper { "exceeds" } else { "misses" };
        page.paragraph(&format!(
            "At N = {} the FMM's factor on the GPU, {}, {verb} the paper's {}.",
            count(n),
            factor(ours),
            factor(paper)
        ));
    }
}

/// Methods whose stages have shares.
const SHARED: [&str; 2] = ["treecode", "FMM"];

/// Seconds of the stages of a method.
type Heights = [f64; GROUPS.len()];

/// Seconds of the stages of a method in a row.
fn heights(record: &Record, row: &[Option<f64>], method: &str) -> Heights {
    GROUPS.map(|(stage, _)| record.table.get(row, &column(method, stage)).unwrap_or(0.0))
}

fn shares(page: &mut Page, records: &Records) -> Outcome {
    page.heading("yb-fig6: shares of the stages");
    page.paragraph(text::SHARES);
    let lacks_m2m = |record: &Record| {
        let of = |row: &Vec<Option<f64>>| heights(record, row, "FMM")[M2M];
        record.table.rows.iter().all(|row| of(row) == 0.0)
    };
    if records.gpu("yb-fig6").is_some_and(lacks_m2m) {
        page.paragraph(text::NO_M2M_TIMER);
    }
    for (record, device, name) in
        [(records.cpu("yb-fig6"), "one core", "cpu"), (records.gpu("yb-fig6"), "GPU", "gpu")]
    {
        let Some(record) = record else { continue };
        let Some(last) = record.table.rows.last() else { continue };
        let n = last[0].unwrap_or_default();
        let all = SHARED.map(|method| heights(record, last, method));
        bars_of_shares(page, [device, name], n, &all);
        table_of_shares(page, record, device);
        let sentence = |(method, heights): (&str, &Heights)| {
            let share = 100.0 * heights[..3].iter().sum::<f64>() / heights.iter().sum::<f64>();
            format!("P2P, M2P and M2L take {share:.0} % of the {method} at N = {}", count(n))
        };
        let told: Vec<String> = SHARED.into_iter().zip(&all).map(sentence).collect();
        let paper = if name == "cpu" { " (paper: more than 99 % of both)" } else { "" };
        page.paragraph(&format!("{}{paper}.", told.join("; ")));
        page.origin([Some(record)]);
    }
    Ok(())
}

/// The drawing of both methods' shares at the largest number of points.
fn bars_of_shares(page: &mut Page, [device, name]: [&str; 2], n: f64, all: &[Heights; 2]) {
    let stages: Vec<(&str, Vec<f64>)> = GROUPS
        .iter()
        .enumerate()
        .map(|(k, (stage, _))| {
            let share = |heights: &Heights| 100.0 * heights[k] / heights.iter().sum::<f64>();
            (*stage, all.iter().map(share).collect())
        })
        .collect();
    let bars = [0, 1].map(|k| format!("{}, {} s", SHARED[k], number(all[k].iter().sum::<f64>())));
    let about = format!("Shares of the stages for N = {} ({device})", count(n));
    page.drawing(&format!("yb-fig6-{name}"), &about, stacked_bars("share / %", &bars, &stages));
}

/// The shares of both methods at all numbers of points.
fn table_of_shares(page: &mut Page, record: &Record, device: &str) {
    page.paragraph(&format!("Shares in %, {device}:"));
    let heads: Vec<&str> = ["method", "N", "s"].into_iter().chain(GROUPS.map(|g| g.0)).collect();
    let row = |(method, row): (&str, &Vec<Option<f64>>)| {
        let heights = heights(record, row, method);
        let total: f64 = heights.iter().sum();
        let shares = heights
            .map(|h| if h == 0.0 { "–".into() } else { format!("{:.1}", 100.0 * h / total) });
        let n = count(row[0].unwrap_or_default());
        [vec![method.to_owned(), n, number(total)], shares.to_vec()].concat()
    };
    let rows: Vec<Vec<String>> = SHARED
        .iter()
        .flat_map(|method| record.table.rows.iter().map(|row| (*method, row)))
        .map(row)
        .collect();
    page.table(1, &heads, &rows);
}

/// Gflop/s by N, counted as the paper's program counts: pairs by the operations that Listings 1, 4 and their like would take.
fn gflops(record: Option<&Record>) -> [Vec<(f64, f64)>; 3] {
    let Some(record) = record else { return Default::default() };
    let coefficients = |p: f64| 0.5 * p * (p + 1.0);
    let of = |pairs: &str, flops: &dyn Fn(&[Option<f64>]) -> Option<f64>| {
        let point = |row: &Vec<Option<f64>>| {
            Some((row[0]?, 1e-9 * record.table.get(row, pairs)? * flops(row)?))
        };
        record.table.rows.iter().filter_map(point).collect()
    };
    let order = |row: &[Option<f64>], name: &str| record.table.get(row, name).map(coefficients);
    [
        of("P2P / pairs/s", &|_| Some(P2P_FLOPS)),
        of("M2P / pairs/s", &|row| Some(text::M2P_FLOPS * order(row, "M2P order")?)),
        of("M2L / pairs/s", &|row| Some(text::M2L_FLOPS * order(row, "M2L order")?.powi(2))),
    ]
}

fn rates(page: &mut Page, records: &Records) -> Outcome {
    let both = [records.cpu("yb-fig7"), records.gpu("yb-fig7")];
    page.heading("yb-fig7: rates of P2P, M2P and M2L");
    page.paragraph(text::RATES);
    let panel = |title: &str, record: Option<&Record>| {
        let [p2p, m2p, m2l] = gflops(record);
        let ends = p2p.first().zip(p2p.last()).map(|(a, b)| vec![(a.0, P2P_RATE), (b.0, P2P_RATE)]);
        let series = vec![
            ("P2P", p2p),
            ("M2P", m2p),
            ("M2L", m2l),
            ("paper's P2P on a GTX 295", ends.unwrap_or_default()),
        ];
        logarithmic(title, ["N", "Gflop/s"], series)
    };
    page.diagram(
        "yb-fig7",
        "Gflop/s of P2P, M2P and M2L",
        vec![panel("One core", both[0]), panel("GPU", both[1])],
    )?;
    let mut rows = Vec::new();
    for (record, device) in both.into_iter().zip(["one core", "GPU"]) {
        let Some(record) = record else { continue };
        let all = gflops(Some(record));
        for row in &record.table.rows {
            let n = row[0].unwrap_or_default();
            let rate = |k: usize| number(all[k].iter().find(|p| p.0 == n).map(|p| p.1));
            let of = |column: &str| number(record.table.get(row, column));
            let pairs = ["P2P / pairs/s", "M2P / pairs/s", "M2L / pairs/s"];
            let order = |column: &str| record.table.get(row, column).map_or("–".into(), count);
            let orders = ["M2P order", "M2L order"].map(order);
            let mut cells = vec![device.to_owned(), count(n), rate(0), rate(1), rate(2)];
            cells.extend(pairs.map(of).into_iter().chain(orders));
            rows.push(cells);
        }
    }
    page.table(1, &text::RATES_HEADS, &rows);
    if let Some(best) = gflops(both[1])[0].iter().map(|p| p.1).reduce(f64::max) {
        page.paragraph(&format!(
            "P2P reaches {} Gflop/s on the GPU, {} the paper's {P2P_RATE:.0}.",
            number(best),
            factor(best / P2P_RATE)
        ));
    }
    page.origin(both);
    Ok(())
}
