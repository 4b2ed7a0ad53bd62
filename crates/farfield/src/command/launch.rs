//! Processes that a launcher of MPI started: each is a rank, and rank 0 speaks for all.

use std::process::ExitCode;
use std::sync::Arc;

use distributed::{Communicator, mpi};

use super::error::Error;
use super::launcher::launched;
use super::{Cli, Command, answer, code, end, evaluate, work};

/// Variable of launchers that tell the rank alone, as Slurm with PMIx does.
const RANK: &str = "PMIX_RANK";

/// Whether a launcher started this process, as far as is known as one of several. MPI is not asked: a process that no
/// launcher started does not initialise MPI.
pub(super) fn is_one_of_several() -> bool {
    launched().map_or_else(|| std::env::var_os(RANK).is_some(), |size| size > 1)
}

/// Runs the command as one rank. All ranks end with the same code, after rank 0 said why.
pub(super) fn run(parsed: Result<Cli, clap::Error>) -> ExitCode {
    let ranks = match mpi::connect() {
        Ok(ranks) => ranks,
        Err(error) => return end(Err(error.into())),
    };
    match (ranks.size(), launched(), parsed) {
        (1, Some(launched), _) => end(Err(Error::Launcher { launched })),
        (1, None, Ok(cli)) => end(work(&cli.command)),
        (_, _, Ok(cli)) => {
            let done = work_over(&cli.command, &ranks);
            if ranks.rank() == 0 { end(done) } else { code(done.is_ok()) }
        }
        (_, _, Err(error)) if ranks.rank() == 0 => answer(&error),
        (_, _, Err(error)) => code(!error.use_stderr()),
    }
    // The communicator is dropped here, when all ranks are done: a launcher ends all processes at the first that fails,
    // and by then rank 0 has said why.
}

/// Runs the subcommand over the ranks.
fn work_over(command: &Command, ranks: &Arc<dyn Communicator>) -> Result<(), Error> {
    let name = match command {
        Command::Evaluate(arguments) => return evaluate::run_rank(arguments, ranks),
        Command::Generate(_) => "generate",
        Command::Tree(_) => "tree",
        Command::Bench(_) => "bench",
        Command::Simulate(_) => "simulate",
        Command::Render(_) => "render",
        Command::Plot(_) => "plot",
        Command::View(_) => "view",
    };
    Err(Error::OneProcess(name))
}
