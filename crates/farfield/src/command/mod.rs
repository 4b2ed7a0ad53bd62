//! The command: evaluates potentials and gradients of real point sets.
//!
//! Each subcommand has its file. Any error is one line on stderr and exit code 2.

mod bench;
mod cloud;
mod error;
mod evaluate;
mod generate;
mod input;
mod opening;
mod precision;
mod progress;
mod report;
mod tree;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Sums of q/r over millions of points, and their gradients, to the tolerance you ask for.
#[derive(Parser)]
#[command(name = "farfield", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Evaluate(Box<evaluate::Arguments>),
    Generate(generate::Arguments),
    Tree(tree::Arguments),
    Bench(Box<bench::Arguments>),
}

/// Runs the subcommand that the program's arguments name.
pub(crate) fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Tree(arguments) => tree::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("farfield: {error}");
            ExitCode::from(2)
        }
    }
}
