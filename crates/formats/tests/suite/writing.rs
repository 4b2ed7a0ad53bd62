//! Written files are read back bit by bit, and a failure leaves no file behind.

use std::path::Path;

use crate::common::{receivers, select};
use formats::{
    FieldTable, PointTable, Selection, check_field_path, check_points_path, read_points,
    write_field, write_points,
};
use proptest::prelude::*;

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    [finite(), finite(), finite()]
}

fn bits(table: &PointTable) -> Vec<u64> {
    let PointTable { positions, charges } = table;
    positions.as_flattened().iter().chain(charges).map(|value| value.to_bits()).collect()
}

/// A private file that is replaced stays private.
#[cfg(unix)]
#[test]
fn replaced_files_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("private.csv");
    let points = PointTable { positions: vec![[1.0, 2.0, 3.0]], charges: vec![4.0] };
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    write_points(&path, &points).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    write_points(&path, &points).unwrap();
    assert_eq!(mode(), 0o600);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn points_round_trip(rows in prop::collection::vec((vector(), finite()), 1..20), charged: bool) {
        let (positions, charges) = rows.into_iter().unzip();
        let charges = if charged { charges } else { Vec::new() };
        let selection = if charged { Selection::default() } else { receivers() };
        let points = PointTable { positions, charges };
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.dat.gz", "a.txt", "a.tsv", "a.xyz", "a.npy", "a.npy.gz", "a.npz", "a.vtk", "a.vtk.gz"]
        {
            let path = folder.path().join(name);
            write_points(&path, &points).unwrap();
            prop_assert_eq!(bits(&read_points(&path, &selection).unwrap()), bits(&points), "{}", name);
        }
    }

    #[test]
    fn fields_round_trip(rows in prop::collection::vec((vector(), finite(), vector()), 1..20)) {
        let positions: Vec<_> = rows.iter().map(|row| row.0).collect();
        let potential: Vec<_> = rows.iter().map(|row| row.1).collect();
        let gradient: Vec<_> = rows.iter().map(|row| row.2).collect();
        let field = FieldTable {
            positions: &positions,
            charges: Some(&potential),
            potential: &potential,
            gradient: &gradient,
        };
        let folder = tempfile::tempdir().unwrap();
        for name in ["f.csv", "f.csv.gz", "f.dat"] {
            let path = folder.path().join(name);
            write_field(&path, &field).unwrap();
            let read = |selection| bits(&read_points(&path, &selection).unwrap());
            let charged = PointTable { positions: positions.clone(), charges: potential.clone() };
            prop_assert_eq!(read(Selection::default()), bits(&charged));
            let field = PointTable { positions: gradient.clone(), charges: potential.clone() };
            prop_assert_eq!(read(select("gradient_x,gradient_y,gradient_z", "potential")), bits(&field));
        }
        let path = folder.path().join("f.npz");
        write_field(&path, &field).unwrap();
        let points = PointTable { positions, charges: potential.clone() };
        prop_assert_eq!(bits(&read_points(&path, &Selection::default()).unwrap()), bits(&points));
        let all = select("potential,charges,potential", "potential");
        let read = read_points(&path, &all).unwrap();
        prop_assert_eq!(bits(&read)[..3].to_vec(), [potential[0].to_bits(); 3].to_vec());
    }
}

const POSITIONS: [[f64; 3]; 2] = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];

fn small() -> FieldTable<'static> {
    FieldTable {
        positions: &POSITIONS,
        charges: None,
        potential: &[0.5, 1e300],
        gradient: &[[1.0, -1e-7, 0.1], [-0.0, 2.0, 3.0]],
    }
}

#[test]
fn csv_is_plain_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.csv");
    write_field(&path, &small()).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "x,y,z,potential,gradient_x,gradient_y,gradient_z\n\
         0.0,1.0,2.0,0.5,1.0,-1e-7,0.1\n\
         3.0,4.0,5.0,1e300,-0.0,2.0,3.0\n"
    );
    assert_eq!(names(folder.path()), ["f.csv"]);
}

