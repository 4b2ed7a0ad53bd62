//! The arguments of `farfield simulate`.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fmm::{Device, Method};

use super::Error;
use crate::command::arguments::columns::SnapshotColumns;
use crate::command::arguments::memory_limit::MemoryLimit;
use crate::command::arguments::precision::Precision;
use crate::command::arguments::tolerance;

/// Simulate particles under their gravity
///
/// Advances positions and velocities by a symplectic integrator, with accelerations by the fast multipole method, and
/// writes snapshots and a table of energies and momenta to a folder. Units are those with G = 1, or of --gravity. A run
/// that was ended at any moment, --resume completes, with the same bits as if it had not been ended.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield generate plummer -n 10000 -o cluster.npz
  farfield simulate cluster.npz --time 20
  farfield simulate cluster.npz --time 20 --resume
  farfield simulate stars.csv --columns X_kpc,Y_kpc,Z_kpc --charge M_sun --time 1
  farfield simulate pair.csv --time 100 --integrator fourth-order --softening 0 --step 0.01 --tolerance 1e-12 --snapshots orbit

In the folder: snapshot-0000.npz and so on, diagnostics.csv, and run.txt with resume/state.npz, which --resume reads.")]
pub(crate) struct Arguments {
    /// Initial positions, velocities and masses: .npz, .vtk, .csv, .dat, .txt, .tsv, .xyz, .npy, TIPSY or GADGET. In a
    /// table, vx, vy and vz are velocities, or v_x, vel_x and so on; in .npz, velocities, vel or velocity. A set without
    /// velocities starts at rest. m, mass or masses win over q, charge or charges, unless --charge names a column. With
    /// --resume, the file INITIAL may be gone; if it is there, it has the number of particles of the run
    #[arg(value_name = "INITIAL")]
    pub(super) input: PathBuf,
    #[command(flatten)]
    pub(super) columns: SnapshotColumns,
    /// Duration of the simulation
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(super) time: f64,
    /// Time step, the longest one where steps differ; the time between snapshots at most [default: a 128th of the
    /// dynamical time where the densest tenth is; eightfold for adaptive and block]
    #[arg(long, value_name = "DT", allow_negative_numbers = true)]
    pub(super) step: Option<f64>,
    /// Integrator [default: leapfrog; adaptive for more than 32 particles at rest or nearly, which collapse, unless
    /// --step is given]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) integrator: Option<Integrator>,
    /// Share of the time in which an acceleration crosses the softening, for steps of adaptive and block [default: 0.2]
    #[arg(long, value_name = "ETA", allow_negative_numbers = true)]
    pub(super) accuracy: Option<f64>,
    /// Plummer softening in the unit of the positions [default: half the distance of neighbours for 1000
    /// particles, a 20th for 100000 and more; 0
    /// for up to 32 particles]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(super) softening: Option<f64>,
    /// The constant of gravity in the units of INITIAL [default: 1]
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    pub(super) gravity: Option<f64>,
    /// Relative L2 error of the accelerations [default: 1e-3]
    #[arg(long, value_name = "EPS", allow_negative_numbers = true)]
    pub(super) tolerance: Option<f64>,
    /// auto, direct, treecode or fmm [default: auto]
    #[arg(long, value_name = "METHOD")]
    pub(super) method: Option<Method>,
    /// cpu, cuda for an NVIDIA GPU (cuda:1 for the second), or hybrid for both at once [default: cpu]
    #[arg(long, value_name = "DEVICE")]
    pub(super) device: Option<Device>,
    /// Precision of the accelerations [default: f32 for tolerances of 1e-5 and more]
    #[arg(long, value_enum)]
    pub(super) precision: Option<Precision>,
    /// Folder for snapshots and diagnostics, in which one run works at a time
    #[arg(long, value_name = "DIR", default_value = "snapshots")]
    pub(super) snapshots: PathBuf,
    /// Number of snapshots after the first, evenly over the time [default: 20]
    #[arg(long, value_name = "COUNT")]
    pub(super) outputs: Option<NonZeroU64>,
    /// Format of the snapshots [default: npz]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Go on with the run in the folder, with its settings; a longer --time prolongs it
    #[arg(long)]
    pub(super) resume: bool,
    /// Threads, up to 64 or 4 for each core [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) memory_limit: MemoryLimit,
}

/// Integrators by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Integrator {
    /// Second order, equal steps
    Leapfrog,
    /// Second order, one step for all particles from their accelerations
    Adaptive,
    /// Second order, a step for each particle
    Block,
    /// Fourth order, equal steps of four evaluations
    FourthOrder,
}

impl Integrator {
    /// Whether steps follow from accelerations and softening.
    pub(super) fn has_own_steps(self) -> bool {
        matches!(self, Self::Adaptive | Self::Block)
    }
}

/// Formats of snapshots by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Arrays for numpy, every digit
    Npz,
    /// Polydata for ParaView
    Vtk,
    /// TIPSY's standard form, in f32
    Tipsy,
    /// GADGET's first binary form, in f32
    Gadget,
}

impl Format {
    /// Extension of file names, which is the name too.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Npz => "npz",
            Self::Vtk => "vtk",
            Self::Tipsy => "tipsy",
            Self::Gadget => "gadget",
        }
    }
}

impl Arguments {
    /// Refuses numbers that no run can have, before any work.
    pub(super) fn check(&self) -> Result<(), crate::command::error::Error> {
        self.tolerance.map_or(Ok(()), tolerance::check)?;
        let positive = [
            ("--time", Some(self.time)),
            ("--step", self.step),
            ("--accuracy", self.accuracy),
            ("--gravity", self.gravity),
        ];
        for (option, value) in positive {
            match value {
                Some(value) if !(value > 0.0 && value.is_finite()) => {
                    return Err(Error::NotPositive { option, value }.into());
                }
                _ => (),
            }
        }
        match self.softening {
            Some(length) if !(length >= 0.0 && length.is_finite()) => {
                Err(Error::Softening(length).into())
            }
            _ => Ok(()),
        }
    }
}
