//! Seconds of evaluations and of launches.

use std::time::Instant;

use fmm::{Fmm, Report};
use kernels_gpu::machine::{Launcher, MachineError};
use testbed::clouds::Cloud;
use testbed::fit::least;

use crate::Outcome;

/// Points in f32.
pub(crate) fn narrow(points: &[[f64; 3]]) -> Vec<[f32; 3]> {
    points.iter().map(|p| p.map(|x| x as f32)).collect()
}

/// The report of the fastest of `runs` runs in f32, positions to field; one more comes before, where there are several.
pub(crate) fn fastest(fmm: Fmm, cloud: &Cloud, runs: usize) -> Result<Report, fmm::Error> {
    let positions = narrow(&cloud.positions);
    let masses: Vec<f32> = cloud.charges.iter().map(|mass| *mass as f32).collect();
    let mut plan = fmm.plan(&positions)?;
    let mut best = plan.evaluate(&masses)?.report;
    for _ in 1..runs {
        plan.update_positions(&positions)?;
        let report = plan.evaluate(&masses)?.report;
        if seconds(&report) < seconds(&best) {
            best = report;
        }
    }
    Ok(best)
}

/// Seconds of all stages but copies.
pub(crate) fn seconds(report: &Report) -> f64 {
    report.seconds.without_copies()
}

/// Least seconds of some runs of `work` on this machine, which also gives its result.
pub(crate) fn fastest_of<R, E>(
    runs: usize,
    mut work: impl FnMut() -> Result<R, E>,
) -> Result<f64, E> {
    let mut all = Vec::with_capacity(runs);
    for _ in 0..runs {
        let clock = Instant::now();
        let result = std::hint::black_box(work()?);
        all.push(clock.elapsed().as_secs_f64());
        drop(result);
    }
    Ok(least(all))
}

/// Median seconds of the launches of `work`, of five runs after a warm-up.
pub(crate) fn median_seconds<M: Launcher, E: From<MachineError>>(
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
    Ok(testbed::fit::median(seconds))
}

/// Runs `work` in a pool of this many threads.
///
/// # Errors
/// Errors of `work`, and a pool that cannot be made.
pub(crate) fn on_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> Outcome<R> + Send,
) -> Outcome<R> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(work)
}

/// The name that a device gives itself.
///
/// # Errors
/// Errors of a plan.
pub(crate) fn device_name(device: fmm::Device) -> Outcome<String> {
    let fmm = Fmm::new().method(fmm::Method::Direct).device(device);
    Ok(fmm.plan(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])?.report().instructions.to_string())
}
