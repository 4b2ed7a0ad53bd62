//! Errors of the fast multipole method at the tolerances that are promised.

use std::error::Error;

use fmm::{Fmm, Method};
use testbed::conformance::{Oracle, Precision, Problem, promised_sets, separated_sets};
use testbed::{charges, clouds};

use crate::CHECKED;

const INTRODUCTION: &str = "\
## Fast multipole method

Entries are relative L2 errors ‖f − f*‖₂ / ‖f*‖₂, *potential / gradient*, at the tolerance of the column.

- **Charges.** *Masses* are uniform in [0, 1), *mixed* charges in [−0.5, 0.5), *own* charges those of the
  data set.
- **Receivers.** The receivers are the sources, or *apart*: as many other points of the same distribution.
  A data set is then divided, every second point being a source and the others receivers.
- **Order.** The order follows from the tolerance, the outputs and the signs of the charges. One order
  serves all sets, so the errors of easier sets, and of the better output, are far below the tolerance.
";

const HARD: &str = "\
### Few heavy charges, and receivers away from the sources

Sources fill the unit cube; sums are in f64. An entry has the errors as above, then the order, or *pairs*
where no order reaches the tolerance and all pairs are summed.

- ***n* heavy.** So many masses are 10⁹ times the others. The heaviest charges are summed directly
  ([decision 45](decisions/45-heavy-charges.md)).
- **Around, beside, far away, inside.** Receivers lie on a sphere around the cube, beside it, far away, or
  on a tiny one inside. **Ball at 1000.** Receivers fill a ball of diameter 1 at a distance of 1000. Such
  evaluations are trials: repeated at a higher order until the tolerance holds at a sample of receivers
  ([decision 46](decisions/46-trials.md)).
";

/// Prints the section: `n` points in the sets that are drawn.
pub(crate) fn print(n: usize) -> Result<(), Box<dyn Error>> {
    println!("{INTRODUCTION}");
    print_tables::<f64>(n)?;
    print_tables::<f32>(n)?;
    print_hard(n / 5)
}

/// Prints the errors of charges and receivers that the tables of orders are not made for.
fn print_hard(n: usize) -> Result<(), Box<dyn Error>> {
    let cube = clouds::uniform_cube(n, 1);
    let mut problems = Vec::new();
    for count in [1, 10, 100, 1000] {
        let mut charges = charges::masses(n, 2);
        charges.iter_mut().step_by(n / count).for_each(|charge| *charge = 1e9);
        problems.push(Problem::<f64>::new(format!("{count} heavy"), &cube.positions, &charges));
    }
    let ball = clouds::uniform_sphere(n, 3).positions;
    let at_1000 = ball.iter().map(|point| point.map(|x| 0.5 * x + 1000.5)).collect();
    let ball = (clouds::Cloud { name: "ball at 1000", ..cube }, at_1000);
    for (cloud, receivers) in separated_sets(n, 1).into_iter().chain([ball]) {
        for (kind, charges) in [("masses", charges::masses(n, 2)), ("mixed", charges::mixed(n, 3))]
        {
            let name = format!("{}, {kind}", cloud.name);
            problems.push(Problem::new(name, &cloud.positions, &charges).at(&receivers));
        }
    }
    let tolerances = f64::TOLERANCES;
    let heads: String = tolerances.iter().map(|tolerance| format!(" {tolerance:.0e} |")).collect();
    println!("{HARD}\n| set, {n} points |{heads}\n|---|{}", "--:|".repeat(tolerances.len()));
    for problem in problems {
        print!("| {} |", problem.name);
        let oracle = Oracle::new(&problem, CHECKED);
        for tolerance in tolerances {
            let field = problem.field(Fmm::new().method(Method::Fmm).tolerance(*tolerance))?;
            let errors = oracle.errors(&field);
            let order = match field.report.order {
                0 => "pairs".to_owned(),
                order => order.to_string(),
            };
            print!(" {:.1e} / {:.1e} · {order} |", errors.potential.l2, errors.gradient.l2);
        }
        println!();
    }
    println!();
    Ok(())
}

/// Prints the errors of every row at every tolerance of a precision, and a summary.
fn print_tables<T: Precision>(n: usize) -> Result<(), Box<dyn Error>> {
    let tolerances = T::TOLERANCES;
    let heads: String = tolerances.iter().map(|tolerance| format!(" {tolerance:.0e} |")).collect();
    println!("### {}\n", T::NAME);
    println!("| set | points | charges | receivers |{heads}");
    println!("|---|--:|---|---|{}", "--:|".repeat(tolerances.len()));
    let mut summaries = vec![Summary::default(); tolerances.len()];
    for PromiseRow { set, kind, receivers, problem } in rows::<T>(n)? {
        print!("| {set} | {} | {kind} | {receivers} |", problem.sources.len());
        let oracle = Oracle::new(&problem, CHECKED);
        let both_signs = problem.charges.iter().any(|q| *q < T::ZERO);
        for (tolerance, summary) in tolerances.iter().zip(&mut summaries) {
            let field = problem.field(Fmm::new().method(Method::Fmm).tolerance(*tolerance))?;
            let errors = oracle.errors(&field);
            print!(" {:.1e} / {:.1e} |", errors.potential.l2, errors.gradient.l2);
            summary.orders[usize::from(both_signs)] = field.report.order;
            summary.largest = summary.largest.max(errors.worse() / tolerance);
        }
        println!();
    }
    println!("\n| tolerance | order for one sign | for both | largest error / tolerance |");
    println!("|--:|--:|--:|--:|");
    for (tolerance, Summary { orders, largest }) in tolerances.iter().zip(summaries) {
        println!("| {tolerance:.0e} | {} | {} | {largest:.2} |", orders[0], orders[1]);
    }
    println!();
    Ok(())
}

/// Orders and largest error at one tolerance, over all rows.
#[derive(Clone, Default)]
struct Summary {
    /// Orders for charges of one sign and of both.
    orders: [usize; 2],
    /// The largest error of the worse output, in units of the tolerance.
    largest: f64,
}

/// One row of the table: a set, its charges and its receivers.
struct PromiseRow<T> {
    set: &'static str,
    kind: &'static str,
    receivers: &'static str,
    problem: Problem<T>,
}

/// Every set at its own points, then every set with receivers apart.
fn rows<T: Precision>(n: usize) -> Result<Vec<PromiseRow<T>>, formats::Error> {
    let mut rows = Vec::new();
    let kinds = |n| [("masses", charges::masses(n, 2)), ("mixed", charges::mixed(n, 3))];
    let drawn = clouds::distributions(n, 1).into_iter().map(|cloud| (cloud, false));
    for (cloud, real) in drawn.chain(clouds::real()?.into_iter().map(|cloud| (cloud, true))) {
        let own = real.then_some(("own", cloud.charges));
        for (kind, charges) in kinds(cloud.positions.len()).into_iter().chain(own) {
            let problem = Problem::new(cloud.name, &cloud.positions, &charges);
            rows.push(PromiseRow { set: cloud.name, kind, receivers: "the sources", problem });
        }
    }
    for (cloud, receivers) in promised_sets(n, 1)? {
        for (kind, charges) in kinds(cloud.positions.len()) {
            let problem = Problem::new(cloud.name, &cloud.positions, &charges).at(&receivers);
            rows.push(PromiseRow { set: cloud.name, kind, receivers: "apart", problem });
        }
    }
    Ok(rows)
}
