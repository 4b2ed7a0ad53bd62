//! Prints `docs/accuracy.md`: measured errors of the fast multipole method and of the treecode.
//!
//! A run takes some minutes. An argument sets the number of points of the sets that are drawn
//! (default 100000; the treecode's sets have half of that).

mod nakasato;
mod promise;
mod treecode;

use std::error::Error;

const INTRODUCTION: &str = "\
# Accuracy

Errors against a compensated direct sum in f64 at random receivers. `cargo xtask accuracy` measures
this page anew.
";

/// Receivers at which errors are measured.
const CHECKED: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    println!("{INTRODUCTION}");
    promise::print(n)?;
    treecode::print(n / 2)?;
    nakasato::print(n)
}
