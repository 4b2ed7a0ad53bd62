//! `cargo xtask downstream`: packages the workspace as `cargo publish` would, and builds a program that knows nothing but
//! the packages.
//!
//! The packages are unpacked beside a copy of `xtask/downstream` into a workspace of their own below the target folder,
//! where they stand for those of the registry. The versions of all other dependencies are those of `Cargo.lock`.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::workspace;

/// Members of the workspace that are not published.
const PRIVATE: [&str; 5] = ["benches", "conformance", "reference", "testbed", "xtask"];

/// The file that the program sums.
const POINTS: &str = "data/pal5-sample.csv.gz";

/// Packages, unpacks, checks the command with the feature `cuda`, and runs the program.
pub(crate) fn run() -> Result<(), Error> {
    let target = workspace::target();
    let packages = package(&target)?;
    let folder = target.join("downstream");
    lay_out(&folder, &packages)?;
    let inside = |arguments: &[&str]| {
        let mut command = workspace::cargo(arguments);
        command.current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
        command
    };
    // Packaging leaves out what is not needed to build: this would notice if it left out too much.
    let check = inside(&["check", "--package", "farfield", "--features", "cuda"]);
    execute(check, "the packaged command")?;
    let mut program = inside(&["run", "--quiet", "--package", "downstream", "--"]);
    program.arg(workspace::root().join(POINTS));
    execute(program, "the program downstream")
}

/// Packages all published members and returns the `.crate` files.
fn package(target: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = target.join("package");
    // Files of earlier versions would be taken for packages of this one.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|source| file_error(&folder, source))?;
    }
    let mut command = workspace::cargo(&["package", "--workspace", "--no-verify", "--allow-dirty"]);
    for member in PRIVATE {
        command.args(["--exclude", member]);
    }
    execute(command, "cargo package")?;
    let entries = fs::read_dir(&folder).map_err(|source| file_error(&folder, source))?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension() == Some(OsStr::new("crate"))).collect();
    files.sort();
    Ok(files)
}

/// Makes the workspace of the program and the unpacked packages.
fn lay_out(folder: &Path, packages: &[PathBuf]) -> Result<(), Error> {
    let unpacked = folder.join("packages");
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).map_err(|source| file_error(&unpacked, source))?;
    }
    fs::create_dir_all(&unpacked).map_err(|source| file_error(&unpacked, source))?;
    for package in packages {
        let mut command = Command::new("tar");
        // Files in packages have one time of change, by which cargo would take old builds for those of new packages.
        command.arg("-xzmf").arg(package).arg("-C").arg(&unpacked);
        execute(command, "unpacking")?;
    }
    let program = folder.join("program");
    let source = workspace::root().join("xtask").join("downstream");
    fs::create_dir_all(program.join("src")).map_err(|source| file_error(&program, source))?;
    copy(&source.join("Cargo.toml"), &program.join("Cargo.toml"))?;
    copy(&source.join("src").join("main.rs"), &program.join("src").join("main.rs"))?;
    copy(&workspace::root().join("Cargo.lock"), &folder.join("Cargo.lock"))?;
    let manifest = folder.join("Cargo.toml");
    let stems = packages.iter().filter_map(|path| path.file_stem()?.to_str());
    fs::write(&manifest, manifest_of(stems)).map_err(|source| file_error(&manifest, source))
}

/// The workspace's manifest, given the packages as in `farfield-octree-0.1.0`.
fn manifest_of<'a>(packages: impl Iterator<Item = &'a str>) -> String {
    let mut text = "[workspace]\nmembers = [\"program\", \"packages/*\"]\nresolver = \"3\"\n\n\
                    [patch.crates-io]\n"
        .to_owned();
    for package in packages {
        if let Some((name, _)) = package.rsplit_once('-') {
            // A String takes all that is written.
            let _ = writeln!(text, "{name} = {{ path = \"packages/{package}\" }}");
        }
    }
    text
}

/// Runs a command to its end; if it fails, the whole task is what can be run alone.
fn execute(command: Command, step: &'static str) -> Result<(), Error> {
    workspace::execute(command, step).map_err(|error| match error {
        Error::Step { step, .. } => Error::Step { step, rerun: "cargo xtask downstream".into() },
        other => other,
    })
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::copy(from, to).map(drop).map_err(|source| file_error(from, source))
}

fn file_error(path: &Path, source: std::io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_stands_for_its_name() {
        let manifest = manifest_of(["farfield-0.1.0", "farfield-octree-0.1.0"].into_iter());
        let patches = manifest.split("[patch.crates-io]\n").nth(1).unwrap();
        assert_eq!(
            patches,
            "farfield = { path = \"packages/farfield-0.1.0\" }\n\
             farfield-octree = { path = \"packages/farfield-octree-0.1.0\" }\n"
        );
    }
}
