//! Prints scaling over ranks as in Figures 6 to 8 of Hu, Gumerov and Duraiswami (2011), their cost model fitted to runs, the
//! transports against each other, balance by work, and projections to more ranks than there are cores.
//!
//! ```sh
//! cargo run --release -p testbed --bin tables_ranks                                # all of docs/performance-ranks.md
//! cargo run --release -p testbed --bin tables_ranks -- scaling --points 100000 --ranks 1,4 --sets cube
//! cargo run --release -p testbed --bin tables_ranks -- --quick                     # the tables' shape in seconds
//! ```
//!
//! Ranks are threads that take turns (`testbed::ranks::turns`): seconds are those of one rank that has the machine for
//! itself, with a pool of one thread unless `--threads` says otherwise, and no wire. Projections say so.
//!
//! | file | what |
//! |---|---|
//! | `geometry.rs` | parts of ranks: boxes, ghosts, multipoles |
//! | `scaling.rs` | strong and weak scaling |
//! | `model.rs` | equations 5 to 9 |
//! | `transports.rs` | manager, many-to-many, neighbours |
//! | `balance.rs` | cuts by work and by points |
//! | `projection.rs` | a wire added, and P to 10⁴ |
//! | `beside.rs` | ranks that run at once, beside as many threads |

mod balance;
mod beside;
mod geometry;
mod model;
mod projection;
mod scaling;
mod transports;

use clap::Parser;
use octree::partition::point_bounds;
use octree::{Cube, Depth, SplitRule};
use testbed::clouds::{self, Cloud};
use testbed::ranks::Outcome;

#[derive(Parser)]
#[command(about = "Scaling over ranks, the cost model, transports and projections")]
struct Arguments {
    /// Tables: geometry, scaling, model, transports, balance, projection, beside; all if absent
    sections: Vec<String>,
    /// Points of strong scaling and of the transports
    #[arg(long, default_value_t = 1 << 20)]
    points: usize,
    /// Points a rank of weak scaling
    #[arg(long, default_value_t = 1 << 15)]
    points_a_rank: usize,
    /// Numbers of ranks
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64")]
    ranks: Vec<usize>,
    /// Sets: cube, plummer
    #[arg(long, value_delimiter = ',', default_value = "cube,plummer")]
    sets: Vec<String>,
    /// Order of the expansions
    #[arg(long, default_value_t = 6)]
    order: usize,
    /// Most points of a leaf
    #[arg(long, default_value_t = 64)]
    leaf: usize,
    /// Runs of which the fastest counts, rank by rank
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Threads of the pool that the rank whose turn it is has
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Few points, few ranks, one run
    #[arg(long)]
    quick: bool,
}

/// Seed of all sets.
const SEED: u64 = 700;

fn main() -> Outcome {
    let arguments = Arguments::parse().sized();
    rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    arguments.print()
}

impl Arguments {
    /// The options, with few points and ranks where tables are wanted quickly.
    fn sized(self) -> Self {
        match self.quick {
            true => {
                Self { points: 8000, points_a_rank: 1000, repeats: 1, ranks: vec![1, 2, 4], ..self }
            }
            false => self,
        }
    }

    fn wants(&self, section: &str) -> bool {
        self.sections.is_empty() || self.sections.iter().any(|name| name == section)
    }

    /// Prints the sections asked for.
    fn print(&self) -> Outcome {
        type Section = (&'static str, fn(&Arguments) -> Outcome);
        let sections: [Section; 7] = [
            ("geometry", geometry::print),
            ("scaling", scaling::print),
            ("model", model::print),
            ("transports", transports::print),
            ("balance", balance::print),
            ("projection", projection::print),
            ("beside", beside::print),
        ];
        if let Some(name) = self.sections.iter().find(|name| sections.iter().all(|s| s.0 != **name))
        {
            return Err(format!("{name:?} is no table; the tables are in --help").into());
        }
        for (name, print) in sections {
            if self.wants(name) {
                print(self)?;
            }
        }
        Ok(())
    }

    /// A set of `n` points by its name.
    fn cloud(name: &str, n: usize) -> Outcome<Cloud> {
        match name {
            "cube" => Ok(clouds::uniform_cube(n, SEED)),
            "plummer" => Ok(clouds::plummer(n, SEED)),
            _ => Err(format!("{name:?} is no set; the sets are cube and plummer").into()),
        }
    }
}

/// The rule of the tree of a cloud.
fn rule(points: &[[f64; 3]], leaf_capacity: usize) -> Outcome<SplitRule> {
    let cube = Cube::around(point_bounds(points, None)?)?;
    Ok(SplitRule::new(cube, Depth::Adaptive { leaf_capacity })?)
}

/// The heading of a table: names of columns, all of numbers but the first `n_texts`.
fn heading(n_texts: usize, columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    let rule = |k| if k < n_texts { "---|" } else { "--:|" };
    println!("|{}", (0..columns.len()).map(rule).collect::<String>());
}

/// The largest of some seconds, in milliseconds.
fn most(seconds: impl Iterator<Item = f64>) -> f64 {
    1e3 * seconds.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_made() {
        Arguments::parse_from(["tables_ranks", "--quick"]).sized().print().unwrap();
        let arguments = Arguments::parse_from(["tables_ranks", "no-table"]);
        assert!(arguments.print().unwrap_err().to_string().contains("no-table"));
    }
}
