//! Snapshots as archives of numpy arrays: every digit of every number is kept.

use std::fs::File;
use std::io::{self, Read, Seek};

use super::{Snapshot, numbered, zeros};
use crate::error::Fault;
use crate::npz::Archive;
use crate::output::{archive, flat};
use crate::selection::Selection;

/// Reads a snapshot, or points with masses or charges alone: they are at rest, at time 0, and counted from 0.
pub(super) fn read(input: impl Read + Seek) -> Result<Snapshot, Fault> {
    let mut arrays = Archive::open(input)?;
    let points = arrays.points(&Selection::default())?;
    let count = points.positions.len();
    let velocities = match arrays.has("velocities") {
        true => arrays.array("velocities")?.positions()?,
        false => zeros(count)?,
    };
    let ids = match arrays.has("ids") {
        true => arrays.integers("ids")?,
        false => numbered(count)?,
    };
    let time = match arrays.has("time") {
        true => arrays.array("time")?.scalar()?,
        false => 0.0,
    };
    let step = match arrays.has("step") {
        true => match *arrays.integers("step")? {
            [step] => step,
            ref steps => {
                let cause = format!("it holds {} numbers, not one", steps.len());
                return Err(Fault::Npy { array: "step".to_owned(), cause });
            }
        },
        false => 0,
    };
    Ok(Snapshot {
        time,
        step,
        positions: points.positions,
        velocities,
        masses: points.charges,
        ids,
    })
}

pub(super) fn write(file: File, snapshot: &Snapshot) -> io::Result<File> {
    archive(file, |arrays| {
        arrays.array("positions", 3, flat(&snapshot.positions))?;
        arrays.array("velocities", 3, flat(&snapshot.velocities))?;
        arrays.array("masses", 1, snapshot.masses.iter().copied())?;
        arrays.integers("ids", &[snapshot.ids.len() as u64], &snapshot.ids)?;
        arrays.scalar("time", snapshot.time)?;
        arrays.integers("step", &[], &[snapshot.step])
    })
}
