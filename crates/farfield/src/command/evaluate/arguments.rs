//! The arguments of `farfield evaluate`, and the request and the points that they name.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use fmm::{Device, Fmm, Method, Tolerance, Treecode};
use formats::{LocatedPoints, PositionColumns, Selection, check_field_path};

use super::devices::Devices;
use crate::command::arguments::columns::ChargeColumn;
use crate::command::arguments::input::{
    Input, of_receivers, read_positions, selection_of_positions,
};
use crate::command::arguments::memory_limit::MemoryLimit;
use crate::command::arguments::opening::OpeningArguments;
use crate::command::arguments::precision::Precision;
use crate::command::arguments::tolerance;
use crate::command::error::Error;
use crate::command::same_file;

/// Evaluate the potential of point charges (or masses) and its gradient
///
/// Computes, at every receiver x, the sum of q/|x - y| over all sources y, and its gradient. A
/// point's own term and pairs of coincident points are dropped. Where the receivers are the sources, the report has
/// the net charge and the potential energy, half of the sum of charge times potential.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield evaluate stars.csv --tolerance 1e-6 --verify 1000
  farfield evaluate pal5.dat.gz --columns 2,3,4 --charge 1 --output field.npz
  farfield evaluate molecule.pqr --receivers surface.csv --output field.vtk
  farfield evaluate stars.csv --method treecode --theta 0.6 --order 3 --verify 1000
  zcat stars.dat.gz | farfield evaluate - --columns 2,3,4 --charge 1
  mpirun -n 4 farfield evaluate stars.npz --output field.npz (built with the feature mpi)

stdin (-): gzip, NPY, NPZ and VTK are known by their signatures, TIPSY and GADGET by their headers, XYZ by its count, PQR
by its records, CSV by commas in its first row; all else is a table separated by white space.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    charge: ChargeColumn,
    /// Receivers, in any format of INPUT; - reads stdin [default: at the points of INPUT]
    #[arg(long, value_name = "FILE")]
    receivers: Option<PathBuf>,
    /// Columns of the positions of the receivers, as --columns
    #[arg(long, value_name = "X,Y,Z", requires = "receivers")]
    receiver_columns: Option<PositionColumns>,
    /// Relative L2 error of the potential and of the gradient
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    tolerance: f64,
    /// Order of the expansions instead of a tolerance: 1 for monopoles, 3 for quadrupoles
    #[arg(long, value_name = "P", conflicts_with = "tolerance")]
    order: Option<usize>,
    /// auto, direct, treecode or fmm
    #[arg(long, value_name = "METHOD", default_value_t = Method::Auto)]
    pub(super) method: Method,
    /// cpu, cuda for an NVIDIA GPU (cuda:1 for the second, cuda:all for all of this host), or hybrid for cores and GPU
    #[arg(long, value_name = "DEVICE", default_value_t = Devices::One(Device::Cpu))]
    pub(super) device: Devices,
    #[command(flatten)]
    opening: OpeningArguments,
    /// Floating-point precision of the computation
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub(super) precision: Precision,
    /// Plummer softening: 1/sqrt(r^2 + E^2) instead of 1/r, E in the unit of the positions. Where E is near the distance of
    /// neighbours, most pairs are summed one by one
    #[arg(long, value_name = "E", default_value = "0", allow_negative_numbers = true)]
    softening: f64,
    /// Threads of each process, up to 64 or 4 for each core [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    /// Evaluate over ranks that share the threads, up to 512. They exchange points and multipoles as processes do
    #[arg(long, value_name = "N")]
    pub(crate) ranks: Option<NonZeroUsize>,
    /// Imbalance of work above which ranks are cut anew, the largest work of a rank over the mean, minus 1; inf keeps the
    /// cuts by numbers of points, which halves the time of planning [default: 0.05]
    #[arg(long, value_name = "LIMIT", allow_negative_numbers = true)]
    imbalance_limit: Option<f64>,
    #[command(flatten)]
    memory_limit: MemoryLimit,
    /// File for the field: .npz, .csv, .dat, .txt, .tsv or .vtk (ParaView), which has the cells, such as polygons, of the
    /// VTK file that the receivers are from
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Number of receivers to compare with the direct sum
    #[arg(long, value_name = "COUNT")]
    pub(super) verify: Option<NonZeroUsize>,
    /// Print the report as one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// The points of the files.
pub(super) struct Inputs {
    pub(super) sources: LocatedPoints,
    /// Empty where the receivers are the sources.
    pub(super) receivers: Option<LocatedPoints>,
}

/// A file of points, and what to read of it.
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    pub(super) selection: Selection,
}

impl Inputs {
    /// The sets of points, the receivers last.
    pub(super) fn sets(&self) -> Vec<&LocatedPoints> {
        std::iter::once(&self.sources).chain(&self.receivers).collect()
    }
}

impl Arguments {
    /// The builder that the arguments ask for.
    pub(super) fn request(&self) -> Result<Fmm, Error> {
        tolerance::check(self.tolerance)?;
        let tolerance = self.order.map_or(Tolerance::L2(self.tolerance), Tolerance::Order);
        let fmm = Fmm::new()
            .tolerance(tolerance)
            .method(self.method)
            .device(self.device.first())
            .softening(self.softening);
        let fmm = self.memory_limit.limit(fmm);
        let fmm = self.imbalance_limit.map_or(fmm, |limit| fmm.imbalance_limit(limit));
        Ok(match self.opening.opening(self.method)? {
            Some(opening) => fmm.method(Treecode::new().opening(opening)),
            None => fmm,
        })
    }

    /// Refuses paths that exclude each other, and an output that cannot be written, before the work.
    pub(super) fn check_paths(&self) -> Result<(), Error> {
        let inputs = [Some(&self.input.path), self.receivers.as_ref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
        if inputs.len() > 1 && inputs.iter().all(|&input| input == Path::new(same_file::STDIN)) {
            return Err(Error::StdinTwice);
        }
        if let Some(output) = &self.output {
            same_file::refuse(output, &inputs)?;
            check_field_path(output)?;
        }
        Ok(())
    }

    /// The files of the sources and of the receivers, with the columns to read.
    pub(super) fn files(&self) -> (File<'_>, Option<File<'_>>) {
        let sources =
            File { path: &self.input.path, selection: self.input.selection(&self.charge) };
        let receivers = self.receivers.as_ref().map(|path| File {
            path,
            selection: selection_of_positions(self.receiver_columns.clone()),
        });
        (sources, receivers)
    }

    /// Reads all points.
    pub(super) fn read(&self) -> Result<Inputs, Error> {
        let sources = self.input.read(&self.charge)?;
        let receivers = self
            .receivers
            .as_ref()
            .map(|path| read_positions(path, self.receiver_columns.clone()))
            .transpose()
            .map_err(of_receivers)?;
        Ok(Inputs { sources, receivers })
    }

    /// The file of the sources.
    pub(super) fn input_path(&self) -> &Path {
        &self.input.path
    }

    /// Stages of which progress is shown: reading, planning, evaluating, and those asked for.
    pub(super) fn stages(&self) -> u64 {
        3 + u64::from(self.verify.is_some()) + u64::from(self.output.is_some())
    }
}
