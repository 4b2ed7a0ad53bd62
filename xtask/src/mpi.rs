//! Ranks that are processes: lints and tests of the feature `mpi`, where MPI is installed.

use std::env;
use std::ffi::OsString;

use crate::error::Error;
use crate::workspace;

/// The compiler and the launcher of MPI, each with the variable that names another one.
const PROGRAMS: [(&str, &str); 2] = [("MPICC", "mpicc"), ("MPIRUN", "mpirun")];

/// Packages that the feature changes: the communicator, and the command under the launcher. `fmm` hands the feature on.
const PACKAGES: [&str; 3] = [
    "--package=farfield-distributed",
    "--package=farfield",
    "--features=farfield-distributed/mpi,farfield/mpi",
];

/// Runs clippy and the tests that start processes, or says why not.
pub(crate) fn check_if_possible() -> Result<(), Error> {
    let missing = |(variable, name): &(&str, &str)| {
        let program = env::var_os(variable).unwrap_or_else(|| OsString::from(name));
        workspace::capture_quietly(program, &["--version"]).is_none()
    };
    if let Some((_, name)) = PROGRAMS.iter().find(|program| missing(program)) {
        eprintln!(
            "SKIPPED: ranks that are processes, as there is no {name} (Debian: apt-get install \
             libopenmpi-dev openmpi-bin libclang-dev pkg-config)"
        );
        return Ok(());
    }
    let mut clippy = workspace::cargo(&["clippy"]);
    clippy.args(PACKAGES).args(["--all-targets", "--", "--deny", "warnings"]);
    workspace::execute(clippy, "clippy of the feature mpi")?;
    // The other tests of these packages do not depend on the feature.
    let mut tests = workspace::cargo(&["test"]);
    tests.args(PACKAGES).args(["--lib", "--test=mpi"]);
    workspace::execute(tests, "tests of the feature mpi")
}
