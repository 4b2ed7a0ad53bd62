//! The arguments that say how to read an input.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use formats::{
    Charges, Fault, LocatedPoints, PositionColumns, Selection, read_located_points, read_stream,
};

use super::columns::{ChargeColumn, Columns};
use crate::command::error::Error;
use crate::command::same_file::STDIN;

#[derive(Args)]
pub(crate) struct Input {
    /// Points with charges (or masses): .csv, .dat, .txt, .tsv, .pqr, .xyz, .npy, .npz, .vtk, or snapshots of TIPSY or
    /// GADGET, whatever their extension; .gz on top of tables, .pqr, .xyz, .npy and .vtk is read, too. - reads stdin, whose
    /// beginning tells the format
    #[arg(value_name = "INPUT")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    columns: Columns,
}

impl Input {
    /// Reads the points with their charges.
    pub(crate) fn read(&self, charge: &ChargeColumn) -> Result<LocatedPoints, Error> {
        read(&self.path, &self.selection(charge))
    }

    /// Columns of the points with their charges.
    pub(crate) fn selection(&self, charge: &ChargeColumn) -> Selection {
        self.columns.selection(charge, Charges::Named)
    }

    /// Reads the positions alone.
    pub(crate) fn read_positions(&self) -> Result<LocatedPoints, Error> {
        read_positions(&self.path, self.columns.positions())
    }
}

pub(crate) fn read_positions(
    path: &Path,
    positions: Option<PositionColumns>,
) -> Result<LocatedPoints, Error> {
    read(path, &selection_of_positions(positions))
}

/// Columns of positions alone.
pub(crate) fn selection_of_positions(positions: Option<PositionColumns>) -> Selection {
    Selection { positions, charges: Charges::Ignored }
}

/// The error of a file of receivers, whose columns an option of their own names.
pub(crate) fn of_receivers(error: Error) -> Error {
    let option = "--receiver-columns";
    let Error::File(file) = error else { return error };
    let fault = match file.fault {
        Fault::NoPositions { available, .. } => Fault::NoPositions { available, option },
        Fault::Unnamed { width, charges, .. } => Fault::Unnamed { width, option, charges },
        fault => fault,
    };
    Error::File(formats::Error { fault, ..file })
}

/// The error of a file whose extension may not tell its format: that of stdin is told by the content.
fn or_stdin(error: formats::Error) -> formats::Error {
    let fault = match error.fault {
        Fault::Extension { found, known } => {
            let known = format!("{known}, or - for stdin, whose content tells the format");
            Fault::Extension { found, known }
        }
        fault => fault,
    };
    formats::Error { fault, ..error }
}

/// Reads points from a file or from stdin.
pub(crate) fn read(path: &Path, selection: &Selection) -> Result<LocatedPoints, Error> {
    Ok(match path == Path::new(STDIN) {
        true => read_stream(io::stdin().lock(), selection)?,
        false => read_located_points(path, selection).map_err(or_stdin)?,
    })
}
