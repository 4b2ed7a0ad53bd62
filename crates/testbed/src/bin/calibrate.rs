//! Prints the measured error of each order for every distribution and kind of charges: the numbers
//! from which `expansions::order` takes the order for a tolerance.
//!
//! Arguments: the number of points (default 50000) and the orders (default 1 … 50).

use std::error::Error;

use fmm::{Fmm, Method, Tolerance};
use testbed::{charges, clouds};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let n = arguments.next().unwrap_or(Ok(50_000))?;
    let orders: Vec<usize> = arguments.collect::<Result<_, _>>()?;
    let orders = if orders.is_empty() { (1..=50).collect() } else { orders };
    println!("error: relative L2 of potential / gradient, 1000 receivers, {n} points");
    for cloud in clouds::distributions(n, 1).into_iter().chain(clouds::real()?) {
        let n = cloud.positions.len();
        let kinds = [
            ("masses", charges::masses(n, 2)),
            ("mixed", charges::mixed(n, 3)),
            ("own", cloud.charges),
        ];
        for order in &orders {
            let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(*order));
            let plan = fmm.plan(&cloud.positions)?;
            let mut row = format!("{:16} {order:3}", cloud.name);
            for (name, charges) in &kinds {
                let field = plan.evaluate(charges)?;
                let error = plan.sample_error(charges, &field, 1000)?;
                row += &format!("  {name} {:.2e} / {:.2e}", error.potential.l2, error.gradient.l2);
            }
            println!("{row}");
        }
    }
    Ok(())
}
