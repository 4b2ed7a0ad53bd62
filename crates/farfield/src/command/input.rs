//! The arguments that say how to read an input.

use std::path::{Path, PathBuf};

use clap::Args;
use formats::{Charges, Column, PointTable, PositionColumns, Selection, read_points};

use super::error::Error;

#[derive(Args)]
pub(crate) struct Input {
    /// Points with charges (or masses): .csv, .dat, .txt, .pqr, .xyz, .npy or .npz; .gz on top is
    /// read, too
    #[arg(value_name = "INPUT")]
    pub(crate) path: PathBuf,
    /// Columns of the positions, by name or by number from 1: x,y,z or 2,3,4 [default: the columns
    /// named x, y and z; without names the first three of up to four]
    #[arg(long, value_name = "X,Y,Z")]
    columns: Option<PositionColumns>,
}

#[derive(Args)]
pub(crate) struct ChargeColumn {
    /// Column of the charges, by name or by number from 1 [default: the column named q, charge, m
    /// or mass; without names the fourth of four]
    #[arg(long, value_name = "NAME|NUMBER")]
    charge: Option<Column>,
    /// Give each point the charge 1
    #[arg(long, conflicts_with = "charge")]
    unit_charges: bool,
}

impl Input {
    /// Reads the points with their charges.
    pub(crate) fn read(&self, charge: &ChargeColumn) -> Result<PointTable, Error> {
        let charges = match &charge.charge {
            Some(column) => Charges::Column(column.clone()),
            None if charge.unit_charges => Charges::Unit,
            None => Charges::Named,
        };
        Ok(read_points(&self.path, &Selection { positions: self.columns.clone(), charges })?)
    }

    /// Reads the positions alone.
    pub(crate) fn read_positions(&self) -> Result<Vec<[f64; 3]>, Error> {
        read_positions(&self.path, self.columns.clone())
    }
}

pub(crate) fn read_positions(
    path: &Path,
    positions: Option<PositionColumns>,
) -> Result<Vec<[f64; 3]>, Error> {
    let selection = Selection { positions, charges: Charges::Ignored };
    Ok(read_points(path, &selection)?.positions)
}
