//! Starts of runs: what is in the folder stays, failures leave nothing, and one run works in a folder at a time.

use std::fs::File;

use super::runs::results;
use crate::common::Folder;

const TWO: &str = "x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,2\n";

/// Folder with `a.csv`, two particles.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.csv", TWO);
    folder
}

#[test]
fn an_initial_state_is_not_replaced_by_its_run() {
    let folder = folder();
    folder.succeed("simulate a.csv --time 1 --outputs 4 --snapshots whole");
    let state = folder.read("whole/snapshot-0003.npz");
    folder.write("d/snapshot-0003.npz", &state);
    let expected = "farfield: INITIAL d/snapshot-0003.npz lies where the run writes; move it, or name another folder with --snapshots";
    for rest in ["", "--resume", "--outputs 2"] {
        let simulate = format!("simulate d/snapshot-0003.npz --time 1 --snapshots d {rest}");
        assert_eq!(folder.fail(&simulate), expected);
    }
    assert_eq!(folder.read("d/snapshot-0003.npz"), state);
    // Nothing is replaced by a run of another name or format.
    folder.succeed("simulate d/snapshot-0003.npz --time 1 --snapshots d --format vtk");
    assert_eq!(folder.read("d/snapshot-0003.npz"), state);
    folder.write("e/start.npz", &state);
    folder.succeed("simulate e/start.npz --time 1 --snapshots e");
    assert_eq!(folder.read("e/start.npz"), state);
}

#[test]
fn files_of_others_are_not_replaced() {
    let folder = folder();
    for name in ["run.txt", "diagnostics.csv", "snapshot-0000.npz", "snapshot-12345.npz"] {
        let path = format!("of-{name}/{name}");
        folder.write(&path, "precious");
        for rest in ["", "--resume"] {
            let line =
                folder.fail(&format!("simulate a.csv --time 1 --snapshots of-{name} {rest}"));
            let expected = format!(
                "farfield: {path} is there without the state of a run; remove it, or name another folder with --snapshots"
            );
            assert_eq!(line, expected);
        }
        assert_eq!(folder.read(&path), b"precious");
        assert!(!folder.path().join(format!("of-{name}/resume")).exists());
    }
}

/// A process that is killed before its first state leaves files that a run of the same settings may write over.
#[test]
fn a_killed_start_is_repeated_by_resume_with_its_settings_alone() {
    let folder = folder();
    folder.succeed("simulate a.csv --time 1 --outputs 4");
    let whole = results(&folder, "snapshots");
    for name in ["run.txt", "diagnostics.csv", "snapshot-0000.npz"] {
        folder.write(&format!("k/{name}"), &whole[name]);
    }
    folder.write("k/resume/lock", "");
    folder.write("k/.snapshot-0000.npz.7-0.partial", "");
    folder.write("k/.mine.npz.7-0.partial", "");
    for rest in ["", "--resume --softening 0.5"] {
        let line =
            folder.fail(&format!("simulate a.csv --time 1 --outputs 4 --snapshots k {rest}"));
        assert!(line.contains("k/diagnostics.csv is there without the state"), "{line}");
    }
    folder.succeed("simulate a.csv --time 1 --outputs 4 --resume --snapshots k");
    let mut repeated = results(&folder, "k");
    // A partial file of another program is not the run's.
    assert!(repeated.remove(".mine.npz.7-0.partial").is_some());
    assert!(repeated == whole);
}

#[test]
fn a_start_that_fails_leaves_nothing() {
    let folder = folder();
    folder.succeed("generate plummer -n 2000 --seed 4 -o b.npz");
    folder.write("far.csv", "x,y,z,m\n0,0,0,1\n1e60,0,0,1\n");
    for arguments in [
        "b.npz --time 1 --tolerance 1e-7 --precision f32",
        "b.npz --time 1 --memory-limit 1K",
        "b.npz --time 1 --softening 1e300",
        // The first snapshot cannot be written.
        "far.csv --time 1 --format tipsy --precision f64",
    ] {
        let outcome = folder.run(&format!("simulate {arguments}"));
        assert_eq!(outcome.code, 2, "{arguments}: {outcome:?}");
        outcome.line();
        assert_eq!(folder.names(), ["a.csv", "b.npz", "far.csv"], "{arguments}");
    }
    // A folder that was there stays, with its files.
    folder.write("snapshots/notes.txt", "mine");
    assert_eq!(folder.run("simulate far.csv --time 1 --format tipsy --precision f64").code, 2);
    let left = std::fs::read_dir(folder.path().join("snapshots")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"]);
}

#[test]
fn one_run_works_in_a_folder_at_a_time() {
    let folder = folder();
    folder.succeed("simulate a.csv --time 1 --outputs 4");
    let partial = "snapshots/.snapshot-0005.npz.7-0.partial";
    folder.write(partial, "of the run at work");
    let before = results(&folder, "snapshots");
    let lock = File::open(folder.path().join("snapshots/resume/lock")).unwrap();
    lock.lock().unwrap();
    for arguments in ["--time 2 --resume", "--time 1"] {
        assert_eq!(
            folder.fail(&format!("simulate a.csv {arguments}")),
            "farfield: another run works in snapshots; wait for its end, or name another folder with --snapshots"
        );
    }
    assert!(results(&folder, "snapshots") == before);
    drop(lock);
    folder.succeed("simulate a.csv --time 2 --resume");
    assert!(!folder.path().join(partial).exists());
}

/// Processes that start together: one does all of the run, the others end without touching it.
#[test]
fn of_runs_that_start_together_one_goes_on() {
    use std::process::{Command, Stdio};

    let folder = folder();
    folder.succeed("generate plummer -n 300 --seed 4 -o b.npz");
    let arguments = "simulate b.npz --time 1 --outputs 20 --step 0.01 --method fmm --snapshots";
    folder.succeed(&format!("{arguments} alone"));
    let start = || {
        Command::new(crate::common::FARFIELD)
            .args(arguments.split_whitespace())
            .arg("run")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let processes: Vec<_> = (0..3).map(|_| start()).collect();
    let outcomes = processes.into_iter().map(|process| process.wait_with_output().unwrap());
    let (mut done, mut refused) = (0, 0);
    for outcome in outcomes {
        let line = String::from_utf8(outcome.stderr).unwrap();
        match outcome.status.code() {
            Some(0) => done += 1,
            _ if line.contains("another run works in run") => refused += 1,
            // It came when the first had ended.
            _ if line.contains("run has a run already") => refused += 1,
            other => panic!("{other:?}: {line}"),
        }
    }
    assert_eq!((done, refused), (1, 2));
    assert!(results(&folder, "run") == results(&folder, "alone"));
}
