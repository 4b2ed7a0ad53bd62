//! Snapshots come back as they were written, bit by bit or to the precision of their format.

use std::path::Path;

use crate::common::with_file;
use formats::{
    PartialSnapshot, PointTable, Selection, Snapshot, SnapshotFormat, check_snapshot_path,
    read_points, read_snapshot, unread_velocities, write_points, write_snapshot,
};
use proptest::prelude::*;

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

prop_compose! {
    /// Snapshots of any finite numbers.
    fn snapshots()(
        time in finite(),
        step: u64,
        rows in prop::collection::vec(([finite(), finite(), finite()], [finite(), finite(), finite()], finite(), any::<u64>()), 1..20),
    ) -> Snapshot {
        Snapshot {
            time,
            step,
            positions: rows.iter().map(|row| row.0).collect(),
            velocities: rows.iter().map(|row| row.1).collect(),
            masses: rows.iter().map(|row| row.2).collect(),
            ids: rows.iter().map(|row| row.3).collect(),
        }
    }
}

fn written<T>(snapshot: &Snapshot, name: &str, use_file: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write_snapshot(&path, snapshot).unwrap();
    use_file(&path)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn npz_and_vtk_keep_every_bit(snapshot in snapshots(), name in prop::sample::select(vec!["a.npz", "a.vtk", "a.vtk.gz"])) {
        let read = written(&snapshot, name, |path| read_snapshot(path).unwrap());
        prop_assert_eq!(read.time.to_bits(), snapshot.time.to_bits());
        prop_assert_eq!(read.step, snapshot.step);
        prop_assert_eq!(&read.ids, &snapshot.ids);
        prop_assert_eq!(bits(&read.masses), bits(&snapshot.masses));
        prop_assert_eq!(bits(read.positions.as_flattened()), bits(snapshot.positions.as_flattened()));
        prop_assert_eq!(bits(read.velocities.as_flattened()), bits(snapshot.velocities.as_flattened()));
    }

    #[test]
    fn tipsy_and_gadget_keep_f32(snapshot in single_snapshots()) {
        let read = |name| written(&snapshot, name, |path| read_snapshot(path).unwrap());
        prop_assert_eq!(read("a.gadget"), Snapshot { step: 0, ..snapshot.clone() });
        let ids = (0..snapshot.ids.len() as u64).collect();
        // GADGET's header holds equal masses in f64.
        let masses = snapshot.masses.iter().map(|&mass| f64::from(mass as f32)).collect();
        prop_assert_eq!(read("a.tipsy"), Snapshot { step: 0, ids, masses, ..snapshot.clone() });
    }
}

prop_compose! {
    /// Snapshots of any finite numbers of f32, equal masses among them.
    fn single_snapshots()(
        mut snapshot in snapshots(),
        seed in prop::collection::vec(prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL, 1..8),
        equal: bool,
        narrow: bool,
    ) -> Snapshot {
        let mut next = seed.iter().cycle().map(|&value| f64::from(value));
        for value in snapshot.positions.as_flattened_mut() {
            *value = next.next().unwrap();
        }
        for value in snapshot.velocities.as_flattened_mut() {
            *value = next.next().unwrap();
        }
        for mass in &mut snapshot.masses {
            *mass = if equal { 1.0 / 3.0 } else { next.next().unwrap() };
        }
        if narrow {
            snapshot.ids.iter_mut().for_each(|id| *id >>= 32);
        }
        snapshot
    }
}

fn pair() -> Snapshot {
    Snapshot {
        time: 1.5,
        step: 7,
        positions: vec![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
        velocities: vec![[0.5, 0.25, 0.0], [-0.5, -0.25, 1.0]],
        masses: vec![1.0, 2.0],
        ids: vec![1, 0],
    }
}

#[test]
fn snapshots_are_points_to_evaluate() {
    let points = written(&pair(), "a.npz", |path| read_points(path, &Selection::default()));
    let expected = PointTable { positions: pair().positions, charges: pair().masses };
    assert_eq!(points.unwrap(), expected);
}

#[test]
fn points_are_snapshots_at_rest() {
    let points = PointTable { positions: pair().positions, charges: pair().masses };
    let expected =
        Snapshot { time: 0.0, step: 0, velocities: vec![[0.0; 3]; 2], ids: vec![0, 1], ..pair() };
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.dat.gz", "a.npy", "a.npz", "a.vtk", "a.tipsy", "a.gadget"] {
        let path = folder.path().join(name);
        write_points(&path, &points).unwrap();
        assert_eq!(read_snapshot(&path).unwrap(), expected, "{name}");
    }
}

