//! A process that is killed again and again, at moments that a seed draws, ends with the bits of an unbroken run.

use super::runs::results;
use crate::common::{FARFIELD, Folder};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_killed_run_goes_on_with_the_same_bits() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 1500 --seed 4 -o a.npz");
    // Many outputs, so that kills meet writing too.
    let arguments = "simulate a.npz --time 1.5 --step 0.01 --tolerance 1e-3 --method fmm --outputs 75 --resume --snapshots";
    let clock = Instant::now();
    folder.succeed(&format!("{arguments} unbroken"));
    let whole = clock.elapsed();

    let (mut random, mut killed, mut advanced) = (0x9e37_79b9_7f4a_7c15_u64, 0, 0);
    let mut last = Vec::new();
    for _ in 0..16 {
        let mut run = Command::new(FARFIELD)
            .args(arguments.split_whitespace())
            .arg("broken")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Moments up to an eighth of the time of a run, so that sixteen processes hardly complete it, even if the machine is
        // faster now.
        let share = 0.125 * (random >> 11) as f64 / (1u64 << 53) as f64;
        std::thread::sleep(Duration::from_secs_f64(share * whole.as_secs_f64()));
        run.kill().unwrap();
        let status = run.wait().unwrap();
        if status.signal() == Some(9) {
            killed += 1;
        }
        let state =
            std::fs::read(folder.path().join("broken/resume/state.npz")).unwrap_or_default();
        if state != last {
            advanced += 1;
        }
        last = state;
    }
    assert!(killed >= 4, "{killed} of 16 processes were killed at work");
    assert!(advanced >= 3, "{advanced} of 16 processes wrote a state");
    folder.succeed(&format!("{arguments} broken"));

    let [unbroken, broken] = ["unbroken", "broken"].map(|run| results(&folder, run));
    assert_eq!(unbroken.len(), 76 + 4);
    // Nothing partial stays behind.
    assert!(unbroken.keys().eq(broken.keys()), "{:?}", broken.keys());
    for (name, bytes) in &unbroken {
        assert!(broken[name] == *bytes, "{name} differs");
    }
}
