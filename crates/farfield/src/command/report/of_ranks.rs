//! The report of ranks, as text and as JSON.

use std::fmt::Write;

use fmm::{RankReport, RanksReport, Seconds};
use serde_json::{Map, Value, json};

/// Ranks that have a line each; more are told by their smallest, mean and largest values.
const MOST_LINES: usize = 8;

/// Imbalance, and a table of the ranks. Messages count from the start of the ranks, the points of the files included.
pub(crate) fn text(report: &RanksReport) -> String {
    let RanksReport { ranks, cuts, .. } = report;
    let [work, points] = [report.imbalance, report.imbalance_of_points].map(|x| 100.0 * x);
    let mut text = format!(
        "ranks       {}, imbalance {work:.1} % of work, {points:.1} % of points, cuts {cuts}\n",
        ranks.len()
    );
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "  {:>4}{:>11}{:>20}{:>10}{:>12}{:>12}{:>12}",
        "rank", "seconds", "slowest stage", "messages", "sent", "received", "memory"
    );
    if ranks.len() > MOST_LINES {
        summary(&mut text, ranks);
        return text;
    }
    for (rank, report) in ranks.iter().enumerate() {
        let (stage, seconds) = slowest(report);
        line(&mut text, &rank.to_string(), &format!("{stage} {seconds:.4}"), values(report));
    }
    text
}

/// Lines of the smallest, mean and largest values of all ranks, column by column.
fn summary(text: &mut String, ranks: &[RankReport]) {
    let rows: Vec<[f64; 6]> = ranks
        .iter()
        .map(|rank| {
            let [seconds, messages, sent, received, memory] = values(rank);
            [seconds, messages, sent, received, memory, slowest(rank).1]
        })
        .collect();
    let fold = |first: f64, f: fn(f64, f64) -> f64| {
        rows.iter().fold([first; 6], |a, b| std::array::from_fn(|k| f(a[k], b[k])))
    };
    let mean = fold(0.0, |a, b| a + b).map(|sum| sum / rows.len() as f64);
    let (min, max) = (fold(f64::INFINITY, f64::min), fold(0.0, f64::max));
    for (name, [seconds, messages, sent, received, memory, slowest]) in
        [("min", min), ("mean", mean), ("max", max)]
    {
        let columns = [seconds, messages, sent, received, memory];
        line(text, name, &format!("{slowest:.4}"), columns);
    }
}

/// Seconds, messages, bytes sent, bytes received and memory.
fn values(rank: &RankReport) -> [f64; 5] {
    let RankReport { messages, bytes_sent, bytes_received, bytes, .. } = *rank;
    let counts = [messages, bytes_sent, bytes_received, bytes as u64].map(|count| count as f64);
    [rank.seconds.total(), counts[0], counts[1], counts[2], counts[3]]
}

fn line(text: &mut String, name: &str, slowest: &str, values: [f64; 5]) {
    let [seconds, messages, rest @ ..] = values;
    let [sent, received, memory] = rest.map(|bytes| format!("{:.2} MB", bytes / 1e6));
    let _ = writeln!(
        text,
        "  {name:>4}{seconds:>11.4}{slowest:>20}{messages:>10.0}{sent:>12}{received:>12}{memory:>12}"
    );
}

/// The stage with the most seconds.
fn slowest(rank: &RankReport) -> (&'static str, f64) {
    let stages = rank.seconds.iter();
    let slowest = stages.max_by(|a, b| a.1.total_cmp(&b.1));
    slowest.map_or(("", 0.0), |(stage, seconds)| (stage.name(), seconds))
}

/// Entries about the ranks together.
pub(crate) fn summary_json(report: &RanksReport) -> [(&'static str, Value); 3] {
    [
        ("imbalance", json!(report.imbalance)),
        ("imbalance_of_points", json!(report.imbalance_of_points)),
        ("cuts", json!(report.cuts.to_string())),
    ]
}

/// The entries of all ranks, by rank.
pub(crate) fn json(report: &RanksReport) -> Value {
    let entry = |rank: &RankReport| {
        json!({
            "seconds": seconds(&rank.seconds),
            "messages": rank.messages,
            "bytes_sent": rank.bytes_sent,
            "bytes_received": rank.bytes_received,
            "bytes": rank.bytes,
        })
    };
    report.ranks.iter().map(entry).collect()
}

/// Seconds by stage, and in total.
pub(crate) fn seconds(seconds: &Seconds) -> Value {
    let stages = seconds.iter().map(|(stage, seconds)| (stage.to_string(), json!(seconds)));
    let mut object: Map<String, Value> = stages.collect();
    object.insert("total".to_owned(), json!(seconds.total()));
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use fmm::RankCuts;

    use super::*;

    fn report(ranks: usize) -> RanksReport {
        let entry = |rank: usize| {
            let mut entry = RankReport::default();
            entry.messages = 10 * rank as u64;
            entry.bytes_sent = 1_000_000 * rank as u64;
            entry
        };
        let mut report = RanksReport::default();
        (report.imbalance, report.imbalance_of_points) = (0.25, 0.5);
        report.cuts = RankCuts::ByWork;
        report.ranks = (0..ranks).map(entry).collect();
        report
    }

    #[test]
    fn few_ranks_have_lines_and_many_have_a_summary() {
        let text = text(&report(8));
        let first = "ranks       8, imbalance 25.0 % of work, 50.0 % of points, cuts by work\n";
        assert!(text.starts_with(first), "{text}");
        assert_eq!(text.lines().count(), 10);
        assert!(text.lines().nth(9).unwrap().starts_with("     7     0.0000"), "{text}");
        let text = super::text(&report(9));
        let columns = |line: usize| -> Vec<&str> {
            text.lines().nth(line).unwrap().split_whitespace().collect()
        };
        assert_eq!(columns(2)[..5], ["min", "0.0000", "0.0000", "0", "0.00"]);
        assert_eq!(columns(3)[..5], ["mean", "0.0000", "0.0000", "40", "4.00"]);
        assert_eq!(columns(4)[..5], ["max", "0.0000", "0.0000", "80", "8.00"]);
    }
}
