//! The command: evaluates potentials and gradients of real point sets.
//!
//! Any error is one line on stderr and exit code 2.
//!
//! | file | what |
//! |---|---|
//! | `evaluate/`, `generate.rs`, `tree.rs`, `bench.rs`, `simulate/`, `plot.rs`, `render.rs`, `view.rs` | the subcommands |
//! | `arguments/` | arguments that subcommands share |
//! | `error/` | errors, of the command line, too: each is one line that ends with the cure |
//! | `report/` | the report of an evaluation as text and as JSON, that of ranks, and progress |
//! | `significant.rs` | numbers for a reader |
//! | `narrow.rs` | from the numbers of a file to those of the computation |
//! | `same_file.rs`, `signals.rs` | outputs that are inputs; the end by a signal |
//! | `launch.rs` | processes that a launcher of MPI started |

mod arguments;
mod bench;
mod error;
mod evaluate;
mod generate;
#[cfg(feature = "mpi")]
mod launch;
mod launcher;
mod narrow;
mod plot;
mod render;
mod report;
mod same_file;
mod signals;
mod significant;
mod simulate;
mod tree;
mod view;

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
    Simulate(Box<simulate::Arguments>),
    Render(Box<render::Arguments>),
    Plot(plot::Arguments),
    View(view::Arguments),
}

/// Characters of an error's line at most.
const LONGEST: usize = 200;

/// Runs the subcommand that the program's arguments name.
pub(crate) fn run() -> ExitCode {
    signals::watch();
    let parsed = Cli::try_parse();
    if !parsed.as_ref().is_ok_and(has_ranks_of_its_own) {
        #[cfg(feature = "mpi")]
        if launch::is_one_of_several() {
            return launch::run(parsed);
        }
        // Each of several processes without MPI would do the whole work and write the same file.
        #[cfg(not(feature = "mpi"))]
        if let (Ok(_), Some(launched @ 2..)) = (&parsed, launcher::launched()) {
            return end(Err(error::Error::NoMpi { launched }));
        }
    }
    match parsed {
        Ok(cli) => end(work(&cli.command)),
        Err(error) => answer(&error),
    }
}

/// Whether the ranks are threads of this process, whoever started it.
fn has_ranks_of_its_own(cli: &Cli) -> bool {
    matches!(&cli.command, Command::Evaluate(arguments) if arguments.ranks.is_some())
}

fn work(command: &Command) -> Result<(), error::Error> {
    match command {
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Generate(arguments) => generate::run(arguments),
        Command::Tree(arguments) => tree::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Render(arguments) => render::run(arguments),
        Command::Plot(arguments) => plot::run(arguments),
        Command::View(arguments) => view::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
    }
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
            code(false)
        }
        _ => fail(&error::usage::message(error)),
    }
}

fn end(done: Result<(), error::Error>) -> ExitCode {
    match done {
        Ok(()) => code(true),
        Err(error) => fail(&error.to_string()),
    }
}

/// An error's line, which names options of the command.
fn line_of(message: &str) -> String {
    format!("farfield: {}", error::wording::in_options(message))
}

/// Whether a message is short enough to keep its middle.
fn fits(message: &str) -> bool {
    line_of(message).chars().count() <= LONGEST
}

fn fail(message: &str) -> ExitCode {
    let line = formats::one_line(&line_of(message), LONGEST);
    // Nobody is left to tell if stderr fails.
    let _ = writeln!(io::stderr(), "{line}");
    code(false)
}

/// The exit code after success or failure.
fn code(success: bool) -> ExitCode {
    if success { ExitCode::SUCCESS } else { ExitCode::from(2) }
}
