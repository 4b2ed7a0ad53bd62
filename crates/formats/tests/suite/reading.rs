//! Each format is read as its documentation says, from cuts of real files and from small texts.

use crate::common::{read, select, unit_charges, with_file};
use std::path::Path;

use formats::{PointTable, Selection, has_rows, read_point_rows, read_points, write_points};

fn fixture(name: &str, selection: &Selection) -> PointTable {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    read_points(path, selection).unwrap()
}

fn points(positions: &[[f64; 3]], charges: &[f64]) -> PointTable {
    PointTable { positions: positions.to_vec(), charges: charges.to_vec() }
}

#[test]
fn the_star_cluster_by_numbers() {
    let stars = fixture("pal5.dat.gz", &select("2,3,4", "1"));
    assert_eq!(stars.positions.len(), 50);
    let first = [-2.015_622_129_396_408_3, -7.403_179_042_250_708, 8.812_904_996_378_563];
    assert_eq!(stars.positions[0], first);
    assert_eq!(stars.charges[0], 24.467_595_140_860_922);
}

#[test]
fn the_molecule_by_columns_of_pqr() {
    let atoms = fixture("achbp.pqr", &Selection::default());
    assert_eq!(atoms.positions.len(), 40);
    assert_eq!((atoms.positions[0], atoms.charges[0]), ([67.253, 25.892, -0.145], 0.185));
    let radii = fixture("achbp.pqr", &select("x,y,z", "radius"));
    assert_eq!(radii.charges[..2], [1.824, 1.908]);
}

#[test]
fn serial_numbers_may_touch_the_record_name() {
    let atoms = fixture("1AFS.pqr", &Selection::default());
    assert_eq!(atoms.charges, [0.1592, 0.0221, 0.6123, -0.5713, -0.834, 0.417, 0.417]);
    assert_eq!(atoms.positions[4], [-21.527, 36.762, -17.369]);
}

#[test]
fn pqr_with_chain_element_and_fields_run_together() {
    let text = "\
ATOM      1  N   MET A   1       1.000   2.000   3.000  0.5000 1.8240
ATOM      2  N   MET     1       1.000   2.000   3.000  0.5000 1.8240       N
ATOM      3  N   MET A1234    -100.000-200.000-300.000 -0.5000 1.8240
ATOM      4  N   MET A   1A   1000.0002000.0003000.000  0.5000 1.8240
";
    let atoms = read("a.pqr", text, &Selection::default()).unwrap();
    let (near, far, farther) =
        ([1.0, 2.0, 3.0], [-100.0, -200.0, -300.0], [1000.0, 2000.0, 3000.0]);
    assert_eq!(atoms, points(&[near, near, far, farther], &[0.5, 0.5, -0.5, 0.5]));
}

#[test]
fn tables_with_and_without_names() {
    let expected = points(&[[1.0, 2.0, 3.0], [4.0, 5.0, -600.0]], &[0.5, 7.0]);
    for (name, text) in [
        ("a.csv", "x,y,z,q\n1,2,3,.5\n4,5,-6e2,7\n"),
        ("a.csv", "1, 2, 3, 0.5\r\n4, 5, -6e2, 7\r\n"),
        ("a.csv", "# stars\n\"name\",\"M\",\"X\",\"Y\",\"Z\"\n\"a, b\",0.5,1,2,3\nc,7,4,5,-600"),
        ("a.dat", "# a snapshot\n# m x y z\n0.5 1 2 3\n7 4 5 -6d2  # remark\n"),
        ("a.dat", "1 2 3 0.5\n\n# remark\n4 5 -600 7\n"),
        ("a.txt", "\u{feff}z\ty\tx\tmass\n3\t2\t1\t0.5\n-600\t5\t4\t7\n"),
        ("a.txt", "1,2,3,0.5\n4,5,-600,7\n"),
        ("a.tsv", "X\tY\tZ\tcharge\n1\t2\t3\t0.5\n4\t5\t-600\t7\n"),
    ] {
        assert_eq!(read(name, text, &Selection::default()).unwrap(), expected, "{text}");
    }
}

#[test]
fn columns_are_selected_by_name_and_number() {
    let text = "id vx x y z w Q\n1 9 1 2 3 8 0.5\n2 9 4 5 6 8 0.25\n";
    let expected = points(&[[9.0, 1.0, 2.0], [9.0, 4.0, 5.0]], &[3.0, 6.0]);
    assert_eq!(read("a.dat", text, &select("VX,3,y", "z")).unwrap(), expected);
    let by_default = read("a.dat", text, &Selection::default()).unwrap();
    assert_eq!(by_default, points(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &[0.5, 0.25]));
}

#[test]
fn a_column_that_is_not_selected_need_not_be_numbers() {
    let text = "star x y z\nVega 1 2 3\nDeneb nan 5 6\n";
    let selection = Selection { positions: Some("z,z,y".parse().unwrap()), ..unit_charges() };
    let expected = points(&[[3.0, 3.0, 2.0], [6.0, 6.0, 5.0]], &[1.0, 1.0]);
    assert_eq!(read("a.dat", text, &selection).unwrap(), expected);
}

