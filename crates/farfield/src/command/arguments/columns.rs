//! The arguments that name the columns of a file: of positions, and of charges or masses.

use clap::Args;
use formats::{Charges, Column, PositionColumns, Selection};

#[derive(Args)]
pub(crate) struct Columns {
    /// Columns of the positions, by name or by number from 1: x,y,z or 2,3,4; or one name, of an array (N, 3) of .npz or a
    /// vector of .vtk [default: the columns named x, y and z; without names the first three of up to four]
    #[arg(long = "columns", value_name = "X,Y,Z")]
    positions: Option<PositionColumns>,
}

#[derive(Args)]
pub(crate) struct ChargeColumn {
    /// Column of the charges (or masses), by name or by number from 1 [default: the column named q, charge, m
    /// or mass; without names, and without --columns, the fourth of four]
    #[arg(long, value_name = "NAME|NUMBER")]
    charge: Option<Column>,
    /// Give each point the charge (or mass) 1
    #[arg(long, conflicts_with = "charge")]
    unit_charges: bool,
}

/// Columns of snapshots, whose charges are masses.
#[derive(Args)]
pub(crate) struct SnapshotColumns {
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    charge: ChargeColumn,
}

impl Columns {
    /// Columns of positions with charges, and of the `usual` charges where no option names others.
    pub(crate) fn selection(&self, charge: &ChargeColumn, usual: Charges) -> Selection {
        let charges = match &charge.charge {
            Some(column) => Charges::Column(column.clone()),
            None if charge.unit_charges => Charges::Unit,
            None => usual,
        };
        Selection { positions: self.positions.clone(), charges }
    }

    /// Columns of positions alone.
    pub(crate) fn positions(&self) -> Option<PositionColumns> {
        self.positions.clone()
    }
}

impl SnapshotColumns {
    /// Columns of positions and masses.
    pub(crate) fn selection(&self) -> Selection {
        self.columns.selection(&self.charge, Charges::Masses)
    }

    /// Whether an option names columns.
    pub(crate) fn are_given(&self) -> bool {
        self.selection() != Selection::of_masses()
    }
}
