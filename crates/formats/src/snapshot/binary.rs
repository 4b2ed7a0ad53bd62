//! Points of binary snapshots, which their beginning names: TIPSY and GADGET.

use std::fs::File;
use std::io::{Read, Seek};

use super::bytes::Endian;
use super::{Snapshot, gadget, tipsy};
use crate::error::Fault;
use crate::memory::{Seekable, read_fault, reserve_exact};
use crate::path::Format;
use crate::points::PointTable;
use crate::points::selection::{Picked, Selection};

/// Columns by name.
const COLUMNS: [&str; 7] = ["x", "y", "z", "vx", "vy", "vz", "mass"];
/// Place of the mass among them.
const MASS: usize = 6;

/// Bytes of the beginning that name a format.
pub(super) const BEGINNING: u64 = tipsy::HEADER as u64;

/// A format with the order of its bytes.
#[derive(Clone, Copy)]
pub(crate) enum Binary {
    Gadget(Endian),
    Tipsy(Endian),
}

impl Binary {
    /// The format that a beginning names; `None` where it is none of these.
    pub(crate) fn of(beginning: &[u8]) -> Option<Self> {
        let gadget = gadget::endian(beginning).map(Self::Gadget);
        gadget.or_else(|| tipsy::endian(beginning).map(Self::Tipsy))
    }

    /// The format that the beginning of a file names, which is then read anew.
    pub(crate) fn of_file(file: &mut File) -> Result<Option<Self>, Fault> {
        Ok(Self::of(&beginning(file)?))
    }

    pub(crate) fn format(self) -> Format {
        match self {
            Self::Gadget(_) => Format::Gadget,
            Self::Tipsy(_) => Format::Tipsy,
        }
    }

    /// Reads the snapshot, with the columns that are selected as positions and masses.
    pub(super) fn read(
        self,
        input: &mut dyn Seekable,
        selection: &Selection,
    ) -> Result<Snapshot, Fault> {
        let snapshot = match self {
            Self::Gadget(endian) => gadget::read(input, endian),
            Self::Tipsy(endian) => tipsy::read(input, endian),
        }?;
        snapshot.check()?;
        select(snapshot, selection)
    }

    /// Reads positions and masses, or the columns that are selected.
    pub(crate) fn points(
        self,
        input: &mut dyn Seekable,
        selection: &Selection,
    ) -> Result<PointTable, Fault> {
        let Snapshot { positions, masses: charges, .. } = self.read(input, selection)?;
        Ok(PointTable { positions, charges })
    }
}

/// The first bytes of an input, which is then read anew.
pub(super) fn beginning(mut input: impl Read + Seek) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    (&mut input).take(BEGINNING).read_to_end(&mut bytes).map_err(read_fault)?;
    input.rewind().map_err(Fault::Read)?;
    Ok(bytes)
}

/// Reads points of an input whose name is that of a format. Its beginning names the format that it has.
pub(crate) fn read_named(
    input: &mut dyn Seekable,
    name: &'static str,
    selection: &Selection,
) -> Result<PointTable, Fault> {
    let binary = Binary::of(&beginning(&mut *input)?);
    let cause = || "it does not begin as one".to_owned();
    let fault = || Fault::Record { format: name, offset: 0, cause: cause() };
    binary.ok_or_else(fault)?.points(input, selection)
}

/// The snapshot with the columns that are selected as positions and masses; no masses where no column is.
fn select(snapshot: Snapshot, selection: &Selection) -> Result<Snapshot, Fault> {
    let names = COLUMNS.map(str::to_owned);
    let Picked { position, charge } = selection.pick(&names, names.len())?;
    if (position, charge) == ([0, 1, 2], Some(MASS)) {
        return Ok(snapshot);
    }
    let value = |i: usize, column: usize| match column {
        0..3 => snapshot.positions[i][column],
        3..MASS => snapshot.velocities[i][column - 3],
        _ => snapshot.masses[i],
    };
    let count = snapshot.positions.len();
    let (mut positions, mut masses) = (Vec::new(), Vec::new());
    reserve_exact(&mut positions, count)?;
    positions.extend((0..count).map(|i| position.map(|column| value(i, column))));
    if let Some(column) = charge {
        reserve_exact(&mut masses, count)?;
        masses.extend((0..count).map(|i| value(i, column)));
    }
    Ok(Snapshot { positions, masses, ..snapshot })
}