#[test]
fn vtk_follows_the_legacy_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.vtk");
    write_field(&path, &FieldTable { charges: Some(&[1.0, -1.0]), ..small() }).unwrap();

    let big_endian =
        |values: &[f64]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
    let integers =
        |values: &[i64]| values.iter().flat_map(|v| v.to_be_bytes()).collect::<Vec<u8>>();
    let parts: [Vec<u8>; 14] = [
        b"# vtk DataFile Version 5.1\nfield of 1/r: potential and its gradient\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 double\n".to_vec(),
        big_endian(POSITIONS.as_flattened()),
        b"\nCELLS 3 2\nOFFSETS vtktypeint64\n".to_vec(),
        integers(&[0, 1, 2]),
        b"\nCONNECTIVITY vtktypeint64\n".to_vec(),
        integers(&[0, 1]),
        b"\nCELL_TYPES 2\n".to_vec(),
        [1i32, 1].iter().flat_map(|v| v.to_be_bytes()).collect(),
        b"\nPOINT_DATA 2\nSCALARS charge double 1\nLOOKUP_TABLE default\n".to_vec(),
        big_endian(&[1.0, -1.0]),
        b"\nSCALARS potential double 1\nLOOKUP_TABLE default\n".to_vec(),
        big_endian(small().potential),
        b"\nVECTORS gradient double\n".to_vec(),
        [big_endian(small().gradient.as_flattened()), b"\n".to_vec()].concat(),
    ];
    assert_eq!(std::fs::read(&path).unwrap(), parts.concat());
}

#[test]
fn equal_input_gives_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["f.npz", "f.csv.gz", "f.vtk"] {
        let path = folder.path().join(name);
        let written = || {
            write_field(&path, &small()).unwrap();
            std::fs::read(&path).unwrap()
        };
        assert_eq!(written(), written(), "{name}");
    }
}

#[test]
fn faults_leave_the_folder_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str, field: &FieldTable<'_>| {
        write_field(folder.path().join(name), field).unwrap_err().to_string()
    };
    assert!(message("f.png", &small()).ends_with(
        "f.png: the extension .png names no known format; use one of .npz, .csv, .dat, .txt, .tsv, .vtk"
    ));
    let short = FieldTable { potential: &[1.0], ..small() };
    assert!(
        message("f.csv", &short)
            .ends_with("potential has 1 elements for 2 points; give one a point")
    );
    let uncharged = PointTable { positions: POSITIONS.to_vec(), charges: vec![1.0] };
    assert!(write_points(folder.path().join("p.npy"), &uncharged).is_err());
    assert!(message("none/f.csv", &small()).contains("cannot be written ("));

    std::fs::create_dir(folder.path().join("taken.csv")).unwrap();
    assert!(message("taken.csv", &small()).contains("is not a regular file; name a new file"));
    assert_eq!(names(folder.path()), ["taken.csv"]);
}

/// Formats of snapshots hold masses in f32.
#[test]
fn charges_are_masses_in_tipsy_and_gadget_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let points = |charges: &[f64]| PointTable {
        positions: vec![[0.5, -2.0, 3.0], [1.0 / 3.0, 5.0, 6.0]],
        charges: charges.to_vec(),
    };
    for name in ["a.tipsy", "a.gadget"] {
        let path = folder.path().join(name);
        write_points(&path, &points(&[0.0, 0.75])).unwrap();
        let read = read_points(&path, &Selection::default()).unwrap();
        assert_eq!((read.positions[0], read.charges), ([0.5, -2.0, 3.0], vec![0.0, 0.75]));
        assert_eq!(read.positions[1], [f64::from(1f32 / 3.0), 5.0, 6.0], "{name}");
        let before = std::fs::read(&path).unwrap();
        let large = PointTable { positions: vec![[1e39, 0.0, 0.0]], charges: vec![1.0] };
        for (points, expected) in [
            (points(&[1.0, -0.5]), "charges[1] is -0.5, and the format holds masses, 0 or more; "),
            (points(&[]), "charges has 0 elements for 2 points; give one a point"),
            (large, "positions[0, 0] is 1e39, which the format does not hold; write .npz"),
        ] {
            let message = write_points(&path, &points).unwrap_err().to_string();
            assert!(message.contains(&format!("{name}: {expected}")), "{message}");
        }
        assert!(std::fs::read(&path).unwrap() == before, "{name}");
    }
}

#[test]
fn paths_are_checked_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    assert!(check_field_path(folder.path().join("f.vtk")).is_ok());
    assert!(check_field_path("f.npz").is_ok());
    assert!(check_field_path(folder.path().join("f.npy")).is_err());
    assert!(check_field_path(folder.path().join("none/f.vtk")).is_err());
    assert!(check_points_path(folder.path().join("f.npy.gz")).is_ok());
    assert!(check_points_path(folder.path().join("f.tipsy")).is_ok());
    assert!(check_points_path(folder.path().join("f.pqr")).is_err());
    assert!(check_points_path(folder.path().join("f.tipsy.gz")).is_err());
}
