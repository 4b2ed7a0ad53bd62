//! Prints the measured error of every order, from which `fmm` takes the order for a tolerance.

use std::error::Error;

use fmm::{Fmm, Method, Tolerance};
use testbed::{charges, clouds};

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    let cloud = clouds::uniform_cube(n, 1);
    println!("order  mass: potential  gradient   mixed: potential  gradient");
    for order in 1..=40 {
        let plan = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(order)).plan(&cloud.positions)?;
        let mut row = format!("{order:5}");
        for charges in [charges::masses(n, 2), charges::mixed(n, 3)] {
            let field = plan.evaluate(&charges)?;
            let error = plan.sample_error(&charges, &field, 1000)?;
            row += &format!("  {:.2e} {:.2e} ({:.3} s)", error.potential.l2, error.gradient.l2, field.report.seconds.total());
        }
        println!("{row}");
    }
    Ok(())
}
