//! Ranks that are processes of MPI: the built command under `mpirun`, on 1 to 4 ranks.
#![cfg(feature = "mpi")]

#[path = "suite/common.rs"]
mod common;

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{FARFIELD, Folder};

/// Longest time of a launch in seconds, after which launchers end it. Runs take a second, so that longer ones hang.
const LIMIT: &str = "60";

/// A launch of the command on `ranks` processes.
fn launch(folder: &Folder, ranks: usize, arguments: &str) -> Command {
    let launcher = std::env::var_os("MPIRUN").unwrap_or("mpirun".into());
    let mut command = Command::new(launcher);
    command.args(["-n", &ranks.to_string(), FARFIELD]).args(arguments.split_whitespace());
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
    command.current_dir(folder.path()).stdin(Stdio::null());
    command
}

fn run(folder: &Folder, ranks: usize, arguments: &str) -> Output {
    launch(folder, ranks, arguments).output().expect("mpirun is installed")
}

/// Lines of the command, without those of the launcher.
fn lines(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().filter(|line| line.starts_with("farfield: ")).map(str::to_owned).collect()
}

/// Runs what has to succeed and gives what rank 0 printed.
fn succeed(folder: &Folder, ranks: usize, arguments: &str) -> String {
    let output = run(folder, ranks, arguments);
    assert!(output.status.success(), "{arguments} on {ranks}: {output:?}");
    assert_eq!(lines(&output.stderr), [""; 0], "{arguments} on {ranks}");
    String::from_utf8(output.stdout).unwrap()
}

/// Numbers of a field written as CSV.
fn numbers(folder: &Folder, name: &str) -> Vec<f64> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    let fields = text.lines().skip(1).flat_map(|line| line.split(','));
    fields.map(|field| field.parse().unwrap()).collect()
}

/// Compares fields to 1e-12 of the largest number: some hundred roundings of 1.1e-16.
fn check_same(folder: &Folder, name: &str, expected: &str) {
    let (found, expected) = (numbers(folder, name), numbers(folder, expected));
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let error = |pair: (&f64, &f64)| (pair.0 - pair.1).abs();
    let error = found.iter().zip(&expected).map(error).fold(0.0, f64::max);
    assert!(error <= 1e-12 * largest, "{error} of {largest}");
}

#[test]
fn one_to_four_processes_write_the_field_of_one() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 3000 --seed 3 -o a.npz");
    folder.succeed("generate sphere -n 500 --seed 4 -o r.npz");
    for arguments in ["", "--receivers r.npz"] {
        let command = format!("evaluate a.npz --method fmm {arguments}");
        folder.succeed(&format!("{command} -o one.csv"));
        for ranks in 1..=4 {
            let text = succeed(&folder, ranks, &format!("{command} -o mpi.csv --verify 100"));
            assert_eq!(text.matches("wrote mpi.csv").count(), 1, "{text}");
            assert_eq!(text.matches("sources     3000").count(), 1, "{text}");
            // One process is no rank.
            let told = text.contains(&format!("ranks       {ranks}, imbalance"));
            assert_eq!(told, ranks > 1, "{text}");
            check_same(&folder, "mpi.csv", "one.csv");
        }
    }
    assert_eq!(folder.names(), ["a.npz", "mpi.csv", "one.csv", "r.npz"]);
}

#[test]
fn processes_read_their_rows_of_arrays() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 2001 --seed 5 -o a.npy");
    let command = "evaluate a.npy --method fmm --threads 1";
    folder.succeed(&format!("{command} -o one.csv"));
    for ranks in [2, 3] {
        succeed(&folder, ranks, &format!("{command} -o mpi.csv"));
        check_same(&folder, "mpi.csv", "one.csv");
    }
    // The last rank has the row, and rank 0 tells.
    let mut bytes = folder.read("a.npy");
    let last = bytes.len() - 8;
    bytes[last..].copy_from_slice(&f64::INFINITY.to_le_bytes());
    folder.write("bad.npy", bytes);
    let alone = folder.fail("evaluate bad.npy -o f.csv");
    let output = run(&folder, 3, "evaluate bad.npy -o f.csv");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(lines(&output.stderr), [alone]);
    assert_eq!(folder.names(), ["a.npy", "bad.npy", "mpi.csv", "one.csv"]);
}

