//! The process and its surroundings: streams that are full or closed, signals, limits, links.
#![cfg(unix)]

#[path = "suite/common.rs"]
mod common;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{FARFIELD, Folder};

const GOOD: &str = "x,y,z,q\n0,0,0,1\n1,0,0,2\n0,2,0,-3\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    folder
}

#[test]
fn a_full_or_closed_stderr_changes_nothing() {
    let folder = folder();
    for (script, code) in [
        ("$farfield evaluate no.csv 2>/dev/full", 2),
        ("$farfield evaluate no.csv 2>&-", 2),
        ("$farfield evaluate --bogus 2>/dev/full", 2),
        ("$farfield 2>/dev/full", 2),
        ("$farfield 2>&-", 2),
        ("$farfield evaluate a.csv --threads 20000 2>/dev/full", 2),
        ("$farfield evaluate a.csv --verify 2 >/dev/null 2>/dev/full", 0),
        ("$farfield evaluate a.csv -o f.npz >&- 2>&-", 0),
        ("$farfield tree a.csv >/dev/full 2>/dev/full", 2),
        ("$farfield --help >/dev/full 2>/dev/full", 2),
    ] {
        assert_eq!(folder.shell(script).code, code, "{script}");
    }
}

#[test]
fn a_full_stdout_is_told_and_a_closed_pipe_is_not() {
    let folder = folder();
    for arguments in [
        "evaluate a.csv",
        "evaluate a.csv --json",
        "tree a.csv",
        "--help",
        "evaluate --help",
        "--version",
    ] {
        let outcome = folder.shell(&format!("$farfield {arguments} >/dev/full"));
        assert_eq!(outcome.code, 2, "{arguments}");
        let line = outcome.line();
        assert!(line.starts_with("farfield: cannot write the report (No space left"), "{line}");
        // A reader that is gone before the first line.
        let script = format!("{{ $farfield {arguments}; echo $? >&2; }} | true");
        assert_eq!(folder.shell(&script).stderr, "0\n", "{arguments}");
    }
}

/// Whether this process ignores a signal, which its children then ignore too: a shell does so for what it starts in the
/// background.
fn is_ignored(number: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}

/// A command that writes a file for some time, with the default action of a signal.
fn writer(folder: &Folder, name: &str, (signal, number): (&str, u32)) -> Child {
    let mut command = Command::new(FARFIELD);
    if is_ignored(number) {
        // Nothing in Rust's standard library resets an action.
        command = Command::new("env");
        command.args([&format!("--default-signal={signal}"), FARFIELD]);
    }
    command
        .args(["generate", "cube", "-n", "700000", "-o", name])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

#[test]
fn a_signal_leaves_no_partial_file() {
    let user = if cfg!(target_os = "linux") { [10, 12] } else { [30, 31] };
    for (name, number) in [
        ("TERM", 15),
        ("INT", 2),
        ("HUP", 1),
        ("QUIT", 3),
        ("ALRM", 14),
        ("VTALRM", 26),
        ("XCPU", 24),
        ("USR1", user[0]),
        ("USR2", user[1]),
    ] {
        let folder = Folder::new();
        folder.write("c.csv", "before");
        let mut child = writer(&folder, "c.csv", (name, number));
        let start = Instant::now();
        while folder.names().len() == 1 {
            assert!(start.elapsed() < Duration::from_secs(60), "no partial file came");
            assert_eq!(child.try_wait().unwrap(), None, "it was written too soon");
        }
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(128 + number as i32), "{name}");
        assert_eq!(folder.names(), ["c.csv"], "{name}");
        assert_eq!(folder.read("c.csv"), b"before");
    }
}

