//! Snapshots as inputs of sums, and what sums leave out of them.

use crate::common::{Folder, rows};

#[test]
fn snapshots_of_tipsy_and_gadget_are_points_whatever_their_extension() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,m\n0,0,0,1\n1,0,0,2\n0,2,0,3\n");
    folder.succeed("evaluate a.csv --method direct -o expected.csv");
    let snapshot = farfield::formats::read_snapshot(folder.path().join("a.csv")).unwrap();
    for name in ["a.tipsy", "a.gadget"] {
        farfield::formats::write_snapshot(folder.path().join(name), &snapshot).unwrap();
        let bytes = folder.read(name);
        // Snapshots of other programs are named so.
        folder.write("snapshot_000", &bytes);
        for input in [name, "snapshot_000", "a.csv --receivers snapshot_000"] {
            folder.succeed(&format!("evaluate {input} --method direct -o f.csv"));
            let [expected, found] = ["expected.csv", "f.csv"].map(|name| rows(&folder, name));
            let tails = |rows: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
                rows.iter().map(|row| row[row.len() - 4..].to_vec()).collect()
            };
            assert_eq!(tails(found), tails(expected), "{input}");
        }
        assert!(folder.succeed(&format!("tree {name}")).starts_with("points           3\n"));
        assert_eq!(folder.feed(&bytes, "evaluate - --method direct -o stdin.csv").code, 0);
        assert!(folder.read("stdin.csv") == folder.read("expected.csv"));
        folder.succeed("evaluate snapshot_000 --columns y,x,z --charge mass --ranks 2 -o f.csv");
        let line = folder.fail(&format!("evaluate {name} --charge q"));
        let columns = "has no column \"q\"; the columns are x, y, z, vx, vy, vz, mass: choose";
        assert!(line.contains(columns), "{line}");
        folder.write(name, &bytes[..bytes.len() - 1]);
        let line = |command: &str| folder.fail(&format!("{command} {name}"));
        assert_eq!(line("evaluate"), line("simulate --time 1"));
        folder.write(name, "0 0 0 1\n");
        for command in ["evaluate", "simulate --time 1"] {
            assert!(line(command).contains("(it does not begin as one, at byte 0)"));
        }
    }
}

/// A pipe is read as what it begins as, like a file, and its name alone does not tell the format.
#[cfg(unix)]
#[test]
fn pipes_of_snapshots_are_known_by_their_beginning() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,m\n0,0,0,1\n1,0,0,2\n0,2,0,3\n");
    folder.succeed("evaluate a.csv --method direct -o expected.csv");
    let snapshot = farfield::formats::read_snapshot(folder.path().join("a.csv")).unwrap();
    for (file, pipe) in [("a.tipsy", "p.gadget"), ("a.gadget", "p.tipsy"), ("a.tipsy", "q.tipsy")] {
        farfield::formats::write_snapshot(folder.path().join(file), &snapshot).unwrap();
        let evaluate = format!("$farfield evaluate {pipe} --method direct -o f.csv");
        let outcome = folder.shell(&format!("mkfifo {pipe}; cat {file} > {pipe} & {evaluate}"));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(folder.read("f.csv") == folder.read("expected.csv"), "{file} by {pipe}");
    }
    let text = "mkfifo t.tipsy; cat a.csv > t.tipsy & $farfield evaluate t.tipsy";
    let line = folder.shell(text).line();
    assert!(line.contains("TIPSY") && line.contains("it does not begin as one"), "{line}");
}

