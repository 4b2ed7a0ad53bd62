//! Every fault of an input is one line with the file, the line, what was found, and the cure.

use crate::common::{read, receivers, select, with_file};
use formats::{PositionColumns, Selection, SelectionError, read_points};

/// The message for a file of this content, without the folder.
fn message(name: &str, bytes: impl AsRef<[u8]>, selection: &Selection) -> String {
    with_file(name, bytes.as_ref(), |path| {
        let text = read_points(path, selection).unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        let folder = format!("{}/", path.parent().unwrap().display());
        text.strip_prefix(&folder).unwrap_or_else(|| panic!("{text}")).to_owned()
    })
}

fn by_default(name: &str, bytes: impl AsRef<[u8]>) -> String {
    message(name, bytes, &Selection::default())
}

#[test]
fn of_files() {
    let missing = read_points("no/such.csv", &Selection::default()).unwrap_err().to_string();
    assert!(missing.starts_with("no/such.csv: cannot be opened ("), "{missing}");
    assert!(missing.ends_with("; check the path and its permissions"), "{missing}");
    assert_eq!(
        by_default("a.pdf", ""),
        "a.pdf: the extension .pdf names no known format; use one of .csv, .dat, .txt, .tsv, .pqr, .xyz, .npy, .npz, .vtk, .tipsy, .gadget"
    );
    assert!(by_default("stars", "").starts_with("stars: a name without extension names no"));
    assert!(by_default("a.npz.gz", "").starts_with("a.npz.gz: the extension .npz.gz names no"));
    let empty = "holds no points; give a file with at least one";
    for (name, text) in [
        ("a.csv", ""),
        ("a.csv", "x,y,z,q\n"),
        ("a.dat", "# nothing\n\n"),
        ("a.pqr", "REMARK\nEND\n"),
        ("a.xyz", ""),
        ("a.xyz", "0\n\n"),
    ] {
        assert_eq!(by_default(name, text), format!("{name}: {empty}"));
    }
    let text = by_default("a.dat", b"1 2 3 4\n\xff\xfe\n");
    assert_eq!(
        text,
        "a.dat:2: is not UTF-8 text; save it as UTF-8, or check that the extension names the format"
    );
}

#[test]
fn of_gzip() {
    assert!(
        by_default("a.csv.gz", "1,2,3,4\n").starts_with("a.csv.gz: is not a sound gzip file (")
    );
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pal5.dat.gz");
    let whole = std::fs::read(fixture).unwrap();
    let cut = message("a.dat.gz", &whole[..whole.len() / 2], &select("2,3,4", "1"));
    assert!(cut.starts_with("a.dat.gz: is not a sound gzip file ("), "{cut}");
    assert!(cut.ends_with("drop the ending .gz if it is not compressed"), "{cut}");
}

#[test]
fn of_rows() {
    assert_eq!(
        by_default("a.csv", "x,y,z,q\n1,2,3,4\n\n5,6,7\n"),
        "a.csv:4: found 3 columns, expected 4 as in the first row; complete or remove the line"
    );
    assert_eq!(
        by_default("a.dat", "# c\n\n1 2 3 4\n5 6 7e 8\n"),
        "a.dat:4: found \"7e\" in column 3, expected a number; correct or remove the line"
    );
    assert_eq!(
        by_default("a.dat", "1 2 dog 4\n5 6 7 8\n"),
        "a.dat:1: found \"dog\" in column 3, expected a number; correct or remove the line"
    );
    assert_eq!(
        by_default("a.csv", "x,y,z,q\n1,NaN,3,4\n"),
        "a.csv:2: y (column 2) is NaN, expected a finite number; correct or remove the point"
    );
    assert_eq!(
        by_default("a.dat", "1 2 3 -inf\n"),
        "a.dat:1: column 4 is -inf, expected a finite number; correct or remove the point"
    );
    let long = by_default("a.dat", format!("1 2 3 x{}\n", "9".repeat(1000)));
    assert!(long.len() < 200, "{long}");
}