#[test]
fn more_processes_than_points() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    for method in ["fmm", "direct"] {
        let command = format!("evaluate a.csv --method {method}");
        folder.succeed(&format!("{command} -o one.csv"));
        succeed(&folder, 4, &format!("{command} -o mpi.csv"));
        check_same(&folder, "mpi.csv", "one.csv");
    }
}

#[test]
fn the_input_may_be_stdin() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    let mut command = launch(&folder, 2, "evaluate - --json");
    let file = std::fs::File::open(folder.path().join("a.csv")).unwrap();
    let output = command.stdin(file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["n_sources"], report["ranks"].as_array().unwrap().len()), (&2.into(), 2));
}

#[test]
fn rank_0_tells_an_error_once_and_the_code_is_2() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    for (arguments, expected) in [
        ("evaluate no.csv -o f.csv", "no.csv: cannot be opened ("),
        ("evaluate a.csv -o none/f.csv", "none/f.csv: cannot be written ("),
        ("evaluate a.csv --bogus", "--bogus is not known; drop it, see --help"),
        ("evaluate a.csv --tolerance 1e-30 -o f.csv", "a tolerance of 1e-30 cannot be reached"),
        (
            "generate cube -n 5 -o c.csv",
            "only evaluate runs over ranks; start generate as one process",
        ),
    ] {
        for ranks in [2, 3] {
            let output = run(&folder, ranks, arguments);
            assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
            let lines = lines(&output.stderr);
            assert_eq!(lines.len(), 1, "{arguments}: {output:?}");
            assert!(lines[0].starts_with(&format!("farfield: {expected}")), "{lines:?}");
            assert_eq!(folder.names(), ["a.csv"]);
        }
    }
}

#[test]
fn help_is_printed_once() {
    let folder = Folder::new();
    let help = succeed(&folder, 3, "evaluate --help");
    assert_eq!(help.matches("[OPTIONS] <INPUT>").count(), 1, "{help}");
}

#[test]
fn ranks_that_are_threads_need_no_launch() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    // Each process is on its own.
    let text = succeed(&folder, 2, "evaluate a.csv --ranks 2 --method fmm");
    assert_eq!(text.matches("ranks       2, imbalance").count(), 2, "{text}");
}

/// Processes of the command in this folder.
fn ranks_in(folder: &Folder) -> Vec<u32> {
    let here = std::fs::canonicalize(folder.path()).unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_rank = |number: &u32| {
        let link = |name: &str| std::fs::read_link(format!("/proc/{number}/{name}"));
        let runs = link("exe").is_ok_and(|program| program.ends_with("farfield"));
        runs && link("cwd").is_ok_and(|folder| folder == here)
    };
    let mut ranks: Vec<u32> = numbers.filter(is_rank).collect();
    ranks.sort_unstable();
    ranks
}

/// Waits until a launch has `ranks` processes.
fn wait_for(folder: &Folder, launcher: &mut Child, ranks: usize) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let found = ranks_in(folder);
        if found.len() == ranks {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{found:?}");
        assert!(launcher.try_wait().unwrap().is_none(), "it ended too soon");
        sleep(Duration::from_millis(5));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_rank_ends_the_launch_and_leaves_no_partial_file() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 40000 -o a.npz");
    for victim in [0, 2] {
        // The direct sum of 40 000 points takes seconds.
        let command = "evaluate a.npz --method direct --tolerance 1e-12 --threads 1 -o f.npz";
        let mut launcher = launch(&folder, 3, command);
        let mut launcher = launcher.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ranks = wait_for(&folder, &mut launcher, 3);
        sleep(Duration::from_millis(500));
        let start = Instant::now();
        let kill = format!("kill -KILL {}", ranks[victim]);
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert!(!launcher.wait().unwrap().success());
        assert!(start.elapsed() < Duration::from_secs(30), "the launch hung");
        assert_eq!(ranks_in(&folder), [0; 0]);
        assert_eq!(folder.names(), ["a.npz"]);
    }
}
