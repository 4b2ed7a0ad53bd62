//! Yokota and Barba, Figure 6: shares of the stages of treecode and FMM in their time on the device, by the number of
//! points. The treecode is the paper's: the FMM's lists, with multipoles that act on each receiver.

use fmm::{Device, Fmm, Method, Opening, Stage, Treecode};
use testbed::clouds;

use crate::{Outcome, milliseconds, reports};

/// The force error of the figure before.
const TOLERANCE: f64 = 1e-4;

/// Stages that the figure puts together.
const COLUMNS: [(&str, &[Stage]); 10] = [
    ("sort, boxes", &[Stage::Sort]),
    ("lists", &[Stage::Lists]),
    ("P2M, M2M", &[Stage::P2m, Stage::M2m]),
    ("M2L", &[Stage::M2l]),
    ("P2L", &[Stage::P2l]),
    ("L2L", &[Stage::L2l]),
    ("L2P", &[Stage::L2p]),
    ("M2P", &[Stage::M2p]),
    ("P2P", &[Stage::P2p]),
    ("other", &[Stage::Walk, Stage::Other]),
];

pub(super) fn print(device: Device, small: bool) -> Outcome {
    let numbers: &[usize] = if small { &[300] } else { &[10_000, 100_000, 1_000_000, 10_000_000] };
    println!(
        "Points uniform in a cube, f32, L2 error of the force below {TOLERANCE:.0e}: share of each stage in %, copies left out.\n"
    );
    let heads: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    println!("| | N | ms | {} |\n|---|{}", heads.join(" | "), "--:|".repeat(2 + heads.len()));
    let treecode = Fmm::new().method(Treecode::new().opening(Opening::Neighbours));
    for (name, fmm) in [("treecode", treecode), ("FMM", Fmm::new().method(Method::Fmm))] {
        for &n in numbers {
            let fmm = fmm.device(device).tolerance(TOLERANCE);
            let report = &reports(fmm, &clouds::uniform_cube(n, 1), 3)?[0];
            print!("| {name} | {n} | {:.3} |", milliseconds(report));
            for (_, stages) in COLUMNS {
                let seconds: f64 = stages.iter().map(|stage| report.seconds.of(*stage)).sum();
                print!(" {:.1} |", 100.0 * seconds / report.seconds.without_copies());
            }
            println!();
        }
    }
    println!();
    Ok(())
}
