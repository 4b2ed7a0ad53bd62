//! Yokota and Barba, Figures 5 and 7: the three methods against each other at a force error of 1e-4, by the number of
//! points, on the processor and on the device, and the rates of the kernels.

use fmm::{Device, Fmm, Method, Stage, Treecode};
use testbed::clouds;

use crate::{Outcome, milliseconds, reports};

const METHODS: [Method; 3] = [Method::Direct, Method::Treecode(Treecode::new()), Method::Fmm];

/// The force error of Figure 5.
const TOLERANCE: f64 = 1e-4;

pub(super) fn print(device: Device, small: bool) -> Outcome {
    let numbers: &[usize] = if small {
        &[300, 1_000]
    } else {
        &[
            1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 50_000, 100_000, 200_000, 300_000,
            1_000_000, 3_000_000, 10_000_000,
        ]
    };
    println!(
        "Points uniform in a cube, potential and force, f32, L2 error of the force below {TOLERANCE:.0e}: ms, copies left out. P2P runs beside the far field: its rate is by what it takes longer.\n"
    );
    println!(
        "| N | processor: direct | treecode | FMM | device: direct | treecode | FMM | P2P, 10⁹ pairs/s | M2L, 10⁶ pairs/s |\n|--:|{}",
        "--:|".repeat(8)
    );
    for &n in numbers {
        let cloud = clouds::uniform_cube(n, 1);
        print!("| {n} |");
        let mut rates = "– | –".to_owned();
        for on in [Device::Cpu, device] {
            // The direct sum's time at more points follows from its rate.
            let most = if on == Device::Cpu { 100_000 } else { 3_000_000 };
            for method in METHODS {
                if method == Method::Direct && n > most {
                    print!(" – |");
                    continue;
                }
                let fmm = Fmm::new().method(method).device(on).tolerance(TOLERANCE);
                let report = &reports(fmm, &cloud, 3)?[0];
                print!(" {:.3} |", milliseconds(report));
                if method == Method::Fmm && on == device {
                    let rate =
                        |pairs: u64, stage, unit| pairs as f64 / report.seconds.of(stage) / unit;
                    rates = format!(
                        "{:.0} | {:.0}",
                        rate(report.p2p_pairs, Stage::P2p, 1e9),
                        rate(report.m2l_pairs, Stage::M2l, 1e6)
                    );
                }
            }
        }
        println!(" {rates} |");
    }
    println!();
    Ok(())
}
