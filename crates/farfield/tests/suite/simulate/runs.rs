//! Runs of the command, with the same quantities summed here from its files.

use crate::common::Folder;
use farfield::formats::{Snapshot, read_snapshot};
use std::collections::BTreeMap;

/// Snapshot of a number in a folder.
pub(crate) fn snapshot(folder: &Folder, name: &str) -> Snapshot {
    read_snapshot(folder.path().join(name)).unwrap()
}

/// Rows of a table of diagnostics.
pub(crate) fn table(folder: &Folder, name: &str) -> (String, Vec<Vec<f64>>) {
    let text = String::from_utf8(folder.read(name)).unwrap();
    let (names, rows) = text.split_once('\n').unwrap();
    let row = |line: &str| line.split(',').map(|value| value.parse().unwrap()).collect();
    (names.to_owned(), rows.lines().map(row).collect())
}

/// All files of a run by name, with their bytes; those of its folder `resume` too.
pub(crate) fn results(folder: &Folder, run: &str) -> BTreeMap<String, Vec<u8>> {
    let folders = [run.to_owned(), format!("{run}/resume")];
    let entries =
        folders.iter().flat_map(|run| std::fs::read_dir(folder.path().join(run)).unwrap());
    let files = entries.map(Result::unwrap).filter(|entry| entry.path().is_file());
    let read = |file: std::fs::DirEntry| {
        (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap())
    };
    files.map(read).collect()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected}");
}

/// A circular orbit of two bodies of masses 3 and 1 at the distance 2, with G = 4: the speed is 2√2, the period √2 π.
const PAIR: &str = "name,x,y,z,vx,vy,vz,mass\n\
                    1,-0.5,0,10,0,-0.7071067811865476,0.5,3\n\
                    2,1.5,0,10,0,2.121320343559643,0.5,1\n";

#[test]
fn two_bodies_return_after_a_period() {
    let folder = Folder::new();
    folder.write("pair.csv", PAIR);
    let period = 2f64.sqrt() * std::f64::consts::PI;
    for (integrator, tolerance) in [("leapfrog", 4e-3), ("fourth-order", 2e-7)] {
        folder.succeed(&format!(
            "simulate pair.csv --time {period} --gravity 4 --step 0.02 --outputs 2 --tolerance 1e-12 \
             --integrator {integrator} --snapshots {integrator}"
        ));
        let [start, half, end] =
            [0, 1, 2].map(|i| snapshot(&folder, &format!("{integrator}/snapshot-000{i}.npz")));
        close(end.time, period, 1e-12);
        close(half.time, 0.5 * period, 1e-12);
        assert_eq!((start.step, half.step, end.step), (0, 112, 224));
        assert_eq!((start.masses.as_slice(), &start.ids), (&[3.0, 1.0][..], &vec![0, 1]));
        for i in 0..2 {
            for axis in 0..3 {
                // The centre drifts along z.
                let drift = if axis == 2 { 0.5 * period } else { 0.0 };
                let x = start.positions[i][axis];
                close(end.positions[i][axis], x + drift, tolerance);
                let opposite = if axis == 2 { x + 0.5 * drift } else { -x };
                close(half.positions[i][axis], opposite, tolerance);
            }
        }
    }
}

#[test]
fn the_table_has_the_sums_of_the_snapshots() {
    let folder = Folder::new();
    folder.write("pair.csv", PAIR);
    folder.succeed("simulate pair.csv --time 3 --gravity 4 --outputs 3 --tolerance 1e-12");
    let (names, rows) = table(&folder, "snapshots/diagnostics.csv");
    assert_eq!(
        names,
        "time,steps,kinetic,potential,energy,momentum_x,momentum_y,momentum_z,\
         angular_momentum_x,angular_momentum_y,angular_momentum_z,mass,inertia"
    );
    assert_eq!(rows.len(), 4);
    let first = snapshot(&folder, "snapshots/snapshot-0000.npz");
    let squares = first.positions.iter().map(|x| x.iter().map(|c| c * c).sum::<f64>());
    let inertia: f64 = first.masses.iter().zip(squares).map(|(mass, square)| mass * square).sum();
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row[11], first.masses.iter().sum::<f64>());
        close(row[12], inertia, 1e-14 * inertia);
        let Snapshot { time, step, positions, velocities, masses, .. } =
            snapshot(&folder, &format!("snapshots/snapshot-000{i}.npz"));
        assert_eq!(row[..2], [time, step as f64]);
        close(time, i as f64, 1e-12);
        let squared = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
        let kinetic: f64 = (0..2).map(|i| 0.5 * masses[i] * squared(&velocities[i])).sum();
        let apart = [0, 1, 2].map(|axis| positions[1][axis] - positions[0][axis]);
        let potential = -4.0 * masses[0] * masses[1] / squared(&apart).sqrt();
        close(row[2], kinetic, 1e-12);
        close(row[3], potential, 1e-10);
        close(row[4], row[2] + row[3], 1e-13);
        for axis in 0..3 {
            let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
            let momentum: f64 = (0..2).map(|i| masses[i] * velocities[i][axis]).sum();
            let spin =
                |i: usize| positions[i][y] * velocities[i][z] - positions[i][z] * velocities[i][y];
            let angular: f64 = (0..2).map(|i| masses[i] * spin(i)).sum();
            close(row[5 + axis], momentum, 1e-12);
            close(row[8 + axis], angular, 1e-10);
        }
    }
}

