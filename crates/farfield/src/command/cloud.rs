//! The clouds that the command makes itself.

use std::fmt;

use clap::ValueEnum;
use nbody::{Cloud, initial_conditions};

use super::error::Error;
use super::narrow::room;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
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

impl Shape {
    /// Generates `number` points; a seed names the same cloud everywhere. Memory for them is tried first.
    pub(crate) fn cloud(self, number: usize, seed: u64) -> Result<Cloud, Error> {
        drop(room::<[f64; 4]>(number)?);
        let generate = match self {
            Self::Cube => initial_conditions::uniform_cube,
            Self::Sphere => initial_conditions::sphere_surface,
            Self::SphereVolume => initial_conditions::uniform_sphere,
            Self::Plummer => initial_conditions::plummer,
            Self::Galaxy => initial_conditions::disk_galaxy,
        };
        Ok(generate(number, seed))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cube => "cube",
            Self::Sphere => "sphere",
            Self::SphereVolume => "sphere-volume",
            Self::Plummer => "plummer",
            Self::Galaxy => "galaxy",
        })
    }
}
