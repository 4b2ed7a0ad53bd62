//! Legacy VTK unstructured grid: one vertex a point, with the field as point data.
//!
//! Binary, big-endian, as the VTK User's Guide ("VTK File Formats") fixes it, in version 5.1 of VTK 9. Double precision.
//! ParaView and VTK read polydata as well, but meshio does not, and it knows 64-bit integers by VTK's names in this
//! version alone.

use std::io::{self, Write};

use crate::output::field::{FieldArray, FieldParts, arrays, each_part};
use crate::pack::write_bytes;

/// Number of a vertex among the types of cells.
const VERTEX: i32 = 1;

/// Writes the beginning of a file up to its dataset.
pub(crate) fn head(output: &mut dyn Write, title: &str) -> io::Result<()> {
    write!(output, "# vtk DataFile Version 5.1\n{title}\nBINARY\nDATASET UNSTRUCTURED_GRID\n")
}

/// Writes a field as one vertex a point.
pub(crate) fn write(output: &mut dyn Write, field: &mut dyn FieldParts) -> io::Result<()> {
    let n = field.lengths().into_iter().sum();
    head(output, "field of 1/r: potential and its gradient")?;
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

/// Writes a vertex for each point: where each begins among their points, which points they have, and their types.
fn vertices(output: &mut dyn Write, n: usize) -> io::Result<()> {
    let numbers = |end: usize| (0..end as u64).map(u64::to_be_bytes);
    write!(output, "CELLS {} {n}\nOFFSETS vtktypeint64\n", n + 1)?;
    write_bytes(output, numbers(n + 1))?;
    write!(output, "\nCONNECTIVITY vtktypeint64\n")?;
    write_bytes(output, numbers(n))?;
    write!(output, "\nCELL_TYPES {n}\n")?;
    write_bytes(output, (0..n).map(|_| VERTEX.to_be_bytes()))
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