/// Columns of velocities by the names that tables give them, and names that look like such and are not read.
#[test]
fn velocities_of_tables_by_other_names() {
    let rows = "0 1 2 0.5 0.25 0 1\n3 4 5 -0.5 -0.25 1 2\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dat");
    for (names, is_read) in [
        ("vx vy vz", true),
        ("VX VY VZ", true),
        ("v_x v_y v_z", true),
        ("Vel_x Vel_y Vel_z", true),
        ("velocity_x velocity_y velocity_z", true),
        ("velx vely velz", false),
        ("v1 v2 v3", false),
        ("level volume vr", false),
    ] {
        std::fs::write(&path, format!("# x y z {names} m\n{rows}")).unwrap();
        let velocities = read_snapshot(&path).unwrap().velocities;
        assert_eq!(velocities == pair().velocities, is_read, "{names}");
        let expected: Vec<&str> = match is_read || names.starts_with("level") {
            true => Vec::new(),
            false => names.split(' ').collect(),
        };
        assert_eq!(unread_velocities(&path), expected);
    }
    std::fs::write(&path, format!("# x y z v_x v_y w m\n{rows}")).unwrap();
    let message = read_snapshot(&path).unwrap_err().to_string();
    assert!(message.contains("has no column \"v_z\"; the columns are x, y, z, v_x, "), "{message}");
}

#[test]
fn unsound_snapshots_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str, snapshot: &Snapshot| {
        write_snapshot(folder.path().join(name), snapshot).unwrap_err().to_string()
    };
    let short = Snapshot { velocities: vec![[0.0; 3]], ..pair() };
    assert!(
        message("a.npz", &short)
            .ends_with("velocities has 1 elements for 2 points; give one a point")
    );
    let infinite = Snapshot { time: f64::INFINITY, ..pair() };
    assert!(message("a.npz", &infinite).contains("time is inf, expected a finite number"));
    let mut nan = pair();
    nan.velocities[1][2] = f64::NAN;
    assert!(message("a.npz", &nan).contains("velocities[1, 2] is NaN"));
    assert!(message("a.png", &pair()).contains("the extension .png names no known format"));
    assert!(message("none/a.npz", &pair()).contains("cannot be written ("));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    for format in SnapshotFormat::ALL {
        let name = format!("a.{}", format.extension());
        assert!(check_snapshot_path(folder.path().join(name)).is_ok());
    }
    assert!(check_snapshot_path(folder.path().join("a.xyz")).is_err());
}

#[test]
fn partial_snapshots_have_their_name_when_they_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let partial = PartialSnapshot::write(&path, &pair()).unwrap();
    assert!(!path.exists() && files() == 1);
    drop(partial);
    assert_eq!(files(), 0);
    let partial = PartialSnapshot::write(&path, &pair()).unwrap();
    partial.complete().unwrap();
    assert_eq!(read_snapshot(&path).unwrap(), pair());
    assert_eq!(files(), 1);
}

#[test]
fn formats_of_f32_refuse_what_they_do_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let mut large = pair();
    large.positions[1][2] = 1e300;
    for name in ["a.tipsy", "a.gadget"] {
        let message = write_snapshot(folder.path().join(name), &large).unwrap_err().to_string();
        assert!(message.ends_with("positions[1, 2] is 1e300, which the format does not hold; write .npz, or change the unit"), "{message}");
    }
    assert!(write_snapshot(folder.path().join("a.tipsy.gz"), &pair()).is_err());
}

#[test]
fn unsound_snapshots_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    assert!(read_snapshot(folder.path()).unwrap_err().to_string().contains("is a folder"));
    let missing = read_snapshot(folder.path().join("none.npz")).unwrap_err().to_string();
    assert!(missing.contains("cannot be opened"), "{missing}");
    let sound = written(&pair(), "a.npz", |path| std::fs::read(path).unwrap());
    for length in 4..sound.len() {
        with_file("a.npz", &sound[..length], |path| read_snapshot(path).unwrap_err());
    }
}
