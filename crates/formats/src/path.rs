//! Formats by extension.

use std::path::Path;

use crate::error::Fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Pqr,
    Xyz,
    Csv,
    /// Columns separated by white space.
    Table,
    /// A table of tabs, which is read as one of white space.
    Tsv,
    Npy,
    Npz,
    Vtk,
    Tipsy,
    Gadget,
}

impl Format {
    /// The format of a path among those allowed, and whether `.gz` is on top of it.
    pub(crate) fn of(path: &Path, allowed: &[Format]) -> Result<(Format, bool), Fault> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let (stem, gzip) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        let extension = Path::new(stem).extension().unwrap_or_default().to_string_lossy();
        allowed
            .iter()
            .copied()
            // Archives and binary snapshots are read by seeking, which a gzip stream cannot.
            .filter(|&format| {
                !(gzip && matches!(format, Format::Npz | Format::Tipsy | Format::Gadget))
            })
            .find(|format| format.extensions().contains(&extension.as_ref()))
            .map(|format| (format, gzip))
            .ok_or_else(|| unknown(&extension, gzip, allowed))
    }

    fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Pqr => &["pqr"],
            Format::Xyz => &["xyz"],
            Format::Csv => &["csv"],
            Format::Table => &["dat", "txt"],
            Format::Tsv => &["tsv"],
            Format::Npy => &["npy"],
            Format::Npz => &["npz"],
            Format::Vtk => &["vtk"],
            Format::Tipsy => &["tipsy"],
            Format::Gadget => &["gadget"],
        }
    }
}

fn unknown(extension: &str, gzip: bool, allowed: &[Format]) -> Fault {
    let found = match (extension, gzip) {
        ("", false) => "a name without extension".to_owned(),
        ("", true) => "the extension .gz alone".to_owned(),
        (extension, true) => format!("the extension .{extension}.gz"),
        (extension, false) => format!("the extension .{extension}"),
    };
    let known: Vec<String> =
        allowed.iter().flat_map(|f| f.extensions()).map(|e| format!(".{e}")).collect();
    Fault::Extension { found, known: known.join(", ") }
}
