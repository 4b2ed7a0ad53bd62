//! The format of a stream, which has no name, by its beginning.

use crate::path::Format;
use crate::snapshot::binary::Binary;
use crate::vtk::SIGNATURE;

/// Bytes of the beginning that are looked at.
pub(crate) const BEGINNING: u64 = 1 << 12;

/// First words of the lines with which PQR files begin.
const PQR_RECORDS: [&str; 8] =
    ["ATOM", "HETATM", "REMARK", "HEADER", "TITLE", "COMPND", "CRYST1", "MODEL"];

/// Whether a stream begins as gzip's do.
pub(crate) fn is_gzip(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0x1f, 0x8b])
}

/// The format that a beginning names. A table of one column and one number is no table but the count of an XYZ file.
pub(crate) fn format(beginning: &[u8]) -> Format {
    if beginning.starts_with(b"PK\x03\x04") || beginning.starts_with(b"PK\x05\x06") {
        return Format::Npz;
    }
    if beginning.starts_with(b"\x93NUMPY") {
        return Format::Npy;
    }
    if beginning.starts_with(SIGNATURE) {
        return Format::Vtk;
    }
    if let Some(binary) = Binary::of(beginning) {
        return binary.format();
    }
    let text = String::from_utf8_lossy(beginning);
    let mut lines =
        text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.clone().next() else {
        return Format::Table;
    };
    if first.trim().parse::<u64>().is_ok() {
        return Format::Xyz;
    }
    if first.split_whitespace().next().is_some_and(|word| PQR_RECORDS.contains(&word)) {
        return Format::Pqr;
    }
    match lines.find(|line| !line.starts_with('#')) {
        Some(row) if row.contains(',') => Format::Csv,
        _ => Format::Table,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_name_formats() {
        for (beginning, expected) in [
            ("", Format::Table),
            ("1 2 3 4\n", Format::Table),
            ("# a, b\n1 2 3 4\n", Format::Table),
            ("\u{feff}x,y,z,q\n1,2,3,4\n", Format::Csv),
            ("# stars\n\n1, 2, 3, 4\n", Format::Csv),
            ("17\n\nH 0 0 0\n", Format::Xyz),
            ("REMARK by pdb2pqr\nATOM", Format::Pqr),
            ("\nATOM      1  N   MET", Format::Pqr),
            ("PK\x03\x04", Format::Npz),
            ("# vtk DataFile Version 3.0\n", Format::Vtk),
        ] {
            assert_eq!(format(beginning.as_bytes()), expected, "{beginning}");
        }
        assert_eq!(format(b"\x93NUMPY\x01"), Format::Npy);
        assert!(is_gzip(b"\x1f\x8b\x08"));
    }
}
