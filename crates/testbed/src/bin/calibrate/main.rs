//! Measures the error tables and the cost tables of `fmm::choose` and writes their Rust files; `cargo xtask calibrate`
//! runs it.
//!
//! ```sh
//! calibrate errors [--points N] [--check]
//! calibrate costs [--device cpu|cuda|cuda:1|hybrid] [--check]
//! ```
//!
//! `--check` prints the tables on file beside the measured ones and writes nothing. `--folder` names a copy of
//! `crates/fmm/src/choose` to read and write, where the program was built on another machine.
//!
//! Sets and charges are drawn with seeds from [`SEED`] on, which no test and no page of the documentation draws: a
//! tolerance is never tested on the sets that its table was made from.
//!
//! | file | what |
//! |---|---|
//! | `errors/` | errors of expansions on lists and of walks |
//! | `costs/` | seconds of the parts of an evaluation |
//! | `tables.rs` | text of tables: read, compared, written |

mod costs;
mod errors;
mod tables;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use fmm::Device;
use tables::Target;

/// The first seed of calibration.
const SEED: u64 = 9000;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Parser)]
#[command(about = "Measures the tables of fmm::choose and writes them")]
struct Arguments {
    #[command(subcommand)]
    tables: Tables,
    /// Prints old and new numbers side by side and writes nothing
    #[arg(long, global = true)]
    check: bool,
    /// The folder of the tables: crates/fmm/src/choose of some checkout
    #[arg(long, global = true, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../fmm/src/choose"))]
    folder: PathBuf,
}

#[derive(Subcommand)]
enum Tables {
    /// Writes errors/fmm.rs and errors/treecode.rs
    Errors {
        /// Points of the largest drawn sets; the others have a fifth and a half of them
        #[arg(long, default_value_t = 100_000)]
        points: usize,
    },
    /// Writes the file of the machine's class in costs/
    Costs {
        /// cpu, cuda or cuda:1; hybrid for the near pairs of a GPU beside the cores only
        #[arg(long, default_value_t = Device::Cpu)]
        device: Device,
    },
}

fn main() -> Outcome {
    let Arguments { tables, check, folder } = Arguments::parse();
    match tables {
        Tables::Errors { points } => {
            errors::fmm::calibrate(points, &Target::new(&folder, "errors/fmm.rs", check))?;
            errors::treecode::calibrate(
                points / 2,
                &Target::new(&folder, "errors/treecode.rs", check),
            )
        }
        Tables::Costs { device } => costs::calibrate(device, &folder, check),
    }
}
