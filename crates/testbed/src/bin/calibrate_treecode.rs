//! Prints the treecode's measured errors by opening criterion and order: the numbers from which
//! `fmm` takes criterion and order for a tolerance.
//!
//! Arguments: the number of points (default 50000), and `single` for walks one by one.

use std::error::Error;

use fmm::{Depth, Fmm, Opening, Tolerance, Treecode};
use testbed::{charges, clouds};

const THETAS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const ALPHAS: [f64; 5] = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4];
const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 14];

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(50_000), |n| n.parse())?;
    let single = std::env::args().nth(2).is_some_and(|walks| walks == "single");
    println!("relative L2 error of potential / gradient; cells and sources per receiver; seconds");
    let angles = THETAS.map(|theta| Opening::Nakasato { theta });
    let relative = ALPHAS.map(|alpha| Opening::Relative { alpha });
    let more = [clouds::uniform_sphere(n, 1), clouds::galaxy(n, 1)];
    for cloud in clouds::distributions(n, 1).into_iter().chain(more) {
        for (name, charges) in [("masses", charges::masses(n, 2)), ("mixed", charges::mixed(n, 3))]
        {
            for opening in angles.into_iter().chain(relative) {
                for order in ORDERS {
                    let groups = Treecode::new().opening(opening);
                    let fmm = Fmm::new().tolerance(Tolerance::Order(order));
                    let fmm = match single {
                        true => fmm
                            .method(groups.group_capacity(1))
                            .depth(Depth::Adaptive { leaf_capacity: 1 }),
                        false => fmm.method(groups),
                    };
                    let plan = fmm.plan(&cloud.positions)?;
                    let field = plan.evaluate(&charges)?;
                    let error = plan.sample_error(&charges, &field, 500)?;
                    let report = &field.report;
                    println!(
                        "{:14} {name:6} {opening} {order:2}  {:.1e} / {:.1e}  {:6} {:6}  {:.3}",
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
