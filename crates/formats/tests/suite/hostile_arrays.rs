//! Arrays and archives that are wrong in any way are refused with the array, what is wrong with it, and the cure.

use std::io::{Cursor, Write};

use crate::common::with_file;
use formats::{
    Charges, PositionColumns, Selection, read_points, read_snapshot, read_softenings, read_stream,
    unread_velocities,
};
use zip::write::{SimpleFileOptions, ZipWriter};

/// An array of this type and shape; the header is padded to `header` bytes.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn doubles(shape: &str, count: usize) -> Vec<u8> {
    let data: Vec<u8> = (0..count).flat_map(|i| (i as f64).to_le_bytes()).collect();
    npy("'<f8'", shape, &data)
}

fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    packed(arrays, zip::CompressionMethod::Stored)
}

fn packed(arrays: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method);
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The message for a file, which is the same from a stream where the format does not need a name.
fn refused(name: &str, bytes: &[u8], selection: &Selection) -> String {
    let by_path =
        with_file(name, bytes, |path| read_points(path, selection).expect_err(name).to_string());
    let by_path = by_path.split_once(&format!("{name}: ")).unwrap().1.to_owned();
    let streamed = read_stream(bytes, selection).expect_err(name).to_string();
    assert_eq!(streamed, format!("stdin: {by_path}"));
    by_path
}

#[test]
fn shapes_of_positions() {
    let charges = || ("charges", doubles("(5,)", 5));
    for (shape, count, expected) in [
        ("(3, 5)", 15, "(3, 5), expected (N, 3); save its transpose (.T)"),
        ("(3, 1000)", 3000, "(3, 1000), expected (N, 3); save its transpose (.T)"),
        (
            "(5, 4)",
            20,
            "(5, 4), expected (N, 3); keep three columns ([:, :3]), and save charges as an array charges",
        ),
        ("(5, 2)", 10, "(5, 2), expected (N, 3); give x, y and z for each point"),
        ("(5, 1)", 5, "(5, 1), expected (N, 3); give x, y and z for each point"),
        ("(5, 0)", 0, "(5, 0), expected (N, 3); give x, y and z for each point"),
        (
            "(9223372036854775807, 0)",
            0,
            "(9223372036854775807, 0), expected (N, 3); give x, y and z for each point",
        ),
        ("(15,)", 15, "(15,), expected (N, 3); give a row x, y, z for each point"),
        ("()", 1, "(), expected (N, 3); give a row x, y, z for each point"),
        ("(5, 3, 1)", 15, "(5, 3, 1), expected (N, 3); give a row x, y, z for each point"),
    ] {
        let bytes = npz(&[("positions", doubles(shape, count)), charges()]);
        let message = refused("a.npz", &bytes, &Selection::default());
        assert_eq!(message, format!("positions has shape {expected}"));
    }
}

#[test]
fn shapes_of_arrays_without_a_name() {
    for (shape, count, expected) in [
        ("(3, 5)", 15, "save its transpose (.T)"),
        ("(4, 5)", 20, "save its transpose (.T)"),
        ("(5, 2)", 10, "give x, y and z for each point"),
        ("(5, 0)", 0, "give x, y and z for each point"),
        ("(0, 0)", 0, "give x, y and z for each point"),
        ("()", 1, "give a row x, y, z for each point"),
        ("(20,)", 20, "give a row x, y, z for each point"),
        ("(5, 2, 2)", 20, "give a row x, y, z for each point"),
    ] {
        let message = refused("a.npy", &doubles(shape, count), &Selection::default());
        let expected =
            format!("the array has shape {shape}, expected (N, 3) or (N, 4); {expected}");
        assert_eq!(message, expected);
    }
    let message = refused("a.npy", &doubles("(7, 5)", 35), &Selection::default());
    assert!(message.starts_with("has 5 columns without names; say which"), "{message}");
}