#[test]
fn of_columns() {
    let nine = "1 2 3 4 5 6 7 8 9\n";
    assert_eq!(
        by_default("a.dat", nine),
        "a.dat:1: has 9 columns without names; say which are x,y,z (--columns 1,2,3) and which the charge (--charge 4)"
    );
    assert_eq!(
        message("a.dat", nine, &receivers()),
        "a.dat:1: has 9 columns without names; say which are x,y,z (--columns 1,2,3)"
    );
    let no_charges = |there: &str| {
        format!(
            "has no charges, but {there}; name their column (--charge NAME or NUMBER) or give each point the charge 1 (--unit-charges)"
        )
    };
    let told = no_charges("1 to 3, without names");
    assert_eq!(by_default("a.dat", "1 2 3\n"), format!("a.dat:1: {told}"));
    let told = no_charges("x, y, z, w");
    assert_eq!(by_default("a.csv", "x,y,z,w\n1,2,3,4\n"), format!("a.csv:1: {told}"));
    let positions = Selection { positions: Some("2,3,4".parse().unwrap()), ..Default::default() };
    let told = no_charges("1 to 9, without names");
    assert_eq!(message("a.dat", nine, &positions), format!("a.dat:1: {told}"));
    assert_eq!(
        message("a.dat", nine, &select("2,3,10", "1")),
        "a.dat:1: has no column 10; the columns are 1 to 9, without names: choose among them"
    );
    assert_eq!(
        message("a.csv", "x,y,z\n1,2,3\n", &select("x,y,z", "m")),
        "a.csv:1: has no column \"m\"; the columns are x, y, z: choose among them"
    );
    assert_eq!(
        by_default("a.csv", "ra,dec\n1,2\n"),
        "a.csv:1: has no columns x, y, z, but ra, dec; name the three of positions (--columns A,B,C)"
    );
    assert_eq!(
        message("a.dat", "1 2\n", &receivers()),
        "a.dat:1: has no columns x, y, z, but 1 to 2, without names; name the three of positions (--columns A,B,C)"
    );
}

/// Blank lines and remarks stand between names and the first row; a row that is too short has a line of its own.
#[test]
fn of_names_are_at_their_line() {
    let no_charges = "has no charges, but ";
    let twice = "has several columns named \"x\"; rename all but one";
    for (name, content, line, expected) in [
        ("a.csv", "\n# stars\nx,y,z\n\n\n1,2,3\n", 3, no_charges),
        ("a.csv", "x,y,z,x\n#\n1,2,3,4\n", 1, twice),
        ("a.csv", "x,y,z,x\n#\n1,2,3\n", 3, "found 3 columns, expected 4 as in the first row"),
        ("a.dat", "# stars\n# x y z\n\n1 2 3\n", 4, no_charges),
        ("a.dat", "# stars\n# x y z\n1 2 3\n", 2, no_charges),
        ("a.dat", "# x y x z\n1 2 3 4\n", 1, twice),
        ("a.dat", "# two stars\n1 2 3\n", 2, no_charges),
        ("a.xyz", "1\nProperties=pos:R:3\n\n1 2 3\n", 2, no_charges),
        ("a.xyz", "1\nwater\n\nO 1 2 3\n", 4, no_charges),
    ] {
        let found = by_default(name, content);
        assert!(found.starts_with(&format!("{name}:{line}: {expected}")), "{content:?}: {found}");
    }
}

#[test]
fn of_selections() {
    let positions = |text: &str| text.parse::<PositionColumns>().unwrap_err();
    assert_eq!(positions("x,y"), SelectionError::NotThree(2));
    assert_eq!(positions("0,1,2"), SelectionError::Zero);
    assert_eq!(positions("x,,z"), SelectionError::Empty);
    // A name stands for three columns, a number does not.
    assert_eq!(positions("2"), SelectionError::NotThree(1));
    let vector = PositionColumns::Vector("pos".to_owned());
    assert_eq!("pos".parse(), Ok(vector));
}

