//! Errors of the treecode by opening angle and order, and by the relative criterion.

use std::error::Error;

use fmm::{Depth, Fmm, Opening, Tolerance, Treecode};
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Measured, Oracle, Problem};

use crate::CHECKED;

const INTRODUCTION: &str = "\
## Treecode

A cell is accepted if l/θ + s < d. An entry has *mean / RMS / largest* of the relative errors of the
acceleration at each receiver (the mean is Nakasato's eq. 4), then the mean error of the potential.

- **Single walks** are the papers': one receiver at a time, leaves of one source, monopoles.
- **Groups** are the default of `Method::Treecode`: a group opens every cell that one of its receivers
  needs opened.
- **Orders.** Expansions are about centres of mass, so dipoles vanish. The orders 1, 3, 4 and 5 end with
  the monopole, quadrupole, octupole and hexadecapole.
- **Cells + sources** are the mean numbers that act on a receiver.
";

const THETAS: [f64; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0];
const ORDERS: [usize; 4] = [1, 3, 4, 5];
const ALPHAS: [f64; 5] = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4];

/// Prints the section: `n` points in each set.
pub(crate) fn print(n: usize) -> Result<(), Box<dyn Error>> {
    println!("{INTRODUCTION}");
    let sets = [clouds::uniform_sphere(n, 1), clouds::plummer(n, 1), clouds::galaxy(n, 1)];
    for cloud in &sets {
        let sheet = Sheet::new(cloud);
        println!("### {}, {n} points\n", cloud.name);
        println!(
            "| θ | cells + sources, single walks | single walks | cells + sources, groups | \
             monopole | quadrupole | octupole | hexadecapole |"
        );
        println!("|--:|--:|--:|--:|--:|--:|--:|--:|");
        for theta in THETAS {
            sheet.print_row(theta)?;
        }
        println!();
    }
    println!("### Relative criterion\n");
    println!(
        "A cell is accepted if |Q| l²/d⁴ < α |∇Φ|. Walks are by groups; entries are as in the tables \
         above.\n"
    );
    println!("| set | α | cells + sources | monopole | quadrupole | hexadecapole |");
    println!("|---|--:|--:|--:|--:|--:|");
    for cloud in &sets {
        let sheet = Sheet::new(cloud);
        for alpha in ALPHAS {
            sheet.print_relative_row(cloud.name, alpha)?;
        }
    }
    println!();
    Ok(())
}

/// A set whose errors are tabled.
struct Sheet {
    problem: Problem<f64>,
    oracle: Oracle,
}

/// Cells and sources that act on a receiver, and errors.
struct Entry {
    interactions: String,
    errors: String,
}

impl Sheet {
    fn new(cloud: &Cloud) -> Self {
        let problem = Problem::new(cloud.name, &cloud.positions, &cloud.charges);
        let oracle = Oracle::new(&problem, CHECKED);
        Self { problem, oracle }
    }

    fn print_row(&self, theta: f64) -> Result<(), fmm::Error> {
        let opening = Opening::Nakasato { theta };
        let single = treecode(Treecode::new().opening(opening).group_capacity(1), 1);
        let single = self.entry(single.depth(Depth::Adaptive { leaf_capacity: 1 }))?;
        print!("| {theta} | {} | {} |", single.interactions, single.errors);
        for order in ORDERS {
            let groups = self.entry(treecode(Treecode::new().opening(opening), order))?;
            if order == ORDERS[0] {
                print!(" {} |", groups.interactions);
            }
            print!(" {} |", groups.errors);
        }
        println!();
        Ok(())
    }

    fn print_relative_row(&self, name: &str, alpha: f64) -> Result<(), fmm::Error> {
        for order in [1, 3, 5] {
            let relative = Treecode::new().opening(Opening::Relative { alpha });
            let entry = self.entry(treecode(relative, order))?;
            if order == 1 {
                print!("| {name} | {alpha:.0e} | {} |", entry.interactions);
            }
            print!(" {} |", entry.errors);
        }
        println!();
        Ok(())
    }

    fn entry(&self, fmm: Fmm) -> Result<Entry, fmm::Error> {
        let field = self.problem.field(fmm)?;
        let Measured { potential, gradient } = self.oracle.errors(&field);
        let n = self.problem.receivers().len() as f64;
        let a_receiver = |pairs: u64| (pairs as f64 / n).round();
        let (cells, sources) = (field.report.m2p_pairs, field.report.p2p_pairs);
        Ok(Entry {
            interactions: format!("{} + {}", a_receiver(cells), a_receiver(sources)),
            errors: format!(
                "{:.1e} / {:.1e} / {:.1e} · {:.1e}",
                gradient.mean_relative, gradient.rms, gradient.max, potential.mean_relative
            ),
        })
    }
}

/// The treecode with expansions of an order.
fn treecode(options: Treecode, order: usize) -> Fmm {
    Fmm::new().method(options).tolerance(Tolerance::Order(order))
}
