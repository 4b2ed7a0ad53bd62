//! Figures 6 to 8 of Hu, Gumerov and Duraiswami on the GPUs of one host: strong and weak scaling, and the largest sum.

mod case;
mod forecast;
mod page;

use fmm::Device;

use crate::{Outcome, Settings, timing};
use case::{Case, Set};
pub(crate) use page::page;
use testbed::record::Table;

/// Columns of all three records.
const COLUMNS: [&str; 17] = [
    "tolerance",
    "P",
    "N",
    "order",
    "time / s",
    "structure / s",
    "near / s",
    "far / s",
    "exchange / s",
    "rest / s",
    "potential error",
    "gradient error",
    "imbalance",
    "bytes sent",
    "bytes received",
    "memory",
    "N / P",
];

/// Numbers of GPUs of the figures.
const GPUS: [usize; 4] = [1, 2, 4, 8];

/// Measures 10⁸ points on 1, 2, 4 and 8 GPUs, as many as there are: three sets, two tolerances; and 10⁷ at the larger.
///
/// # Errors
/// Errors of plans and evaluations.
pub(crate) fn strong(settings: Settings) -> Outcome<Table> {
    let n = settings.pick(800, 100_000_000, 100_000_000);
    let mut table = Table::new(COLUMNS);
    for set in Set::ALL {
        let points = set.points(n);
        for (points, tolerance) in [(&points[..], 1e-3), (&points, 1e-4), (&points[..n / 10], 1e-3)]
        {
            for gpus in there_are(settings.device) {
                add(&mut table, set, &settings.case(points, gpus, tolerance, 3))?;
            }
        }
    }
    Ok(table)
}

/// Measures 10⁸ points a GPU of the three sets, and 4·10⁸ in a cube where they fit.
///
/// # Errors
/// Errors of plans and evaluations.
pub(crate) fn weak(settings: Settings) -> Outcome<Table> {
    let few = settings.pick(300, 100_000_000, 100_000_000);
    let counts = there_are(settings.device);
    let most = counts.last().copied().unwrap_or(1);
    let mut table = Table::new(COLUMNS);
    for (set, each, repetitions) in [
        (Set::Cube, few, 3),
        (Set::Plummer, few, 3),
        (Set::Sphere, few, 3),
        (Set::Cube, 4 * few, 1),
    ] {
        let points = set.points(each * most);
        for &gpus in &counts {
            let points = &points[..each * gpus];
            let case = settings.case(points, gpus, 1e-3, repetitions);
            if each == few {
                add(&mut table, set, &case)?;
            } else {
                add_if_it_fits(&mut table, set, &case);
            }
        }
    }
    Ok(table)
}

/// Measures the largest cubes that one GPU and all GPUs take at once: 10⁹, 1.5·10⁹ and 2·10⁹ points, where they fit.
///
/// # Errors
/// None of the sums fits.
pub(crate) fn largest(settings: Settings) -> Outcome<Table> {
    let half = settings.pick(200, 500_000_000, 500_000_000);
    let points = Set::Cube.points(4 * half);
    let mut counts = there_are(settings.device);
    counts.drain(1..counts.len().saturating_sub(1).max(1));
    let mut table = Table::new(COLUMNS);
    // All GPUs come first: theirs are the largest sums.
    for gpus in counts.into_iter().rev() {
        for halves in 2..=4 {
            let case = settings.case(&points[..halves * half], gpus, 1e-3, 1);
            if !add_if_it_fits(&mut table, Set::Cube, &case) {
                break;
            }
        }
    }
    match table.rows.is_empty() {
        true => Err("none of these sums fits".into()),
        false => Ok(table),
    }
}

impl Settings {
    fn case(
        self,
        points: &[[f32; 3]],
        gpus: usize,
        tolerance: f64,
        repetitions: usize,
    ) -> Case<'_> {
        let repetitions = self.pick(1, repetitions, repetitions);
        Case { points, gpus, tolerance, repetitions, device: self.device }
    }
}

/// The numbers of GPUs among 1, 2, 4 and 8 that this host has; emulated devices count as two.
fn there_are(device: Device) -> Vec<usize> {
    let is_there = |gpus: &usize| match device {
        Device::Cuda(first) => timing::device_name(Device::Cuda(first + gpus - 1)).is_ok(),
        _ => *gpus <= 2,
    };
    GPUS.into_iter().take_while(is_there).collect()
}

/// Adds a case, or says why it cannot be measured. Returns whether it was added.
fn add_if_it_fits(table: &mut Table, set: Set, case: &Case<'_>) -> bool {
    let added = add(table, set, case);
    if let Err(error) = &added {
        eprintln!("{} points of {} on {} GPUs: {error}", case.points.len(), set.name(), case.gpus);
    }
    added.is_ok()
}

fn add(table: &mut Table, set: Set, case: &Case<'_>) -> Outcome {
    let (n, gpus) = (case.points.len() as f64, case.gpus as f64);
    let found = case.measure()?;
    let (seconds, error) = (found.seconds, found.gradient_error);
    eprintln!("{} {n:e} on {gpus}: {seconds:.4} s, gradient error {error:.1e}", set.name());
    let mut row = vec![case.tolerance, gpus, n, found.order, found.seconds];
    row.extend(found.stages);
    row.extend([found.potential_error, found.gradient_error, found.imbalance]);
    row.extend(found.bytes);
    row.extend([found.memory, n / gpus]);
    table.push_named(set.name().to_owned(), row.into_iter().map(Some));
    Ok(())
}
