//! XYZ: a count, a comment, and a line `element x y z [charge]` for each point.
//!
//! The key `Properties` of extended XYZ in the comment names other columns.

use std::io::{BufRead, Write};

use crate::error::{At, Fault};
use crate::message::excerpt;
use crate::points::selection::Selection;
use crate::text::Lines;
use crate::text::rows::{Header, PointRows, ReadRows};

pub(crate) fn read(input: impl BufRead, selection: &Selection) -> Result<ReadRows, At> {
    let mut lines = Lines::new(input);
    let Some((line, text)) = lines.next()? else {
        return Err(Fault::Empty.into());
    };
    let expected = text.trim().parse::<u64>().map_err(|_| {
        At::line(line, Fault::Line { found: excerpt(text), expected: "the number of points" })
    })?;
    let mut header = match lines.next()? {
        Some((line, comment)) => Header {
            names: properties(comment).map_err(|fault| At::line(line, fault))?,
            line: Some(line),
        },
        None => Header::default(),
    };

    let mut rows: Option<PointRows<'_>> = None;
    let mut found = 0;
    while let Some((line, text)) = lines.next()? {
        let fields: Vec<&str> = text.split_whitespace().collect();
        if fields.is_empty() {
            continue;
        }
        found += 1;
        if found <= expected {
            rows.get_or_insert_with(|| {
                if header.names.is_empty() {
                    header = Header { names: plain(fields.len()), line: None };
                }
                PointRows::new(selection, std::mem::take(&mut header))
            })
            .push(line, &fields)?;
        }
    }
    if found != expected {
        return Err(Fault::Count { found, expected }.into());
    }
    Ok(rows.map(PointRows::finish).unwrap_or_default())
}

/// Names of plain XYZ. A fifth column is the charge; more have no names.
fn plain(width: usize) -> Vec<String> {
    let known = ["element", "x", "y", "z", "charge"];
    let named = if width == known.len() { width } else { 4 };
    let name = |column: usize| match known[..named].get(column) {
        Some(&name) => name.to_owned(),
        None => (column + 1).to_string(),
    };
    (0..width).map(name).collect()
}

/// Columns of an XYZ file at most.
const MOST_COLUMNS: usize = 10_000;

/// Names from `Properties=species:S:1:pos:R:3:charge:R:1`; `pos` is x, y, z. None without the key.
fn properties(comment: &str) -> Result<Vec<String>, Fault> {
    let key = "Properties=";
    let Some(start) = comment.find(key) else {
        return Ok(Vec::new());
    };
    let list = comment[start + key.len()..].trim_start_matches('"');
    let list = list.split(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default();
    let words: Vec<&str> = list.split(':').collect();
    let mut names = Vec::new();
    for property in words.chunks_exact(3) {
        match (property[0], property[2].parse()) {
            ("pos", Ok(3)) => names.extend(["x", "y", "z"].map(str::to_owned)),
            (name, Ok(1)) => names.push(name.to_owned()),
            (name, Ok(count @ 2..=99)) => names.extend((1..=count).map(|i| format!("{name}_{i}"))),
            _ => return Ok(Vec::new()),
        }
        if names.len() > MOST_COLUMNS {
            let expected = "Properties of at most 10000 columns";
            return Err(Fault::Line { found: excerpt(comment), expected });
        }
    }
    Ok(names)
}

/// Writes points as extended XYZ; the element is X.
pub(crate) fn write(
    output: &mut dyn Write,
    positions: &[[f64; 3]],
    charges: &[f64],
) -> std::io::Result<()> {
    let charge = if charges.is_empty() { "" } else { ":charge:R:1" };
    writeln!(output, "{}", positions.len())?;
    writeln!(output, "Properties=species:S:1:pos:R:3{charge}")?;
    for (i, [x, y, z]) in positions.iter().enumerate() {
        write!(output, "X {x:?} {y:?} {z:?}")?;
        if let Some(charge) = charges.get(i) {
            write!(output, " {charge:?}")?;
        }
        writeln!(output)?;
    }
    Ok(())
}
