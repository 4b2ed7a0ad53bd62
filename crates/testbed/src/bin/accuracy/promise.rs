//! Errors of the fast multipole method at the tolerances that are promised.

use fmm::{Device, Fmm, Method};
use testbed::conformance::{Oracle, Precision, Problem, separated_sets};
use testbed::ranks::Outcome;
use testbed::record::Table;
use testbed::{charges, clouds};

use crate::CHECKED;
use crate::sets::{SEED, problems};

/// Columns of a tolerance, whose names begin with these and end with the tolerance.
pub(crate) const COLUMNS: [&str; 4] = ["potential", "gradient", "order", "silent"];

/// Columns of all tolerances.
fn columns(tolerances: &[f64]) -> Vec<String> {
    let of_one = |tolerance: &f64| COLUMNS.map(|name| column(name, *tolerance));
    tolerances.iter().flat_map(of_one).collect()
}

/// Name of a column of a tolerance.
pub(crate) fn column(name: &str, tolerance: f64) -> String {
    format!("{name} {tolerance:.0e}")
}

/// Errors of every problem at every tolerance of a precision, for `n` points in the sets that are drawn.
pub(crate) fn measure<T: Precision>(n: usize, device: Device) -> Outcome<Table> {
    table(problems::<T>(n, device)?, device)
}

/// Errors of charges and receivers that the tables of orders are not made for.
pub(crate) fn measure_hard(n: usize, device: Device) -> Outcome<Table> {
    let cube = clouds::uniform_cube(n, SEED + 10);
    let mut problems = Vec::new();
    for count in [1, 10, 100] {
        let mut charges = charges::masses(n, SEED + 11);
        charges.iter_mut().step_by(n / count).for_each(|charge| *charge = 1e9);
        problems.push(Problem::<f64>::new(format!("{count} heavy"), &cube.positions, &charges));
    }
    let ball = clouds::uniform_sphere(n, SEED + 12).positions;
    let at_1000 = ball.iter().map(|point| point.map(|x| 0.5 * x + 1000.5)).collect();
    let ball = (clouds::Cloud { name: "ball at 1000", ..cube }, at_1000);
    for (cloud, receivers) in separated_sets(n, SEED + 13).into_iter().chain([ball]) {
        let masses = charges::masses(n, SEED + 15);
        for (kind, charges) in [("masses", masses), ("mixed", charges::mixed(n, SEED + 16))] {
            let name = format!("{}, {kind}", cloud.name);
            problems.push(Problem::new(name, &cloud.positions, &charges).at(&receivers));
        }
    }
    table(problems, device)
}

/// Errors, order and silence of every problem at every tolerance: 1 where an error above the tolerance is not reported.
fn table<T: Precision>(problems: Vec<Problem<T>>, device: Device) -> Outcome<Table> {
    let mut table = Table::new(columns(T::TOLERANCES));
    for problem in problems {
        let oracle = Oracle::new(&problem, CHECKED);
        let mut row = Vec::new();
        for tolerance in T::TOLERANCES {
            let fmm = Fmm::new().method(Method::Fmm).tolerance(*tolerance).device(device);
            let field = problem.field(fmm)?;
            let errors = oracle.errors(&field);
            let is_kept = errors.worse() <= *tolerance;
            let is_silent = !is_kept && field.report.excess().is_none();
            let (order, silent) = (field.report.order as f64, f64::from(u8::from(is_silent)));
            row.extend([errors.potential.l2, errors.gradient.l2, order, silent].map(Some));
        }
        table.push_named(problem.name, row);
    }
    Ok(table)
}
