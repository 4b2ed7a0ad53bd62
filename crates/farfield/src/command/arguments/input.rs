//! The arguments that say how to read an input.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use formats::{
    Charges, Column, LocatedPoints, PositionColumns, Selection, read_located_points, read_stream,
};

use crate::command::error::Error;
use crate::command::same_file::STDIN;

#[derive(Args)]
pub(crate) struct Input {
    /// Points with charges (or masses): .csv, .dat, .txt, .pqr, .xyz, .npy, .npz, .vtk, or snapshots of TIPSY or GADGET,
    /// whatever their extension; .gz on top of tables, .pqr, .xyz, .npy and .vtk is read, too. - reads stdin, whose
    /// beginning tells the format
    #[arg(value_name = "INPUT")]
    pub(crate) path: PathBuf,
    /// Columns of the positions, by name or by number from 1: x,y,z or 2,3,4; or one name, of an array (N, 3) of .npz or a
    /// vector of .vtk [default: the columns named x, y and z; without names the first three of up to four]
    #[arg(long, value_name = "X,Y,Z")]
    columns: Option<PositionColumns>,
}

#[derive(Args)]
pub(crate) struct ChargeColumn {
    /// Column of the charges, by name or by number from 1 [default: the column named q, charge, m
    /// or mass; without names, and without --columns, the fourth of four]
    #[arg(long, value_name = "NAME|NUMBER")]
    charge: Option<Column>,
    /// Give each point the charge 1
    #[arg(long, conflicts_with = "charge")]
    unit_charges: bool,
}

impl Input {
    /// Reads the points with their charges.
    pub(crate) fn read(&self, charge: &ChargeColumn) -> Result<LocatedPoints, Error> {
        read(&self.path, &self.selection(charge))
    }

    /// Columns of the points with their charges.
    pub(crate) fn selection(&self, charge: &ChargeColumn) -> Selection {
        let charges = match &charge.charge {
            Some(column) => Charges::Column(column.clone()),
            None if charge.unit_charges => Charges::Unit,
            None => Charges::Named,
        };
        Selection { positions: self.columns.clone(), charges }
    }

    /// Reads the positions alone.
    pub(crate) fn read_positions(&self) -> Result<LocatedPoints, Error> {
        read_positions(&self.path, self.columns.clone())
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

/// Reads points from a file or from stdin.
pub(crate) fn read(path: &Path, selection: &Selection) -> Result<LocatedPoints, Error> {
    Ok(match path == Path::new(STDIN) {
        true => read_stream(io::stdin().lock(), selection)?,
        false => read_located_points(path, selection)?,
    })
}
