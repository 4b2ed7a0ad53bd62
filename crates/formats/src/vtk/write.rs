//! Legacy VTK polydata for ParaView: one vertex a point, with the field as point data.
//!
//! Binary, big-endian, as the VTK User's Guide ("VTK File Formats") fixes it. Double precision.

use std::io::{self, Write};

use crate::error::Fault;
use crate::field::{FieldArray, FieldParts, arrays, each_part};
use crate::pack::write_bytes;

/// The format counts with 32-bit integers, two for each vertex.
const LARGEST: usize = (i32::MAX / 2) as usize;

/// Refuses more points than the format can count.
pub(crate) fn check(found: usize) -> Result<(), Fault> {
    if found <= LARGEST { Ok(()) } else { Err(Fault::TooMany { found, limit: LARGEST }) }
}

/// Writes a field as one vertex a point.
pub(crate) fn write(output: &mut dyn Write, field: &mut dyn FieldParts) -> io::Result<()> {
    let n = field.lengths().into_iter().sum();
    write!(
        output,
        "# vtk DataFile Version 3.0\nfield of 1/r: potential and its gradient\nBINARY\n"
    )?;
    writeln!(output, "DATASET POLYDATA")?;
    for array in arrays(field) {
        match array {
            FieldArray::Positions => writeln!(output, "POINTS {n} double")?,
            FieldArray::Charges => scalar_head(output, "charge")?,
            FieldArray::Potential => scalar_head(output, "potential")?,
            FieldArray::Gradient => writeln!(output, "VECTORS gradient double")?,
        }
        each_part(field, array, |values| numbers(output, values))?;
        writeln!(output)?;
        if array == FieldArray::Positions {
            vertices(output, n)?;
            write!(output, "\nPOINT_DATA {n}\n")?;
        }
    }
    Ok(())
}

/// Writes positions, and a vertex for each.
pub(crate) fn points(output: &mut dyn Write, positions: &[[f64; 3]]) -> io::Result<()> {
    writeln!(output, "POINTS {} double", positions.len())?;
    doubles(output, positions.as_flattened())?;
    vertices(output, positions.len())
}

/// Writes a vertex for each point.
fn vertices(output: &mut dyn Write, n: usize) -> io::Result<()> {
    writeln!(output, "VERTICES {n} {}", 2 * n)?;
    write_bytes(output, (0..n as i32).flat_map(|i| [1, i]).map(i32::to_be_bytes))
}

/// Writes one number a point.
pub(crate) fn scalars(output: &mut dyn Write, name: &str, values: &[f64]) -> io::Result<()> {
    scalar_head(output, name)?;
    doubles(output, values)
}

fn scalar_head(output: &mut dyn Write, name: &str) -> io::Result<()> {
    write!(output, "SCALARS {name} double 1\nLOOKUP_TABLE default\n")
}

/// Writes numbers, and the end of a line.
pub(crate) fn doubles(output: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    numbers(output, values)?;
    writeln!(output)
}

fn numbers(output: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    write_bytes(output, values.iter().map(|value| value.to_be_bytes()))
}
