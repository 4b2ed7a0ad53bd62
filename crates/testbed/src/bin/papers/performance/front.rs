//! Fronts of time and error in f32 on a GPU: the FMM by order and leaf capacity, the treecode by order and θ, beside the best
//! of other codes.

use fmm::{Depth, Fmm, Method, Opening, Tolerance, Treecode};

use super::case::seconds;
use super::case::{Case, SETS};
use super::{groups, level, lines, milliseconds, points};
use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

/// Orders of which a GPU has walks.
const WALK_ORDERS: [usize; 4] = [1, 3, 4, 5];

const COLUMNS: [&str; 6] = ["N", "order", "leaf", "θ", "time / s", "error"];

/// Error levels of the tables.
const LEVELS: [f64; 5] = [1e-3, 3e-4, 1e-4, 3e-5, 1e-5];

/// Milliseconds of other codes at the [`LEVELS`], by set and number of points.
pub(super) struct Peers {
    code: &'static str,
    times: &'static [(&'static str, f64, [&'static str; LEVELS.len()])],
}

/// The best of Bonsai, Ryoanji and jzfmm.
pub(super) const PEERS: Peers = Peers {
    code: "peer",
    times: &[
        ("cube", 1048576.0, ["3.6", "5.2", "7.0", "11.2", "18.5"]),
        ("Plummer", 1048576.0, ["5.1", "7.5", "11.1", "20.3", "37.0"]),
        ("sphere", 1048576.0, ["3.1", "3.8", "4.7", "18.5", "22.8"]),
        ("cube", 1e7, ["29.2", "34.3", "55.0", "79.0", "102.7"]),
        ("Plummer", 1e7, ["44.0", "66.7", "108.5", "196.7", "390"]),
        ("sphere", 1e7, ["26.2", "33.2", "44.2", "75.4", "87.6"]),
        ("cube", 1e8, ["305 at 1.7e-3", "–", "527 at 2.2e-4", "–", "–"]),
    ],
};

/// Bonsai, the best treecode.
pub(super) const BONSAI: Peers = Peers {
    code: "Bonsai",
    times: &[
        ("cube", 1048576.0, ["3.6", "5.2", "7.0", "11.2", "18.5"]),
        ("Plummer", 1048576.0, ["5.1", "7.5", "11.1", "20.3", "37.0"]),
        ("sphere", 1048576.0, ["3.1", "3.8", "4.7", "–", "–"]),
    ],
};

/// Measures the FMM.
pub(super) fn fmm(settings: Settings) -> Outcome<Table> {
    let mut ways = Vec::new();
    for order in settings.pick(vec![5], (5..=9).collect(), (5..=9).collect()) {
        for leaf_capacity in settings.pick(vec![64], vec![48, 64, 96, 128], vec![48, 64, 96, 128]) {
            let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(order));
            let fmm = fmm.depth(Depth::Adaptive { leaf_capacity });
            ways.push((fmm, [Some(order as f64), Some(leaf_capacity as f64), None]));
        }
    }
    measure(
        settings,
        &settings.pick(
            vec![1_000],
            vec![1 << 20, 10_000_000],
            vec![1 << 20, 10_000_000, 100_000_000],
        ),
        &ways,
    )
}

/// Measures the treecode.
pub(super) fn treecode(settings: Settings) -> Outcome<Table> {
    let angles = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0];
    let mut ways = Vec::new();
    for order in settings.pick(vec![3], WALK_ORDERS.to_vec(), WALK_ORDERS.to_vec()) {
        for theta in settings.pick(vec![0.6], angles.to_vec(), angles.to_vec()) {
            let method = Treecode::new().opening(Opening::Nakasato { theta });
            let fmm = Fmm::new().method(method).tolerance(Tolerance::Order(order));
            ways.push((fmm, [Some(order as f64), None, Some(theta)]));
        }
    }
    measure(settings, &settings.pick(vec![1_000], vec![1 << 20], vec![1 << 20]), &ways)
}

