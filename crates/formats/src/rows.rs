//! Rows of fields become points: the part that all text formats share.

use crate::error::{At, Fault};
use crate::memory::reserve;
use crate::places::LineNumbers;
use crate::points::PointTable;
use crate::selection::{Picked, Selection};
use crate::text::finite;

/// Collects points from rows of equal width.
pub(crate) struct PointRows<'a> {
    selection: &'a Selection,
    names: Vec<String>,
    /// Width of the first row and the columns picked from it.
    picked: Option<(usize, Picked)>,
    rows: ReadRows,
}

/// Points, and the line of each.
#[derive(Default)]
pub(crate) struct ReadRows {
    pub(crate) points: PointTable,
    pub(crate) lines: LineNumbers,
}

impl From<PointTable> for ReadRows {
    fn from(points: PointTable) -> ReadRows {
        ReadRows { points, lines: LineNumbers::default() }
    }
}

impl<'a> PointRows<'a> {
    /// No rows yet; `names` are those of the columns, or empty.
    pub(crate) fn new(selection: &'a Selection, names: Vec<String>) -> PointRows<'a> {
        PointRows { selection, names, picked: None, rows: ReadRows::default() }
    }

    /// Adds the point of a row, at its line of the file.
    pub(crate) fn push(&mut self, line: u64, fields: &[&str]) -> Result<(), At> {
        let index = self.rows.points.positions.len();
        self.point(fields).map_err(|fault| At::line(line, fault))?;
        self.rows.lines.push(index, line);
        Ok(())
    }

    fn point(&mut self, fields: &[&str]) -> Result<(), Fault> {
        let found = fields.len();
        let (expected, picked) = match self.picked {
            Some(first) => first,
            None => {
                if !self.names.is_empty() && self.names.len() != found {
                    return Err(Fault::Width { found, expected: self.names.len() });
                }
                *self.picked.insert((found, self.selection.pick(&self.names, found)?))
            }
        };
        if found != expected {
            return Err(Fault::Width { found, expected });
        }
        let value = |column: usize| finite(fields[column], column, &self.names);
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
