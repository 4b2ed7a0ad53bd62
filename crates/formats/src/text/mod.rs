//! Lines and numbers of text files.
//!
//! | file | what |
//! |---|---|
//! | `rows.rs` | rows of fields become points |
//! | `table.rs` | `.csv`, and columns separated by white space |
//! | `pqr.rs`, `xyz.rs` | atoms |

pub(crate) mod pqr;
pub(crate) mod rows;
pub(crate) mod table;
pub(crate) mod xyz;

use std::io::{BufRead, Read};

use crate::error::{At, Fault};
use crate::limits::LONGEST_LINE;
use crate::memory::read_fault;
use crate::message::excerpt;

/// Lines of a text, counted from 1, one buffer for all of them.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines { input, buffer: Vec::new(), number: 0 }
    }

    /// The next line without its end, and its number.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &str)>, At> {
        self.buffer.clear();
        self.number += 1;
        let at = |fault| At::line(self.number, fault);
        let mut bounded = (&mut self.input).take(LONGEST_LINE + 1);
        let count = bounded.read_until(b'\n', &mut self.buffer);
        match count.map_err(|error| at(read_fault(error)))? as u64 {
            0 => return Ok(None),
            count if count > LONGEST_LINE => return Err(at(Fault::LongLine)),
            _ => {}
        }
        let line = str::from_utf8(&self.buffer).map_err(|_| at(Fault::Text))?;
        // NUL characters are those of UTF-16 or of binary data.
        if line.contains('\0') {
            return Err(at(Fault::Text));
        }
        let line = line.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
        if line.contains('\r') {
            return Err(at(Fault::CarriageReturn));
        }
        Ok(Some((self.number, line)))
    }
}

/// The number of a field, or `None`. Fortran's exponent letter D is read, too.
pub(crate) fn number(field: &str) -> Option<f64> {
    field.parse().ok().or_else(|| {
        let starts = field.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        starts.then(|| field.replace(['d', 'D'], "e").parse().ok())?
    })
}

/// The finite number of field `column` (counted from 0) of a row.
pub(crate) fn finite(field: &str, column: usize, names: &[String]) -> Result<f64, Fault> {
    let value =
        number(field).ok_or_else(|| Fault::Number { column: column + 1, text: excerpt(field) })?;
    if value.is_finite() {
        return Ok(value);
    }
    let place = match names.get(column) {
        Some(name) => format!("{} (column {})", excerpt(name), column + 1),
        None => format!("column {}", column + 1),
    };
    if field.contains(|c: char| c.is_ascii_digit()) {
        return Err(Fault::Magnitude { place, text: excerpt(field) });
    }
    Err(Fault::NotFinite { place, value })
}
