//! Sets of points of the performance pages, and times and errors of one way to sum them.

use std::time::Instant;

use fmm::{Field, Fmm, Plan, Report, SampledError, Scalar, Workspace};
use testbed::clouds::{self, Cloud};
use testbed::fit::median;

use crate::Outcome;

/// Receivers at which errors are measured.
const CHECKED: usize = 2048;

/// Name and constructor of a set, by number of points and seed.
type Set = (&'static str, fn(usize, u64) -> Cloud);

/// The sets, of masses.
pub(super) const SETS: [Set; 3] = [
    ("cube", clouds::uniform_cube),
    ("Plummer", clouds::plummer),
    ("sphere", clouds::sphere_surface),
];

/// Points with charges in the precision of a sum.
pub(super) struct Case<T> {
    positions: Vec<[T; 3]>,
    charges: Vec<T>,
}

/// Times of one way to sum a case.
pub(super) struct Timed {
    /// Report of the run of median time, copies left out.
    pub(super) report: Report,
    /// Median seconds by the host's clock of new points in a plan that stands, from a slice of the host.
    pub(super) plan: f64,
    /// Median seconds by the host's clock of an evaluation, from and to slices of the host.
    pub(super) evaluation: f64,
    /// Errors against the direct sum.
    pub(super) error: SampledError,
}

impl<T: Scalar> Case<T> {
    /// The points and masses of a set.
    pub(super) fn new(cloud: &Cloud) -> Self {
        Self {
            positions: cloud.positions.iter().map(|p| p.map(T::narrow)).collect(),
            charges: cloud.charges.iter().map(|q| T::narrow(*q)).collect(),
        }
    }

    /// Times this many runs after one that makes tables and memory; a run takes points anew.
    ///
    /// # Errors
    /// Errors of plan and evaluation.
    pub(super) fn timed(&self, fmm: Fmm, runs: usize) -> Outcome<Timed> {
        let mut plan: Plan<T> = fmm.plan(&self.positions)?;
        let (mut field, mut workspace) = (Field::default(), Workspace::new());
        plan.evaluate_into(&self.charges, &mut field, &mut workspace)?;
        let (mut reports, mut clocks) = (Vec::new(), [Vec::new(), Vec::new()]);
        for _ in 0..runs {
            let start = Instant::now();
            plan.update_positions(&self.positions)?;
            clocks[0].push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            plan.evaluate_into(&self.charges, &mut field, &mut workspace)?;
            clocks[1].push(start.elapsed().as_secs_f64());
            reports.push(field.report.clone());
        }
        let error = plan.sample_error(&self.charges, &field, CHECKED)?;
        reports.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        let [planned, evaluated] = clocks.map(median);
        Ok(Timed {
            report: reports.swap_remove(runs / 2),
            plan: planned,
            evaluation: evaluated,
            error,
        })
    }
}

/// Seconds of all stages but copies.
pub(super) fn seconds(report: &Report) -> f64 {
    report.seconds.without_copies()
}
