//! Messages of `formats::Error`.

use std::io;

use formats::{Column, Error, Fault, SelectionError};

fn os(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

fn message(line: Option<u64>, fault: Fault) -> String {
    Error { path: "a.csv".into(), line, fault }.to_string()
}

/// Faults of files as a whole.
fn of_whole_files() -> Vec<(Fault, &'static str)> {
    vec![
        (
            Fault::Open(os(2)),
            "cannot be opened (No such file or directory (os error 2)); check the path and its permissions",
        ),
        (Fault::Folder, "is a folder; name a file in it"),
        (
            Fault::Read(os(5)),
            "cannot be read (Input/output error (os error 5)); check that it is a regular file on a sound disk",
        ),
        (
            Fault::Gzip(io::Error::other("invalid gzip header")),
            "is not a sound gzip file (invalid gzip header); copy or compress it again, or drop the ending .gz if it is not compressed",
        ),
        (
            Fault::Extension { found: "the extension .png".into(), known: ".csv, .npz".into() },
            "the extension .png names no known format; use one of .csv, .npz",
        ),
        (Fault::Empty, "holds no points; give a file with at least one"),
        (
            Fault::Expands,
            "expands more than 100-fold and beyond 256 MiB; if that is meant, give it uncompressed",
        ),
        (
            Fault::LongStream,
            "is an archive of more than 1024 MiB in a pipe; give the name of its file",
        ),
        (
            Fault::Memory { count: 1000 },
            "1000 values do not fit into memory; use fewer points, or raise the memory limit",
        ),
        (
            Fault::Count { found: 3, expected: 2 },
            "found 3 lines of points, expected 2 as line 1 says; correct the count, and keep one frame a file",
        ),
    ]
}

/// Faults of arrays and of outputs.
fn of_arrays_and_outputs() -> Vec<(Fault, &'static str)> {
    vec![
        (
            Fault::NoArray { wanted: "\"q\"".into(), available: "x, y".split(", ").collect() },
            "has no array \"q\"; the arrays are x, y: choose among them",
        ),
        (Fault::NumberedArray(3), "has arrays with names, so there is no column 3; select by name"),
        (
            Fault::Shape {
                array: "positions".into(),
                shape: vec![3, 1000],
                expected: "(N, 3)".into(),
                cure: "save its transpose (.T)",
            },
            "positions has shape (3, 1000), expected (N, 3); save its transpose (.T)",
        ),
        (
            Fault::Type { array: "positions".into(), found: "|O".into() },
            "positions has type |O, expected f4, f8, i4 or i8; convert it with astype('f8')",
        ),
        (
            Fault::Truncated { array: "positions".into(), found: 2, expected: 3 },
            "positions ends after 2 of 3 numbers; copy or write the file again",
        ),
        (
            Fault::Npy { array: "positions".into(), cause: "its header is cut short".into() },
            "positions is not a sound .npy array (its header is cut short); write it again with numpy.save",
        ),
        (
            Fault::Archive("it is encrypted".into()),
            "is not a sound .npz archive (it is encrypted); write it again with numpy.savez",
        ),
        (
            Fault::Length { array: "charges", found: 2, expected: 3 },
            "charges has 2 elements for 3 points; give one a point",
        ),
        (
            Fault::NegativeMass { place: "charges[17]".into(), value: -0.8 },
            "charges[17] is -0.8, and the format holds masses, 0 or more; write .npz or .vtk",
        ),
        (
            Fault::TooMany { found: 9, limit: 8 },
            "cannot hold 9 points, the format ends at 8; write .npz",
        ),
        (Fault::NotAFile, "is not a regular file; name a new file, or a file to replace"),
        (Fault::Protected, "is write-protected; name another file, or change its permissions"),
        (
            Fault::Write(os(28)),
            "cannot be written (No space left on device (os error 28)); check the folder, its permissions and the space left",
        ),
    ]
}

/// Faults of snapshots.
fn of_snapshots() -> Vec<(Fault, &'static str)> {
    vec![
        (
            Fault::IntegerType { array: "ids".into(), found: "<f8".into() },
            "ids has type <f8, expected u8, i8, u4 or i4; convert it with astype('u8')",
        ),
        (
            Fault::Negative { place: "ids[17]".into(), value: -1 },
            "ids[17] is -1, expected a whole number from 0 on; correct it",
        ),
        (
            Fault::Record {
                format: "GADGET",
                offset: 264,
                cause: "a record of 256 bytes ends with 24".into(),
            },
            "is not a sound GADGET file (a record of 256 bytes ends with 24, at byte 264); copy or write it again",
        ),
        (
            Fault::Dataset { found: "STRUCTURED_POINTS".into() },
            "is a VTK dataset of type STRUCTURED_POINTS; convert it to POLYDATA or UNSTRUCTURED_GRID",
        ),
        (
            Fault::NoNames { width: 9 },
            "has 9 columns without names; begin the file with them, as x, y, z, vx, vy, vz, m, or say which are x,y,z (--columns 1,2,3) and which the mass (--charge 4)",
        ),
        (Fault::Parts(8), "is one of 8 files of a snapshot; join them into one"),
        (
            Fault::Range { place: "positions[17, 2]".into(), value: 1e300 },
            "positions[17, 2] is 1e300, which the format does not hold; write .npz, or change the unit",
        ),
    ]
}

/// Faults of lines.
fn of_lines() -> Vec<(Fault, &'static str)> {
    vec![
        (
            Fault::Text,
            "is not UTF-8 text; save it as UTF-8, or check that the extension names the format",
        ),
        (
            Fault::LongLine,
            "has a line of more than 1 MiB; break it, or check that the extension names the format",
        ),
        (
            Fault::CarriageReturn,
            "has a carriage return within a line; end lines with a line feed (tr '\\r' '\\n')",
        ),
        (
            Fault::Width { found: 3, expected: 4 },
            "found 3 columns, expected 4 as in the first row; complete or remove the line",
        ),
        (
            Fault::Number { column: 2, text: "4..5\u{1b}".into() },
            "found \"4..5\\u{1b}\" in column 2, expected a number; correct or remove the line",
        ),
        (
            Fault::NotFinite { place: "z (column 3)".into(), value: f64::NAN },
            "z (column 3) is NaN, expected a finite number; correct or remove the point",
        ),
        (
            Fault::Magnitude { place: "column 3".into(), text: "1e400".into() },
            "column 3 is \"1e400\", beyond the largest number 1.8e308; choose a larger unit",
        ),
        (
            Fault::Line { found: "two".into(), expected: "the number of points" },
            "found \"two\", expected the number of points; correct the line",
        ),
        (
            Fault::NoColumn {
                wanted: Column::Name("m".into()),
                available: "x, y, z".split(", ").collect(),
            },
            "has no column \"m\"; the columns are x, y, z: choose among them",
        ),
        (
            Fault::Ambiguous { things: "columns", name: "x".into() },
            "has several columns named \"x\"; rename all but one",
        ),
        (
            Fault::NoPositions { available: "ra, dec".split(", ").collect(), option: "--columns" },
            "has no columns x, y, z, but ra, dec; name the three of positions (--columns A,B,C)",
        ),
        (
            Fault::NotCommas { separator: ';' },
            "separates columns by ';' where a table .csv has commas; write commas and decimal points, or save it as .dat with white space",
        ),
        (
            Fault::MixedSeparators,
            "separates fields by commas and by white space; use one of them, and write decimals with points",
        ),
        (
            Fault::Unnamed { width: 9, option: "--columns", charges: true },
            "has 9 columns without names; say which are x,y,z (--columns 1,2,3) and which the charge (--charge 4)",
        ),
        (
            Fault::Pdb,
            "its atoms have PDB's occupancies where a PQR file has charges; pdb2pqr makes a PQR file of it",
        ),
        (
            Fault::NoCharges { available: "x, y, z".split(", ").collect() },
            "has no charges, but x, y, z; name their column (--charge NAME or NUMBER) or give each point the charge 1 (--unit-charges)",
        ),
    ]
}

#[test]
fn of_files() {
    let told = |line: Option<u64>| {
        move |(fault, text): (Fault, &'static str)| {
            let message = message(line, fault);
            let place = line.map_or("a.csv: ".to_owned(), |line| format!("a.csv:{line}: "));
            (message.strip_prefix(&place).unwrap_or_else(|| panic!("{message}")).to_owned(), text)
        }
    };
    let whole = of_whole_files().into_iter().chain(of_arrays_and_outputs()).chain(of_snapshots());
    let whole = whole.map(told(None));
    let rows: Vec<_> = whole.chain(of_lines().into_iter().map(told(Some(17)))).collect();
    super::check(&rows, &["../formats/src/error.rs"], 0);
}

#[test]
fn of_selections() {
    let rows = [
        (SelectionError::Empty, "a column has no name; give a name or a number from 1"),
        (SelectionError::Zero, "column 0; columns are counted from 1"),
        (SelectionError::NotThree(2), "found 2 columns; expected three such as x,y,z or 2,3,4"),
    ];
    let rows = rows.map(|(error, text)| (error.to_string(), text));
    super::check(&rows, &["../formats/src/points/column.rs"], 0);
}

#[test]
fn of_any_length_fit_a_line() {
    let long = "w \n".repeat(3000);
    for fault in [
        Fault::NoArray { wanted: long.clone(), available: [long.clone()].into_iter().collect() },
        Fault::Number { column: 1, text: long.clone() },
        Fault::NoColumn {
            wanted: Column::Name(long.clone()),
            available: [long.clone()].into_iter().collect(),
        },
        Fault::Archive(long.clone()),
    ] {
        let message = Error { path: long.clone().into(), line: Some(u64::MAX), fault }.to_string();
        assert_eq!(message.chars().count(), 190, "{message}");
        assert!(
            !message.contains('\n') && message.contains(":18446744073709551615: "),
            "{message}"
        );
    }
}
