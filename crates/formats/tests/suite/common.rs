//! Small files to read, and selections.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::Path;

use formats::{Charges, Error, PointTable, Selection, read_points};

/// Calls `use_file` with the path of a file of this name and content.
pub(crate) fn with_file<T>(name: &str, bytes: &[u8], use_file: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    use_file(&path)
}

/// Reads a text as a file of this name.
pub(crate) fn read(name: &str, text: &str, selection: &Selection) -> Result<PointTable, Error> {
    with_file(name, text.as_bytes(), |path| read_points(path, selection))
}

/// Positions and charge from these columns.
pub(crate) fn select(positions: &str, charge: &str) -> Selection {
    Selection {
        positions: Some(positions.parse().unwrap()),
        charges: Charges::Column(charge.parse().unwrap()),
    }
}

pub(crate) fn unit_charges() -> Selection {
    Selection { charges: Charges::Unit, ..Selection::default() }
}

pub(crate) fn receivers() -> Selection {
    Selection { charges: Charges::Ignored, ..Selection::default() }
}
