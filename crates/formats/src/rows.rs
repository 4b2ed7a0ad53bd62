//! Rows of fields become points: the part that all text formats share.

use crate::error::{At, Fault};
use crate::points::PointTable;
use crate::selection::{Picked, Selection};
use crate::text::finite;

/// Collects points from rows of equal width.
pub(crate) struct PointRows<'a> {
    selection: &'a Selection,
    names: Vec<String>,
    /// Width of the first row and the columns picked from it.
    picked: Option<(usize, Picked)>,
    points: PointTable,
}

impl<'a> PointRows<'a> {
    /// No rows yet; `names` are those of the columns, or empty.
    pub(crate) fn new(selection: &'a Selection, names: Vec<String>) -> PointRows<'a> {
        PointRows { selection, names, picked: None, points: PointTable::default() }
    }

    /// Adds the point of a row, at its line of the file.
    pub(crate) fn push(&mut self, line: u64, fields: &[&str]) -> Result<(), At> {
        self.point(fields).map_err(|fault| At::line(line, fault))
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
        self.points.positions.push([value(x)?, value(y)?, value(z)?]);
        if let Some(charge) = picked.charge {
            self.points.charges.push(value(charge)?);
        }
        Ok(())
    }

    /// The points of all rows.
    pub(crate) fn finish(self) -> PointTable {
        self.points
    }
}
