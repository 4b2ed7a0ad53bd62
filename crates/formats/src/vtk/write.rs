//! Legacy VTK polydata for ParaView: one vertex a point, with the field as point data.
//!
//! Binary, big-endian, as the VTK User's Guide ("VTK File Formats") fixes it. Double precision.

use std::io::{self, Write};

use crate::error::Fault;
use crate::field::FieldTable;
use crate::pack::write_bytes;

/// The format counts with 32-bit integers, two for each vertex.
const LARGEST: usize = (i32::MAX / 2) as usize;

/// Refuses more points than the format can count.
pub(crate) fn check(found: usize) -> Result<(), Fault> {
    if found <= LARGEST { Ok(()) } else { Err(Fault::TooMany { found, limit: LARGEST }) }
}

/// Writes a field as one vertex a point.
pub(crate) fn write(output: &mut dyn Write, table: &FieldTable<'_>) -> io::Result<()> {
    write!(
        output,
        "# vtk DataFile Version 3.0\nfield of 1/r: potential and its gradient\nBINARY\n"
    )?;
    writeln!(output, "DATASET POLYDATA")?;
    points(output, table.positions)?;
    write!(output, "\nPOINT_DATA {}\n", table.positions.len())?;
    if let Some(charges) = table.charges {
        scalars(output, "charge", charges)?;
    }
    scalars(output, "potential", table.potential)?;
    writeln!(output, "VECTORS gradient double")?;
    doubles(output, table.gradient.as_flattened())
}

/// Writes positions, and a vertex for each.
pub(crate) fn points(output: &mut dyn Write, positions: &[[f64; 3]]) -> io::Result<()> {
    let n = positions.len();
    writeln!(output, "POINTS {n} double")?;
    doubles(output, positions.as_flattened())?;
    writeln!(output, "VERTICES {n} {}", 2 * n)?;
    write_bytes(output, (0..n as i32).flat_map(|i| [1, i]).map(i32::to_be_bytes))
}

/// Writes one number a point.
pub(crate) fn scalars(output: &mut dyn Write, name: &str, values: &[f64]) -> io::Result<()> {
    write!(output, "SCALARS {name} double 1\nLOOKUP_TABLE default\n")?;
    doubles(output, values)
}

/// Writes numbers, and the end of a line.
pub(crate) fn doubles(output: &mut dyn Write, values: &[f64]) -> io::Result<()> {
    write_bytes(output, values.iter().map(|value| value.to_be_bytes()))?;
    writeln!(output)
}
