//! Runs that are resumed without force: prolonged, complete, damaged.

use super::runs::results;
use crate::common::Folder;

#[test]
fn a_prolonged_run_has_the_bits_of_a_long_one() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 400 --seed 4 -o a.npz");
    for (integrator, run) in
        [("leapfrog", "l"), ("adaptive", "a"), ("block", "b"), ("fourth-order", "f")]
    {
        let simulate =
            format!("simulate a.npz --integrator {integrator} --tolerance 1e-3 --method fmm");
        folder.succeed(&format!(
            "{simulate} --time 1 --outputs 8 --threads 2 --snapshots long-{run}"
        ));
        folder
            .succeed(&format!("{simulate} --time 0.25 --outputs 2 --threads 1 --snapshots {run}"));
        folder.succeed(&format!("{simulate} --time 0.5 --resume --snapshots {run}"));
        // Nothing is left to do.
        let told = folder.succeed(&format!("{simulate} --time 0.5 --resume --snapshots {run}"));
        assert!(told.contains("\n0 steps in "), "{told}");
        folder.succeed(&format!("{simulate} --time 1 --outputs 8 --resume --snapshots {run}"));
        let (long, prolonged) = (results(&folder, &format!("long-{run}")), results(&folder, run));
        assert_eq!(long.len(), 9 + 4);
        assert!(long == prolonged, "{integrator}");
    }
}

#[test]
fn runs_are_kept_and_their_settings_too() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 50 --seed 4 -o a.npz");
    folder.succeed("simulate a.npz --time 1 --outputs 4 --step 0.05");
    let before = results(&folder, "snapshots");
    for (arguments, expected) in [
        (
            "--time 1",
            "snapshots has a run already; add --resume, or name another folder with --snapshots",
        ),
        (
            "--time 1 --resume --step 0.06",
            "the run in snapshots has --step 0.05, not 0.06; resume it without --step, or name another folder with --snapshots",
        ),
        (
            "--time 1 --resume --integrator block",
            "the run in snapshots has --integrator leapfrog, not block; resume it without --integrator, or name another folder with --snapshots",
        ),
        (
            "--time 1 --resume --outputs 5",
            "the run in snapshots has --outputs 4, not 5; resume it without --outputs, or name another folder with --snapshots",
        ),
        (
            "--time 1.1 --resume",
            "a time of 1.1 is no multiple of the 0.25 between snapshots of the run in snapshots; choose 1.0",
        ),
    ] {
        let line = folder.fail(&format!("simulate a.npz {arguments}"));
        assert_eq!(line, format!("farfield: {expected}"));
        assert!(results(&folder, "snapshots") == before);
    }
    let text = String::from_utf8(folder.read("snapshots/run.txt")).unwrap();
    folder.write("snapshots/run.txt", text.replace("--gravity", "--levity"));
    assert_eq!(
        folder.fail("simulate a.npz --time 2 --resume"),
        "farfield: snapshots/run.txt: no sound line --gravity; name another folder with --snapshots, and start anew"
    );
    folder.write("snapshots/run.txt", text);
    folder.write("snapshots/diagnostics.csv", "time\n");
    assert_eq!(
        folder.fail("simulate a.npz --time 2 --resume"),
        "farfield: snapshots/diagnostics.csv: fewer than 5 rows; name another folder with --snapshots, and start anew"
    );
}

