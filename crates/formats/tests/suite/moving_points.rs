//! Points with velocities in text, and texts as a whole.

use formats::{
    Fault, PointTable, Selection, Snapshot, read_points, read_snapshot, write_moving_points,
    write_snapshot, write_text,
};

fn particles() -> Snapshot {
    Snapshot {
        time: 2.5,
        step: 3,
        positions: vec![[0.1, -2.0, 3e-300], [4.0, 5.0, 0.0]],
        velocities: vec![[1e-7, 2.0, -0.3], [0.0; 3]],
        masses: vec![1.5, 1.0 / 3.0],
        ids: vec![7, 6],
    }
}

fn points() -> PointTable {
    PointTable { positions: particles().positions, charges: particles().masses }
}

#[test]
fn velocities_come_back_from_tables() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.dat", "a.txt", "a.tsv", "a.csv.gz"] {
        let path = folder.path().join(name);
        write_moving_points(&path, &particles()).unwrap();
        let found = read_snapshot(&path).unwrap();
        assert_eq!(found, Snapshot { time: 0.0, step: 0, ids: vec![0, 1], ..particles() });
        // Columns of velocities disturb nobody who reads points.
        assert_eq!(read_points(&path, &Selection::default()).unwrap(), points());
    }
    for name in ["a.xyz", "a.npy"] {
        let path = folder.path().join(name);
        write_moving_points(&path, &particles()).unwrap();
        assert_eq!(read_snapshot(&path).unwrap(), Snapshot::at_rest(points()).unwrap());
    }
}

/// Formats of snapshots are those of their one writer.
#[test]
fn particles_are_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.npz", "a.vtk", "a.vtk.gz", "a.tipsy", "a.gadget"] {
        let [path, of_snapshots] = ["moving", "snapshot"].map(|folder_of| {
            let folder = folder.path().join(folder_of);
            std::fs::create_dir_all(&folder).unwrap();
            folder.join(name)
        });
        write_moving_points(&path, &particles()).unwrap();
        write_snapshot(&of_snapshots, &particles()).unwrap();
        assert!(std::fs::read(&path).unwrap() == std::fs::read(of_snapshots).unwrap(), "{name}");
        assert_eq!(read_snapshot(&path).unwrap().velocities[0][1], 2.0, "{name}");
    }
}

#[test]
fn columns_of_velocities_may_be_anywhere_but_not_half_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write_text(&path, "vz,m,x,vx,y,z,vy\n3,1,4,1,5,6,2\n").unwrap();
    let found = read_snapshot(&path).unwrap();
    assert_eq!((found.positions[0], found.velocities[0]), ([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]));
    write_text(&path, "x,y,z,vx,vy,m\n4,5,6,1,2,1\n").unwrap();
    let error = read_snapshot(&path).unwrap_err();
    assert!(matches!(error.fault, Fault::NoColumn { .. }), "{error}");
    write_text(&path, "x,y,z,m\n4,5,6,1\n").unwrap();
    assert_eq!(read_snapshot(&path).unwrap().velocities, [[0.0; 3]]);
    write_text(&path, "x,y,z,vx,vy,vz,m\n4,5,6,1,fast,3,1\n").unwrap();
    let error = read_snapshot(&path).unwrap_err();
    assert!(matches!(error.fault, Fault::Number { column: 5, .. }), "{error}");
}

#[test]
fn lengths_have_to_agree_and_texts_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write_text(&path, "before").unwrap();
    let short = Snapshot { velocities: vec![[0.0; 3]], ..particles() };
    let error = write_moving_points(&path, &short).unwrap_err();
    let fault = Fault::Length { array: "velocities", found: 1, expected: 2 };
    assert_eq!(error.fault.to_string(), fault.to_string());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
    write_text(&path, "after\n").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "after\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(write_text(folder.path(), "").is_err());
}

#[test]
fn masses_win_over_charges_in_snapshots_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    for (names, mass, charge) in [
        ("x,y,z,vx,vy,vz,m,q", 8.0, 9.0),
        ("x,y,z,vx,vy,vz,charge,masses", 9.0, 8.0),
        ("x,y,z,vx,vy,vz,Mass,Charges", 8.0, 9.0),
        ("x,y,z,vx,vy,vz,q,radius", 8.0, 8.0),
        ("x,y,z,vx,vy,vz,radius,mass", 9.0, 9.0),
    ] {
        write_text(&path, &format!("{names}\n1,2,3,4,5,6,8,9\n")).unwrap();
        assert_eq!(read_snapshot(&path).unwrap().masses, [mass], "{names}");
        assert_eq!(read_points(&path, &Selection::default()).unwrap().charges, [charge], "{names}");
    }
}
