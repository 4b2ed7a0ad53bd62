//! `farfield generate`: point clouds and models to try things on.

use std::path::PathBuf;

use clap::{Args, value_parser};
use formats::{PointTable, Snapshot, check_points_path, write_moving_points, write_points};
use nbody::System;

use super::arguments::cloud::{Parameters, Shape};
use super::error::Error;
use super::{report, same_file};

/// Generate a cloud of points with equal masses of sum 1; a seed names the same cloud everywhere
///
/// plummer, hernquist, king, galaxy and collision have velocities for simulations, in units with G = 1; so has sphere-volume
/// with --virial. Velocities are written to all formats but .xyz and .npy. The galaxies of collision have a mass of 1 each.
/// .tipsy and .gadget hold numbers of f32.
#[derive(Args)]
pub(crate) struct Arguments {
    shape: Shape,
    /// Number of points
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    number: u32,
    /// Seed of the random numbers
    #[arg(short, long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Virial ratio 2T/|U| of sphere-volume: 0 is at rest, 1 is virial [default: 0]
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    virial: Option<f64>,
    /// Central depth W0 of king [default: 6]
    #[arg(long, value_name = "W0")]
    w0: Option<f64>,
    /// File to write: .csv, .dat, .txt, .tsv, .xyz, .npy, .npz, .vtk (ParaView), .tipsy or .gadget; .gz on top compresses text,
    /// .npy and .vtk
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { shape, number, seed, output, virial, w0 } = arguments;
    same_file::refuse_stdout(output)?;
    check_points_path(output)?;
    let parameters = Parameters { virial: *virial, depth: *w0 };
    let system = shape.system(*number as usize, *seed, parameters)?;
    let System { positions, velocities, masses } = system;
    let points = PointTable { positions, charges: masses };
    if velocities.iter().flatten().all(|&v| v == 0.0) {
        write_points(output, &points)?;
    } else {
        let at_rest = Snapshot::at_rest(points).map_err(|_| Error::Memory(velocities.len()))?;
        write_moving_points(output, &Snapshot { velocities, ..at_rest })?;
    }
    report::print(report::wrote(format_args!("{number} points to "), output))
}

/// A virial ratio.
fn ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ratio) if ratio >= 0.0 && ratio.is_finite() => Ok(ratio),
        _ => Err("give a number of 0 or more".to_owned()),
    }
}
