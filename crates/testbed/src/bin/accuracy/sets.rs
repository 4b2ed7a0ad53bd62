//! Sets that calibration has not seen: draws of other seeds, other kinds of sets, other published data.

use fmm::Device;
use testbed::charges;
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Precision, Problem};
use testbed::ranks::Outcome;

/// The first of the seeds of this page. Calibration draws with some from 9000 on, the conformance suite with some below 1000,
/// the attack with some from 120,000 on.
pub(crate) const SEED: u64 = 700_000;

/// Two draws of the sets: those of kinds that calibrate, and those of kinds that do not.
fn drawn(n: usize, seed: u64) -> Vec<Cloud> {
    let others = [
        clouds::uniform_sphere(n, seed + 1),
        clouds::galaxy(n, seed + 2),
        clouds::plane(n, seed + 3),
        clouds::line(n, seed + 4),
    ];
    clouds::distributions(n, seed).into_iter().chain(others).collect()
}

/// Every second point, from the first or the second on.
fn half(positions: &[[f64; 3]], first: usize) -> Vec<[f64; 3]> {
    positions.iter().skip(first).step_by(2).copied().collect()
}

/// Points of a set, spread over its order: all, or about `most`.
fn thinned(cloud: Cloud, most: usize) -> Cloud {
    let step = cloud.positions.len().div_ceil(most);
    Cloud { positions: cloud.positions.into_iter().step_by(step).collect(), ..cloud }
}

/// The problems of the tables, with names as `set | points | charges | receivers`: each set at its own points and at receivers
/// apart, with masses and with charges of both signs. Published data are thinned to twice the points of the others, and
/// too many for an emulator.
pub(crate) fn problems<T: Precision>(n: usize, device: Device) -> Outcome<Vec<Problem<T>>> {
    let with_data = !matches!(device, Device::Emulated | Device::EmulatedHybrid);
    let data = if with_data { vec![clouds::autzen()?, clouds::lysozyme()?] } else { Vec::new() };
    let data: Vec<Cloud> = data.into_iter().map(|cloud| thinned(cloud, 2 * n)).collect();
    let own = drawn(n, SEED).into_iter().chain(data.clone()).map(|cloud| (cloud, None));
    let second = drawn(n, SEED + 50).into_iter().map(|cloud| cloud.positions);
    let apart = drawn(n, SEED).into_iter().zip(second);
    let cut = data.into_iter().map(|cloud| {
        let [sources, receivers] = [0, 1].map(|first| half(&cloud.positions, first));
        (Cloud { positions: sources, ..cloud }, receivers)
    });
    let apart = apart.chain(cut).map(|(cloud, receivers)| (cloud, Some(receivers)));
    let mut problems = Vec::new();
    for (Cloud { name, positions, .. }, receivers) in own.chain(apart) {
        let n = positions.len();
        for (kind, charges) in
            [("masses", charges::masses(n, SEED + 5)), ("mixed", charges::mixed(n, SEED + 6))]
        {
            let at = if receivers.is_some() { "apart" } else { "the sources" };
            let problem =
                Problem::new(format!("{name} | {n} | {kind} | {at}"), &positions, &charges);
            problems.push(match &receivers {
                Some(receivers) => problem.at(receivers),
                None => problem,
            });
        }
    }
    Ok(problems)
}