#[test]
fn shapes_of_charges() {
    for (shape, count) in [("(4,)", 4), ("(5, 2)", 10), ("(1, 5)", 5), ("()", 1), ("(0,)", 0)] {
        let bytes = npz(&[("positions", doubles("(5, 3)", 15)), ("q", doubles(shape, count))]);
        assert_eq!(
            refused("a.npz", &bytes, &Selection::default()),
            format!("q has shape {shape}, expected (5,); give one number a point")
        );
    }
    let bytes =
        npz(&[("x", doubles("(5,)", 5)), ("y", doubles("(4,)", 4)), ("z", doubles("(5,)", 5))]);
    let receivers = Selection { charges: Charges::Ignored, ..Selection::default() };
    assert!(refused("a.npz", &bytes, &receivers).starts_with("y has shape (4,), expected (5,);"));
}

#[test]
fn types_and_headers() {
    for descr in
        ["'|O'", "'|b1'", "'<c16'", "'<f2'", "'|S8'", "'<U3'", "'=f8'", "[('x', '<f8')]", "''"]
    {
        let message = refused("a.npy", &npy(descr, "(1, 4)", &[0; 64]), &Selection::default());
        // Fields have no type that numpy converts them to.
        let cure = match descr.starts_with('[') {
            true => "; write its fields with numpy.savez(positions=…, charges=…)",
            false => "; convert it with astype('f8')",
        };
        assert!(message.starts_with("the array has type ") && message.ends_with(cure), "{message}");
    }
    let header = |bytes: &[u8]| refused("a.npy", bytes, &Selection::default());
    let whole = doubles("(2, 4)", 8);
    for shape in
        ["(-2, 4)", "(2.0, 4)", "(2L, 4L)", "2, 4", "(99999999999999999999, 4)", "(2, (4))"]
    {
        let message = header(&doubles(shape, 8));
        assert!(message.contains("no sound descr, fortran_order or shape"), "{shape}: {message}");
    }
    for (version, expected) in [
        (0, "its version is 0"),
        (4, "its version is 4"),
        (2, "its header is longer than 65536 bytes"),
    ] {
        let mut other = whole.clone();
        other[6] = version;
        assert!(header(&other).contains(expected), "{}", header(&other));
    }
    let mut endless = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    endless.extend([b' '; 1000]);
    assert!(header(&endless).contains("its header is longer than 65536 bytes"));
    let longer = [whole.as_slice(), &[0; 8]].concat();
    assert!(header(&longer).contains("it goes on after its 8 numbers"), "{}", header(&longer));
    for cut in 6..whole.len() {
        let message = header(&whole[..cut]);
        let damaged =
            message.contains("not a sound .npy array") || message.contains("of 8 numbers");
        assert!(damaged, "{cut}: {message}");
    }
    let vast = header(&doubles("(18446744073709551615, 4)", 3));
    assert!(vast.contains("ends after 3 of 18446744073709551615 numbers"), "{vast}");
}

#[test]
fn big_endian_and_fortran_order_are_read() {
    let data: Vec<u8> = (0..8).flat_map(|i| f64::from(i).to_be_bytes()).collect();
    let mut bytes = npy("'>f8'", "(2, 4)", &data);
    let read = |bytes: &[u8]| read_stream(bytes, &Selection::default()).unwrap().points;
    assert_eq!(read(&bytes).positions, [[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]]);
    let at = bytes.windows(5).position(|window| window == b"False").unwrap();
    bytes[at..at + 5].copy_from_slice(b"True ");
    assert_eq!(read(&bytes).positions, [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]);
    assert_eq!(read(&bytes).charges, [6.0, 7.0]);
}

