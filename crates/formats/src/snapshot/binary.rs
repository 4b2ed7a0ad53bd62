//! Points of binary snapshots, which their beginning names: TIPSY and GADGET.

use std::fs::File;
use std::io::{Read, Seek};

use super::{Snapshot, gadget, tipsy};
use crate::error::Fault;
use crate::memory::{read_fault, reserve_exact};
use crate::path::Format;
use crate::points::PointTable;
use crate::points::selection::{Picked, Selection};

/// Columns by name.
const COLUMNS: [&str; 7] = ["x", "y", "z", "vx", "vy", "vz", "mass"];

/// Bytes of the beginning that name a format.
pub(super) const BEGINNING: u64 = tipsy::HEADER as u64;

/// The format that a beginning names; `None` where it is none of these.
pub(crate) fn of(beginning: &[u8]) -> Option<Format> {
    if gadget::endian(beginning).is_some() {
        return Some(Format::Gadget);
    }
    tipsy::endian(beginning).map(|_| Format::Tipsy)
}

/// The format that the beginning of a file names, which is then read anew.
pub(crate) fn of_file(file: &mut File) -> Result<Option<Format>, Fault> {
    Ok(of(&beginning(file)?))
}

/// The first bytes of an input, which is then read anew.
pub(super) fn beginning(input: &mut (impl Read + Seek)) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    input.take(BEGINNING).read_to_end(&mut bytes).map_err(read_fault)?;
    input.rewind().map_err(Fault::Read)?;
    Ok(bytes)
}

/// Reads positions and masses, or the columns that are selected.
pub(crate) fn read(
    mut input: impl Read + Seek,
    format: Format,
    selection: &Selection,
) -> Result<PointTable, Fault> {
    let beginning = beginning(&mut input)?;
    let snapshot = match format {
        Format::Gadget => gadget::read(input, known(gadget::endian(&beginning), "GADGET")?)?,
        _ => tipsy::read(input, known(tipsy::endian(&beginning), "TIPSY")?)?,
    };
    snapshot.check()?;
    table(snapshot, selection)
}

fn known<E>(endian: Option<E>, format: &'static str) -> Result<E, Fault> {
    let cause = || "it does not begin as one".to_owned();
    endian.ok_or_else(|| Fault::Record { format, offset: 0, cause: cause() })
}

fn table(snapshot: Snapshot, selection: &Selection) -> Result<PointTable, Fault> {
    let names = COLUMNS.map(str::to_owned);
    let Picked { position, charge } = selection.pick(&names, names.len())?;
    let Snapshot { positions, velocities, masses, .. } = snapshot;
    let value = |i: usize, column: usize| match column {
        0..3 => positions[i][column],
        3..6 => velocities[i][column - 3],
        _ => masses[i],
    };
    let mut charges = Vec::new();
    if let Some(column) = charge {
        reserve_exact(&mut charges, positions.len())?;
        charges.extend((0..positions.len()).map(|i| value(i, column)));
    }
    if position == [0, 1, 2] {
        return Ok(PointTable { positions, charges });
    }
    let mut picked = Vec::new();
    reserve_exact(&mut picked, positions.len())?;
    picked.extend((0..positions.len()).map(|i| position.map(|column| value(i, column))));
    Ok(PointTable { positions: picked, charges })
}
