//! Prints `docs/accuracy.md`: measured errors of the fast multipole method and of the treecode.
//!
//! The argument is the number of points of the drawn sets (default 100000; the treecode's sets have
//! half of that). A run takes some minutes.

mod promise;
mod treecode;

use std::error::Error;

const INTRODUCTION: &str = "\
# Accuracy

Errors are measured against a compensated direct sum in f64, at random receivers. `cargo xtask accuracy`
measures this page. Terms are those of the [glossary](GLOSSARY.md). Errors of Nakasato's Tables 6 and 7 are on
[the paper's page](papers/nakasato.md).
";

/// Receivers at which errors are measured.
const CHECKED: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    println!("{INTRODUCTION}");
    promise::print(n)?;
    treecode::print(n / 2)
}
