//! Legacy VTK files by hand, as other programs write them, and damaged ones.

use crate::common::{select, unit_charges, with_file};
use formats::{
    Cells, Fault, FieldTable, Selection, Snapshot, read_located_points, read_points, read_snapshot,
    read_stream, write_field, write_field_parts,
};

/// Two points in text, with what the format allows: a field before the points, metadata, cells, and arrays of several kinds.
const TEXT: &str = "# vtk DataFile Version 5.1
two points
ascii
DATASET UNSTRUCTURED_GRID
FIELD FieldData 2
TimeValue 1 1 double
2.5
CYCLE 1 1 int
7
POINTS 2 float
0 1 2 3
4 5
METADATA
INFORMATION 1
NAME a LOCATION b

CELLS 3 2
OFFSETS vtktypeint64
0 1 2
CONNECTIVITY vtktypeint64
0 1
CELL_TYPES 2
1 1
CELL_DATA 2
SCALARS kind int 1
LOOKUP_TABLE colours
0 1
LOOKUP_TABLE colours 2
0 0 0 1 1 1 1 1
POINT_DATA 2
COLOR_SCALARS shade 3
0 0.5 1 1 0.5 0
NORMALS n float
0 0 1 0 0 1
FIELD FieldData 3
the%20mass 1 2 double
0.5 1e-3
METADATA
COMPONENT_NAMES

vel 3 2 float
1 2 3 4 5 6
ID 1 2 unsigned_int
9 8
";

fn text_with(from: &str, to: &str) -> String {
    assert!(TEXT.contains(from), "{from}");
    TEXT.replacen(from, to, 1)
}

#[test]
fn text_is_read() {
    let named = text_with("the%20mass", "Mass");
    let read = with_file("a.vtk", named.as_bytes(), |path| read_snapshot(path).unwrap());
    let expected = Snapshot {
        time: 2.5,
        step: 7,
        positions: vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
        velocities: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        masses: vec![0.5, 1e-3],
        ids: vec![9, 8],
    };
    assert_eq!(read, expected);
    // The beginning names the format, whatever the name of the file.
    let unnamed = with_file("state", named.as_bytes(), |path| read_snapshot(path).unwrap());
    assert_eq!(unnamed, expected);
    let piped = read_stream(named.as_bytes(), &Selection::default()).unwrap().points;
    assert_eq!((piped.positions, piped.charges), (expected.positions, expected.masses));
}

#[test]
fn columns_are_selected_by_name() {
    let read = |selection: &Selection| {
        with_file("a.vtk", TEXT.as_bytes(), |path| read_points(path, selection))
    };
    assert_eq!(read(&select("x,y,z", "the mass")).unwrap().charges, [0.5, 1e-3]);
    assert_eq!(read(&select("vel_x,vel_y,n_z", "ID")).unwrap().positions[1], [4.0, 5.0, 1.0]);
    assert_eq!(read(&unit_charges()).unwrap().charges, [1.0; 2]);
    assert!(matches!(read(&Selection::default()).unwrap_err().fault, Fault::NoCharges { .. }));
}

#[test]
fn fields_come_back() {
    let positions = [[0.1, -2.0, 3e-300], [1.0 / 3.0, 5.0, 6.0]];
    let field = FieldTable {
        positions: &positions,
        charges: Some(&[2.0, -1.0]),
        potential: &[0.25, 0.5],
        gradient: &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.vtk", "a.vtk.gz"] {
        let path = folder.path().join(name);
        write_field(&path, &field).unwrap();
        let read = read_points(&path, &Selection::default()).unwrap();
        assert_eq!((read.positions.as_slice(), read.charges), (&positions[..], vec![2.0, -1.0]));
        let selection = select("gradient_z,gradient_y,gradient_x", "potential");
        let read = read_points(&path, &selection).unwrap();
        assert_eq!((read.positions[1], read.charges[1]), ([6.0, 5.0, 4.0], 0.5), "{name}");
    }
}

