//! The examples run, and what they assert of their results holds.

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

#[test]
fn capacitance() {
    assert!(run("capacitance").contains("lysozyme, 14398 triangles: 17.66"));
}

#[test]
fn molecule() {
    assert!(run("molecule").contains("net charge -49.67 e"));
}

#[test]
fn sph_density() {
    assert!(run("sph_density").contains("20558 points, checked"));
}

#[test]
fn stokes() {
    assert!(run("stokes").contains("relative error"));
}

#[test]
fn vortex_rings() {
    assert!(run("vortex_rings").contains("the rings passed each other"));
}