/// Softenings of single particles have no place in a sum, which says so where that matters.
#[test]
fn softenings_of_single_particles_are_told() {
    let folder = Folder::new();
    let told = |arguments: &str| {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, 0, "{arguments}: {outcome:?}");
        outcome.stderr
    };
    let warning = |name: &str, range: &str, used: &str| {
        format!(
            "farfield: warning: {name} has softenings of single particles, {range}, which are not used: all have {used}; set it by --softening\n"
        )
    };
    let table = "x,y,z,m,softening\n0,0,0,1,0.5\n1,0,0,2,0.25\n0,2,0,3,0.5\n";
    folder.write("a.csv", table);
    assert_eq!(told("evaluate a.csv"), warning("a.csv", "0.25 to 0.5", "0"));
    assert_eq!(told("evaluate a.csv --softening 0.5"), warning("a.csv", "0.25 to 0.5", "0.5"));
    assert_eq!(told("evaluate a.csv --ranks 2"), warning("a.csv", "0.25 to 0.5", "0"));
    let run = "simulate a.csv --time 0.1 --outputs 1 --snapshots";
    assert_eq!(told(&format!("{run} run")), warning("a.csv", "0.25 to 0.5", "0"));
    folder.write("equal.csv", table.replace("0.25", "0.5"));
    assert_eq!(told("evaluate equal.csv --softening 0.5"), "");
    folder.write("zero.csv", table.replace("0.25", "0").replace("0.5", "0"));
    assert_eq!(told("evaluate zero.csv --softening 0.5"), "");

    // TIPSY's dark matter: header, then 9 floats a particle, of which the eighth is the softening.
    let snapshot = farfield::formats::read_snapshot(folder.path().join("a.csv")).unwrap();
    farfield::formats::write_snapshot(folder.path().join("a.tipsy"), &snapshot).unwrap();
    assert_eq!(told("evaluate a.tipsy"), "");
    let mut bytes = folder.read("a.tipsy");
    for particle in 0..3 {
        let at = 32 + 4 * (9 * particle + 7);
        bytes[at..at + 4].copy_from_slice(&0.1f32.to_be_bytes());
    }
    folder.write("a.tipsy", bytes);
    // 0.1 of f32 is 0.1 but for rounding.
    assert_eq!(told("evaluate a.tipsy --softening 0.1"), "");
    assert!(told("evaluate a.tipsy").contains(" a.tipsy has softenings of single particles, 0.1"));
}

/// One name stands for three columns of a vector.
#[test]
fn positions_are_one_array_by_its_name() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 20 --seed 3 -o a.npz");
    folder.succeed("evaluate a.npz --method direct -o a.csv");
    folder.succeed("evaluate a.npz --columns positions --method direct -o b.csv");
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
    // Velocities as places, of archives and of VTK.
    let snapshot = farfield::formats::read_snapshot(folder.path().join("a.npz")).unwrap();
    farfield::formats::write_snapshot(folder.path().join("a.vtk"), &snapshot).unwrap();
    for (name, column) in [("a.npz", "velocities"), ("a.vtk", "velocity")] {
        folder.succeed(&format!("evaluate {name} --columns {column} --method direct -o v.csv"));
        let found: Vec<[f64; 3]> =
            rows(&folder, "v.csv").iter().map(|row| [row[0], row[1], row[2]]).collect();
        assert_eq!(found, snapshot.velocities, "{name}");
    }
    let line = folder.fail("evaluate a.npz --columns places");
    assert!(line.contains("has no array \"places\"; the arrays are positions"), "{line}");
    let line = folder.fail("evaluate a.csv --columns places");
    assert!(line.contains("has no column \"places_x\"; the columns are x, y"), "{line}");
}

/// Options that messages name are those of the subcommand.
#[test]
fn messages_about_snapshots_name_no_options_of_sums() {
    let folder = Folder::new();
    for (name, content, expected) in [
        (
            "a.csv",
            "x,y,z\n0,0,0\n",
            "a.csv:1: has no masses, but x, y, z; name their column or array m",
        ),
        (
            "b.csv",
            "ra,dec,d,m\n0,0,0,1\n",
            "b.csv:1: has no columns x, y, z, but ra, dec, d, m; give",
        ),
        ("c.dat", "0 0 0 0 0 0 1\n", "c.dat:1: has 7 columns without names; begin the file with"),
    ] {
        folder.write(name, content);
        for command in [
            "simulate --time 1",
            "render -o p.png",
            "view -o p.html",
            "plot --kind profile -o p.svg",
        ] {
            let line = folder.fail(&format!("{command} {name}"));
            assert!(line.starts_with(&format!("farfield: {expected}")), "{command}: {line}");
            let (help, _) = command.split_once(' ').unwrap();
            let help = folder.succeed(&format!("{help} --help"));
            let options = line.split([' ', '(', ',']).filter(|word| word.starts_with("--"));
            for option in options {
                assert!(help.contains(option), "{option} is no option: {line}");
            }
        }
    }
}