#[test]
fn of_pqr() {
    let expected =
        "expected ATOM serial name residue [chain] number x y z charge radius; correct the line";
    for line in [
        "ATOM      1  N   MET     1       1.000   2.000   3.000  0.5000",
        "ATOM      1  N   MET A   1       1.000   2.000   3.000  0.5000",
        "ATOM      1  N   MET A   1       1.000   2.000   3.x00  0.5000 1.8240",
        "ATOM",
    ] {
        let text = by_default("a.pqr", format!("REMARK\n{line}\n"));
        assert!(text.starts_with("a.pqr:2: found \"ATOM"), "{text}");
        assert!(text.ends_with(expected), "{text}");
    }
    let atom = "ATOM      1  N   MET     1       1.000   2.000   3.000  0.5000 1.8240\n";
    let models = by_default("a.pqr", format!("MODEL 1\n{atom}ENDMDL\nMODEL 2\n{atom}"));
    assert_eq!(models, "a.pqr:4: found \"MODEL 2\", expected one model a file; correct the line");
    assert!(read("a.pqr", &format!("MODEL 1\n{atom}ENDMDL\n"), &Selection::default()).is_ok());
    let infinite = "ATOM      1  N   MET     1       1.000   2.000     inf  0.5000 1.8240\n";
    assert!(by_default("a.pqr", infinite).starts_with("a.pqr:1: z (column 3) is inf, expected"));
}

#[test]
fn of_xyz() {
    assert_eq!(
        by_default("a.xyz", "two\n\n"),
        "a.xyz:1: found \"two\", expected the number of points; correct the line"
    );
    for (text, found) in [("2\n\nH 0 0 0 1\n", 1), ("2\n\nH 0 0 0 1\nH 1 0 0 1\n2\n\n", 3)] {
        assert_eq!(
            by_default("a.xyz", text),
            format!(
                "a.xyz: found {found} lines of points, expected 2 as line 1 says; correct the count, and keep one frame a file"
            )
        );
    }
    assert!(read("a.xyz", "1\n\nH 0 0 0\n", &receivers()).is_ok());
    assert!(by_default("a.xyz", "1\n\nH 0 0 0\n").contains("has no charges"));
}

#[test]
fn of_arrays() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
    let bytes = |name: &str| std::fs::read(format!("{folder}{name}")).unwrap();
    let whole = bytes("fortran-f4.npy");
    assert_eq!(
        by_default("a.npy", &whole[..whole.len() - 5]),
        "a.npy: the array ends after 10 of 12 numbers; copy or write the file again"
    );
    assert_eq!(
        by_default("a.npy", &whole[..50]),
        "a.npy: the array is not a sound .npy array (its header is cut short); write it again with numpy.save"
    );
    assert!(by_default("a.npy", "1 2 3 4\n").contains("does not begin with"));
    assert_eq!(
        by_default("a.npy", bytes("structured.npy")),
        "a.npy: the array has type [('x', '<f8'), ('shape', '<f8')], expected f4, f8, i4 or i8; write its fields with numpy.savez(positions=…, charges=…)"
    );
    let one = npy("(3,)", &[1.0, 2.0, 3.0]);
    assert_eq!(
        by_default("a.npy", one),
        "a.npy: the array has shape (3,), expected (N, 3) or (N, 4); give a row x, y, z for each point"
    );
    let nan = npy("(1, 4)", &[1.0, 2.0, f64::NAN, 3.0]);
    assert_eq!(
        by_default("a.npy", nan),
        "a.npy: the array[0, 2] is NaN, expected a finite number; correct or remove the point"
    );
    assert_eq!(
        by_default("a.npy", npy("(0, 4)", &[])),
        "a.npy: holds no points; give a file with at least one"
    );
    let vast = by_default("a.npy", npy("(9223372036854775807, 4)", &[1.0]));
    assert!(vast.contains("ends after 1 of 18446744073709551615 numbers"), "{vast}");
}

#[test]
fn of_archives() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
    let whole = std::fs::read(format!("{folder}compressed.npz")).unwrap();
    let cut = by_default("a.npz", &whole[..whole.len() / 2]);
    assert!(cut.starts_with("a.npz: is not a sound .npz archive ("), "{cut}");
    let names = "the arrays are positions, masses, label: choose among them";
    assert_eq!(
        message("a.npz", &whole, &select("x,y,z", "q")),
        format!("a.npz: has no array \"x\"; {names}")
    );
    let by_number = message("a.npz", &whole, &select("1,2,3", "4"));
    assert!(by_number.starts_with("a.npz: has arrays with names, so there is no column 1;"));
    let flat = message("a.npz", &whole, &select("positions,positions,positions", "masses"));
    assert!(
        flat.starts_with(
            "a.npz: positions has shape (3, 3), expected (N,); give one number a point"
        ),
        "{flat}"
    );
}

/// An array of `<f8` in C order with this text as its shape.
fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}