/// Whole files stay of a simulation that is ended, and a line tells what they are and how to go on.
#[test]
fn a_signal_tells_how_a_simulation_goes_on() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 2000 --seed 5 -o a.npz");
    let run = "simulate a.npz --time 100 --step 0.01 --outputs 1000 --tolerance 1e-2 --snapshots";
    let arguments: Vec<&str> = run.split_whitespace().chain(["my run"]).collect();
    let mut command = Command::new(FARFIELD);
    if is_ignored(2) {
        command = Command::new("env");
        command.args(["--default-signal=INT", FARFIELD]);
    }
    command.args(&arguments).current_dir(folder.path());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let files = || -> Vec<String> {
        let entries = fs::read_dir(folder.path().join("my run")).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let start = Instant::now();
    while !files().iter().any(|name| name == "snapshot-0003.npz") {
        assert!(start.elapsed() < Duration::from_secs(60), "no snapshots came");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    let rest = line.strip_prefix("farfield: stopped by SIGINT at step ").unwrap();
    let (step, rest) = rest.split_once(", time ").unwrap();
    let (time, rest) = rest.split_once("; my run has ").unwrap();
    let (count, rest) = rest.split_once(" snapshots, up to time ").unwrap();
    let (last, again) = rest.split_once("; go on by farfield ").unwrap();
    let [step, time, count, last] =
        [step, time, count, last].map(|number| number.parse::<f64>().unwrap());
    // Ten steps of 0.01 an output.
    assert!((time - 0.01 * step).abs() < 1e-9 && (last - 0.1 * (count - 1.0)).abs() < 1e-9);
    assert!(time >= last && count >= 4.0, "{line}");
    let names = files();
    assert!(!names.iter().any(|name| name.contains("partial")), "{names:?}");
    let snapshots: Vec<&String> = names.iter().filter(|name| name.ends_with(".npz")).collect();
    // The files of an output may have come a moment before the account has them.
    assert!((count..=count + 1.0).contains(&(snapshots.len() as f64)), "{line}: {names:?}");
    for name in snapshots {
        farfield::formats::read_snapshot(folder.path().join("my run").join(name)).unwrap();
    }
    // The run goes on by this line: here to its own end, at a time that is reached soon.
    let (end, outputs) = (0.1 * (count + 1.0), count + 1.0);
    let again = again.trim_end().replace("--time 100", &format!("--time {end:.1}"));
    let again = again.replace("--outputs 1000", &format!("--outputs {outputs}"));
    let outcome = folder.shell(&format!("$farfield {again}"));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{again}");
    assert!(outcome.stdout.starts_with("2000 particles from time "), "{outcome:?}");
}

#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    let folder = Folder::new();
    let script = "trap '' HUP; $farfield generate cube -n 200000 -o c.csv & sleep 0.05; kill -HUP $!; wait $!";
    assert_eq!(folder.shell(script).code, 0);
    assert_eq!(folder.names(), ["c.csv"]);
}

#[test]
fn a_full_disk_is_one_message_and_leaves_no_file() {
    let folder = folder();
    folder.succeed("generate cube -n 20000 -o big.npz");
    for name in ["f.npz", "f.csv", "f.csv.gz", "f.vtk", "f.dat"] {
        let before = folder.names();
        // Blocks of 512 bytes.
        let script =
            format!("ulimit -f 100; $farfield evaluate big.npz --tolerance 1e-2 -o {name}");
        let outcome = folder.shell(&script);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{name}");
        let line = outcome.line();
        assert!(
            line.starts_with(&format!("farfield: {name}: cannot be written (File too large")),
            "{line}"
        );
        assert!(line.ends_with("; check the folder, its permissions and the space left"), "{line}");
        assert_eq!(folder.names(), before, "{name}");
    }
}

