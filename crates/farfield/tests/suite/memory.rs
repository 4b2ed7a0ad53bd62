//! Requests that take too much memory are refused with one line and exit code 2.

use crate::common::Folder;

#[test]
fn limits_refuse_and_allow() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 5000 -o cube.npz");
    for command in ["evaluate cube.npz --method fmm", "tree cube.npz"] {
        let line = folder.fail(&format!("{command} --memory-limit 200K"));
        assert!(line.starts_with("farfield: the sum takes about "), "{line}");
        assert!(line.contains(" and may take 204.8 kB; use fewer points "), "{line}");
        assert!(line.len() <= 200, "{line}");
        folder.succeed(&format!("{command} --memory-limit 1G"));
    }
    // With a rank before it the line is the longest, and whole all the same.
    let line = folder.fail("evaluate cube.npz --method fmm --ranks 3 --memory-limit 200K");
    assert!(line.contains(": the sum takes about ") && !line.contains('…'), "{line}");
    assert!(line.contains(" and may take 204.8 kB; use fewer points "), "{line}");
    let outcome = folder.run("bench --points 5000 --memory-limit 200K");
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("may take 204.8 kB"), "{}", outcome.stderr);
    let outcome = folder.run("evaluate cube.npz --memory-limit 4GB");
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("with K, M, G or T"), "{}", outcome.stderr);
}

/// Little address space: a million points are read, and their sum is refused instead of aborting.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space_refuses() {
    let folder = Folder::new();
    let run = |points: usize| {
        let bench = format!("bench --points {points} --method fmm --repeats 1 --verify 10");
        let limited = format!("ulimit -v 400000; exec {} {bench}", env!("CARGO_BIN_EXE_farfield"));
        let mut command = std::process::Command::new("sh");
        let command = command.current_dir(folder.path()).env("RAYON_NUM_THREADS", "2");
        command.args(["-c", &limited]).output().unwrap()
    };
    let refused = run(1_500_000);
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("farfield: the sum takes about "), "{stderr}");
    assert_eq!(run(20_000).status.code(), Some(0));
}

/// Little address space, from less than the particles take to less than the plan does: a simulation is refused, does not
/// abort, and leaves no folder.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space_refuses_a_simulation() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 300000 -o p.npz");
    let run = "simulate p.npz --time 1e-6 --step 1e-6 --outputs 1 --snapshots s";
    let mut refused_plans = 0;
    for kilobytes in (60_000..=200_000).step_by(10_000) {
        let script =
            format!("export RAYON_NUM_THREADS=1; ulimit -v {kilobytes}; exec $farfield {run}");
        let outcome = folder.shell(&script);
        assert_eq!(outcome.code, 2, "{kilobytes}: {outcome:?}");
        let line = outcome.line();
        let of_plan = line.starts_with("farfield: the sum takes about ");
        assert!(of_plan || line.contains(" do not fit into memory; "), "{kilobytes}: {line}");
        refused_plans += usize::from(of_plan);
        assert_eq!(folder.names(), ["p.npz"]);
    }
    assert!(refused_plans > 0);
}
