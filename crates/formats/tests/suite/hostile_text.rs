//! Texts that are wrong in any way are refused in one line, which holds nothing that a terminal acts on.

use std::io::{self, Read};

use crate::common::{read, receivers, select, with_file};
use flate2::Compression;
use flate2::write::GzEncoder;
use formats::{PointTable, Selection, read_located_points, read_points, read_stream};

/// The message for a text, in one line of printable characters.
fn refused(name: &str, text: impl AsRef<[u8]>, selection: &Selection) -> String {
    with_file(name, text.as_ref(), |path| {
        let message = read_points(path, selection).expect_err(name).to_string();
        assert!(message.chars().count() <= 190, "{message}");
        assert!(!message.contains(char::is_control), "{message:?}");
        message.split_once(&format!("{name}:")).unwrap().1.to_owned()
    })
}

fn by_default(name: &str, text: impl AsRef<[u8]>) -> String {
    refused(name, text, &Selection::default())
}

/// Fields that other characters separate, whose decimal commas would be taken for separators.
#[test]
fn other_separators() {
    for text in ["x;y;z;q\n1;2;3;4\n", "x\ty\tz\tq\n1\t2\t3\t4\n", "1;2;3;4\n", "0,5;1;2\n"] {
        let separator = if text.contains(';') { "';'" } else { "'\\t'" };
        let message = by_default("a.csv", text);
        let expected = format!("1: separates columns by {separator} where a table .csv has commas");
        assert!(message.starts_with(&expected), "{text:?}: {message}");
    }
    for text in ["0,5 1 2\n", "1 2 3 4\n", "1,2,3, 4 5\n"] {
        let message = |text: &str| by_default("a.dat", text);
        match text.contains(',') {
            true => assert!(message(text).starts_with("1: separates fields by commas and by")),
            false => assert_eq!(read("a.dat", text, &Selection::default()).unwrap().charges, [4.0]),
        }
    }
    for text in ["1, 2 , 3,4 # and so on, if at all\n", "1,2,3,4,\n", "1\t2\t3  4\n"] {
        assert_eq!(read("a.dat", text, &Selection::default()).unwrap().charges, [4.0], "{text:?}");
    }
}

#[test]
fn numbers() {
    for (field, expected) in [
        ("nan", "is NaN, expected a finite number; correct or remove the point"),
        ("-NaN", "is NaN, expected"),
        ("inf", "is inf, expected a finite number; correct or remove the point"),
        ("-Infinity", "is -inf, expected"),
        ("1e400", "is \"1e400\", beyond the largest number 1.8e308; choose a larger unit"),
        ("-1e999999999999999999999", "is \"-1e999999999999999999999\", beyond"),
        ("1.8D309", "is \"1.8D309\", beyond"),
    ] {
        let message = by_default("a.dat", format!("1 2 3 4\n1 {field} 3 4\n"));
        assert!(message.starts_with(&format!("2: column 2 {expected}")), "{message}");
    }
    for field in [
        "0x10",
        "1_000",
        "1e",
        "e5",
        "--1",
        "1.2.3",
        "1+2",
        "١",
        "½",
        "1\u{7f}",
        "1\u{200b}",
        "NULL",
    ] {
        let message = by_default("a.dat", format!("1 2 3 4\n1 {field} 3 4\n"));
        assert!(
            message.starts_with("2: found \"")
                && message.ends_with("in column 2, expected a number; correct or remove the line"),
            "{message}"
        );
    }
    for (field, value) in [("1e-400", 0.0), ("-0", 0.0), ("1d2", 100.0), ("+.5", 0.5), ("5.", 5.0)]
    {
        let points = read("a.dat", &format!("{field} 2 3 4\n"), &Selection::default()).unwrap();
        assert_eq!(points.positions[0][0], value);
    }
}

