//! Tables: `.csv`, and columns separated by white space (`.dat`, `.txt`, `.tsv`).

use std::io::{BufRead, Write};

use crate::error::{At, Fault};
use crate::points::selection::Selection;
use crate::text::rows::{Header, PointRows, ReadRows};
use crate::text::{Lines, number};

/// Separator between the fields of a row.
#[derive(Clone, Copy)]
pub(crate) enum Separator {
    /// Commas; fields may be quoted. `#` at the start of a line begins a comment.
    Comma,
    /// White space or commas. `#` begins a comment anywhere.
    White,
}

/// Reads a table, one row a line.
pub(crate) fn read(
    input: impl BufRead,
    separator: Separator,
    selection: &Selection,
) -> Result<ReadRows, At> {
    let mut lines = Lines::new(input);
    let mut comment = Header::default();
    let mut rows: Option<PointRows<'_>> = None;
    while let Some((line, text)) = lines.next()? {
        let (fields, remark) = separator.split(text).map_err(|fault| At::line(line, fault))?;
        match &mut rows {
            _ if fields.is_empty() => comment = header(line, by_white_space(remark)),
            Some(rows) => rows.push(line, &fields)?,
            None => rows = Some(begin(line, &fields, std::mem::take(&mut comment), selection)?),
        }
    }
    Ok(rows.map(PointRows::finish).unwrap_or_default())
}

/// Takes the first row: names if no field of it is a number, otherwise a point, with the names of
/// the comment before it if their number is right.
fn begin<'a>(
    line: u64,
    fields: &[&str],
    comment: Header,
    selection: &'a Selection,
) -> Result<PointRows<'a>, At> {
    if fields.iter().all(|field| number(field).is_none()) {
        return Ok(PointRows::new(selection, header(line, fields.iter().copied())));
    }
    let Header { names, .. } = &comment;
    let named = names.len() == fields.len() && names.iter().all(|name| number(name).is_none());
    let mut rows = PointRows::new(selection, if named { comment } else { Header::default() });
    rows.push(line, fields)?;
    Ok(rows)
}

fn header<'a>(line: u64, names: impl Iterator<Item = &'a str>) -> Header {
    Header { names: names.map(str::to_owned).collect(), line: Some(line) }
}

impl Separator {
    /// The fields of a line, and the comment after them. Refuses a line that other characters separate than those of the table:
    /// numbers would be cut at decimal commas.
    fn split(self, text: &str) -> Result<(Vec<&str>, &str), Fault> {
        match self {
            Separator::White => {
                let (data, remark) = text.split_once('#').unwrap_or((text, ""));
                // Between two fields there is a comma in all places or in none.
                let alone = |part: &str| part.split_whitespace().count() <= 1;
                if data.contains(',') && !data.split(',').all(alone) {
                    return Err(Fault::MixedSeparators);
                }
                Ok((by_white_space(data).collect(), remark))
            }
            Separator::Comma => match text.strip_prefix('#') {
                Some(remark) => Ok((Vec::new(), remark)),
                None if text.trim().is_empty() => Ok((Vec::new(), "")),
                None => {
                    let fields = by_comma(text);
                    // A row of points has three fields or more.
                    let few = if fields.len() < 3 { &fields[..] } else { &[] };
                    match few.iter().find_map(|field| field.chars().find(|c| ";\t".contains(*c))) {
                        Some(separator) => Err(Fault::NotCommas { separator }),
                        None => Ok((fields, "")),
                    }
                }
            },
        }
    }
}

fn by_white_space(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|field| !field.is_empty())
}

/// Fields between commas outside quotes, without their quotes.
fn by_comma(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .map(|field| {
        let field = field.trim();
        field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field).trim()
    })
    .collect()
}

/// Writes the row of names.
pub(crate) fn write_names(
    output: &mut dyn Write,
    separator: &str,
    names: &[&str],
) -> std::io::Result<()> {
    writeln!(output, "{}", names.join(separator))
}

/// Writes a row of numbers with as many digits as round trips need.
pub(crate) fn write_row(
    output: &mut dyn Write,
    separator: &str,
    row: &[f64],
) -> std::io::Result<()> {
    for (column, value) in row.iter().enumerate() {
        let before = if column == 0 { "" } else { separator };
        write!(output, "{before}{value:?}")?;
    }
    writeln!(output)
}
