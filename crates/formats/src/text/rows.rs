//! Rows of fields become points: the part that all text formats share.

use crate::error::{At, Fault};
use crate::memory::reserve;
use crate::points::PointTable;
use crate::points::places::LineNumbers;
use crate::points::selection::{Picked, Selection};
use crate::text::finite;
use crate::vtk::cells::Cells;

/// Collects points from rows of equal width.
pub(crate) struct PointRows<'a> {
    selection: &'a Selection,
    header: Header,
    /// Width of the first row and the columns picked from it.
    picked: Option<(usize, Picked)>,
    rows: ReadRows,
}

/// Names of columns, which may be none.
#[derive(Default)]
pub(crate) struct Header {
    pub(crate) names: Vec<String>,
    /// Line of the names, where the file has them.
    pub(crate) line: Option<u64>,
}

/// Points, the line of each, and the cells that join them.
#[derive(Default)]
pub(crate) struct ReadRows {
    pub(crate) points: PointTable,
    pub(crate) lines: LineNumbers,
    pub(crate) cells: Cells,
}

impl From<PointTable> for ReadRows {
    fn from(points: PointTable) -> ReadRows {
        ReadRows { points, ..ReadRows::default() }
    }
}

impl<'a> PointRows<'a> {
    /// No rows yet.
    pub(crate) fn new(selection: &'a Selection, header: Header) -> PointRows<'a> {
        PointRows { selection, header, picked: None, rows: ReadRows::default() }
    }

    /// Adds the point of a row, at its line of the file.
    pub(crate) fn push(&mut self, line: u64, fields: &[&str]) -> Result<(), At> {
        let index = self.rows.points.positions.len();
        let picked = self.columns(line, fields.len())?;
        self.point(picked, fields).map_err(|fault| At::line(line, fault))?;
        self.rows.lines.push(index, line);
        Ok(())
    }

    /// The columns of a row of `found` fields, picked from the first. A fault of the names is that of their line.
    fn columns(&mut self, line: u64, found: usize) -> Result<Picked, At> {
        let Header { names, line: of_names } = &self.header;
        let (expected, picked) = match self.picked {
            Some(first) => first,
            None if !names.is_empty() && names.len() != found => {
                return Err(At::line(line, Fault::Width { found, expected: names.len() }));
            }
            None => {
                let picked = self.selection.pick(names, found);
                let at = of_names.unwrap_or(line);
                *self.picked.insert((found, picked.map_err(|fault| At::line(at, fault))?))
            }
        };
        match found == expected {
            true => Ok(picked),
            false => Err(At::line(line, Fault::Width { found, expected })),
        }
    }

    fn point(&mut self, picked: Picked, fields: &[&str]) -> Result<(), Fault> {
        let value = |column: usize| finite(fields[column], column, &self.header.names);
        let [x, y, z] = picked.position;
        let PointTable { positions, charges } = &mut self.rows.points;
        reserve(positions, 1)?;
        positions.push([value(x)?, value(y)?, value(z)?]);
        if let Some(charge) = picked.charge {
            reserve(charges, 1)?;
            charges.push(value(charge)?);
        }
        Ok(())
    }

    /// The points of all rows.
    pub(crate) fn finish(self) -> ReadRows {
        self.rows
    }
}
