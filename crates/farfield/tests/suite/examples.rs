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

/// Constants of the page, from those of nature in SI.
#[test]
fn units_of_the_page_follow_from_constants() {
    const CHARGE: f64 = 1.602176634e-19;
    const AVOGADRO: f64 = 6.02214076e23;
    const VACUUM: f64 = 8.8541878128e-12;
    const SUN: f64 = 1.3271244e20;
    const PARSEC: f64 = 3.085677581491367e16;
    const MEGAYEAR: f64 = 365.25e6 * 86400.0;
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/applications.md");
    let page = fs::read_to_string(page).unwrap();
    let joule = CHARGE * CHARGE / (4.0 * std::f64::consts::PI * VACUUM * 1e-10);
    let gravity = SUN / PARSEC / 1e6;
    let time = format!("{:.4}", PARSEC / 1e3 / MEGAYEAR);
    for row in [
        format!("| pc, km/s, M☉ | `{gravity:.5e}` | {time} Myr |"),
        format!("| kpc, km/s, 10¹⁰ M☉ | `{:.2}` | {time} Gyr |", 1e7 * gravity),
        format!("| Å, e, kJ/mol | {:.6} |", joule * AVOGADRO / 1e3),
        format!("| Å, e, kcal/mol | {:.4} |", joule * AVOGADRO / 4184.0),
        format!("| Å, e, eV | {:.6} |", joule / CHARGE),
        format!("k={:.6}\\ ", joule * AVOGADRO / 1e3),
    ] {
        assert!(page.contains(&row), "{row}");
    }
}
