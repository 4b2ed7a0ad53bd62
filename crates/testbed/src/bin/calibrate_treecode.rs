//! Prints the treecode's measured errors by opening angle and order: the numbers from which
//! `fmm::treecode` takes θ and order for a tolerance.
//!
//! Argument: the number of points (default 50000).

use std::error::Error;

use fmm::{Fmm, Method, Opening, Tolerance};
use testbed::{charges, clouds};

const THETAS: [f64; 6] = [0.3, 0.4, 0.5, 0.6, 0.8, 1.0];
const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 14];

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(50_000), |n| n.parse())?;
    println!("relative L2 error of potential / gradient; cells and sources per receiver; seconds");
    for cloud in clouds::distributions(n, 1) {
        for (name, charges) in [("masses", charges::masses(n, 2)), ("mixed", charges::mixed(n, 3))]
        {
            for theta in THETAS {
                for order in ORDERS {
                    let fmm = Fmm::new()
                        .method(Method::Treecode)
                        .opening(Opening::Nakasato { theta })
                        .tolerance(Tolerance::Order(order));
                    let plan = fmm.plan(&cloud.positions)?;
                    let field = plan.evaluate(&charges)?;
                    let error = plan.sample_error(&charges, &field, 500)?;
                    let report = &field.report;
                    println!(
                        "{:14} {name:6} {theta} {order:2}  {:.1e} / {:.1e}  {:6} {:6}  {:.3}",
                        cloud.name,
                        error.potential.l2,
                        error.gradient.l2,
                        report.m2p_pairs / n as u64,
                        report.p2p_pairs / n as u64,
                        report.seconds.total(),
                    );
                }
            }
        }
    }
    Ok(())
}