#[test]
fn archives() {
    let archive = |bytes: &[u8]| refused("a.npz", bytes, &Selection::default());
    let whole = npz(&[("positions", doubles("(5, 3)", 15)), ("charges", doubles("(5,)", 5))]);
    for cut in 4..whole.len() {
        let message = archive(&whole[..cut]);
        assert!(message.contains("is not a sound .npz archive"), "{cut}: {message}");
    }
    // One bit of the data.
    let mut flipped = whole.clone();
    let data = whole.windows(2).position(|window| window == b"}\n").unwrap() + 20;
    flipped[data] ^= 1;
    assert!(archive(&flipped).contains("the checksum of positions is wrong"));
    // The same name again.
    let mut twice = npz(&[
        ("positions", doubles("(5, 3)", 15)),
        ("positionz", doubles("(5, 3)", 15)),
        ("q", doubles("(5,)", 5)),
    ]);
    while let Some(at) = twice.windows(9).position(|window| window == b"positionz") {
        twice[at + 8] = b's';
    }
    assert_eq!(archive(&twice), "has several arrays named \"positions\"; rename all but one");
    // Paths are names like others, and nothing is unpacked.
    let paths = npz(&[
        ("../../positions", doubles("(5, 3)", 15)),
        ("/etc/q\n\u{1b}[2J", doubles("(5,)", 5)),
    ]);
    assert_eq!(
        archive(&paths),
        "has no array \"positions\", \"pos\", \"coordinates\", nor x, y, z; the arrays are ../../positions, /etc/q\\n\\u{1b}[2J: choose among them"
    );
    let long = npz(&[(&"n".repeat(300), doubles("(5, 3)", 15))]);
    assert!(archive(&long).contains("a member has a name of more than 255 bytes"));
    let empty = npz(&[]);
    assert_eq!(
        archive(&empty),
        "has no array \"positions\", \"pos\", \"coordinates\", nor x, y, z; the arrays are none: choose among them"
    );
}

/// Directories that announce more than there is, byte by byte.
#[test]
fn damaged_directories_are_refused_or_harmless() {
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let whole = packed(
            &[("positions", doubles("(5, 3)", 15)), ("charges", doubles("(5,)", 5))],
            method,
        );
        let expected = read_stream(whole.as_slice(), &Selection::default()).unwrap().points;
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                if let Ok(read) = read_stream(bytes.as_slice(), &Selection::default()) {
                    assert_eq!(read.points, expected, "{at} {value}");
                }
            }
        }
    }
}

