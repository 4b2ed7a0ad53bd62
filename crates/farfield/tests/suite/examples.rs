//! The examples run, and what they assert of their results holds.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs an example that cargo built beside the program, and returns what it prints. Whoever asks cargo for this file of tests
/// alone builds the examples first.
fn run(name: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_farfield")).parent().unwrap().join("examples");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(&program).output();
    let output = output.expect("run `cargo build -p farfield --examples` first");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Compares what an example prints with its lines in the guide. Lines of the guide leave out what depends on the machine.
fn check(name: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/applications.md");
    let page = fs::read_to_string(page).unwrap();
    let after = page.split_once(&format!("--example {name}")).unwrap().1;
    let block = after.split_once("```text\n").unwrap().1;
    let shown = block.split_once("```").unwrap().0;
    let output = run(name);
    assert!(!shown.trim().is_empty());
    for line in shown.lines() {
        assert!(output.contains(line), "{name} does not print {line:?}, but\n{output}");
    }
}

#[test]
fn capacitance() {
    check("capacitance");
}

#[test]
fn molecule() {
    check("molecule");
}

#[test]
fn sph_density() {
    check("sph_density");
}

#[test]
fn stokes() {
    check("stokes");
}

/// The command of the page draws the picture of the page: of its size, and nearly of its bytes, as other
/// processors may round particles to other pixels.
#[test]
fn vortex_rings() {
    check("vortex_rings");
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_BIN_EXE_farfield")).parent().unwrap().join("examples");
    let rings = folder.path().join("rings");
    let program = examples.join(format!("vortex_rings{}", std::env::consts::EXE_SUFFIX));
    assert!(Command::new(program).arg(&rings).status().unwrap().success());
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = fs::read_to_string(docs.join("guide/applications.md")).unwrap();
    let line = page.lines().find(|line| line.contains("-- render rings/*.npz")).unwrap();
    let arguments = line.split_once("rings/*.npz ").unwrap().1.split_whitespace();
    let mut snapshots: Vec<_> =
        fs::read_dir(rings).unwrap().map(|entry| entry.unwrap().path()).collect();
    snapshots.sort();
    let mut render = Command::new(env!("CARGO_BIN_EXE_farfield"));
    render.arg("render").args(snapshots).args(arguments).current_dir(folder.path());
    assert!(render.status().unwrap().success());
    let [drawn, shown] =
        [folder.path().join("rings.gif"), docs.join("pictures/vortex-rings.gif")].map(fs::read);
    let (drawn, shown) = (drawn.unwrap(), shown.unwrap());
    assert_eq!(drawn[..10], shown[..10]);
    let ratio = drawn.len() as f64 / shown.len() as f64;
    assert!((ratio - 1.0).abs() < 0.02, "{} {}", drawn.len(), shown.len());
}