/// Cells are read and written with the points that they join, and give way to vertices for others.
#[test]
fn cells_come_back() {
    let text = text_with("the%20mass", "mass");
    let read = with_file("a.vtk", text.as_bytes(), |path| {
        read_located_points(path, &Selection::default()).unwrap()
    });
    let line =
        text.replacen("3 2\nOFFSETS vtktypeint64\n0 1 2", "2 2\nOFFSETS vtktypeint64\n0 2", 1);
    let line = line.replacen("CELL_TYPES 2\n1 1\nCELL_DATA 2", "CELL_TYPES 1\n3\nCELL_DATA 2", 1);
    let line = read_stream(line.as_bytes(), &Selection::default()).unwrap();
    assert_eq!((read.cells.len(), line.cells.len(), line.cells.is_empty()), (2, 1, false));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.vtk");
    let written = |n: usize, cells: &Cells| {
        let positions = vec![[1.0; 3]; n];
        let (potential, gradient) = (vec![2.0; n], vec![[3.0; 3]; n]);
        let (potential, gradient) = (potential.as_slice(), gradient.as_slice());
        let mut field = FieldTable { positions: &positions, charges: None, potential, gradient };
        write_field_parts(&path, &mut field, cells).unwrap();
        let selection = crate::common::receivers();
        (read_located_points(&path, &selection).unwrap().cells, std::fs::read(&path).unwrap())
    };
    assert_eq!(written(2, &line.cells).0, line.cells);
    assert_eq!(written(2, &read.cells).1, written(2, &Cells::default()).1);
    assert_eq!(written(3, &line.cells).1, written(3, &Cells::default()).1);
    // A file without cells has none.
    let points =
        read_stream(&binary("1 float", &[0; 12])[..], &crate::common::receivers()).unwrap();
    assert!(points.cells.is_empty());
}

/// Cells that join no points, of files of version 3 with two points.
#[test]
fn faults_of_cells_are_told() {
    let told = |cells: &str| {
        let text = format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0 1 1 1\n{cells}\n"
        );
        let read = read_stream(text.as_bytes(), &crate::common::receivers());
        read.map(|located| located.cells.len()).map_err(|error| error.to_string())
    };
    assert_eq!(told("LINES 1 3\n2 1 0\nVERTICES 0 0"), Ok(1));
    for (cells, expected) in [
        ("LINES 1 3\n2 0 2", "LINES joins point 2 of 2, counted from 0"),
        ("LINES 1 3\n2 -1 1", "LINES joins point -1 of 2"),
        ("LINES 1 3\n3 0 1", "sizes of LINES are beyond its numbers"),
        ("LINES 2 3\n2 0 1", "LINES has 1 cells, not 2"),
        ("LINES 1 3\n2 0 x", "\"x\" is no number of LINES"),
        ("LINES 1 18446744073709551615\n2 0 1", "LINES ends after 3 of 18446744073709551615"),
        ("CELLS 1 3\n2 0 1", "it has 0 CELL_TYPES of 1 CELLS"),
        ("CELLS 1 3\n2 0 1\nLINES 1 3\n2 0 1\nCELL_TYPES 1\n3", "it has CELLS and LINES"),
    ] {
        let message = told(cells).unwrap_err();
        assert!(message.contains(expected), "{cells}: {message}");
    }
    let of_offsets = |from: &str, to: &str| {
        let text = text_with("the%20mass", "mass").replacen(from, to, 1);
        read_stream(text.as_bytes(), &Selection::default()).unwrap_err().to_string()
    };
    let offsets = "OFFSETS vtktypeint64\n0 1 2";
    for to in [
        "OFFSETS vtktypeint64\n0 1 3",
        "OFFSETS vtktypeint64\n1 1 2",
        "OFFSETS vtktypeint64\n0 3 2",
    ] {
        assert!(
            of_offsets(offsets, to).contains("OFFSETS of CELLS do not divide 2 numbers"),
            "{to}"
        );
    }
    let floats = of_offsets(offsets, "OFFSETS double\n0 1 2");
    assert!(floats.contains("CELLS has floats in place of indices"), "{floats}");
}

/// Bytes of a binary file of version 3 with `counts` of points and point data, without its numbers.
fn binary(points: &str, rest: &[u8]) -> Vec<u8> {
    let head =
        format!("# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS {points}\n");
    [head.as_bytes(), rest].concat()
}

#[test]
fn all_types_of_numbers_are_read() {
    let mut bytes = binary("1 float", &[0; 12]);
    bytes.extend(b"\nVERTICES 1 2\n\0\0\0\x01\0\0\0\0\nPOINT_DATA 1\n");
    let arrays: [(&str, &[u8], f64); 10] = [
        ("char", &[0xff], -1.0),
        ("unsigned_char", &[0xff], 255.0),
        ("short", &[0xff, 0xfe], -2.0),
        ("unsigned_short", &[1, 2], 258.0),
        ("int", &[0xff, 0xff, 0xff, 0xfd], -3.0),
        ("unsigned_int", &[0, 1, 0, 0], 65536.0),
        ("vtktypeint64", &[0xff; 8], -1.0),
        ("unsigned_long", &[0, 0, 0, 1, 0, 0, 0, 0], 4294967296.0),
        ("float", &[0x3f, 0x80, 0, 0], 1.0),
        ("double", &[0x40, 0, 0, 0, 0, 0, 0, 0], 2.0),
    ];
    for (kind, number, _) in arrays {
        bytes.extend(format!("SCALARS {kind} {kind} 1\nLOOKUP_TABLE default\n").as_bytes());
        bytes.extend([number, b"\n"].concat());
    }
    for (kind, _, expected) in arrays {
        let selection = select("x,y,z", kind);
        let read = with_file("a.vtk", &bytes, |path| read_points(path, &selection).unwrap());
        assert_eq!(read.charges, [expected], "{kind}");
    }
}

