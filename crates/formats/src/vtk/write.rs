//! Legacy VTK: the field as point data of an unstructured grid of one vertex a point, or of the cells of the input.
//!
//! Binary, big-endian, as the VTK User's Guide ("VTK File Formats") fixes it, in version 5.1 of VTK 9. Double precision.
//! ParaView and VTK read polydata as well, but meshio does not, and it knows 64-bit integers by VTK's names in this
//! version alone.

use std::io::{self, Write};

use super::cells::Cells;
use crate::output::field::{FieldArray, FieldParts, arrays, each_part};
use crate::pack::write_bytes;

/// Number of a vertex among the types of cells.
const VERTEX: i32 = 1;

/// Writes the beginning of a file with one vertex a point, up to its dataset.
pub(crate) fn head(output: &mut dyn Write, title: &str) -> io::Result<()> {
    head_of(output, title, "UNSTRUCTURED_GRID")
}

fn head_of(output: &mut dyn Write, title: &str, dataset: &str) -> io::Result<()> {
    write!(output, "# vtk DataFile Version 5.1\n{title}\nBINARY\nDATASET {dataset}\n")
}

/// Writes a field with the cells that join its receivers; where they join others, with one vertex a receiver.
pub(crate) fn write(
    output: &mut dyn Write,
    field: &mut dyn FieldParts,
    cells: &Cells,
) -> io::Result<()> {
    let n = field.lengths().into_iter().sum();
    let cells = cells.join(n).then_some(cells);
    let title = "field of 1/r: potential and its gradient";
    match cells {
        Some(cells) => head_of(output, title, cells.dataset())?,
        None => head(output, title)?,
    }
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
            match cells {
                Some(cells) => cells.write(output)?,
                None => vertices(output, n)?,
            }
            write!(output, "\nPOINT_DATA {n}\n")?;
        }
    }
    Ok(())
}

/// Writes points as one vertex each, with their charges if they have some.
pub(crate) fn write_points(
    output: &mut dyn Write,
    positions: &[[f64; 3]],
    charges: &[f64],
) -> io::Result<()> {
    head(output, "points with charges")?;
    points(output, positions)?;
    writeln!(output)?;
    if charges.is_empty() {
        return Ok(());
    }
    writeln!(output, "POINT_DATA {}", positions.len())?;
    scalars(output, "charge", charges)
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