/// Measures all sets of these sizes in each way, which comes with its order, leaf capacity and θ.
fn measure(
    settings: Settings,
    numbers: &[usize],
    ways: &[(Fmm, [Option<f64>; 3])],
) -> Outcome<Table> {
    let mut table = Table::new(COLUMNS);
    for n in numbers {
        // The cube alone has been measured at sizes beyond.
        let sets = if *n > 10_000_000 { &SETS[..1] } else { &SETS[..] };
        for (name, cloud) in sets {
            let case = Case::<f32>::new(&cloud(*n, 1));
            for (fmm, [order, leaf, theta]) in ways {
                let timed = case.timed(fmm.device(settings.device), settings.pick(1, 3, 3))?;
                let error = timed.error.gradient.map(|errors| errors.mean_relative);
                let time = Some(seconds(&timed.report));
                let row = [Some(*n as f64), *order, *leaf, *theta, time, error];
                table.push_named((*name).to_owned(), row);
            }
        }
    }
    Ok(table)
}

/// The fronts at the error levels, a row a set, and another code's below.
pub(super) fn page(record: &Record, peers: &Peers) -> String {
    let heads = ["points".to_owned(), "code".to_owned()].into_iter().chain(LEVELS.map(level));
    let mut rows = Vec::new();
    for (set, n) in groups(record, "N") {
        let front = front(record, &set, n);
        let ours = LEVELS.map(|error| milliseconds(time_at(&front, error)));
        rows.push(
            [vec![format!("{set} {}", points(n)), "farfield".to_owned()], ours.to_vec()].concat(),
        );
        if let Some(peer) = peers.times.iter().find(|peer| peer.0 == set && peer.1 == n) {
            let times = peer.2.map(str::to_owned);
            rows.push([vec![String::new(), peers.code.to_owned()], times.to_vec()].concat());
        }
    }
    lines(&heads.collect::<Vec<_>>(), &rows)
}

/// Errors and seconds of a set that no other way beats in both, fastest first.
fn front(record: &Record, set: &str, n: f64) -> Vec<(f64, f64)> {
    let point = |(label, row): (&str, &Vec<Option<f64>>)| {
        let of = |column| record.table.get(row, column);
        (label == set && of("N") == Some(n)).then(|| Some((of("error")?, of("time / s")?)))?
    };
    let mut all: Vec<(f64, f64)> = super::rows(record).filter_map(point).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut least = f64::INFINITY;
    all.retain(|(error, _)| {
        let better = *error < least;
        least = least.min(*error);
        better
    });
    all
}

/// Seconds at an error, between neighbours on the front in logarithms; those of the fastest way if its error is smaller, and none
/// below the smallest error of all.
fn time_at(front: &[(f64, f64)], error: f64) -> Option<f64> {
    let first = front.iter().position(|point| point.0 <= error)?;
    let (e1, t1) = front[first];
    let Some((e0, t0)) = first.checked_sub(1).map(|before| front[before]) else { return Some(t1) };
    Some(t0 * (t1 / t0).powf((error / e0).ln() / (e1 / e0).ln()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_between_neighbours_on_the_front() {
        let mut table = Table::new(COLUMNS);
        let mut push = |set: &str, n: f64, time: f64, error: f64| {
            table.push_named(set.into(), [Some(n), None, None, None, Some(time), Some(error)]);
        };
        push("cube", 1e3, 1.0, 1e-2);
        push("cube", 1e3, 4.0, 1e-4);
        push("cube", 1e3, 5.0, 1e-3);
        push("cube", 1e4, 0.1, 1e-9);
        push("sphere", 1e3, 0.1, 1e-9);
        let record = Record::new("perf-front", ["gpu", "a machine"], Some("0123456"), table);
        let front = front(&record, "cube", 1e3);
        assert_eq!(front, [(1e-2, 1.0), (1e-4, 4.0)]);
        let close = |a: Option<f64>, b: f64| (a.unwrap() / b - 1.0).abs() < 1e-12;
        assert!(close(time_at(&front, 1e-3), 2.0));
        assert!(close(time_at(&front, 1e-4), 4.0) && close(time_at(&front, 1.0), 1.0));
        assert_eq!(time_at(&front, 9e-5), None);
        let text = page(&record, &PEERS);
        assert!(text.contains("| cube 10³ | farfield | 2000 | "), "{text}");
    }
}
