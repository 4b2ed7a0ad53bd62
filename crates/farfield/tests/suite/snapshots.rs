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

/// Particles of named columns are those of the same file with usual names.
#[test]
fn columns_of_snapshots_are_named_as_those_of_sums() {
    let folder = Folder::new();
    folder.write(
        "usual.csv",
        "x,y,z,vx,vy,vz,m\n0,0,0,0,.5,0,2\n1,0,0,0,-1,.1,1\n0,3,.5,1,0,0,4\n-2,1,1,0,0,-1,3\n",
    );
    // Masses are not in the column m, which no command takes.
    folder.write(
        "own.csv",
        "m,vy,Y,Z_kpc,X,vx,M_sun,vz\n-9,.5,0,0,0,0,2,0\n-9,-1,0,0,1,0,1,.1\n-9,0,3,.5,0,1,4,0\n-9,0,1,1,-2,0,3,-1\n",
    );
    for (command, output) in [
        ("simulate NAME.csv --time 0.5 --outputs 2 --snapshots NAME", "NAME/snapshot-0002.npz"),
        ("render NAME.csv -o NAME.png --size 64x64", "NAME.png"),
        ("view NAME.csv -o NAME.html --colour speed", "NAME.html"),
    ] {
        let made = |name: &str, columns: &str| {
            folder.succeed(&format!("{} {columns}", command.replace("NAME", name)));
            folder.read(&output.replace("NAME", name))
        };
        let usual = made("usual", "");
        assert!(made("own", "--columns X,Y,Z_kpc --charge M_sun") == usual, "{command}");
        if !command.starts_with("simulate") {
            assert!(made("own", "--columns 5,3,4 --charge 7") == usual, "{command}");
            assert!(made("own", "--columns vx,vy,vz --unit-charges") != usual, "{command}");
        }
    }
    // A profile has more particles.
    folder.succeed("generate plummer -n 500 -o b.csv");
    folder.succeed("plot b.csv --kind profile -o b.svg");
    let text = String::from_utf8(folder.read("b.csv")).unwrap();
    folder.write("c.csv", text.replacen("x,y,z,vx,vy,vz,mass", "a,b,c,vx,vy,vz,weight", 1));
    folder.succeed("plot c.csv --kind profile --columns a,b,c --charge weight -o c.svg");
    assert_eq!(folder.read("b.svg"), folder.read("c.svg"));
}

/// Errors about columns are those of evaluate.
#[test]
fn columns_of_snapshots_have_the_errors_of_sums() {
    let folder = Folder::new();
    folder.write("a.csv", "ra,dec,d,m\n0,0,0,1\n1,0,0,1\n");
    folder.write("b.dat", "0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n");
    for arguments in [
        "a.csv",
        "a.csv --columns ra,dec",
        "a.csv --columns ra,dec,dist",
        "a.csv --columns ra,dec,d --charge 5",
        "a.csv --columns ra,dec,d --charge m --unit-charges",
        "b.dat --columns 1,2,9 --charge 7",
        "b.dat --columns 1,2,3",
    ] {
        let expected = folder.fail(&format!("evaluate {arguments}"));
        for command in [
            "simulate --time 1",
            "render -o p.png",
            "view -o p.html",
            "plot --kind profile -o p.svg",
        ] {
            assert_eq!(folder.fail(&format!("{command} {arguments}")), expected, "{command}");
        }
    }
}

/// A run whose INITIAL has columns of its own goes on by them, and by the name of no file.
#[test]
fn runs_of_named_columns_are_resumed() {
    let folder = Folder::new();
    folder.write("a.csv", "X,Y,D,weight\n0,0,0,1\n1,0,0,1\n");
    let run = "simulate a.csv --columns X,Y,D --unit-charges";
    folder.succeed(&format!("{run} --time 0.1 --outputs 1"));
    folder.succeed(&format!("{run} --time 0.2 --resume"));
    let line = folder.fail("simulate a.csv --time 0.3 --resume");
    assert!(line.ends_with("; name the three of positions (--columns A,B,C)"), "{line}");
    let state = farfield::formats::read_snapshot(folder.path().join("snapshots/snapshot-0002.npz"));
    assert_eq!(state.unwrap().masses, [1.0, 1.0]);
}

/// Options that messages name are those of the subcommand.
#[test]
fn messages_about_snapshots_name_options_of_their_command() {
    let folder = Folder::new();
    for (name, content, expected) in [
        (
            "a.csv",
            "x,y,z\n0,0,0\n",
            "a.csv:1: has no charges, but x, y, z; name their column (--charge NAME or NUMBER) or",
        ),
        (
            "b.csv",
            "ra,dec,d,m\n0,0,0,1\n",
            "b.csv:1: has no columns x, y, z, but ra, dec, d, m; name the three of positions",
        ),
        (
            "c.dat",
            "0 0 0 0 0 0 1\n",
            "c.dat:1: has 7 columns without names; begin the file with them, as x, y, z, vx,",
        ),
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
            let options = line.split([' ', '(', ',', ')']).filter(|word| word.starts_with("--"));
            for option in options {
                assert!(help.contains(option), "{option} is no option: {line}");
            }
        }
    }
}