#[test]
fn the_64_bit_directory() {
    let arrays = [("positions", doubles("(5, 3)", 15)), ("charges", doubles("(5,)", 5))];
    let whole = npz(&arrays);
    let end = whole.len() - 22;
    let field = |at: usize| u64::from(u32::from_le_bytes(whole[at..at + 4].try_into().unwrap()));
    let widened = |count: u64, size: u64, start: u64| {
        let mut bytes = whole[..end].to_vec();
        bytes.extend(b"PK\x06\x06");
        bytes.extend(44u64.to_le_bytes());
        bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for number in [count, count, size, start] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend((end as u64).to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
        bytes
    };
    let (size, start) = (field(end + 12), field(end + 16));
    let read = |bytes: &[u8]| read_stream(bytes, &Selection::default());
    let expected = read(&whole).unwrap().points;
    assert_eq!(read(&widened(2, size, start)).unwrap().points, expected);
    for bytes in [
        widened(u64::MAX, size, start),
        widened(1 << 50, size, start),
        widened(1 << 16, size, start),
        widened(3, size, start),
        widened(2, u64::MAX, start),
        widened(2, size, u64::MAX),
        widened(2, size, 1 << 60),
        widened(2, 1 << 62, 1 << 61),
    ] {
        let message = read(&bytes).unwrap_err().to_string();
        assert!(message.contains("is not a sound .npz archive"), "{message}");
    }
}

#[test]
fn an_archive_that_expands_a_thousandfold_is_refused() {
    let zeros = vec![0; 300 << 20];
    let array = npy("'<f4'", "(26214400, 3)", &zeros);
    let bytes = packed(&[("positions", array)], zip::CompressionMethod::Deflated);
    assert!(bytes.len() < 2 << 20);
    let receivers = Selection { charges: Charges::Ignored, ..Selection::default() };
    let message = read_stream(bytes.as_slice(), &receivers).unwrap_err().to_string();
    assert_eq!(
        message,
        "stdin: expands more than 100-fold and beyond 256 MiB; if that is meant, give it uncompressed"
    );
}

#[test]
fn columns_of_archives_have_names() {
    let bytes = npz(&[("positions", doubles("(5, 3)", 15))]);
    let by_number = "1,2,3".parse::<PositionColumns>().unwrap();
    let selection = Selection { positions: Some(by_number), charges: Charges::Unit };
    let message = refused("a.npz", &bytes, &selection);
    assert_eq!(message, "has arrays with names, so there is no column 1; select by name");
}

/// Names that users of numpy give positions.
#[test]
fn positions_by_other_names() {
    for name in ["positions", "pos", "coordinates"] {
        let arrays = [(name, doubles("(2, 3)", 6)), ("mass", doubles("(2,)", 2))];
        let read = |path: &std::path::Path| read_points(path, &Selection::default());
        let points = with_file("a.npz", &npz(&arrays), read).unwrap();
        assert_eq!(points.positions, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
        assert_eq!(points.charges, [0.0, 1.0]);
    }
}

/// Names in other capitals, as simulations of galaxies write them, where no name is there as it is.
#[test]
fn capitals_are_small_letters_where_no_name_is_as_it_is() {
    let array = |first: f64, shape: &str| {
        let data: Vec<u8> = (0..6).flat_map(|i| (first + f64::from(i)).to_le_bytes()).collect();
        npy("'<f8'", shape, &data[..if shape == "(2,)" { 16 } else { 48 }])
    };
    let mut arrays = vec![
        ("Coordinates", array(0.0, "(2, 3)")),
        ("Velocities", array(10.0, "(2, 3)")),
        ("Masses", array(20.0, "(2,)")),
    ];
    let read = |arrays: &[_]| with_file("a.npz", &npz(arrays), |path| read_snapshot(path)).unwrap();
    let snapshot = read(&arrays);
    assert_eq!(snapshot.positions, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
    assert_eq!(snapshot.velocities, [[10.0, 11.0, 12.0], [13.0, 14.0, 15.0]]);
    assert_eq!(snapshot.masses, [20.0, 21.0]);
    arrays.push(("pos", array(30.0, "(2, 3)")));
    assert_eq!(read(&arrays).positions[0], [30.0, 31.0, 32.0]);
    arrays[3] = ("coordinates", array(40.0, "(2, 3)"));
    assert_eq!(read(&arrays).positions[0], [40.0, 41.0, 42.0]);
    arrays[3] = ("COORDINATES", array(40.0, "(2, 3)"));
    let twice = refused("a.npz", &npz(&arrays), &Selection::default());
    assert_eq!(twice, "has several arrays named \"coordinates\"; rename all but one");
    let none = refused("a.npz", &npz(&arrays[..2]), &Selection::default());
    assert!(none.starts_with("has no charges, but Coordinates, Velocities; "), "{none}");
}

/// Arrays of velocities by the names that users of numpy give them, and those of names that are not read.
#[test]
fn velocities_by_other_names() {
    let positions = ("positions", doubles("(2, 3)", 6));
    let mass = ("mass", doubles("(2,)", 2));
    for name in ["velocities", "vel", "Velocity"] {
        let bytes = npz(&[positions.clone(), mass.clone(), (name, doubles("(2, 3)", 6))]);
        let snapshot = with_file("a.npz", &bytes, |path| read_snapshot(path)).unwrap();
        assert_eq!(snapshot.velocities, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], "{name}");
    }
    let component = doubles("(2,)", 2);
    let arrays = ["vx", "vy", "VZ"].map(|name| (name, component.clone()));
    let bytes = npz(&[[positions.clone(), mass.clone()].as_slice(), &arrays].concat());
    let snapshot = with_file("a.npz", &bytes, |path| read_snapshot(path)).unwrap();
    assert_eq!(snapshot.velocities, [[0.0; 3], [1.0; 3]]);
    let bytes = npz(&[positions, mass, ("velo", doubles("(2, 3)", 6))]);
    assert_eq!(with_file("a.npz", &bytes, |path| unread_velocities(path)), ["velo"]);
}

/// Arrays of softenings, of which readers of points make nothing, have a range.
#[test]
fn softenings_have_a_range() {
    let positions = ("positions", doubles("(2, 3)", 6));
    for (array, expected) in [
        (("softening", doubles("(2,)", 2)), Some([0.0, 1.0])),
        (("eps", doubles("()", 1)), Some([0.0, 0.0])),
        (("softening", doubles("(1, 2)", 2)), None),
        (("mass", doubles("(2,)", 2)), None),
    ] {
        let bytes = npz(&[positions.clone(), array.clone()]);
        assert_eq!(
            with_file("a.npz", &bytes, |path| read_softenings(path)),
            expected,
            "{}",
            array.0
        );
    }
    assert_eq!(with_file("a.npz", b"PK\x03\x04", |path| read_softenings(path)), None);
}
