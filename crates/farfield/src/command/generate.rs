//! `farfield generate`: point clouds to try things on.

use std::path::PathBuf;

use clap::{Args, value_parser};
use formats::{PointTable, check_points_path, write_points};
use nbody::Cloud;

use super::cloud::Shape;
use super::error::Error;
use super::report;

/// Generate a cloud of points with equal masses of sum 1; a seed names the same cloud everywhere
#[derive(Args)]
pub(crate) struct Arguments {
    shape: Shape,
    /// Number of points
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    number: u32,
    /// Seed of the random numbers
    #[arg(short, long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// File to write: .csv, .dat, .txt, .xyz, .npy or .npz; .gz on top compresses all but .npz
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { shape, number, seed, output } = arguments;
    check_points_path(output)?;
    let Cloud { positions, masses } = shape.cloud(*number as usize, *seed)?;
    write_points(output, &PointTable { positions, charges: masses })?;
    report::print(report::wrote(format_args!("{number} points to "), output))
}
