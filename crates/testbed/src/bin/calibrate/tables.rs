//! Text of the tables: numbers are read from a file, compared with new ones, and written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// Numbers of a file by constant or field, in the order of their text; rows that begin with an order have names of
/// their own.
pub(crate) type Numbers = BTreeMap<String, Vec<f64>>;

/// A file of tables.
pub(crate) struct Target {
    path: PathBuf,
    check: bool,
}

impl Target {
    pub(crate) fn new(folder: &Path, file: &str, check: bool) -> Self {
        Self { path: folder.join(file), check }
    }

    /// The text on file; `None` where there is none yet.
    pub(crate) fn text(&self) -> Option<String> {
        fs::read_to_string(&self.path).ok()
    }

    /// Writes the tables below the module comment that the file has, or below `comment` in a new file. With `--check`,
    /// prints old and new numbers instead.
    pub(crate) fn put(&self, comment: &str, tables: &str) -> Outcome {
        let old = self.text().unwrap_or_default();
        if self.check {
            println!("{}", self.path.display());
            print!("{}", comparison(&numbers(&old), &numbers(tables)));
            return Ok(());
        }
        let kept = module_comment(&old);
        let comment = if kept.is_empty() { comment } else { &kept };
        fs::write(&self.path, format!("{}\n\n{tables}", comment.trim_end()))?;
        println!("wrote {}", self.path.display());
        // A machine without rustfmt gets the same tables with other line breaks.
        let formatted = Command::new("rustfmt")
            .args(["--edition", "2024", "--config", "max_width=100,use_small_heuristics=Max"])
            .arg(&self.path)
            .status();
        if !formatted.is_ok_and(|status| status.success()) {
            println!("rustfmt did not run; format with: cargo fmt --package farfield-fmm");
        }
        Ok(())
    }
}

/// The lines of a module comment.
fn module_comment(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// All numbers of the constants in a text.
pub(crate) fn numbers(text: &str) -> Numbers {
    let mut found = Numbers::new();
    let mut name = String::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("//") || line.starts_with("use ") || line.contains(" type ") {
            continue;
        }
        let mut values = line;
        if let Some((head, rest)) = line.split_once('=') {
            // A type may hold numbers of its own.
            let constant = head.split(':').next().and_then(|head| head.split_whitespace().last());
            name = constant.unwrap_or_default().to_owned();
            values = rest;
        } else if let Some((field, rest)) = line.split_once(": ") {
            name = field.to_owned();
            values = rest;
        }
        let place = match values.strip_prefix('(').and_then(|row| row.split_once(',')) {
            Some((order, rest)) => {
                values = rest;
                format!("{name} {order:0>2}")
            }
            None => name.clone(),
        };
        let words = values.split(|c: char| !(c.is_alphanumeric() || "+-._".contains(c)));
        let read = words.filter_map(|word| match word {
            "INFINITY" => Some(f64::INFINITY),
            _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') => word.parse().ok(),
            _ => None,
        });
        let mut read: Vec<f64> = read.collect();
        if values.contains("; ")
            && let [value, count] = read[..]
        {
            read = vec![value; count as usize];
        }
        if !read.is_empty() {
            found.entry(place).or_default().extend(read);
        }
    }
    found
}

/// A line for each number: old, new, and the ratio of new to old.
fn comparison(old: &Numbers, new: &Numbers) -> String {
    let mut text = format!("{:24} {:>12} {:>12} {:>8}\n", "", "old", "new", "new/old");
    for (name, values) in new {
        let before = old.get(name).map_or(&[][..], Vec::as_slice);
        for (k, value) in values.iter().enumerate() {
            let label = if values.len() > 1 { format!("{name}[{k}]") } else { name.clone() };
            text += &match before.get(k) {
                None => format!("{label:24} {:>12} {value:12.3e}\n", "none"),
                Some(old) if old == value => format!("{label:24} {old:12.3e} {value:12.3e}\n"),
                Some(old) => {
                    format!("{label:24} {old:12.3e} {value:12.3e} {:8.2}\n", value / old)
                }
            };
        }
    }
    text
}

/// `[a, b, …]` with `digits` after the point of the mantissa.
pub(crate) fn list(values: &[f64], digits: usize) -> String {
    let words: Vec<String> = values.iter().map(|x| number(*x, digits)).collect();
    format!("[{}]", words.join(", "))
}

/// A number as Rust reads it.
pub(crate) fn number(x: f64, digits: usize) -> String {
    match x {
        0.0 => "0.0".to_owned(),
        _ if x.is_infinite() => "f64::INFINITY".to_owned(),
        _ => format!("{x:.digits$e}"),
    }
}

/// The smallest number of two digits that is not below `x`.
pub(crate) fn up_to_two_digits(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return x;
    }
    let near: f64 = format!("{x:.1e}").parse().unwrap_or(x);
    if near >= x {
        return near;
    }
    let unit = 10f64.powi(x.log10().floor() as i32 - 1);
    format!("{:.1e}", near + unit).parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! Of 3 machines.\n//! More.\n\nuse super::Row4;\n\n/// Errors of 7.\n\
                        pub(super) const ROWS: &[Row] = &[\n    (1, [5.0e-2, 1.0e0]),\n    (12, [-2e-3, 4.0]),\n];\n\
                        pub(super) type Table<const N: usize> = [[f64; N]; 9];\n\
                        pub(super) const ORDERS: [usize; 3] = [1, 2, 14];\n\
                        pub(super) const COSTS: Costs = Costs {\n    pair: [0.6e-12; 4],\n    near_pair: None,\n    \
                        f32_cells_from: f64::INFINITY,\n};\n";

    #[test]
    fn numbers_are_read_by_name() {
        let found = numbers(TEXT);
        assert_eq!(found["ROWS 01"], [5e-2, 1.0]);
        assert_eq!(found["ROWS 12"], [-2e-3, 4.0]);
        assert_eq!(found["ORDERS"], [1.0, 2.0, 14.0]);
        assert_eq!(found["pair"], [0.6e-12; 4]);
        assert_eq!(found["f32_cells_from"], [f64::INFINITY]);
        assert!(!found.contains_key("near_pair") && found.len() == 5);
    }

    #[test]
    fn comments_are_kept() {
        assert_eq!(module_comment(TEXT), "//! Of 3 machines.\n//! More.\n");
    }

    #[test]
    fn old_and_new_stand_side_by_side() {
        let text = comparison(&numbers("const A: f64 = 2.0;"), &numbers("const A: f64 = 3.0;"));
        assert!(text.contains("1.50"), "{text}");
        let text = comparison(&Numbers::new(), &numbers("const A: f64 = 3.0;"));
        assert!(text.contains("none"), "{text}");
    }

    #[test]
    fn numbers_are_rounded_up() {
        for (x, up) in [(1.21e-7, 1.3e-7), (1.2e-7, 1.2e-7), (9.91e3, 1e4), (0.0, 0.0)] {
            assert_eq!(up_to_two_digits(x), up);
        }
        assert_eq!(number(1.26e-9, 1), "1.3e-9");
        assert_eq!(list(&[0.0, f64::INFINITY], 1), "[0.0, f64::INFINITY]");
    }
}
