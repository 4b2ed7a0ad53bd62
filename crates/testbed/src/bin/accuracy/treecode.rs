//! Errors of the treecode by opening angle and order, and by the relative criterion.

use fmm::{Depth, Device, Fmm, Opening, Tolerance, Treecode};
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Measured, Oracle, Problem};
use testbed::ranks::Outcome;
use testbed::record::Table;

use crate::CHECKED;
use crate::sets::SEED;

const THETAS: [f64; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0];
const ALPHAS: [f64; 5] = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4];

/// Orders of walks by groups.
const ORDERS: [usize; 4] = [1, 3, 4, 5];

/// Orders with the relative criterion.
const RELATIVE_ORDERS: [usize; 3] = [1, 3, 5];

/// Columns of an entry, whose names begin with these and end with that of the walk.
pub(crate) const ENTRY: [&str; 6] = ["cells", "sources", "mean", "RMS", "largest", "potential"];

/// Walks of the table of opening angles, in the order of its columns.
pub(crate) const WALKS: [&str; 5] =
    ["single", "monopole", "quadrupole", "octupole", "hexadecapole"];

/// Walks of the table of the relative criterion.
pub(crate) const RELATIVE_WALKS: [&str; 3] = ["monopole", "quadrupole", "hexadecapole"];

/// Errors by opening angle and order. Cost: that of single walks at the smallest angle.
pub(crate) fn measure_openings(n: usize, _: Device) -> Outcome<Table> {
    let mut table = Table::new(columns("θ", &WALKS));
    for sheet in sheets(n) {
        for theta in THETAS {
            let opening = Opening::Nakasato { theta };
            let single = treecode(Treecode::new().opening(opening).group_capacity(1), 1);
            let single = single.depth(Depth::Adaptive { leaf_capacity: 1 });
            let groups = ORDERS.map(|order| treecode(Treecode::new().opening(opening), order));
            sheet.add_row(&mut table, theta, [single].into_iter().chain(groups))?;
        }
    }
    Ok(table)
}

/// Errors by the relative criterion.
pub(crate) fn measure_relative(n: usize, _: Device) -> Outcome<Table> {
    let mut table = Table::new(columns("α", &RELATIVE_WALKS));
    for sheet in sheets(n) {
        for alpha in ALPHAS {
            let relative = Treecode::new().opening(Opening::Relative { alpha });
            let walks = RELATIVE_ORDERS.map(|order| treecode(relative, order));
            sheet.add_row(&mut table, alpha, walks)?;
        }
    }
    Ok(table)
}

fn columns(parameter: &str, walks: &[&str]) -> Vec<String> {
    let of_walk = |walk: &&str| ENTRY.map(|name| format!("{name} {walk}"));
    let entries = walks.iter().flat_map(of_walk);
    [parameter.to_owned(), "N".to_owned()].into_iter().chain(entries).collect()
}

/// A set whose errors are tabled.
struct Sheet {
    problem: Problem<f64>,
    oracle: Oracle,
}

fn sheets(n: usize) -> impl Iterator<Item = Sheet> {
    let sets = [
        clouds::uniform_sphere(n, SEED + 20),
        clouds::plummer(n, SEED + 20),
        clouds::galaxy(n, SEED + 20),
    ];
    sets.into_iter().map(|cloud| Sheet::new(&cloud))
}

impl Sheet {
    fn new(cloud: &Cloud) -> Self {
        let problem = Problem::new(cloud.name, &cloud.positions, &cloud.charges);
        let oracle = Oracle::new(&problem, CHECKED);
        Self { problem, oracle }
    }

    /// Adds the entries of walks at a parameter of the criterion.
    fn add_row(
        &self,
        table: &mut Table,
        parameter: f64,
        walks: impl IntoIterator<Item = Fmm>,
    ) -> Outcome {
        let n = self.problem.receivers().len() as f64;
        let mut row = vec![Some(parameter), Some(n)];
        for walk in walks {
            let field = self.problem.field(walk)?;
            let Measured { potential, gradient } = self.oracle.errors(&field);
            let a_receiver = |pairs: u64| (pairs as f64 / n).round();
            let report = &field.report;
            row.extend([a_receiver(report.m2p_pairs), a_receiver(report.p2p_pairs)].map(Some));
            let errors = [gradient.mean_relative, gradient.rms, gradient.max];
            row.extend(errors.into_iter().chain([potential.mean_relative]).map(Some));
        }
        table.push_named(self.problem.name.clone(), row);
        Ok(())
    }
}

/// The treecode with expansions of an order.
fn treecode(options: Treecode, order: usize) -> Fmm {
    Fmm::new().method(options).tolerance(Tolerance::Order(order))
}
