//! The clouds that the command makes itself.

use std::fmt;

use clap::ValueEnum;
use nbody::{Cloud, System, initial_conditions, models};

use crate::command::error::Error;
use crate::command::narrow::room;

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
    /// Hernquist's model of a bulge, with scale radius 1
    Hernquist,
    /// King's model of a star cluster, with core radius 1
    King,
    /// A disk galaxy: bulge, disk and halo of masses 1 : 2 : 12
    Galaxy,
    /// Two disk galaxies of mass 1 each that fall together
    Collision,
}

/// Parameters of shapes that have one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parameters {
    /// Ratio 2T/|U| of the ball.
    pub(crate) virial: Option<f64>,
    /// Central depth of King's model.
    pub(crate) depth: Option<f64>,
}

/// Central depth of King's model where none is given: that of a usual globular cluster.
const DEPTH: f64 = 6.0;

impl Shape {
    /// Generates `number` points; a seed names the same cloud everywhere. Memory for them is tried first.
    pub(crate) fn cloud(self, number: usize, seed: u64) -> Result<Cloud, Error> {
        let generate = match self {
            Self::Cube => initial_conditions::uniform_cube,
            Self::Sphere => initial_conditions::sphere_surface,
            Self::SphereVolume => initial_conditions::uniform_sphere,
            Self::Plummer => initial_conditions::plummer,
            Self::Galaxy => initial_conditions::disk_galaxy,
            Self::Hernquist | Self::King | Self::Collision => {
                let System { positions, masses, .. } =
                    self.system(number, seed, Parameters::default())?;
                return Ok(Cloud { positions, masses });
            }
        };
        drop(room::<[f64; 4]>(number)?);
        Ok(generate(number, seed))
    }

    /// Generates `number` particles with velocities.
    pub(crate) fn system(
        self,
        number: usize,
        seed: u64,
        parameters: Parameters,
    ) -> Result<System, Error> {
        let Parameters { virial, depth } = parameters;
        for (given, parameter, shape, of) in [
            (virial.is_some(), "--virial", Self::SphereVolume, "sphere-volume"),
            (depth.is_some(), "--w0", Self::King, "king"),
        ] {
            if given && self != shape {
                return Err(Error::NotOfShape { parameter, of });
            }
        }
        drop(room::<[f64; 7]>(number)?);
        Ok(match self {
            Self::Cube | Self::Sphere => System::at_rest(self.cloud(number, seed)?),
            Self::SphereVolume => models::uniform_sphere(number, seed, virial.unwrap_or(0.0)),
            Self::Plummer => models::plummer(number, seed),
            Self::Hernquist => models::hernquist(number, seed),
            Self::King => models::king(number, seed, depth.unwrap_or(DEPTH))?,
            Self::Galaxy => models::disk_galaxy(number, seed),
            Self::Collision => models::galaxy_collision(number, seed),
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cube => "cube",
            Self::Sphere => "sphere",
            Self::SphereVolume => "sphere-volume",
            Self::Plummer => "plummer",
            Self::Hernquist => "hernquist",
            Self::King => "king",
            Self::Galaxy => "galaxy",
            Self::Collision => "collision",
        })
    }
}