fn message(bytes: &[u8]) -> String {
    let error = with_file("a.vtk", bytes, |path| read_snapshot(path).unwrap_err());
    let message = error.to_string();
    message.split_once(": ").unwrap().1.to_owned()
}

#[test]
fn faults_name_the_place() {
    let sound = text_with("the%20mass", "mass");
    let with = |from: &str, to: &str| message(sound.replacen(from, to, 1).as_bytes());
    for (from, to, expected) in [
        ("ascii", "XML", "\"XML\" is not ASCII or BINARY"),
        ("UNSTRUCTURED_GRID", "RECTILINEAR_GRID", "is a VTK dataset of type RECTILINEAR_GRID; "),
        ("POINTS 2", "POINTS two", "\"two\" is no count"),
        ("POINTS 2 float", "POINTS 2 bit", "\"bit\" is no type of numbers"),
        ("POINTS 2", "POINTS 400000000000000000", "\"METADATA\" is no number of POINTS"),
        ("POINT_DATA 2", "POINT_DATA 3", "POINT_DATA of 3 for 2 points"),
        ("LOOKUP_TABLE colours", "0 1", "SCALARS without LOOKUP_TABLE"),
        ("OFFSETS", "SIZES", "CELLS without OFFSETS"),
        ("vel 3 2", "vel 3 1", "vel has 1 tuples of 3 for 2 points"),
        (
            "vel 3 2 float\n1 2 3 4 5 6",
            "vel 2 2 float\n1 2 3 4",
            "vel has shape (2, 2), expected (N, 3)",
        ),
        ("vel 3 2", "vel 3", "\"vel 3 float\" begins no array"),
        ("unsigned_int", "double", "ID has type float, expected"),
        ("unsigned_int\n9", "int\n-9", "ID[0] is -9, expected a whole number from 0 on"),
        ("unsigned_int\n9", "unsigned_int\n-9", "\"-9\" is no number of ID"),
        ("0.5 1e-3", "0.5 nan", "mass[1] is NaN, expected a finite number"),
        ("3\n4 5", "3\n4 1e999", "z[1] is inf, expected a finite number"),
        ("NORMALS n float", "SHAPES n float", "\"SHAPES n float\" begins no section"),
        ("9 8", "9", "ID ends after 1 of 2 numbers"),
    ] {
        let found = with(from, to);
        assert!(found.contains(expected), "{to}: {found}");
    }
    assert!(message(b"# vtk DataFile Version x\n").contains("does not begin with # vtk DataFile"));
    assert!(message(&binary("0 float", b"")).contains("holds no points"));
    let lone = b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\n";
    assert!(message(lone).contains("it has no POINTS, at byte 53"));
}

/// Announced lengths take no memory, and every cut is told.
#[test]
fn announced_lengths_are_not_believed() {
    for points in ["6148914691236517205 double", "18446744073709551615 float"] {
        assert!(message(&binary(points, &[0; 50])).contains("ends after"), "{points}");
    }
    let wide = b"\nPOINT_DATA 1\nSCALARS mass double 18446744073709551615\nLOOKUP_TABLE default\n";
    let wide = binary("1 float", &[&[0; 12], wide.as_slice()].concat());
    assert!(message(&wide).contains("mass ends after 0 of 18446744073709551615 numbers"));
    let none = b"\nPOINT_DATA 0\nSCALARS mass double 18446744073709551615\nLOOKUP_TABLE default\n";
    assert!(message(&binary("0 float", none)).contains("holds no points"));
    let sound = text_with("the%20mass", "mass");
    for length in 0..TEXT.find("\nvel 3").unwrap() {
        let error = with_file("a.vtk", &sound.as_bytes()[..length], |path| read_snapshot(path));
        let lost = length < sound.find("1e-3").unwrap() + 1;
        assert!(error.is_err() || !lost, "{length}: cut and not told");
    }
}
