//! Prints the tables and figures of the three papers that a GPU takes part in, beside the papers' numbers: data structures,
//! walks, methods against each other, and forms of M2L.
//!
//! ```sh
//! cargo run --release -p testbed --features cuda --bin tables_gpu -- [structures|walks|methods|translations|shares]
//! ```
//!
//! `caches`, which has to be asked for, is for a profiler: it launches the one-by-one walk once for each number and order of
//! particles, so that `ncu -k regex:TREE_GM --metrics l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct` counts the
//! cache hits of Nakasato's Table 4.
//!
//! `--emulated` runs the kernels on the host with few points: the tables' shape without a GPU, their times meaningless.

mod methods;
mod shares;
mod structures;
mod translations;
mod walks;

use std::error::Error;

use fmm::{Device, Fmm, Report};
use kernels_gpu::machine::{Emulator, Machine, MachineError};
use testbed::clouds::Cloud;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let n = arguments.len();
    arguments.retain(|argument| argument != "--emulated");
    if arguments.len() < n {
        return tables(&Emulator, Device::Emulated, &arguments);
    }
    on_gpu(&arguments)
}

#[cfg(feature = "cuda")]
fn on_gpu(sections: &[String]) -> Outcome {
    tables(&kernels_gpu::machine::Cuda::new(0)?, Device::Cuda(0), sections)
}

#[cfg(not(feature = "cuda"))]
fn on_gpu(_: &[String]) -> Outcome {
    Err("build with --features cuda, or give --emulated".into())
}

/// Prints the sections asked for, or all sections.
fn tables<M: Machine + Clone>(machine: &M, device: Device, sections: &[String]) -> Outcome {
    let wanted = |name: &str| sections.is_empty() || sections.iter().any(|s| s == name);
    let small = device == Device::Emulated;
    if wanted("structures") {
        structures::print(machine, small)?;
    }
    if wanted("walks") {
        walks::print(machine, device, small)?;
    }
    if wanted("translations") {
        translations::print(machine, small)?;
    }
    if wanted("methods") {
        methods::print(device, small)?;
    }
    if wanted("shares") {
        shares::print(device, small)?;
    }
    if sections.iter().any(|section| section == "caches") {
        walks::launch_each(machine, small)?;
    }
    Ok(())
}

/// Median seconds of the launches of `work`, of five runs after a warm-up.
fn median_seconds<M: Machine, E: From<MachineError>>(
    machine: &M,
    mut work: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    work()?;
    let mut seconds = Vec::new();
    for _ in 0..5 {
        let start = machine.now()?;
        work()?;
        seconds.push(machine.now()? - start);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[2])
}

/// The reports of `runs` runs in f32, positions to field, fastest first.
fn reports(fmm: Fmm, cloud: &Cloud, runs: usize) -> Result<Vec<Report>, fmm::Error> {
    let positions: Vec<[f32; 3]> = cloud.positions.iter().map(|p| p.map(|x| x as f32)).collect();
    let masses: Vec<f32> = cloud.charges.iter().map(|mass| *mass as f32).collect();
    let mut plan = fmm.plan(&positions)?;
    let mut reports = Vec::with_capacity(runs);
    for _ in 0..runs {
        plan.update_positions(&positions)?;
        reports.push(plan.evaluate(&masses)?.report);
    }
    reports.sort_by(|a, b| milliseconds(a).total_cmp(&milliseconds(b)));
    Ok(reports)
}

/// Milliseconds of all stages but copies.
fn milliseconds(report: &Report) -> f64 {
    1e3 * report.seconds.without_copies()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_made() {
        tables(&Emulator, Device::Emulated, &[]).unwrap();
        tables(&Emulator, Device::Emulated, &["caches".to_owned()]).unwrap();
    }
}
