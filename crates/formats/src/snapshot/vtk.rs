//! Snapshots as legacy VTK for ParaView and meshio: one vertex a point, with velocities, masses and identity numbers.

use std::io::{self, BufRead, Write};

use super::{Snapshot, numbered, zeros};
use crate::error::Fault;
use crate::memory::reserve_exact;
use crate::message::excerpt;
use crate::pack::write_bytes;
use crate::points::PointTable;
use crate::points::selection::Selection;
use crate::vtk::{Array, Dataset, Keep, Numbers, doubles, head, points, scalars};

/// Names of an array of velocities, of identity numbers, of a time and of a number of steps, in any capitals.
const VELOCITIES: [&str; 4] = ["velocity", "velocities", "vel", "v"];
const IDS: [&str; 2] = ["id", "ids"];
const TIME: [&str; 2] = ["TIME", "TimeValue"];
const STEP: [&str; 1] = ["CYCLE"];

/// Reads a snapshot; what it does not have is that of points at rest at time 0, numbered from 0.
pub(super) fn read(input: &mut dyn BufRead, selection: &Selection) -> Result<Snapshot, Fault> {
    let dataset = Dataset::read(input, Keep::Points)?;
    let count = dataset.len();
    let PointTable { positions, charges: masses } = dataset.table(selection)?;
    let velocities = match only(&dataset.of_points, &VELOCITIES)? {
        Some(array) => vectors(array)?,
        None => zeros(count)?,
    };
    let ids = match only(&dataset.of_points, &IDS)? {
        Some(array) => whole(array)?,
        None => numbered(count)?,
    };
    let time = match only(&dataset.of_whole, &TIME)? {
        Some(array) if array.numbers.len() == 1 => array.numbers.float(0),
        _ => 0.0,
    };
    let step = match only(&dataset.of_whole, &STEP)? {
        Some(array) if array.numbers.len() == 1 => whole(array)?[0],
        _ => 0,
    };
    Ok(Snapshot { time, step, positions, velocities, masses, ids })
}

/// Writes a snapshot. Time and step are field data `TIME` and `CYCLE`, as VisIt and ParaView know them.
pub(super) fn write(output: &mut dyn Write, snapshot: &Snapshot) -> io::Result<()> {
    let Snapshot { time, step, positions, velocities, masses, ids } = snapshot;
    head(output, "snapshot of an N-body simulation")?;
    write!(output, "FIELD FieldData 2\nTIME 1 1 double\n")?;
    doubles(output, &[*time])?;
    writeln!(output, "CYCLE 1 1 vtktypeuint64")?;
    integers(output, &[*step])?;
    points(output, positions)?;
    write!(output, "\nPOINT_DATA {}\n", positions.len())?;
    scalars(output, "mass", masses)?;
    write!(output, "SCALARS id vtktypeuint64 1\nLOOKUP_TABLE default\n")?;
    integers(output, ids)?;
    writeln!(output, "VECTORS velocity double")?;
    doubles(output, velocities.as_flattened())
}

fn integers(output: &mut dyn Write, values: &[u64]) -> io::Result<()> {
    write_bytes(output, values.iter().map(|value| value.to_be_bytes()))?;
    writeln!(output)
}

/// The array of one of these names.
fn only<'a>(arrays: &'a [Array], names: &[&str]) -> Result<Option<&'a Array>, Fault> {
    let is_named = |array: &&Array| names.iter().any(|name| array.name.eq_ignore_ascii_case(name));
    let mut named = arrays.iter().filter(is_named);
    match (named.next(), named.next()) {
        (Some(array), Some(_)) => {
            Err(Fault::Ambiguous { things: "arrays", name: excerpt(&array.name) })
        }
        (array, _) => Ok(array),
    }
}

/// Vectors of three components.
fn vectors(array: &Array) -> Result<Vec<[f64; 3]>, Fault> {
    let Array { name, components, numbers } = array;
    let count = numbers.len() / components.max(&1);
    if *components != 3 {
        return Err(Fault::Shape {
            array: excerpt(name),
            shape: vec![count as u64, *components as u64],
            expected: "(N, 3)".into(),
            cure: "write velocities as VECTORS",
        });
    }
    let mut vectors = Vec::new();
    reserve_exact(&mut vectors, count)?;
    vectors.extend((0..count).map(|i| [0, 1, 2].map(|axis| numbers.float(3 * i + axis))));
    Ok(vectors)
}

/// Whole numbers from 0 on, one component each.
fn whole(array: &Array) -> Result<Vec<u64>, Fault> {
    let wrong = |found: &str| {
        Err(Fault::IntegerType { array: excerpt(&array.name), found: found.to_owned() })
    };
    match &array.numbers {
        _ if array.components != 1 => wrong("of several components"),
        Numbers::Floats(_) => wrong("float"),
        Numbers::Unsigned(values) => {
            let mut numbers = Vec::new();
            reserve_exact(&mut numbers, values.len())?;
            numbers.extend_from_slice(values);
            Ok(numbers)
        }
        Numbers::Signed(values) => {
            let mut numbers = Vec::new();
            reserve_exact(&mut numbers, values.len())?;
            for (i, &value) in values.iter().enumerate() {
                let negative = |_| {
                    let place = format!("{}[{i}]", excerpt(&array.name));
                    Fault::Negative { place, value }
                };
                numbers.push(u64::try_from(value).map_err(negative)?);
            }
            Ok(numbers)
        }
    }
}
