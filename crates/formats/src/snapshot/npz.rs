//! Snapshots as archives of numpy arrays: every digit of every number is kept.

use std::fs::File;
use std::io;

use super::{Snapshot, numbered, zeros};
use crate::error::Fault;
use crate::memory::Seekable;
use crate::npz::{Archive, VELOCITIES};
use crate::output::{archive, flat};
use crate::points::column::Column;
use crate::points::selection::Selection;

/// Reads a snapshot, or points with masses or charges alone: they are at rest, at time 0, and counted from 0.
pub(super) fn read(input: &mut dyn Seekable, selection: &Selection) -> Result<Snapshot, Fault> {
    let mut arrays = Archive::open(input)?;
    let points = arrays.points(selection)?;
    let count = points.positions.len();
    let velocities = match arrays.first_of(VELOCITIES) {
        Some(name) => arrays.array(name)?.positions()?,
        None if ["vx", "vy", "vz"].iter().any(|name| arrays.has(name)) => {
            arrays.join(&["vx", "vy", "vz"].map(|name| Column::Name(name.to_owned())))?
        }
        None => zeros(count)?,
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::npz::{self, Writer};
    use crate::points::selection::Selection;

    #[test]
    fn masses_win_over_charges_in_snapshots_alone() {
        let mut arrays = Writer::new(Cursor::new(Vec::new()));
        arrays.array("positions", 3, [0.0; 6].into_iter()).unwrap();
        arrays.array("charges", 1, [5.0, -7.0].into_iter()).unwrap();
        arrays.array("masses", 1, [3.0, 2.0].into_iter()).unwrap();
        let archive = arrays.finish().unwrap().into_inner();
        let of_masses = Selection::of_masses();
        let snapshot = super::read(&mut Cursor::new(&archive), &of_masses).unwrap();
        assert_eq!(snapshot.masses, [3.0, 2.0]);
        let points = npz::read(&mut Cursor::new(&archive), &Selection::default()).unwrap();
        assert_eq!(points.charges, [5.0, -7.0]);
    }
}