#[test]
fn encodings_and_line_ends() {
    let expected = PointTable { positions: vec![[1.0, 2.0, 3.0]; 2], charges: vec![4.0; 2] };
    for text in [
        "x,y,z,q\r\n1,2,3,4\r\n1,2,3,4\r\n",
        "\u{feff}x,y,z,q\n1,2,3,4\n1,2,3,4",
        "\u{feff}# by hand\r\n\r\nx,y,z,q\r\n1,2,3,4\r\n\r\n 1 , 2 , 3 , 4 \r\n",
        "\"x\",\"y\",\"z\",\"q\"\n1,2,3,4\n\"1\",\"2\",\"3\",\"4\"\n",
    ] {
        assert_eq!(read("a.csv", text, &Selection::default()).unwrap(), expected, "{text:?}");
        let streamed = read_stream(text.as_bytes(), &Selection::default()).unwrap();
        assert_eq!(streamed.points, expected, "{text:?}");
    }
    let utf_16: Vec<u8> = "\u{feff}1 2 3 4\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(by_default("a.dat", utf_16).starts_with("1: is not UTF-8 text; save it as UTF-8"));
    let no_mark: Vec<u8> = "1 2 3 4\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(by_default("a.dat", no_mark).starts_with("1: is not UTF-8 text; save it as UTF-8"));
    assert_eq!(
        refused("a.dat", "1 2 3 4\r5 6 7 8\r", &select("1,2,3", "4")),
        "1: has a carriage return within a line; end lines with a line feed (tr '\\r' '\\n')"
    );
    assert!(by_default("a.dat", "\0\0\0\0").starts_with("1: is not UTF-8 text"));
}

#[test]
fn control_characters_are_escaped() {
    let evil = "\u{1b}]0;title\u{7}\u{1b}[31m\u{202e}";
    for (name, text) in [
        ("a.csv", format!("x,y,z,q\n1,2,{evil},4\n")),
        ("a.csv", format!("{evil},y,z,q\n1,2,3,4\n")),
        ("a.csv", format!("x,y,z,{evil}\n1,2,3,nan\n")),
        ("a.dat", format!("1 2 3 {evil}\n")),
        ("a.pqr", format!("ATOM {evil}\n")),
        ("a.xyz", format!("{evil}\n\n")),
        ("a.xyz", format!("1\nProperties={evil}:S:1:pos:R:3\nH 0 0 x\n")),
    ] {
        let selection =
            if text.ends_with("nan\n") { select("x,y,z", "4") } else { Selection::default() };
        let message = refused(name, &text, &selection);
        assert!(!message.contains('\u{202e}'), "{message}");
    }
    let path = format!("no{evil}\n.csv");
    let message = read_points(&path, &Selection::default()).unwrap_err().to_string();
    assert!(
        message.starts_with("no\\u{1b}]0;title\\u{7}\\u{1b}[31m\\u{202e}\\n.csv: cannot be opened"),
        "{message}"
    );
}

#[test]
fn long_names_and_cells_keep_place_and_cure() {
    let long = "w".repeat(5000);
    let message = by_default("a.csv", format!("{long},b,c\n1,2,3\n"));
    assert!(message.starts_with("1: has no columns x, y, z, but www"), "{message}");
    assert!(message.ends_with("(--columns A,B,C)"), "{message}");
    let message = refused("a.csv", "x,y,z\n1,2,3\n", &select("x,y,z", &long));
    assert!(
        message.starts_with("1: has no column \"www") && message.ends_with("choose among them"),
        "{message}"
    );
    let folder = format!("{}/", "d".repeat(200)).repeat(10);
    let message =
        read_points(format!("{folder}a.csv"), &Selection::default()).unwrap_err().to_string();
    assert!(
        message.starts_with("…ddd") && message.contains("d/a.csv: cannot be opened ("),
        "{message}"
    );
    assert!(message.chars().count() <= 190);
}

#[test]
fn names_that_several_columns_have() {
    for text in ["x,x,y,z,q\n1,1,2,3,4\n", "x,y,z,q,q\n1,2,3,4,4\n", "X,X,y,z,q\n1,1,2,3,4\n"] {
        let message = by_default("a.csv", text);
        assert!(message.starts_with("1: has several columns named \""), "{message}");
        assert!(message.ends_with("; rename all but one"), "{message}");
    }
    assert!(read("a.csv", "x,X,y,z,q\n1,1,2,3,4\n", &Selection::default()).is_ok());
    assert!(read("a.csv", "x,y,z,q,n,n\n1,2,3,4,5,6\n", &Selection::default()).is_ok());
}

