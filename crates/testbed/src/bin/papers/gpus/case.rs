//! One sum on some GPUs of a host: from points in the devices' memory to the field there.

use std::sync::Arc;

use distributed::{Communicator, threads};
use fmm::{
    Device, Errors, Field, Fmm, Method, Plan, RankReport, Report, Seconds, Stage, Workspace,
};
use nbody::initial_conditions::{self, Cloud};
use rayon::prelude::*;

use crate::Outcome;

/// Points that are drawn at once, with a seed of their own.
const CHUNK: usize = 1 << 20;

/// Seed of the first chunk.
const SEED: u64 = 7300;

/// Receivers at which the error is measured.
const RECEIVERS: usize = 1000;

/// Sets of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    Cube,
    Plummer,
    Sphere,
}

impl Set {
    pub(super) const ALL: [Self; 3] = [Self::Cube, Self::Plummer, Self::Sphere];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cube => "cube",
            Self::Plummer => "Plummer model",
            Self::Sphere => "sphere surface",
        }
    }

    /// `n` points, the same on any machine.
    pub(super) fn points(self, n: usize) -> Vec<[f32; 3]> {
        let draw: fn(usize, u64) -> Cloud = match self {
            Self::Cube => initial_conditions::uniform_cube,
            Self::Plummer => initial_conditions::plummer,
            Self::Sphere => initial_conditions::sphere_surface,
        };
        let mut points = vec![[0.0; 3]; n];
        points.par_chunks_mut(CHUNK).enumerate().for_each(|(k, chunk)| {
            let cloud = draw(chunk.len(), SEED + k as u64);
            for (point, drawn) in chunk.iter_mut().zip(&cloud.positions) {
                *point = drawn.map(|x| x as f32);
            }
        });
        points
    }
}

/// One sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    /// Points, of which each rank brings consecutive ones: most of them have another owner.
    pub(super) points: &'a [[f32; 3]],
    /// Number of ranks, each with a device.
    pub(super) gpus: usize,
    pub(super) tolerance: f64,
    /// Repetitions after the first, which allocates.
    pub(super) repetitions: usize,
    /// The device of the first rank; GPUs of the others follow.
    pub(super) device: Device,
}

/// Seconds, errors and bytes of a sum; where ranks differ, those of the slowest, or the largest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    pub(super) order: f64,
    pub(super) seconds: f64,
    /// Sort and lists; near pairs beyond the far field; far field; waiting for other ranks; the rest.
    pub(super) stages: [f64; 5],
    pub(super) potential_error: f64,
    pub(super) gradient_error: f64,
    pub(super) imbalance: f64,
    /// Bytes of plan and evaluation that leave a GPU, and that come to it.
    pub(super) bytes: [f64; 2],
    /// Memory of the device in bytes.
    pub(super) memory: f64,
}

impl Case<'_> {
    /// The repetition whose slowest rank was fastest.
    ///
    /// # Errors
    /// Errors of plans and evaluations, the same on all ranks.
    pub(super) fn measure(&self) -> Outcome<Measured> {
        let rank = |ranks: Arc<dyn Communicator>| self.rank(&ranks).map_err(|e| e.to_string());
        let ranks: Result<Vec<Measured>, String> =
            threads::run(self.gpus, rank)?.into_iter().collect();
        ranks?.first().copied().ok_or_else(|| "no rank measured".into())
    }

    /// One rank with its device. Collective.
    fn rank(&self, ranks: &Arc<dyn Communicator>) -> Outcome<Measured> {
        let n = self.points.len();
        let cut = |rank: usize| rank * n / self.gpus;
        let points = &self.points[cut(ranks.rank())..cut(ranks.rank() + 1)];
        let charges = vec![1.0 / n as f32; points.len()];
        let device = match self.device {
            Device::Cuda(first) => Device::Cuda(first + ranks.rank()),
            other => other,
        };
        let fmm = Fmm::new().tolerance(self.tolerance).method(Method::Fmm).device(device);
        let mut plan: Plan<f32> = match self.gpus {
            1 => fmm.plan(points)?,
            _ => fmm.plan_over(ranks, points)?,
        };
        let mut field = plan.evaluate(&charges)?;
        let mut workspace = Workspace::new();
        let mut best = Measured { seconds: f64::INFINITY, ..Measured::default() };
        let mut before = traffic(&field.report);
        for _ in 0..self.repetitions {
            plan.update_positions(points)?;
            plan.evaluate_into(&charges, &mut field, &mut workspace)?;
            let found = Measured::of(&field.report);
            let after = traffic(&field.report);
            if found.seconds < best.seconds {
                best = Measured { bytes: most(&before, &after), ..found };
            }
            before = after;
        }
        self.add_errors(&plan, &charges, &field, &mut best)?;
        Ok(best)
    }

    fn add_errors(
        &self,
        plan: &Plan<f32>,
        charges: &[f32],
        field: &Field<f32>,
        measured: &mut Measured,
    ) -> Outcome {
        let error = plan.sample_error(charges, field, RECEIVERS)?;
        let l2 = |errors: Option<Errors>| errors.map_or(f64::NAN, |errors| errors.l2);
        (measured.potential_error, measured.gradient_error) =
            (l2(error.potential), l2(error.gradient));
        Ok(())
    }
}

impl Measured {
    /// The account of a report, the same on all ranks.
    fn of(report: &Report) -> Self {
        let seconds = |of: fn(&Seconds) -> f64| match &report.ranks {
            Some(ranks) => ranks.ranks.iter().map(|rank| of(&rank.seconds)).fold(0.0, f64::max),
            None => of(&report.seconds),
        };
        let memory = match &report.ranks {
            Some(ranks) => ranks.ranks.iter().map(|rank| rank.bytes).max().unwrap_or(0),
            None => report.bytes,
        };
        let stages: [fn(&Seconds) -> f64; 5] = [
            |seconds| seconds.of(Stage::Sort) + seconds.of(Stage::Lists),
            |seconds| seconds.of(Stage::P2p),
            |seconds| {
                let far = [
                    Stage::P2m,
                    Stage::M2m,
                    Stage::M2l,
                    Stage::P2l,
                    Stage::L2l,
                    Stage::L2p,
                    Stage::M2p,
                ];
                far.map(|stage| seconds.of(stage)).iter().sum()
            },
            |seconds| seconds.of(Stage::Exchange),
            |seconds| seconds.of(Stage::Other),
        ];
        Self {
            order: report.order as f64,
            // Copies and the check are the host's.
            seconds: seconds(|seconds| seconds.without_copies() - seconds.of(Stage::Check)),
            stages: stages.map(seconds),
            imbalance: report.ranks.as_ref().map_or(0.0, |ranks| ranks.imbalance),
            memory: memory as f64,
            ..Self::default()
        }
    }
}

/// Bytes that each rank sent and received since its communicator was made.
fn traffic(report: &Report) -> Vec<[u64; 2]> {
    let of = |rank: &RankReport| [rank.bytes_sent, rank.bytes_received];
    report.ranks.as_ref().map_or(Vec::new(), |ranks| ranks.ranks.iter().map(of).collect())
}

/// Most bytes that a rank sent, and received, between two accounts.
fn most(before: &[[u64; 2]], after: &[[u64; 2]]) -> [f64; 2] {
    [0, 1].map(|way| {
        let bytes = before.iter().zip(after).map(|(b, a)| a[way] - b[way]);
        bytes.max().unwrap_or(0) as f64
    })
}
