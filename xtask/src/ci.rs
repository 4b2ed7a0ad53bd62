//! `cargo xtask ci`: every check in order, cheap ones first, one line with its seconds for each.

use std::time::Instant;

use crate::error::Error;
use crate::{book, deny, downstream, mpi, ptx, pure_rust, tidy, workspace};

/// One check of CI.
struct Step {
    name: &'static str,
    action: Action,
}

enum Action {
    /// A check of our own, whose error says how to run it alone.
    Own(fn() -> Result<(), Error>),
    Cargo(&'static [&'static str]),
    /// Cargo with `RUSTDOCFLAGS=-D warnings`.
    Document(&'static [&'static str]),
}

const STEPS: [Step; 18] = [
    Step { name: "format", action: Action::Cargo(&["fmt", "--all", "--check"]) },
    Step { name: "tidy", action: Action::Own(tidy::run) },
    Step { name: "PTX is up to date", action: Action::Own(ptx::check) },
    Step { name: "pure Rust", action: Action::Own(pure_rust::run) },
    Step { name: "packages of others", action: Action::Own(deny::run_if_possible) },
    Step {
        name: "clippy",
        action: Action::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ]),
    },
    Step {
        name: "clippy of the features for GPUs",
        action: Action::Cargo(&[
            "clippy",
            "--package=farfield-kernels-gpu",
            "--package=farfield-fmm",
            "--package=farfield",
            "--features=farfield-kernels-gpu/cuda,farfield-fmm/emulator,farfield-fmm/nalgebra,farfield/cuda,farfield/emulator",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ]),
    },
    // Documentation tests run with the others: this is the README's command to the letter.
    Step { name: "tests and documentation tests", action: Action::Cargo(&["test", "--workspace"]) },
    // The tests have built the test bed, but none of its programs: these are those of `cargo xtask accuracy` and `papers`,
    // unoptimised.
    Step {
        name: "the page of accuracy is that of its records",
        action: Action::Cargo(&[
            "run",
            "--package",
            "testbed",
            "--bin",
            "accuracy",
            "--",
            "--check",
        ]),
    },
    Step {
        name: "pages of the papers are those of their records",
        action: Action::Cargo(&["run", "--package", "testbed", "--bin", "papers", "--", "--check"]),
    },
    Step {
        name: "tests of the feature nalgebra",
        action: Action::Cargo(&[
            "test",
            "--package=farfield-fmm",
            "--features=nalgebra",
            "--test=suite",
            "--example=nalgebra",
        ]),
    },
    Step {
        name: "tests of simulations that stay on a device, emulated",
        action: Action::Cargo(&[
            "test",
            "--package=farfield",
            "--features=emulator",
            "--test=suite",
            "simulate::device",
        ]),
    },
    Step { name: "tests of the feature cuda", action: Action::Own(test_cuda) },
    Step { name: "MPI", action: Action::Own(mpi::check_if_possible) },
    Step { name: "packages", action: Action::Own(downstream::run) },
    Step { name: "PTX compiles and assembles", action: Action::Own(ptx::verify_if_possible) },
    Step { name: "documentation", action: Action::Document(&["doc", "--workspace", "--no-deps"]) },
    Step { name: "book", action: Action::Own(book::check_if_possible) },
];

/// Runs every step, or those up to the first that fails.
pub(crate) fn run() -> Result<(), Error> {
    let total = Instant::now();
    for step in &STEPS {
        println!("== {}", step.name);
        let start = Instant::now();
        step.run()?;
        println!("== {} passed in {:.1} s", step.name, start.elapsed().as_secs_f64());
    }
    println!("== all {} steps passed in {:.1} s", STEPS.len(), total.elapsed().as_secs_f64());
    Ok(())
}

impl Step {
    fn run(&self) -> Result<(), Error> {
        match self.action {
            Action::Own(check) => check(),
            Action::Cargo(arguments) => workspace::execute(workspace::cargo(arguments), self.name),
            Action::Document(arguments) => {
                let mut command = workspace::cargo(arguments);
                command.env("RUSTDOCFLAGS", "-D warnings");
                workspace::execute(command, self.name)
            }
        }
    }
}

/// Tests of the feature cuda that need no GPU: opening a GPU that is not there, and the modules cut from the PTX.
fn test_cuda() -> Result<(), Error> {
    let mut command =
        workspace::cargo(&["test", "--package", "farfield-kernels-gpu", "--features", "cuda"]);
    command.args(["--lib", "--test", "suite", "--", "cuda::", "machine::"]);
    match ptx::assembler() {
        Some(ptxas) => drop(command.env("PTXAS", ptxas)),
        None => eprintln!(
            "SKIPPED: modules are cut from the PTX but not assembled, as there is no ptxas"
        ),
    }
    workspace::execute(command, "tests of the feature cuda")
}