#[test]
fn memory_that_is_limited_is_told() {
    let folder = Folder::new();
    let header = b"\x93NUMPY\x01\x00\x50\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 4), }           \n";
    folder.write("vast.npy", header);
    let limited = |script: &str| {
        // Each thread takes address space of its own.
        folder.shell(&format!("export RAYON_NUM_THREADS=1; ulimit -v 400000; {script}"))
    };
    for (script, expected) in [
        ("yes 1 2 3 4 | $farfield evaluate - --threads 1", "stdin:"),
        ("yes 1 2 3 4 | $farfield tree -", "stdin:"),
        (
            "$farfield evaluate vast.npy --threads 1",
            "vast.npy: the array ends after 0 of 4000000000 numbers",
        ),
        ("$farfield evaluate - --threads 1 < /dev/zero", "stdin:1: has a line of more than 1 MiB;"),
        (
            "ln -s /dev/zero z.csv; $farfield evaluate z.csv --threads 1",
            "z.csv:1: has a line of more",
        ),
        ("{ printf 'PK\\003\\004'; cat /dev/zero; } | $farfield evaluate - --threads 1", "stdin: "),
        (
            "$farfield generate cube -n 4000000000 -o c.npz",
            "4000000000 points do not fit into memory;",
        ),
        ("$farfield bench --points 1000000000000", "1000000000000 points do not fit into memory;"),
    ] {
        let outcome = limited(script);
        assert_eq!(outcome.code, 2, "{script}: {outcome:?}");
        let line = outcome.line();
        assert!(line.starts_with(&format!("farfield: {expected}")), "{script}: {line}");
        if script.starts_with("yes") {
            assert!(line.contains("values do not fit into memory; use fewer points"), "{line}");
        }
    }
}

#[test]
fn threads_are_capped() {
    let folder = folder();
    for count in ["20000", "65536", "18446744073709551615"] {
        let line = folder.fail(&format!("evaluate a.csv --threads {count} -o f.csv"));
        assert!(line.starts_with(&format!("farfield: --threads {count} is beyond the ")), "{line}");
        assert!(line.ends_with("; choose fewer"), "{line}");
        for command in ["evaluate a.csv", "tree a.csv", "bench --points 10"] {
            let outcome = folder.shell(&format!("RAYON_NUM_THREADS={count} $farfield {command}"));
            assert_eq!(outcome.code, 2);
            assert!(outcome.line().starts_with("farfield: RAYON_NUM_THREADS "), "{outcome:?}");
        }
    }
    folder.succeed("evaluate a.csv --threads 64");
    assert_eq!(folder.shell("RAYON_NUM_THREADS=3 $farfield evaluate a.csv").code, 0);
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = folder();
    folder.write("r.csv", "x,y,z\n5,5,5\n");
    fs::create_dir(folder.path().join("sub")).unwrap();
    symlink("a.csv", folder.path().join("soft.csv")).unwrap();
    symlink("../a.csv", folder.path().join("sub/up.csv")).unwrap();
    symlink(folder.path(), folder.path().join("here")).unwrap();
    fs::hard_link(folder.path().join("a.csv"), folder.path().join("hard.csv")).unwrap();
    let absolute = folder.path().join("a.csv");
    let absolute = absolute.to_str().unwrap();
    for name in [
        "a.csv",
        "./a.csv",
        "sub/../a.csv",
        "soft.csv",
        "sub/up.csv",
        "here/a.csv",
        "hard.csv",
        absolute,
    ] {
        let line = folder.fail(&format!("evaluate a.csv -o {name}"));
        assert!(line.ends_with("is an input; name another file"), "{line}");
        folder.fail(&format!("evaluate {name} -o a.csv"));
        folder.fail(&format!("evaluate r.csv --unit-charges --receivers a.csv -o {name}"));
        let outcome = folder.shell(&format!("$farfield evaluate - -o {name} < a.csv"));
        assert_eq!(outcome.code, 2, "{name}: {outcome:?}");
    }
    assert_eq!(folder.read("a.csv"), GOOD.as_bytes());
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = folder();
    fs::create_dir(folder.path().join("sub.csv")).unwrap();
    symlink("/dev/full", folder.path().join("full.csv")).unwrap();
    symlink("nowhere.csv", folder.path().join("dangling.csv")).unwrap();
    assert_eq!(folder.shell("mkfifo fifo.csv").code, 0);
    folder.write("kept.csv", "kept");
    assert_eq!(folder.shell("chmod 444 kept.csv").code, 0);
    for (name, expected) in [
        ("none/f.csv", "cannot be written (No such file"),
        ("a.csv/f.csv", "cannot be written (Not a directory"),
        ("/proc/f.csv", "cannot be written ("),
        ("sub.csv", "is not a regular file; name a new file"),
        ("new.csv/", "is not a regular file; name a new file"),
        ("full.csv", "is not a regular file; name a new file"),
        ("fifo.csv", "is not a regular file; name a new file"),
        ("dangling.csv", "is not a regular file; name a new file"),
        ("kept.csv", "is write-protected; name another file"),
        ("/dev/null", "a name without extension names no known format"),
    ] {
        // An input that would be refused later.
        let line = folder.fail(&format!("evaluate none.csv -o {name}"));
        assert!(line.starts_with(&format!("farfield: {name}: {expected}")), "{line}");
        folder.fail(&format!("generate cube -n 5 -o {name}"));
    }
    assert_eq!(folder.read("kept.csv"), b"kept");
}

