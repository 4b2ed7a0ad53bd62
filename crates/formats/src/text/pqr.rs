//! PQR: atoms of a molecule with charge and radius.
//!
//! `ATOM serial name residue [chain] number x y z charge radius [element]`, separated by white
//! space. Files written in PDB's fixed columns let neighbours run together; these are told apart
//! by their signs, and the coordinates, failing that, by their columns.

use std::io::BufRead;

use crate::error::{At, Fault};
use crate::message::excerpt;
use crate::points::selection::Selection;
use crate::text::rows::{Header, PointRows, ReadRows};
use crate::text::{Lines, number};

const EXPECTED: &str = "ATOM serial name residue [chain] number x y z charge radius";

pub(crate) fn read(input: impl BufRead, selection: &Selection) -> Result<ReadRows, At> {
    let names = ["x", "y", "z", "charge", "radius"].map(str::to_owned).to_vec();
    let mut rows = PointRows::new(selection, Header { names, line: None });
    let mut lines = Lines::new(input);
    let mut models = 0;
    let mut is_pdb = true;
    while let Some((line, text)) = lines.next()? {
        models += u32::from(text.split_whitespace().next() == Some("MODEL"));
        if models > 1 {
            let found = excerpt(text.trim_end());
            return Err(At::line(line, Fault::Line { found, expected: "one model a file" }));
        }
        let Some(atom) = text.strip_prefix("ATOM").or_else(|| text.strip_prefix("HETATM")) else {
            continue;
        };
        let fields = by_space(atom).or_else(|| by_column(text)).ok_or_else(|| {
            At::line(line, Fault::Line { found: excerpt(text.trim_end()), expected: EXPECTED })
        })?;
        rows.push(line, &fields)?;
        is_pdb &= has_occupancy(text);
    }
    let read = rows.finish();
    if is_pdb && !read.points.positions.is_empty() {
        return Err(Fault::Pdb.into());
    }
    Ok(read)
}

/// Whether an atom has PDB's occupancy and temperature factor, of two decimals in columns 55 to 66, and its element behind
/// them, in place of charge and radius.
fn has_occupancy(text: &str) -> bool {
    let has_two_decimals = |columns: std::ops::Range<usize>| {
        let decimals = text.get(columns).and_then(|field| field.trim().split_once('.'));
        decimals.is_some_and(|(_, decimals)| decimals.len() == 2)
    };
    let behind = text.get(66..).unwrap_or_default().split_whitespace().last();
    let is_element = |field: &str| field.starts_with(|c: char| c.is_ascii_alphabetic());
    has_two_decimals(54..60) && has_two_decimals(60..66) && behind.is_some_and(is_element)
}

/// The last five numbers, where at least four fields with a residue number last stand before them.
fn by_space(atom: &str) -> Option<[&str; 5]> {
    let mut fields: Vec<&str> = atom.split_whitespace().flat_map(signed_parts).collect();
    if fields.last().is_some_and(|last| number(last).is_none()) {
        fields.pop();
    }
    let (names, numbers) = fields.split_last_chunk::<5>()?;
    let residue_number = names.last()?.contains(|c: char| c.is_ascii_digit());
    let whole = numbers.iter().all(|field| number(field).is_some());
    (names.len() >= 4 && residue_number && whole).then_some(*numbers)
}

/// Coordinates from PDB's columns 31 to 54, charge and radius after them.
fn by_column(text: &str) -> Option<[&str; 5]> {
    let mut rest = text.get(54..)?.split_whitespace();
    let fields = [
        text.get(30..38)?.trim(),
        text.get(38..46)?.trim(),
        text.get(46..54)?.trim(),
        rest.next()?,
        rest.next()?,
    ];
    fields.iter().all(|field| number(field).is_some()).then_some(fields)
}

/// Cuts a field before each minus sign that follows a digit: `1.5-2.5` is two numbers.
fn signed_parts(field: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(field);
    std::iter::from_fn(move || {
        let field = rest?;
        let bytes = field.as_bytes();
        let cut = (1..bytes.len()).find(|&i| bytes[i] == b'-' && bytes[i - 1].is_ascii_digit());
        rest = cut.map(|i| &field[i..]);
        Some(&field[..cut.unwrap_or(field.len())])
    })
}
