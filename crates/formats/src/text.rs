//! Lines and numbers of text files.

use std::io::BufRead;

use crate::error::{At, Fault, excerpt};

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
        if self.input.read_until(b'\n', &mut self.buffer).map_err(|e| at(Fault::Read(e)))? == 0 {
            return Ok(None);
        }
        let line = str::from_utf8(&self.buffer).map_err(|_| at(Fault::Text))?;
        let line = line.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
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
        Some(name) => format!("{name} (column {})", column + 1),
        None => format!("column {}", column + 1),
    };
    Err(Fault::NotFinite { place, value })
}