/// A stream without an end that says how much of it was read.
struct Endless {
    bytes: &'static [u8],
    taken: usize,
}

impl Read for &mut Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.bytes[self.taken % self.bytes.len()];
            self.taken += 1;
        }
        Ok(buffer.len())
    }
}

#[test]
fn lines_without_end_are_left_soon() {
    for bytes in [&b"1 "[..], b"x", b"\0", b",", b"#", b"\"", b"1 2 3 4\r"] {
        let mut endless = Endless { bytes, taken: 0 };
        let message = read_stream(&mut endless, &Selection::default()).unwrap_err().to_string();
        assert_eq!(
            message,
            "stdin:1: has a line of more than 1 MiB; break it, or check that the extension names the format"
        );
        assert!(endless.taken < 2 << 20, "{}", endless.taken);
    }
}

#[test]
fn columns_of_xyz_are_bounded() {
    let many = "a:R:99:".repeat(1 << 17);
    let message = by_default("a.xyz", format!("1\nProperties={many}\nH 0 0 0\n"));
    assert!(message.starts_with("2: found \"Properties=a:R:99"), "{message}");
    for count in ["-1", "1.5", "99999999999999999999", "", "1 1", "0x1"] {
        let message = by_default("a.xyz", format!("{count}\n\nH 0 0 0 1\n"));
        assert!(message.contains("expected the number of points; correct the line"), "{message}");
    }
    let message = by_default("a.xyz", "18446744073709551615\n\nH 0 0 0 1\n");
    assert!(
        message.starts_with(" found 1 lines of points, expected 18446744073709551615"),
        "{message}"
    );
}

#[test]
fn a_text_that_expands_a_thousandfold_is_refused() {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    let line = format!("#{}\n", " ".repeat(1022));
    io::Write::write_all(&mut member, line.repeat(1024).as_bytes()).unwrap();
    let member = member.finish().unwrap();
    let few = [member.repeat(3).as_slice(), &member[..member.len() / 2]].concat();
    assert!(by_default("a.dat.gz", &few).starts_with(" is not a sound gzip file ("));
    let many = member.repeat(300);
    let expected =
        " expands more than 100-fold and beyond 256 MiB; if that is meant, give it uncompressed";
    assert!(by_default("a.dat.gz", &many).ends_with(expected));
    assert!(
        read_stream(many.as_slice(), &Selection::default())
            .unwrap_err()
            .to_string()
            .ends_with(expected)
    );
}

#[test]
fn places_of_points() {
    let text = "# a\n\nx y z\n1 2 3\n# b\n4 5 6\n7 8 9\n";
    let located =
        with_file("a.dat", text.as_bytes(), |path| read_located_points(path, &receivers()));
    let places = located.unwrap().places;
    let ends = [":4", ":6", ":7"];
    assert!(ends.iter().enumerate().all(|(i, end)| places.of(i).ends_with(&format!("a.dat{end}"))));
}

#[test]
fn folders_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a.csv");
    std::fs::create_dir(&inner).unwrap();
    let message = read_points(&inner, &Selection::default()).unwrap_err().to_string();
    assert!(message.ends_with("a.csv: is a folder; name a file in it"), "{message}");
    let loops = folder.path().join("loop.csv");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&loops, &loops).unwrap();
        let message = read_points(&loops, &Selection::default()).unwrap_err().to_string();
        assert!(message.contains("cannot be opened ("), "{message}");
    }
    for name in ["", ".", "..", "a.csv/", ".csv", "a.", "a.csv.gz.gz"] {
        assert!(read_points(name, &Selection::default()).is_err(), "{name}");
    }
}

/// PDB has PQR's records, with occupancies where charges would be.
#[test]
fn atoms_of_pdb() {
    let atom = |end: &str| format!("ATOM      1  N   SER A   1      11.104  13.207   2.100{end}\n");
    let pdb = by_default("a.pqr", atom("  1.00 20.00           N"));
    assert_eq!(
        pdb,
        " its atoms have PDB's occupancies where a PQR file has charges; pdb2pqr makes a PQR file of it"
    );
    // A charge and a radius of two decimals, without an element.
    let points = read("a.pqr", &atom("  1.00  1.80"), &Selection::default());
    assert_eq!(points.unwrap().charges, [1.0]);
}
