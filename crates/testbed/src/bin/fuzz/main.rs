//! Fuzzing by seed and iteration, without a special compiler.
//!
//! ```sh
//! cargo xtask fuzz readers --executions 1000000       # damaged files
//! cargo xtask fuzz problems --executions 10000        # plans and evaluations against a sum of its own
//! cargo xtask fuzz misuse --executions 10000          # wrong calls
//! cargo xtask fuzz problems --seed 3 --first 871 --executions 1    # one input again
//! cargo xtask fuzz problems --file target/fuzz/problems-miss-3-871.problem
//! ```
//!
//! Each failure is printed with the command that runs it again alone, and its input, made as small as the failure allows,
//! is written to `--keep`. A copy of that file in `crates/testbed/corpus` makes it a test. The exit status is 1 if anything
//! failed. An input that does not come to an end is printed by a watchdog, which ends the process.

mod memory;
mod tally;
mod watchdog;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use testbed::fuzz::readers::{self, Folder};
use testbed::fuzz::{Dice, Failure, Kind, misuse, problems};

use memory::Memory;
use tally::Tally;
use watchdog::Watchdog;

#[derive(Parser)]
#[command(name = "cargo xtask fuzz", about = "Random inputs that may break a promise")]
struct Arguments {
    /// Inputs: damaged files, small sums, or wrong calls
    target: Target,
    /// Number of inputs
    #[arg(long, default_value_t = 10_000)]
    executions: u64,
    /// Seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Iteration to begin with
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Folder for inputs that fail
    #[arg(long, default_value = "target/fuzz")]
    keep: PathBuf,
    /// File of an input that failed, as the corpus has them; nothing else is run
    #[arg(long)]
    file: Option<PathBuf>,
    /// Prints the first problem as text and runs nothing
    #[arg(long)]
    print: bool,
    /// Failures after which the run ends
    #[arg(long, default_value_t = 1000)]
    most: usize,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    Readers,
    Problems,
    Misuse,
}

/// Outcome of an execution in a word, or the failure with the text or bytes of its input.
type Outcome = Result<String, (Failure, Option<Input>)>;

/// Function that makes an input and judges it.
type Thrower = Box<dyn FnMut(&mut Dice) -> Outcome>;

/// Input that failed, as a file.
struct Input {
    extension: String,
    bytes: Vec<u8>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    if arguments.print {
        print!("{}", problems::random(&mut Dice::new(arguments.seed, arguments.first)));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.file {
        return again(arguments.target, path);
    }
    let target = format!("{:?}", arguments.target).to_lowercase();
    let rerun =
        format!("cargo xtask fuzz {target} --seed {} --executions 1 --first", arguments.seed);
    let watchdog = Watchdog::start(rerun.clone());
    let mut throw = thrower(arguments.target)?;
    let (mut memory, mut tally, start) = (Memory::start(), Tally::default(), Instant::now());
    for iteration in arguments.first..arguments.first.saturating_add(arguments.executions) {
        watchdog.begin(iteration);
        let begin = Instant::now();
        let outcome = throw(&mut Dice::new(arguments.seed, iteration));
        let outcome = match memory.grown() {
            // Tables of a high order that is set by hand take as much for any number of points.
            Some(message) if outcome.is_ok() && !matches!(arguments.target, Target::Problems) => {
                Err((Failure::new(Kind::Memory, message), None))
            }
            _ => outcome,
        };
        tally.timed(iteration, begin.elapsed());
        match outcome {
            Ok(word) => tally.add(word),
            Err((failure, input)) => {
                println!("{failure}\n    {rerun} {iteration}");
                let name = format!("{target}-{:?}-{}-{iteration}", failure.kind, arguments.seed);
                if let Some(input) = input {
                    keep(&arguments.keep, &name.to_lowercase(), &input)?;
                }
                if tally.fail(failure.kind) >= arguments.most {
                    println!("{} failures are enough", arguments.most);
                    break;
                }
            }
        }
    }
    let peak = memory.peak().map_or(String::new(), |mib| format!(", {mib} MiB at most"));
    println!(
        "{target}, seed {}: {tally} in {:.1} s{peak}",
        arguments.seed,
        start.elapsed().as_secs_f64()
    );
    Ok(if tally.failures() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The function that makes and judges one input.
fn thrower(target: Target) -> Result<Thrower, Box<dyn Error>> {
    Ok(match target {
        Target::Readers => {
            let folder = Folder::new("readers")?;
            let sound = readers::sound_files(&folder)?;
            Box::new(move |dice| {
                let outcome = readers::throw(dice, &sound, &folder);
                outcome.map(|outcome| format!("{outcome:?}")).map_err(|(failure, input)| {
                    let readers::Input { extension, bytes } = input;
                    (failure, Some(Input { extension, bytes }))
                })
            })
        }
        Target::Problems => Box::new(|dice| {
            let outcome = problems::throw(dice).map(|outcome| match outcome {
                problems::Outcome::Kept(_) => "Kept".to_owned(),
                problems::Outcome::Reported => "Reported".to_owned(),
                problems::Outcome::Refused(error) => format!("Refused: {}", variant(&error)),
            });
            outcome.map_err(|(failure, problem)| {
                let text = format!("# {failure}\n{}", problems::shrunk(&problem, &failure));
                (failure, Some(Input { extension: "problem".to_owned(), bytes: text.into_bytes() }))
            })
        }),
        Target::Misuse => Box::new(|dice| {
            let outcome = misuse::throw(dice);
            outcome.map(|()| "Refused".to_owned()).map_err(|failure| (failure, None))
        }),
    })
}

/// Runs the input of a file and prints the outcome.
fn again(target: Target, path: &Path) -> Result<ExitCode, Box<dyn Error>> {
    let failures = match target {
        Target::Readers => {
            let folder = Folder::new("again")?;
            let input = readers::Input::from_file(path)?;
            let check = |selection| readers::check(&input, selection, &folder);
            let checks = readers::selections();
            checks.iter().filter_map(|selection| check(selection).err()).collect()
        }
        Target::Problems => {
            let problem = std::fs::read_to_string(path)?.parse()?;
            let outcome = problems::judge(&problem);
            println!("{outcome:?}");
            outcome.err().into_iter().collect::<Vec<_>>()
        }
        Target::Misuse => return Err("wrong calls have no files; give a seed and --first".into()),
    };
    failures.iter().for_each(|failure| println!("{failure}"));
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Name of an error's variant.
fn variant(error: &impl std::fmt::Debug) -> String {
    let text = format!("{error:?}");
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

fn keep(folder: &Path, name: &str, input: &Input) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{name}.{}", input.extension));
    std::fs::write(&path, &input.bytes)?;
    println!("    {}", path.display());
    Ok(())
}
