//! Messages of simulations: of the crate nbody, and of the command by running it.

use crate::common::Folder;
use farfield::{Device, DeviceError};
use nbody::models::KingError;
use nbody::{Quantity, StepError, StepParameter, SystemError};

#[test]
fn of_systems_and_steps() {
    let rows = [
        (
            SystemError::Rows { quantity: Quantity::Velocity, found: 9, expected: 10 }.to_string(),
            "9 velocities for 10 positions; give one a particle",
        ),
        (
            SystemError::NotFinite { quantity: Quantity::Velocity, index: 7, value: f64::NAN }
                .to_string(),
            "the velocity of particle 7 is NaN; give a finite number",
        ),
        (
            SystemError::NegativeMass { index: 7, value: -0.5 }.to_string(),
            "the mass of particle 7 is -0.5; masses are 0 or more",
        ),
        (SystemError::NoMass.to_string(), "there is no mass; give a particle a mass above 0"),
        (
            StepError::NotPositive { parameter: StepParameter::Step, value: -0.5 }.to_string(),
            "a step of -0.5 makes no step; give a positive number",
        ),
        (
            StepError::Blocks.to_string(),
            "block steps take particles one by one, and these move all at once; choose leapfrog, adaptive or fourth order",
        ),
        (
            DeviceError::NoGpu { device: Device::Hybrid(0) }.to_string(),
            "a system moves on a GPU, and the device is hybrid:0; make Gravity the force of a Stepper, or choose cuda",
        ),
        (
            KingError { depth: 20.0 }.to_string(),
            "a King model has no central depth of 20.0; choose W0 between 0.1 and 12",
        ),
    ];
    let sources = [
        "../nbody/src/system.rs",
        "../nbody/src/integrate/stepper.rs",
        "../nbody/src/models/king.rs",
        "src/device_system/mod.rs",
    ];
    // Handed on: errors of sums and of steps.
    super::check(&rows, &sources, 2);
}

/// Messages about settings of a run.
#[cfg(unix)]
fn of_settings() -> Vec<(&'static str, &'static str)> {
    vec![
        ("a.csv --time -1", "--time of -1.0 makes no simulation; give a positive number"),
        (
            "a.csv --time 1 --softening -2",
            "a softening length of -2.0 makes no sense; give 0 or a positive length",
        ),
        (
            "a.csv --time 1 --integrator block --snapshots b",
            "steps of block follow from the softening, which is 0; give one with --softening, or choose leapfrog",
        ),
        (
            "a.csv --time 1 --accuracy 0.1 --snapshots b",
            "--accuracy is for adaptive and block steps and the integrator is leapfrog; drop it",
        ),
        (
            "negative.csv --time 1 --snapshots b",
            "negative.csv: the mass of particle 1 is -1; masses are 0 or more",
        ),
        (
            "a.csv --time 1 --outputs 2000000000 --snapshots b",
            "2.000e9 outputs are more than the 1e9 that a run can have; choose fewer with --outputs, or a shorter --time",
        ),
        (
            "a.csv --time 1 --step 1e-13 --snapshots b",
            "1.000e13 steps of 1e-13 are more than the 1e12 that a run can have; choose a longer --step, or a shorter --time",
        ),
        (
            "a.csv --time 1 --step 1e-17 --snapshots b",
            "a step of 1e-17 is lost beside the time 1.0; choose a longer --step, or fewer --outputs",
        ),
    ]
}

/// Messages about the folder of a run.
#[cfg(unix)]
fn of_folders() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "a.csv --time 1",
            "snapshots has a run already; add --resume, or name another folder with --snapshots",
        ),
        (
            "a.csv --time 1 --resume --step 0.02",
            "the run in snapshots has --step 0.01, not 0.02; resume it without --step, or name another folder with --snapshots",
        ),
        (
            "a.csv --time 0.9 --resume",
            "a time of 0.9 is no multiple of the 0.25 between snapshots of the run in snapshots; choose 1.0",
        ),
        (
            "a.csv --time 1 --snapshots a.csv",
            "a.csv cannot be made (File exists (os error 17)); name another folder with --snapshots",
        ),
        (
            "own/run.txt --time 1 --snapshots own",
            "INITIAL own/run.txt lies where the run writes; move it, or name another folder with --snapshots",
        ),
        (
            "a.csv --time 1 --snapshots other",
            "other/diagnostics.csv is there without the state of a run; remove it, or name another folder with --snapshots",
        ),
        (
            "a.csv --time 1 --snapshots locked",
            "another run works in locked; wait for its end, or name another folder with --snapshots",
        ),
        (
            "one.csv --time 1 --resume",
            "one.csv has 1 particles and the run in snapshots has 2; give its INITIAL, or name another folder with --snapshots",
        ),
        (
            "a.csv --time 0.5 --resume",
            "the run in snapshots has reached the time 1.0, beyond 0.5; choose a longer --time",
        ),
        (
            "a.csv --time 1 --resume --snapshots broken",
            "broken/run.txt: no sound line --integrator; name another folder with --snapshots, and start anew",
        ),
    ]
}

#[test]
#[cfg(unix)]
fn of_runs() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,1,0,2\n");
    folder.write("negative.csv", "x,y,z,m\n0,0,0,1\n1,0,0,-1\n");
    folder.write("broken/resume/state.npz", "");
    folder.write("broken/run.txt", "--step 0.1\n");
    folder.write("other/diagnostics.csv", "");
    folder.write("own/snapshot-0003.npz", "");
    std::fs::hard_link(folder.path().join("a.csv"), folder.path().join("own/run.txt")).unwrap();
    folder.write("one.csv", "x,y,z,m\n0,0,0,1\n");
    folder.write("locked/resume/lock", "");
    let locked = std::fs::File::open(folder.path().join("locked/resume/lock")).unwrap();
    locked.lock().unwrap();
    folder.succeed("simulate a.csv --time 1 --outputs 4 --step 0.01");
    let rows = [of_settings(), of_folders()].concat();
    let told: Vec<_> = rows
        .iter()
        .map(|(arguments, text)| {
            let line = folder.fail(&format!("simulate {arguments}"));
            (line.strip_prefix("farfield: ").unwrap().to_owned(), *text)
        })
        .collect();
    super::check(&told, &["src/command/simulate/error.rs"], 0);
}

/// Faults of INITIAL are told before a folder is made.
#[test]
fn of_initial_states() {
    let folder = Folder::new();
    folder.write("nan.csv", "x,y,z,vx,vy,vz,m\n0,0,0,0,0,0,1\n1,0,0,0,nan,0,2\n");
    folder.write("two.csv", "x,y,z,vx,vy,m\n0,0,0,0,0,1\n");
    for (arguments, expected) in [
        (
            "nan.csv --time 1",
            "nan.csv:3: vy (column 5) is NaN, expected a finite number; correct or remove the point",
        ),
        (
            "none.npz --time 1",
            "none.npz: cannot be opened (No such file or directory (os error 2)); check the path and its permissions",
        ),
        ("nan.csv", "--time <T> is missing; give it, see --help"),
    ] {
        assert_eq!(folder.fail(&format!("simulate {arguments}")), format!("farfield: {expected}"));
    }
}
