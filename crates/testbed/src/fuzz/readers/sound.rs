//! Small sound files of every format.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use formats::{PointTable, Snapshot, write_points, write_snapshot};
use zip::write::{SimpleFileOptions, ZipWriter};

use super::{Folder, Input};
use crate::{charges, clouds};

/// A sound file, opened: the damage is done inside the compression, where checksums do not see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    /// Extension without `.gz`.
    pub extension: &'static str,
    /// The content.
    pub content: Content,
}

/// Content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The bytes as they are.
    Plain(Vec<u8>),
    /// The bytes before gzip.
    Gzip(Vec<u8>),
    /// Members of an archive, each with its name, and whether they are compressed.
    Archive(Vec<(String, Vec<u8>)>, bool),
}

impl Sound {
    /// The file with these contents, compressed where it has to be.
    pub fn pack(&self) -> Input {
        match &self.content {
            Content::Plain(bytes) => {
                Input { extension: self.extension.to_owned(), bytes: bytes.clone() }
            }
            Content::Gzip(bytes) => {
                Input { extension: format!("{}.gz", self.extension), bytes: gzip(bytes) }
            }
            Content::Archive(members, deflated) => {
                Input { extension: self.extension.to_owned(), bytes: archive(members, *deflated) }
            }
        }
    }
}

/// Writing to memory does not fail; an empty file is as good a test as any.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

fn archive(members: &[(String, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let method =
        if deflated { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let options = SimpleFileOptions::default().compression_method(method);
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        // Names that come twice are left out.
        if writer.start_file(name.as_str(), options).is_ok() {
            let _ = writer.write_all(bytes);
        }
    }
    writer.finish().map(std::io::Cursor::into_inner).unwrap_or_default()
}

/// Sound files: those that the writers make, others by hand, and those of the tests of `formats`.
///
/// # Errors
///
/// The error of writing into the folder or of reading the data of the tests.
pub fn sound_files(folder: &Folder) -> Result<Vec<Sound>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for (n, charged) in [(1, true), (5, false), (24, true)] {
        let positions = clouds::uniform_cube(n, 41).positions;
        let charges = if charged { charges::mixed(n, 42) } else { Vec::new() };
        let table = PointTable { positions, charges };
        for extension in ["csv", "dat", "txt", "xyz", "npy"] {
            let path = folder.path().join(format!("sound.{extension}"));
            write_points(&path, &table)?;
            let bytes = fs::read(&path)?;
            files.push(Sound { extension, content: Content::Gzip(bytes.clone()) });
            files.push(Sound { extension, content: Content::Plain(bytes) });
        }
    }
    files.extend(snapshots(folder)?);
    files.extend(texts());
    files.extend(arrays());
    files.extend(archives());
    let tests = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/tests/data"));
    for (name, extension) in [
        ("1AFS.pqr", "pqr"),
        ("compressed.npz", "npz"),
        ("fortran-f4.npy", "npy"),
        ("structured.npy", "npy"),
    ] {
        let content = Content::Plain(fs::read(tests.join(name))?);
        files.push(Sound { extension, content });
    }
    Ok(files)
}

/// Snapshots of one particle and of some, of equal masses and of others.
fn snapshots(folder: &Folder) -> Result<Vec<Sound>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for (n, equal) in [(1, false), (24, true), (24, false)] {
        let positions = clouds::uniform_cube(n, 43).positions;
        let charges = if equal { vec![1.0 / 3.0; n] } else { charges::mixed(n, 44) };
        let snapshot = Snapshot::at_rest(PointTable { positions, charges })?;
        for extension in ["tipsy", "gadget", "npz", "vtk"] {
            let path = folder.path().join(format!("sound.{extension}"));
            write_snapshot(&path, &snapshot)?;
            files.push(Sound { extension, content: Content::Plain(fs::read(&path)?) });
        }
    }
    Ok(files)
}

