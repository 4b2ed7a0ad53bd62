//! Development tasks of the workspace: what CI runs, the architecture rules as code, benches and
//! generated tables. `cargo xtask --help` lists them.

mod bench;
mod book;
mod calibrate;
mod ci;
mod cuda_stub;
mod deny;
mod downstream;
mod error;
mod links;
mod markdown;
mod mpi;
mod ptx;
mod pure_rust;
mod testbed;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks of the workspace")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything that CI runs; stops at the first step that fails
    Ci,
    /// Checks the architecture rules; every finding names its file, line and cure
    Tidy,
    /// Checks licences, sources, duplicates and advisories of the packages of others, by cargo-deny
    Deny,
    /// Compiles the GPU kernels and writes kernels-gpu/ptx
    Ptx(ptx::Arguments),
    /// Makes a stub of libcuda to link the feature `cust` with, where no CUDA is installed
    CudaStub,
    /// Packages the workspace and runs a program that depends on the packages
    Downstream,
    /// Runs the criterion benches, or the one named
    Bench(bench::Arguments),
    /// Builds the book of docs into target/book/html and checks its formulas and links
    Book,
    /// Measures the errors anew and writes docs/accuracy.md, or checks the page against its records
    Accuracy(testbed::Arguments),
    /// Measures the tables of errors and costs anew and writes them
    Calibrate(calibrate::Arguments),
    /// Measures the papers' tables and figures and writes docs/papers, or checks the pages against their records
    Papers(testbed::Arguments),
    /// Runs hostile problems and compares errors with tolerances; fails at a silent miss
    Attack(testbed::Arguments),
    /// Runs random inputs: readers, problems or misuse; fails at a broken promise
    Fuzz(testbed::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Ci => ci::run(),
        Task::Tidy => tidy::run(),
        Task::Deny => deny::run(),
        Task::Ptx(arguments) => ptx::run(&arguments),
        Task::CudaStub => cuda_stub::run(),
        Task::Downstream => downstream::run(),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Book => book::run(),
        Task::Accuracy(arguments) => testbed::run("accuracy", &arguments),
        Task::Calibrate(arguments) => calibrate::run(&arguments),
        Task::Papers(arguments) => testbed::run("papers", &arguments),
        Task::Attack(arguments) => testbed::run("attack", &arguments),
        Task::Fuzz(arguments) => testbed::run("fuzz", &arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
