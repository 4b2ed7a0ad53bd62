//! Lines by which a run tells of itself, and runs that are refused because they do not end.

use super::runs::{results, snapshot, table};
use crate::common::Folder;

const TWO: &str = "x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,2\n";

#[test]
fn the_first_line_has_the_settings_in_significant_digits() {
    let folder = Folder::new();
    folder.write("a.csv", TWO);
    let first = |arguments: &str| {
        let told = folder.succeed(&format!("simulate a.csv --outputs 1 {arguments}"));
        told.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        first("--time 1e-7 --step 1.23456e-8 --softening 2.5e-6 --gravity 6.674e-11"),
        "2 particles from time 0 to 1e-7: leapfrog steps of 1.23e-8, softening 2.5e-6, tolerance 0.001 in f32, G = 6.67e-11"
    );
    assert_eq!(
        first(
            "--time 0.5 --step 0.25 --integrator fourth-order --tolerance 1e-9 --snapshots b --softening 0"
        ),
        "2 particles from time 0 to 0.5: fourth-order steps of 0.25, softening 0, tolerance 1e-9 in f64, G = 1"
    );
}

#[test]
fn energies_that_have_no_change_are_told_so() {
    let folder = Folder::new();
    folder.write("rest.csv", "x,y,z,m\n0,0,0,1\n");
    let told = folder.succeed("simulate rest.csv --time 1 --outputs 2 --snapshots rest");
    assert!(!told.contains("energy") && told.contains(" s; wrote rest"), "{told}");
    folder.write("fast.csv", "x,y,z,vx,vy,vz,m\n0,0,0,1e200,0,0,1\n");
    let told = folder.succeed("simulate fast.csv --time 1 --outputs 2 --snapshots fast");
    assert!(told.contains(" s, the energy is not a number; wrote fast"), "{told}");
    // Its state is that of the last row all the same.
    folder.succeed("simulate fast.csv --time 2 --resume --snapshots fast");
}

/// Two particles that fall onto each other, whose steps are far too long where they meet.
#[test]
fn energy_that_is_lost_is_warned_of_with_the_cures_not_in_use() {
    let folder = Folder::new();
    folder.write("fall.csv", "x,y,z,vx,vy,vz,m\n-1,0,0,0,-0.01,0,1\n1,0,0,0,0.01,0,1\n");
    for (settings, cure) in [
        (
            "--softening 0",
            "take a shorter --step (now 0.07), a --softening, or --integrator adaptive with one",
        ),
        ("--softening 0.001", "take a shorter --step (now 0.07) or --integrator adaptive"),
        (
            "--softening 0.001 --integrator adaptive --accuracy 30",
            "take a smaller --accuracy (now 30)",
        ),
    ] {
        let run = format!("simulate fall.csv --time 2.8 --step 0.07 --outputs 1 {settings}");
        let outcome = folder.run(&run);
        std::fs::remove_dir_all(folder.path().join("snapshots")).unwrap();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let line = outcome.line();
        let told = line.strip_prefix("farfield: warning: energy changed by ");
        let (percent, rest) = told.unwrap().split_once(" % of itself; ").unwrap();
        assert!(percent.parse::<f64>().unwrap() > 1.0 && rest == cure, "{line}");
    }
    folder.succeed("simulate fall.csv --time 0.7 --step 0.07 --outputs 1");
}

#[test]
fn particles_at_rest_are_told_so_with_names_that_look_like_velocities() {
    let folder = Folder::new();
    let first = |name: &str, stderr: &str| {
        let outcome = folder.run(&format!("simulate {name} --time 0.1 --snapshots of-{name}"));
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, stderr));
        outcome.stdout.lines().next().unwrap().to_owned()
    };
    let moving = |names: &str| format!("x,y,z,{names},m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,2\n");
    folder.write("rest.csv", "x,y,z,m\n0,0,0,1\n1,0,0,2\n");
    assert!(first("rest.csv", "").ends_with(", G = 1, at rest"));
    folder.write("moving.csv", moving("V_X,V_Y,V_Z"));
    assert!(first("moving.csv", "").ends_with(", G = 1"));
    folder.write("unread.csv", moving("v1,v2,VelZ"));
    let warning = "farfield: warning: unread.csv has v1, v2, VelZ, which are not read as velocities; name them vx, vy and vz, or an array (N, 3) velocities\n";
    assert!(first("unread.csv", warning).ends_with(", at rest"));
}

#[test]
fn runs_without_an_end_are_refused() {
    let folder = Folder::new();
    folder.write("a.csv", TWO);
    for (arguments, name) in [
        ("--time 1 --step 1e-20", "--step"),
        ("--time 1e6 --step 1e-7", "--step"),
        ("--time 1 --outputs 1000000001", "--outputs"),
        ("--time 1e300 --step 1e-3", "--step"),
        ("--time 1 --step 1e-3 --outputs 18446744073709551615", "--outputs"),
    ] {
        let line = folder.fail(&format!("simulate a.csv {arguments}"));
        assert!(line.contains("; choose ") && line.contains(name), "{line}");
    }
    // A step that is lost beside the time of INITIAL.
    folder.succeed("simulate a.csv --time 1 --outputs 1 --snapshots b");
    let mut late = snapshot(&folder, "b/snapshot-0001.npz");
    late.time = 1e18;
    farfield::formats::write_snapshot(folder.path().join("late.npz"), &late).unwrap();
    let line = folder.fail("simulate late.npz --time 1");
    assert!(line.contains(" is lost beside the time 1e18"), "{line}");

    folder.succeed("simulate a.csv --time 1 --outputs 4 --step 0.01");
    let before = results(&folder, "snapshots");
    let line = folder.fail("simulate a.csv --time 1e12 --resume");
    assert!(line.contains("--outputs") && line.contains("--time"), "{line}");
    assert_eq!(
        folder.fail("simulate a.csv --time 0.75 --resume"),
        "farfield: the run in snapshots has reached the time 1.0, beyond 0.75; choose a longer --time"
    );
    assert!(results(&folder, "snapshots") == before);
}

/// The example of a pair in the help, whose orbit is that of its energy: for a part of its time.
#[test]
fn the_pair_of_the_help_keeps_its_energy() {
    let folder = Folder::new();
    let help = folder.succeed("simulate --help");
    let line = help.lines().find(|line| line.contains("pair.csv")).unwrap();
    let arguments = line.trim().strip_prefix("farfield ").unwrap();
    assert!(arguments.contains("--time 100 "), "{arguments}");
    let speed = 0.5f64.sqrt();
    folder.write(
        "pair.csv",
        format!("x,y,z,vx,vy,vz,m\n-0.5,0,0,0,-{speed},0,1\n0.5,0,0,0,{speed},0,1\n"),
    );
    folder.succeed(&arguments.replace("--time 100 ", "--time 2 "));
    let (_, rows) = table(&folder, "orbit/diagnostics.csv");
    for row in &rows {
        // E = 2·½·½ − 1, a circle of the angular velocity √2; 200 steps lose 10⁻¹⁶ each at most.
        assert!((row[4] + 0.5).abs() < 2e-13, "{row:?}");
    }
    let end = snapshot(&folder, "orbit/snapshot-0020.npz");
    let angle = 2.0 * 2f64.sqrt();
    let error = (end.positions[1][0] - 0.5 * angle.cos()).abs();
    assert!(error < 1e-8, "{error}");
}
