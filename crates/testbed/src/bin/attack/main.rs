//! Attack on the promise: hostile problems by every method, tolerance and precision, each error measured against the
//! testbed's own sum.
//!
//! ```sh
//! cargo xtask attack                                             # all cases on the cores
//! cargo xtask attack --cases grid,nacl --methods fmm --tolerances 1e-6
//! cargo xtask attack --list                                      # names of the cases
//! ```
//!
//! A row is one evaluation. `phi` and `grad` are relative L2 errors of potential and gradient divided by the tolerance, at
//! random receivers, against a compensated direct sum of the positions that the case gives, in f64; at all receivers where those
//! show a miss. The verdict is:
//!
//! - `ok`: both errors are within the tolerance.
//! - `REPORTED`: an error is above the tolerance, and the report says so.
//! - `refused`: a typed error, which is printed.
//! - `MISS`: an error above the tolerance, or a value that is not a number, of which the report is silent. The exit status
//!   is then 1.

mod run;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use fmm::{Device, Method};
use testbed::attack::{self, Attempt, Oracle, Verdict};
use testbed::hostile::{self, Size};

#[derive(Parser)]
#[command(name = "cargo xtask attack", about = "Hostile problems against the promised tolerance")]
struct Arguments {
    /// Parts of the names of cases, such as grid,nacl-27; all cases if absent
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// Methods
    #[arg(long, value_delimiter = ',', default_value = "direct,fmm,treecode,auto")]
    methods: Vec<Method>,
    /// Tolerances; if absent, 1e-3 to 1e-12 in f64 and 1e-3 to 2e-6 in f32
    #[arg(long, value_delimiter = ',')]
    tolerances: Vec<f64>,
    /// Precisions, f64 or f32
    #[arg(long, value_delimiter = ',', default_value = "f64")]
    precision: Vec<String>,
    /// Device, such as cpu, cuda or emulated; emulators get small cases unless --full is given
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Cases of full size on emulators too: minutes for each
    #[arg(long)]
    full: bool,
    /// Receivers at which errors are measured
    #[arg(long, default_value_t = 1000)]
    receivers: usize,
    /// Prints the names of the cases and runs none
    #[arg(long)]
    list: bool,
    /// Prints the rows that are neither ok nor refused only
    #[arg(long)]
    quiet: bool,
}

/// Numbers of evaluations by verdict, and the misses.
#[derive(Default)]
struct Tally {
    ok: usize,
    reported: usize,
    refused: usize,
    misses: Vec<String>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    if arguments.list {
        hostile::names().for_each(|name| println!("{name}"));
        return Ok(ExitCode::SUCCESS);
    }
    let emulated = matches!(arguments.device, Device::Emulated | Device::EmulatedHybrid);
    let slow = emulated && !arguments.full;
    let size = if slow { Size::Small } else { Size::Full };
    let wanted = |name: &&str| {
        arguments.cases.is_empty() || arguments.cases.iter().any(|part| name.contains(part))
    };
    let mut tally = Tally::default();
    println!("{}", run::HEADER);
    for name in hostile::names().filter(wanted) {
        // Published data have one size, and an emulator takes hours for it.
        if let Some(case) = hostile::case(name, size)?
            && !(slow && case.sources.len() > 4000)
        {
            let oracle = Oracle::new(&case, arguments.receivers);
            attack(&arguments, &case, &oracle, &mut tally)?;
        }
    }
    Ok(tally.print())
}

/// All evaluations of one case.
fn attack(
    arguments: &Arguments,
    case: &hostile::Case,
    oracle: &Oracle,
    tally: &mut Tally,
) -> Result<(), Box<dyn Error>> {
    for precision in &arguments.precision {
        let evaluate = match precision.as_str() {
            "f64" => attack::evaluate::<f64>,
            "f32" => attack::evaluate::<f32>,
            other => return Err(format!("no precision is named {other}; give f64 or f32").into()),
        };
        let usual: &[f64] = match precision.as_str() {
            "f64" => &[1e-3, 1e-6, 1e-9, 1e-12],
            _ => &[1e-3, 1e-4, 1e-5, 2e-6],
        };
        let given = &arguments.tolerances;
        for &tolerance in if given.is_empty() { usual } else { given } {
            for &method in &arguments.methods {
                let attempt = Attempt { method, tolerance, device: arguments.device, depth: None };
                let outcome = evaluate(case, oracle, attempt);
                let row = run::row(&outcome, case, attempt, precision);
                let plain = matches!(outcome.verdict, Verdict::Ok | Verdict::Refused(_));
                if !(arguments.quiet && plain) {
                    println!("{row}");
                }
                tally.add(&outcome.verdict, row);
            }
        }
    }
    Ok(())
}

impl Tally {
    fn add(&mut self, verdict: &Verdict, row: String) {
        match verdict {
            Verdict::Ok => self.ok += 1,
            Verdict::Reported => self.reported += 1,
            Verdict::Refused(_) => self.refused += 1,
            Verdict::Miss => self.misses.push(row),
        }
    }

    /// Prints the numbers and the misses once more; the exit status tells whether there are any.
    fn print(self) -> ExitCode {
        let Self { ok, reported, refused, misses } = self;
        println!("\n{ok} ok, {reported} reported, {refused} refused, {} missed", misses.len());
        misses.iter().for_each(|row| println!("{row}"));
        if misses.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
