//! Ranks that are processes of MPI. Each test starts this program again under `mpirun`, on 1 to 4 ranks, where the test
//! `rank` runs what the variable `DISTRIBUTED_CHECK` names.
#![cfg(feature = "mpi")]

mod common;

use std::process::{Command, Output, Stdio};

use common::{collectives, faults, posts, random_routes, redistribution, transports};
use distributed::{Communicator, Error, Fault, Message, mpi, phase};

/// Variable that names what a rank runs.
const CHECK: &str = "DISTRIBUTED_CHECK";

/// Longest time of a launch in seconds, after which launchers end it. The checks take seconds, so that longer ones hang.
const LIMIT: &str = "100";

/// Runs a check on `ranks` processes.
fn launch(ranks: usize, check: &str) -> Output {
    let program = std::env::current_exe().unwrap();
    let launcher = std::env::var_os("MPIRUN").unwrap_or("mpirun".into());
    let mut command = Command::new(launcher);
    command.args(["-n", &ranks.to_string()]).arg(program);
    command.args(["rank", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    // Open MPI refuses root and more ranks than cores unless told otherwise; other launchers ignore these.
    for name in [
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "OMPI_MCA_rmaps_base_oversubscribe",
        "OMPI_MCA_mpi_yield_when_idle",
    ] {
        command.env(name, "1");
    }
    command.env("MPIEXEC_TIMEOUT", LIMIT).env("RUST_BACKTRACE", "0");
    command.env(CHECK, check).stdin(Stdio::null()).output().expect("mpirun is installed")
}

/// Runs a check that succeeds on 1 to 4 processes.
fn passes(check: &str) {
    for ranks in 1..=4 {
        let output = launch(ranks, check);
        let text = String::from_utf8_lossy(&output.stdout);
        let ended = text.matches("rank passed").count();
        assert!(output.status.success() && ended == ranks, "{check} on {ranks}: {output:?}");
    }
}

/// One rank; run by the launcher only.
#[test]
#[ignore = "a rank of the other tests"]
fn rank() {
    let check = std::env::var(CHECK).unwrap_or_default();
    let communicator = match check.as_str() {
        "pieces" => mpi::connect_with_pieces(13),
        _ => mpi::connect(),
    };
    let communicator = communicator.unwrap();
    let result = run(&check, &*communicator);
    if matches!(check.as_str(), "departure" | "panic") {
        let ok = communicator.rank() == 0 || result == Err(Error::Left { rank: 0 });
        assert!(ok, "{result:?}");
    } else {
        assert_eq!(result, Ok(()));
    }
    drop(communicator);
    println!("rank passed");
}

fn run(check: &str, communicator: &dyn Communicator) -> Result<(), Error> {
    let (rank, size) = (communicator.rank(), communicator.size());
    match check {
        "collectives" | "pieces" => {
            collectives(communicator)?;
            posts(communicator)?;
            large(communicator)
        }
        "exchanges" => {
            for seed in 0..20 {
                redistribution(communicator, seed)?;
                transports(communicator, &random_routes(seed, size), 3)?;
            }
            Ok(())
        }
        "faults" => (0..size).try_for_each(|failing| faults(communicator, &[failing])),
        "departure" if rank == 0 => collectives(communicator),
        "panic" if rank == 0 => panic!("panic outside of a phase"),
        "departure" | "panic" => {
            let fault = phase(communicator, || {
                if check == "departure" {
                    collectives(communicator)?;
                }
                communicator.barrier()
            });
            let message = Error::Left { rank: 0 }.to_string();
            assert_eq!(fault, Err(Fault { rank: 0, message }));
            Err(Error::Left { rank: 0 })
        }
        "exit" if rank == 0 => std::process::exit(3),
        "exit" => communicator.barrier(),
        _ => panic!("no check is named {check:?}"),
    }
}

/// Messages beyond the eager limit of MPI, from every rank to every rank at once.
fn large(communicator: &dyn Communicator) -> Result<(), Error> {
    let (rank, size) = (communicator.rank(), communicator.size());
    let bytes = |from: usize, to: usize| -> Vec<u8> {
        (0..100_000 + 1000 * from + to).map(|i| (i * (from + 3) + to) as u8).collect()
    };
    let messages = (0..size).map(|to| Message { rank: to, bytes: bytes(rank, to) }).collect();
    let sources: Vec<usize> = (0..size).collect();
    let received = communicator.post(messages, &sources)?.finish()?;
    for (from, received) in received.into_iter().enumerate() {
        assert!(received == bytes(from, rank), "message of {from} for {rank}");
    }
    Ok(())
}

#[test]
fn collectives_posts_and_large_messages() {
    passes("collectives");
}

#[test]
fn messages_in_small_pieces() {
    passes("pieces");
}

#[test]
fn redistribution_and_transports() {
    passes("exchanges");
}

#[test]
fn errors_and_panics_in_phases() {
    passes("faults");
}

#[test]
fn a_rank_that_returns_early() {
    passes("departure");
}

#[test]
fn a_rank_that_panics_outside_of_phases() {
    let output = launch(3, "panic");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{output:?}");
    assert!(text.contains("panic outside of a phase"), "{output:?}");
}

#[test]
fn a_rank_that_exits_ends_the_job() {
    // A job that hung would end by the limit instead.
    let start = std::time::Instant::now();
    assert!(!launch(3, "exit").status.success());
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn pieces_have_limits() {
    for piece in [0, i32::MAX as usize + 1] {
        let error = mpi::connect_with_pieces(piece).unwrap_err();
        assert!(error.to_string().contains("pieces"), "{error}");
    }
}
