//! `farfield generate`: point clouds to try things on.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use formats::{PointTable, check_points_path, write_points};
use nbody::{Cloud, initial_conditions};

use crate::error::Error;
use crate::report;

/// Generate a cloud of points with equal masses of sum 1; a seed names the same cloud everywhere
#[derive(Args)]
pub(crate) struct Arguments {
    shape: Shape,
    /// How many points
    #[arg(short, long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    number: u32,
    /// Seed of the random numbers
    #[arg(short, long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Where to: .csv, .dat, .txt, .xyz, .npy or .npz; .gz on top compresses all but .npz
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// Uniform in the unit cube
    Cube,
    /// Uniform on the surface of the unit sphere
    Sphere,
    /// Uniform in the unit ball
    SphereVolume,
    /// Plummer's star cluster with scale radius 1
    Plummer,
    /// A disk galaxy: bulge, disk and halo of masses 1 : 2 : 12
    Galaxy,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { shape, number, seed, output } = arguments;
    check_points_path(output)?;
    let generate = match shape {
        Shape::Cube => initial_conditions::uniform_cube,
        Shape::Sphere => initial_conditions::sphere_surface,
        Shape::SphereVolume => initial_conditions::uniform_sphere,
        Shape::Plummer => initial_conditions::plummer,
        Shape::Galaxy => initial_conditions::disk_galaxy,
    };
    let Cloud { positions, masses } = generate(*number as usize, *seed);
    write_points(output, &PointTable { positions, charges: masses })?;
    report::print(format_args!("wrote {number} points to {}", output.display()))
}