/// Text files by hand, with what their formats allow.
fn texts() -> impl Iterator<Item = Sound> {
    const PQR: &str = "REMARK a molecule\nATOM      1  N   MET A   1      26.000  1.250  -3.5  0.16  1.85\n\
        HETATM    2  O   HOH     2   1e0 2.5E-1 -0 -0.8 1.4\nTER\nEND\n";
    const XYZ: &str =
        "3\na comment\nO 0.0 0.0 0.1 -0.8\nH 0.0 0.75 -0.4 0.4\nH 0.0 -0.75 -0.4 0.4\n";
    const CSV: &str = "name,x,y,z,q\na,0,1,2,0.5\n\"b, c\",1.5,-2e3,+4,.25\n";
    const DAT: &str = "# x y z mass\n0 0 0 1\n\n  1.5\t2 3 4 # a comment\r\n-1 -2 -3 5\n";
    const VTK: &str = "# vtk DataFile Version 5.1\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n\
        FIELD FieldData 1\nTIME 1 1 double\n2.5\nPOINTS 2 float\n0 1 2\n3 4 5\nMETADATA\nINFORMATION 0\n\n\
        CELLS 3 2\nOFFSETS vtktypeint64\n0 1 2\nCONNECTIVITY vtktypeint64\n0 1\nCELL_TYPES 2\n1 1\nPOINT_DATA 2\n\
        SCALARS mass float\nLOOKUP_TABLE default\n1 2.5\nFIELD FieldData 2\nid 1 2 int\n7 8\nvelocity 3 2 double\n0 0 1 1 0 0\n";
    [("pqr", PQR), ("xyz", XYZ), ("csv", CSV), ("dat", DAT), ("vtk", VTK)].into_iter().flat_map(
        |(extension, text)| {
            let bytes = text.as_bytes().to_vec();
            let contents = [Content::Gzip(bytes.clone()), Content::Plain(bytes)];
            contents.into_iter().map(move |content| Sound { extension, content })
        },
    )
}

/// Arrays of numpy by hand: versions 1 to 3, several types, orders and shapes.
fn arrays() -> impl Iterator<Item = Sound> {
    let kinds = [
        (1, "<f8", false, "(2, 3)", 48),
        (2, ">f8", true, "(3, 4)", 96),
        (3, "<f4", false, "(4, 3)", 48),
        (1, "<i4", true, "(1, 4)", 16),
        (1, ">i8", false, "(2, 4)", 64),
        (1, "<f8", false, "(3, 2)", 48),
    ];
    kinds.into_iter().map(|(version, kind, fortran, shape, length)| {
        let content = Content::Plain(array(version, kind, fortran, shape, length));
        Sound { extension: "npy", content }
    })
}

/// Archives by hand: one array of positions, or three, stored or compressed.
fn archives() -> impl Iterator<Item = Sound> {
    let joined = |charge: &str| {
        let names = [("positions.npy", "(4, 3)", 96), (charge, "(4,)", 32)];
        names.map(|(name, shape, length)| (name.to_owned(), array(1, "<f8", false, shape, length)))
    };
    let apart = ["x.npy", "y.npy", "z.npy", "q.npy"]
        .map(|name| (name.to_owned(), array(1, "<f4", false, "(4,)", 16)));
    let sets = [joined("charges.npy").to_vec(), joined("m.npy").to_vec(), apart.to_vec()];
    sets.into_iter().flat_map(|members| {
        [false, true].map(|deflated| Sound {
            extension: "npz",
            content: Content::Archive(members.clone(), deflated),
        })
    })
}

/// An array of small numbers, `length` bytes of them.
fn array(version: u8, kind: &str, fortran: bool, shape: &str, length: usize) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
    header.push('\n');
    let mut bytes = [b"\x93NUMPY".as_slice(), &[version, 0]].concat();
    let size = header.len() as u32;
    bytes.extend(&size.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(header.as_bytes());
    // Bytes of numbers that are finite in every type.
    bytes.extend((0..length).map(|k| (k % 13) as u8));
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, check, selections};
    use super::*;

    /// Most sound files are read with one of the selections; the others are sound of form only.
    #[test]
    fn sound_files_are_sound() {
        let folder = Folder::new("sound").unwrap();
        let files = sound_files(&folder).unwrap();
        let read = |file: &&Sound| {
            let input = file.pack();
            let outcomes =
                selections().map(|selection| check(&input, &selection, &folder).unwrap());
            outcomes.contains(&Outcome::Points)
        };
        let sound = files.iter().filter(read).count();
        assert!(sound + 3 >= files.len(), "{sound} of {}", files.len());
    }
}