#[test]
fn sets_without_velocities_fall() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,m\n-1,0,0,1\n1,0,0,1\n0,8,0,0\n");
    folder.succeed("simulate a.csv --time 0.1 --softening 0 --outputs 1");
    let Snapshot { positions, velocities, .. } = snapshot(&folder, "snapshots/snapshot-0001.npz");
    // x = 1 − t²/8 + O(t⁴), since the acceleration is 1/4; the body without mass falls too.
    close(positions[1][0], 1.0 - 0.01 / 8.0, 1e-5);
    close(velocities[0][0], 0.025, 1e-4);
    assert!(velocities[2][1] < 0.0);
}

#[test]
fn every_model_is_generated_with_velocities_and_runs() {
    let folder = Folder::new();
    for shape in [
        "cube",
        "sphere",
        "sphere-volume",
        "sphere-volume --virial 0.5",
        "plummer",
        "hernquist",
        "king",
        "king --w0 3",
        "galaxy",
        "collision",
    ] {
        let moves = !["cube", "sphere", "sphere-volume"].contains(&shape);
        for name in ["a.npz", "a.csv", "a.dat.gz"] {
            folder.succeed(&format!("generate {shape} -n 300 --seed 3 -o {name}"));
        }
        let archive = snapshot(&folder, "a.npz");
        assert_eq!(archive.velocities.iter().flatten().any(|&v| v != 0.0), moves, "{shape}");
        assert_eq!(snapshot(&folder, "a.csv"), archive);
        assert_eq!(snapshot(&folder, "a.dat.gz"), archive);
        let told = folder.succeed("simulate a.npz --time 0.05 --outputs 1 --snapshots run");
        assert!(told.starts_with("300 particles from time 0"), "{told}");
        assert_eq!(snapshot(&folder, "run/snapshot-0000.npz"), archive);
        std::fs::remove_dir_all(folder.path().join("run")).unwrap();
    }
}

#[test]
fn integrators_and_formats_have_their_files() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 500 --seed 4 -o a.npz");
    for (integrator, format) in
        [("leapfrog", "npz"), ("adaptive", "vtk"), ("block", "tipsy"), ("fourth-order", "gadget")]
    {
        folder.succeed(&format!(
            "simulate a.npz --time 0.5 --outputs 2 --integrator {integrator} --format {format} --snapshots {format}"
        ));
        let state = snapshot(&folder, &format!("{format}/resume/state.npz"));
        let files = std::fs::read_dir(folder.path().join(format)).unwrap();
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut archives: Vec<_> = files.filter(|file| file.ends_with(".npz")).collect();
        archives.sort();
        let snapshots = (0..3).map(|output| format!("snapshot-{output:04}.npz"));
        let snapshots: Vec<_> = snapshots.take(if format == "npz" { 3 } else { 0 }).collect();
        assert_eq!(archives, snapshots, "`*.npz` names the snapshots alone");
        let name = format!("{format}/snapshot-0002.{format}");
        assert!(!folder.read(&name).is_empty());
        if format != "vtk" {
            let written = snapshot(&folder, &name);
            let limit = if format == "npz" { 0.0 } else { 1e-6 };
            for (a, b) in written.positions.iter().flatten().zip(state.positions.iter().flatten()) {
                close(*a, *b, limit * b.abs());
            }
        }
        let (_, rows) = table(&folder, &format!("{format}/diagnostics.csv"));
        let change = rows[2][4] / rows[0][4] - 1.0;
        assert!(change.abs() < 2e-3, "{integrator}: {change}");
    }
}

#[test]
fn snapshots_go_on_at_their_time_with_their_ids() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 200 --seed 4 -o a.npz");
    let mut state = snapshot(&folder, "a.npz");
    (state.time, state.step) = (3.5, 17);
    state.ids.iter_mut().for_each(|id| *id = 1000 - *id);
    farfield::formats::write_snapshot(folder.path().join("b.npz"), &state).unwrap();
    folder.succeed("simulate b.npz --time 1 --outputs 2");
    let end = snapshot(&folder, "snapshots/snapshot-0002.npz");
    assert_eq!((end.time, end.ids), (4.5, state.ids));
}

/// Masses are those of gravity where charges are there too; evaluations take the charges.
#[test]
fn masses_win_over_charges() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,vx,vy,vz,m,q\n0,0,0,0,0,0,3,5\n1,0,0,0,1,0,2,-7\n");
    folder.succeed("simulate a.csv --time 0.1 --outputs 1");
    assert_eq!(snapshot(&folder, "snapshots/snapshot-0001.npz").masses, [3.0, 2.0]);
    folder.succeed("evaluate a.csv --method direct --output f.npz");
    folder.write("b.csv", "x,y,z,q\n0,0,0,5\n1,0,0,-7\n");
    folder.succeed("evaluate b.csv --method direct --output g.npz");
    assert_eq!(folder.read("f.npz"), folder.read("g.npz"));
    // Charges alone are masses as before.
    folder.write("c.csv", "x,y,z,q\n0,0,0,5\n1,0,0,7\n");
    folder.succeed("simulate c.csv --time 0.1 --outputs 1 --snapshots c");
    assert_eq!(snapshot(&folder, "c/snapshot-0000.npz").masses, [5.0, 7.0]);
}
