//! Rows of fields become points: the part that all text formats share.

use crate::error::{At, Fault};
use crate::input::PointTable;
use crate::selection::{Picked, Selection};
use crate::text::finite;

/// Collects points from rows of equal width.
pub(crate) struct Rows<'a> {
    selection: &'a Selection,
    names: Vec<String>,
    /// Width of the first row and the columns picked from it.
    picked: Option<(usize, Picked)>,
    points: PointTable,
}

impl<'a> Rows<'a> {
    /// Rows whose columns have these names; none if `names` is empty.
    pub(crate) fn new(selection: &'a Selection, names: Vec<String>) -> Rows<'a> {
        Rows { selection, names, picked: None, points: PointTable::default() }
    }

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

    pub(crate) fn finish(self) -> PointTable {
        self.points
    }
}