#[test]
fn xyz_plain_and_extended() {
    let plain = "2\nwater\nO 0 0 0.5 -0.8\nH 1 0 0 0.4\n";
    let expected = points(&[[0.0, 0.0, 0.5], [1.0, 0.0, 0.0]], &[-0.8, 0.4]);
    assert_eq!(read("a.xyz", plain, &Selection::default()).unwrap(), expected);

    let extended = "2\nLattice=\"1 0 0\" Properties=species:S:1:pos:R:3:forces:R:3:charge:R:1 pbc=F\n\
                    O 0 0 0.5 9 9 9 -0.8\nH 1 0 0 9 9 9 0.4\n\n";
    assert_eq!(read("a.xyz", extended, &Selection::default()).unwrap(), expected);
    // The name by which ASE writes charges that were given.
    let initial = extended.replace("charge:", "initial_charges:");
    assert_eq!(read("a.xyz", &initial, &Selection::default()).unwrap(), expected);
    let forces = read("a.xyz", extended, &select("x,y,z", "forces_2")).unwrap();
    assert_eq!(forces.charges, [9.0, 9.0]);
}

#[test]
fn arrays_written_by_numpy() {
    let positions = [[0.5, 1.0, 2.0], [3.0, 4.25, 5.0], [6.0, 7.0, 8.125]];
    let array = fixture("fortran-f4.npy", &Selection::default());
    assert_eq!(array, points(&positions, &[-1.0, 1.0, 0.5]));
    let swapped = fixture("fortran-f4.npy", &select("4,2,3", "1"));
    assert_eq!(swapped.positions[0], [-1.0, 1.0, 2.0]);
    assert_eq!(swapped.charges, [0.5, 3.0, 6.0]);
    let archive = fixture("compressed.npz", &Selection::default());
    assert_eq!(archive, points(&positions, &[1.0, 2.0, 3.0]));
}

#[test]
fn receivers_need_no_charges() {
    let text = "x,y,z\n1,2,3\n";
    let points = read("a.csv", text, &crate::common::receivers()).unwrap();
    assert_eq!(points, PointTable { positions: vec![[1.0, 2.0, 3.0]], charges: vec![] });
}

#[test]
fn gzip_in_several_members() {
    let member = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let bytes = [member("1 2 3 4\n"), member("5 6 7 8\n")].concat();
    with_file("A.DAT.GZ", &bytes, |path| {
        let table = read_points(path, &Selection::default()).unwrap();
        assert_eq!(table.charges, [4.0, 8.0]);
    });
}

/// Parts of an array are those of the whole, whatever the order of its axes and the type of its numbers.
#[test]
fn rows_of_arrays_by_parts() {
    let fortran = format!("{}/tests/data/fortran-f4.npy", env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain.npy");
    let position = |i: usize| [1.0, 2.0, 3.0].map(|c| c + i as f64);
    let table = PointTable {
        positions: (0..37).map(position).collect(),
        charges: (0..37).map(|i| 0.5 - f64::from(i)).collect(),
    };
    write_points(&plain, &table).unwrap();
    for (path, selection) in [
        (plain.as_path(), Selection::default()),
        (plain.as_path(), unit_charges()),
        (Path::new(&fortran), Selection::default()),
        (Path::new(&fortran), select("4,2,3", "1")),
    ] {
        assert!(has_rows(path));
        let whole = read_points(path, &selection).unwrap();
        let n = whole.positions.len();
        for (first, end) in [(0, n), (0, 1), (n / 3, n / 2), (n, n)] {
            let rows = read_point_rows(path, &selection, |total| {
                assert_eq!(total, n);
                first..end
            });
            let rows = rows.unwrap();
            assert_eq!(rows.points.positions, whole.positions[first..end]);
            assert_eq!(rows.points.charges, whole.charges[first..end]);
            assert_eq!(rows.total, n);
            assert!(rows.places.of(3).ends_with(": row 3 (from 0)"));
        }
    }
    assert!(!has_rows("a.npy.gz") && !has_rows("a.npz") && !has_rows("-"));
}

/// Files that one process refuses are refused by parts with the same words, if the part has the fault.
#[test]
fn faults_of_arrays_by_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let refused = |bytes: &[u8], rows: std::ops::Range<usize>| {
        std::fs::write(&path, bytes).unwrap();
        let whole = read_points(&path, &Selection::default()).unwrap_err().to_string();
        let part = read_point_rows(&path, &Selection::default(), |_| rows);
        (part.map(|part| part.total).map_err(|error| error.to_string()), whole)
    };
    let mut positions = vec![[0.0; 3]; 9];
    positions[6][1] = f64::NAN;
    let table = PointTable { positions, charges: vec![1.0; 9] };
    write_points(&path, &table).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (part, whole) = refused(&bytes, 5..9);
    assert_eq!(part.unwrap_err(), whole);
    assert!(whole.contains("[6, 1]"), "{whole}");
    assert_eq!(refused(&bytes, 0..6).0, Ok(9));
    for damaged in [&bytes[..bytes.len() - 8], &[&bytes[..], &[0; 8]].concat(), &bytes[..20], b""] {
        let (part, whole) = refused(damaged, 0..1);
        assert_eq!(part.unwrap_err(), whole);
    }
    let missing = folder.path().join("none.npy");
    let [part, whole] = [
        read_point_rows(&missing, &Selection::default(), |_| 0..0).unwrap_err().to_string(),
        read_points(&missing, &Selection::default()).unwrap_err().to_string(),
    ];
    assert_eq!(part, whole);
}
