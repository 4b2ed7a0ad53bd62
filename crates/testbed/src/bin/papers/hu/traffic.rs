//! Beside Figures 6 to 8: messages, bytes and imbalance of three sets over up to 512 ranks. They are counts, which do not depend
//! on the machine or on other work.

use testbed::clouds::{self, Cloud};
use testbed::ranks::sums::{RankSum, Settings as Sum};

use super::ranks::{LEAF, ORDER, SEED};
use super::text;
use crate::curves::exponent;
use crate::page::{Page, count, logarithmic, number};
use crate::{Outcome, Settings};
use testbed::record::{Records, Table};

/// Set of points of a number and a seed.
type Draw = fn(usize, u64) -> Cloud;

/// Sets of points.
const SETS: [(&str, Draw); 3] = [
    ("cube", clouds::uniform_cube),
    ("Plummer", clouds::plummer),
    ("sphere surface", clouds::sphere_surface),
];

/// Counts of a set: of the rank with most, but `bytes of all`, and the imbalance, which all ranks share.
const COUNTS: [&str; 5] = ["imbalance", "messages", "bytes", "bytes of all", "plan bytes"];

/// Ranks from which on the exponent of the growth is fitted.
const MANY: f64 = 8.0;

/// Exponent of the number of ranks in the paper's cost of communication (equation 7).
const EXPONENT: f64 = 1.0 / 3.0;

fn column(set: &str, count: &str) -> String {
    format!("{set}: {count}")
}

/// Counts the sums of each set over P ranks, which are cut by work as `fmm` does.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let n = settings.pick(4000, 1 << 18, 1 << 20);
    let ranks: &[usize] = settings.pick(
        &[1, 2],
        &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
        &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    );
    let names = SETS.iter().flat_map(|(set, _)| COUNTS.map(|count| column(set, count)));
    let mut table = Table::new(["P", "N"].map(str::to_owned).into_iter().chain(names));
    let clouds = SETS.map(|(_, cloud)| cloud(n, SEED));
    for &n_ranks in ranks {
        let mut row = vec![n_ranks as f64, n as f64];
        for cloud in &clouds {
            let sum = Sum { order: ORDER, leaf_capacity: LEAF, repeats: 1, imbalance_limit: 0.05 };
            let sums = RankSum::of_all(cloud, n_ranks, sum)?;
            let most = |of: fn(&RankSum) -> u64| sums.iter().map(of).max().unwrap_or(0) as f64;
            let all: u64 = sums.iter().map(|sum| sum.bytes).sum();
            let imbalance = sums.iter().map(|sum| sum.imbalance).fold(0.0, f64::max);
            let (messages, bytes) = (most(|sum| sum.messages), most(|sum| sum.bytes));
            row.extend([imbalance, messages, bytes, all as f64, most(|sum| sum.plan_bytes)]);
        }
        table.push(row.into_iter().map(Some));
    }
    Ok(table)
}

/// Adds the section of the page.
///
/// # Errors
/// Errors of drawing.
pub(super) fn section(page: &mut Page, records: &Records) -> Outcome {
    let record = records.cpu("hu-traffic");
    page.heading("hu-traffic: messages, bytes and imbalance up to 512 ranks");
    page.paragraph(text::TRAFFIC);
    let Some(record) = record else {
        page.origin([None]);
        return Ok(());
    };
    let curve = |set: &str, count: &str| record.table.pairs("P", &column(set, count));
    let series = SETS.map(|(set, _)| {
        let sent = curve(set, "bytes of all").into_iter().filter(|point| point.1 > 0.0);
        (set, sent.collect())
    });
    let panel = logarithmic("Bytes of an evaluation, all ranks", ["P", "bytes"], series.to_vec());
    page.diagram("hu-traffic", "Bytes of an evaluation by the number of ranks", vec![panel])?;
    for (set, _) in SETS {
        let n = record.table.rows.first().and_then(|row| record.table.get(row, "N"));
        page.paragraph(&format!("{set}, {} points:", n.map_or("–".into(), count)));
        let row = |row: &Vec<Option<f64>>| {
            let of = |name: &str| record.table.get(row, &column(set, name));
            let whole = |name: &str| of(name).map_or("–".into(), count);
            let ranks = count(row[0].unwrap_or_default());
            let kilobytes = ["bytes", "bytes of all", "plan bytes"]
                .map(|name| number(of(name).map(|bytes| 1e-3 * bytes)));
            let imbalance = number(of("imbalance").map(|x| 100.0 * x));
            [vec![ranks, imbalance, whole("messages")], kilobytes.to_vec()].concat()
        };
        let rows: Vec<Vec<String>> = record.table.rows.iter().map(row).collect();
        page.table(0, &text::TRAFFIC_HEADS, &rows);
    }
    let grown = |set: &str| {
        let exponent = exponent(&curve(set, "bytes of all"), MANY)?;
        Some(format!("P^{exponent:.2} ({set})"))
    };
    let grown: Vec<String> = SETS.iter().filter_map(|(set, _)| grown(set)).collect();
    if !grown.is_empty() {
        page.paragraph(&format!(
            "From {MANY:.0} ranks on, the bytes of all ranks grow as {}; the paper's equation 7 has P^{EXPONENT:.2}.",
            grown.join(", ")
        ));
    }
    page.origin([Some(record)]);
    Ok(())
}