#[test]
fn a_failure_to_write_ends_the_run_with_the_outputs_before() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 50 --seed 4 -o a.npz");
    let simulate = "simulate a.npz --time 1 --outputs 8 --step 0.05";
    folder.succeed(&format!("{simulate} --snapshots whole"));
    // A folder stands where the snapshot goes: the error comes after steps that ran meanwhile.
    std::fs::create_dir_all(folder.path().join("broken/snapshot-0003.npz")).unwrap();
    let outcome = folder.run(&format!("{simulate} --snapshots broken"));
    assert_eq!(outcome.code, 2);
    assert_eq!(
        outcome.line(),
        "farfield: broken/snapshot-0003.npz: is not a regular file; name a new file, or a file to replace"
    );
    let read = |name: &str| folder.read(name);
    assert_eq!(read("broken/resume/state.npz"), read("whole/snapshot-0002.npz"));
    std::fs::remove_dir(folder.path().join("broken/snapshot-0003.npz")).unwrap();
    folder.succeed("simulate a.npz --time 1 --outputs 8 --resume --snapshots broken");
    assert!(results(&folder, "whole") == results(&folder, "broken"));
}

#[test]
#[cfg(unix)]
fn the_state_is_the_last_snapshot_under_a_second_name() {
    use std::os::unix::fs::MetadataExt;

    let folder = Folder::new();
    folder.succeed("generate plummer -n 50 --seed 4 -o a.npz");
    let simulate = "simulate a.npz --outputs 4 --step 0.05";
    folder.succeed(&format!("{simulate} --time 1 --snapshots whole"));
    folder.succeed("simulate a.npz --time 0.5 --outputs 2 --step 0.05 --snapshots broken");
    let file = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().ino();
    assert_eq!(file("broken/resume/state.npz"), file("broken/snapshot-0002.npz"));
    // The name stays when the snapshot goes.
    std::fs::rename(
        folder.path().join("broken/snapshot-0002.npz"),
        folder.path().join("moved.npz"),
    )
    .unwrap();
    folder.succeed("simulate a.npz --time 0.75 --resume --snapshots broken");
    assert_eq!(folder.read("broken/snapshot-0003.npz"), folder.read("whole/snapshot-0003.npz"));

    // What is written into the snapshot in place is in the state, too.
    folder.succeed("generate plummer -n 50 --seed 5 -o b.npz");
    folder.succeed("simulate b.npz --time 0.75 --outputs 3 --step 0.05 --snapshots other");
    let other = folder.read("other/snapshot-0003.npz");
    std::fs::write(folder.path().join("broken/snapshot-0003.npz"), other).unwrap();
    let outcome = folder.run("simulate a.npz --time 1 --resume --snapshots broken");
    assert_eq!(outcome.code, 2);
    assert_eq!(
        outcome.line(),
        "farfield: broken/resume/state.npz: is not the state of the last row of diagnostics.csv; name another folder with --snapshots, and start anew"
    );
}

#[test]
fn the_same_command_line_resumes_a_run_whose_step_is_longer_than_its_interval() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 50 --seed 4 -o a.npz");
    let simulate = "simulate a.npz --time 1 --outputs 2 --step 1.0";
    folder.succeed(simulate);
    let told = folder.succeed(&format!("{simulate} --resume"));
    assert!(told.contains("steps of 0.5,") && told.contains("\n0 steps in "), "{told}");
    // A step that is shorter was not the run's.
    let line = folder.fail("simulate a.npz --time 1 --outputs 2 --step 0.4 --resume");
    assert!(line.contains("has --step 0.5, not 0.4"), "{line}");
}

#[test]
fn initial_states_of_other_models_do_not_resume_a_run() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 50 --seed 4 -o a.npz");
    folder.succeed("generate plummer -n 51 --seed 4 -o b.npz");
    folder.succeed("simulate a.npz --time 1 --outputs 4 --step 0.05");
    let before = results(&folder, "snapshots");
    assert_eq!(
        folder.fail("simulate b.npz --time 2 --resume"),
        "farfield: b.npz has 51 particles and the run in snapshots has 50; give its INITIAL, or name another folder with --snapshots"
    );
    assert!(results(&folder, "snapshots") == before);
    // The state has what a run goes on from.
    std::fs::remove_file(folder.path().join("a.npz")).unwrap();
    folder.succeed("simulate a.npz --time 1.25 --resume");
    let help = folder.succeed("simulate --help");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("With --resume, the file INITIAL may be gone"), "{help}");
}
