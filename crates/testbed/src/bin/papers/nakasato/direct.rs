//! Figure 2, the rate of the direct sum, and section 6.3, the treecode beside an FMM.

use fmm::{Fmm, Method, Opening, Report, Tolerance, Treecode};
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Measured, Oracle, Problem};

use super::paper::{self, THETA};
use crate::timing::{fastest, seconds};
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Receivers at which errors are measured.
const CHECKED: usize = 1000;

/// Measures the direct sum of N particles, in f32.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(["N", "direct / s"]);
    let numbers = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072, 195_584, 1_048_576];
    let most = if settings.is_on_gpu() { 1_048_576 } else { 195_584 };
    for n in settings.up_to(&numbers, [1024, most, most]) {
        let fmm = Fmm::new().method(Method::Direct).tolerance(1e-4).device(settings.device);
        let runs = if settings.is_on_gpu() || n < 50_000 { 3 } else { 1 };
        let report = fastest(fmm, &clouds::uniform_sphere(n, 1), runs)?;
        table.push([Some(n as f64), Some(seconds(&report))]);
    }
    Ok(table)
}

/// Measures section 6.3: particles uniform in a cube, by the FMM with p = 4 and by the treecode with θ = 0.6.
pub(crate) fn treecode_and_fmm(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new([
        "N",
        "FMM / s",
        "FMM: potential error",
        "FMM: force error",
        "treecode / s",
        "treecode: potential error",
        "treecode: force error",
    ]);
    let n = settings.pick(1_000, paper::FMM.0 as usize, paper::FMM.0 as usize);
    let cloud = clouds::uniform_cube(n, 1);
    let opening = Opening::Nakasato { theta: THETA };
    let methods = [
        Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(4)),
        Fmm::new().method(Treecode::new().opening(opening)).tolerance(Tolerance::Order(1)),
    ];
    let mut row = vec![Some(n as f64)];
    for fmm in methods {
        let (report, errors) = timed(fmm.device(settings.device), &cloud)?;
        let errors = [errors.potential.mean_relative, errors.gradient.mean_relative];
        row.extend([seconds(&report), errors[0], errors[1]].map(Some));
    }
    table.push(row);
    Ok(table)
}

/// Report of the fastest run, and errors.
fn timed(fmm: Fmm, cloud: &Cloud) -> Outcome<(Report, Measured)> {
    let problem = Problem::<f32>::new("cube", &cloud.positions, &cloud.charges);
    let errors = Oracle::new(&problem, CHECKED).errors(&problem.field(fmm)?);
    Ok((fastest(fmm, cloud, 3)?, errors))
}
