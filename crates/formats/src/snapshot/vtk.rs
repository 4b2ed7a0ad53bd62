//! Snapshots as legacy VTK polydata for ParaView: one vertex a point, with velocities, masses and identity numbers.

use std::io::{self, Write};

use super::Snapshot;
use crate::vtk::{doubles, points, scalars};

/// Writes a snapshot. Time and step are field data `TIME` and `CYCLE`, as VisIt and ParaView know them.
pub(super) fn write(output: &mut dyn Write, snapshot: &Snapshot) -> io::Result<()> {
    let Snapshot { time, step, positions, velocities, masses, ids } = snapshot;
    write!(output, "# vtk DataFile Version 3.0\nsnapshot of an N-body simulation\nBINARY\n")?;
    write!(output, "DATASET POLYDATA\nFIELD FieldData 2\nTIME 1 1 double\n")?;
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
    values.iter().try_for_each(|value| output.write_all(&value.to_be_bytes()))?;
    writeln!(output)
}