#[test]
fn an_output_may_be_a_link_to_another_file() {
    let folder = folder();
    folder.write("target.csv", "old");
    symlink("target.csv", folder.path().join("link.csv")).unwrap();
    folder.succeed("evaluate a.csv -o link.csv");
    assert!(fs::symlink_metadata(folder.path().join("link.csv")).unwrap().is_symlink());
    assert!(folder.read("target.csv").starts_with(b"x,y,z,charge,potential"));
    let long = format!("{}.csv", "n".repeat(251));
    folder.succeed(&format!("evaluate a.csv -o {long}"));
    assert_eq!(folder.names(), ["a.csv", "link.csv", &long, "target.csv"]);
}

#[test]
fn names_of_any_bytes() {
    let folder = folder();
    let name = OsStr::from_bytes(b"\xff\x1b[31m\n.csv");
    fs::write(folder.path().join(name), GOOD).unwrap();
    let [evaluate, o, none] = ["evaluate", "-o", "no.csv"].map(OsStr::new);
    let outcome = folder.run_with(&[evaluate, name, o, OsStr::from_bytes(b"f\xfe\x1b\n.csv")]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.ends_with("wrote f\u{fffd}\\u{1b}\\n.csv\n"), "{}", outcome.stdout);
    for arguments in [
        &[evaluate, OsStr::from_bytes(b"no\xff\x1b\n.csv")][..],
        &[evaluate, none, o, name, OsStr::from_bytes(b"\xff\x1b\n")],
        &[evaluate, name, OsStr::new("--method"), OsStr::from_bytes(b"\xff\x1b\n")],
        &[evaluate, name, OsStr::new("--charge"), OsStr::new("\u{1b}[2J\n\u{202e}")],
        &[OsStr::new("\u{1b}[2J\n")],
        &[evaluate, name, o, OsStr::new(&"n/".repeat(2000))],
        &[evaluate, OsStr::new(&"--n\n".repeat(2000))],
        &[evaluate, OsStr::new(&"n".repeat(2000))],
        &[evaluate, name, OsStr::new("--columns"), OsStr::new(&"n".repeat(2000))],
    ] {
        let outcome = folder.run_with(arguments);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        outcome.line();
    }
}

/// Processes that a launcher of MPI started would each do all of the work, and write the same file.
#[cfg(not(feature = "mpi"))]
#[test]
fn one_of_several_processes_needs_mpi() {
    let folder = folder();
    let started = |n: usize| format!("OMPI_COMM_WORLD_SIZE={n} $farfield evaluate a.csv");
    let run = folder.shell(&started(4));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("4 processes were started, and this build has no MPI"));
    assert_eq!(folder.shell(&started(1)).code, 0);
    assert_eq!(folder.shell(&format!("{} --ranks 2", started(4))).code, 0);
}
