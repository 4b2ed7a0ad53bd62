//! The command: evaluates potentials and gradients of real point sets.
//!
//! Each subcommand has its file. Any error is one line on stderr and exit code 2.

mod bench;
mod cloud;
mod error;
mod evaluate;
mod generate;
mod input;
mod memory_limit;
mod narrow;
mod opening;
mod precision;
mod progress;
mod report;
mod same_file;
mod signals;
mod threads;
mod tolerance;
mod tree;
mod usage;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

/// Sums of q/r over millions of points, and their gradients, to the tolerance you ask for.
#[derive(Parser)]
#[command(
    name = "farfield",
    version,
    propagate_version = true,
    after_help = "Exit code: 0; 2 after an error, which is one line on stderr; 128 + n after signal n."
)]
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

/// Characters of an error's line at most.
const LONGEST: usize = 200;

/// Runs the subcommand that the program's arguments name.
pub(crate) fn run() -> ExitCode {
    signals::watch();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return answer(&error),
    };
    let done = match cli.command {
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Tree(arguments) => tree::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
    };
    end(done)
}

/// Prints the help asked for, or what is wrong with the arguments.
fn answer(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            end(report::outcome(error.print().and_then(|()| io::stdout().flush())))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Nobody is left to tell if stderr fails.
            let _ = error.print();
            ExitCode::from(2)
        }
        _ => fail(&usage::message(error)),
    }
}

fn end(done: Result<(), error::Error>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    let line = formats::one_line(&format!("farfield: {message}"), LONGEST);
    // Nobody is left to tell if stderr fails.
    let _ = writeln!(io::stderr(), "{line}");
    ExitCode::from(2)
}
