//! `cargo xtask ci`: every check in order, cheap ones first, one line with its seconds for each.

use std::time::Instant;

use crate::error::Error;
use crate::{pure_rust, tidy, workspace};

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

const STEPS: [Step; 6] = [
    Step { name: "format", action: Action::Cargo(&["fmt", "--all", "--check"]) },
    Step { name: "tidy", action: Action::Own(tidy::run) },
    Step { name: "pure Rust", action: Action::Own(pure_rust::run) },
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
    // Documentation tests run with the others: this is the README's command to the letter.
    Step { name: "tests and documentation tests", action: Action::Cargo(&["test", "--workspace"]) },
    Step { name: "documentation", action: Action::Document(&["doc", "--workspace", "--no-deps"]) },
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
