//! Figure 5: seconds of the three methods by the number of points, at a force error of 1e-4.

use fmm::{Fmm, Method, Treecode};
use testbed::clouds;

use crate::timing::{fastest, seconds};
use crate::{Outcome, Settings, Size};
use testbed::record::Table;

/// The force error of Figure 5.
pub(crate) const TOLERANCE: f64 = 1e-4;

const METHODS: [Method; 3] = [Method::Direct, Method::Treecode(Treecode::new()), Method::Fmm];

const NUMBERS: [usize; 15] = [
    300, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 50_000, 100_000, 200_000, 300_000,
    1_000_000, 3_000_000, 10_000_000,
];

/// Number of points from which on one run is enough.
const LONG: usize = 1_000_000;

/// Most points of the direct sum and of the other methods.
fn limits(settings: Settings) -> [usize; 2] {
    match (settings.size, settings.is_on_gpu()) {
        (Size::Small, _) => [1_000, 1_000],
        (_, true) => [10_000_000, 10_000_000],
        (Size::Usual, false) => [100_000, 1_000_000],
        (Size::Large, false) => [300_000, 10_000_000],
    }
}

/// Measures points uniform in a cube, in f32.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new([
        "N",
        "direct / s",
        "treecode / s",
        "FMM / s",
        "direct error",
        "treecode error",
        "FMM error",
    ]);
    let [most_direct, most] = limits(settings);
    for n in NUMBERS.into_iter().filter(|n| *n <= most) {
        let cloud = clouds::uniform_cube(n, 1);
        let (mut times, mut errors) = (Vec::new(), Vec::new());
        for method in METHODS {
            let is_direct = method == Method::Direct;
            if is_direct && n > most_direct {
                times.push(None);
                errors.push(None);
                continue;
            }
            let fmm = Fmm::new().method(method).device(settings.device).tolerance(TOLERANCE);
            let runs = if is_direct && n >= LONG { 1 } else { 3 };
            let report = fastest(fmm, &cloud, runs)?;
            times.push(Some(seconds(&report)));
            errors.push(report.estimated_error);
        }
        table.push([Some(n as f64)].into_iter().chain(times).chain(errors));
    }
    Ok(table)
}
