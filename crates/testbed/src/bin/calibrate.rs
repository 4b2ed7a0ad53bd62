//! Prints the measured error of each order for every distribution and kind of charges: the numbers
//! from which `fmm` takes the order for a tolerance. Then the same for receivers away
//! from the sources, for which it has a law.
//!
//! Arguments: the number of points (default 50000) and the orders (default 1 … 50).

use std::error::Error;

use fmm::{Fmm, Method, Tolerance};
use testbed::clouds::Cloud;
use testbed::conformance::{Problem, separated_sets};
use testbed::{charges, clouds};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let n = arguments.next().unwrap_or(Ok(50_000))?;
    let orders: Vec<usize> = arguments.collect::<Result<_, _>>()?;
    let orders = if orders.is_empty() { (1..=50).collect() } else { orders };
    println!("error: relative L2 of potential / gradient, 1000 receivers, {n} points");
    for cloud in clouds::distributions(n, 1).into_iter().chain(clouds::real()?) {
        let own = ("own", cloud.charges.clone());
        let kinds = kinds(cloud.positions.len()).into_iter().chain([own]);
        print_rows(&cloud, None, &kinds.collect::<Vec<_>>(), &orders)?;
    }
    println!("\nreceivers away from the sources");
    for (cloud, receivers) in separated_sets(n, 1) {
        print_rows(&cloud, Some(&receivers), &kinds(n), &orders)?;
    }
    Ok(())
}

type Charges = (&'static str, Vec<f64>);

fn kinds(n: usize) -> [Charges; 2] {
    [("masses", charges::masses(n, 2)), ("mixed", charges::mixed(n, 3))]
}

/// A row for each order, with every kind of charges.
fn print_rows(
    cloud: &Cloud,
    receivers: Option<&[[f64; 3]]>,
    kinds: &[Charges],
    orders: &[usize],
) -> Result<(), Box<dyn Error>> {
    let mut problem = Problem::<f64>::new(cloud.name, &cloud.positions, &[]);
    problem.receivers = receivers.map(<[_]>::to_vec);
    for order in orders {
        let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(*order));
        let plan = problem.plan(fmm)?;
        let mut row = format!("{:16} {order:3}", cloud.name);
        for (name, charges) in kinds {
            let field = plan.evaluate(charges)?;
            let error = plan.sample_error(charges, &field, 1000)?;
            row += &format!("  {name} {:.2e} / {:.2e}", error.potential.l2, error.gradient.l2);
        }
        println!("{row}");
    }
    Ok(())
}
