//! Medians of an evaluation's stages.

use fmm::{Device, Field, Fmm, Report, Scalar, Stage, Workspace};
use testbed::charges;
use testbed::clouds::Cloud;
use testbed::conformance::Problem;
use testbed::fit::median;

use crate::SEED;

/// Evaluations of which the median counts.
pub(super) const REPEATS: usize = 5;

/// The device that is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    pub(super) device: Device,
}

impl Machine {
    pub(super) fn is_gpu(self) -> bool {
        self.device != Device::Cpu
    }

    /// The value for cores, or the one for a GPU, which takes more points to be busy.
    pub(super) fn pick<V>(self, cores: V, gpu: V) -> V {
        if self.is_gpu() { gpu } else { cores }
    }

    pub(super) fn fmm(self) -> Fmm {
        Fmm::new().device(self.device)
    }
}

/// Seconds of a plan and of its evaluations.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    /// Report of the last evaluation.
    pub(super) report: Report,
    /// Seconds of the plan by stage.
    pub(super) plan: Vec<f64>,
    /// Median seconds of an evaluation by stage, without the first evaluation.
    stages: Vec<f64>,
    /// All seconds of the first evaluation, which makes tables.
    first: f64,
}

impl Timing {
    pub(super) fn of(&self, stage: Stage) -> f64 {
        self.stages[stage as usize]
    }

    /// Seconds of an evaluation, without copies between host and GPU.
    pub(super) fn total(&self) -> f64 {
        self.stages.iter().sum::<f64>() - self.of(Stage::Transfer)
    }

    /// Seconds that only the first evaluation takes.
    pub(super) fn first_only(&self) -> f64 {
        self.first - self.stages.iter().sum::<f64>()
    }
}

/// Masses on the points of a set.
pub(super) fn masses<T: Scalar>(cloud: &Cloud) -> Problem<T> {
    let masses = charges::masses(cloud.positions.len(), SEED + 2);
    Problem::new(cloud.name, &cloud.positions, &masses)
}

/// Seconds of a problem's evaluations, of `vectors` charge vectors at once.
pub(super) fn time<T: Scalar>(
    fmm: Fmm,
    problem: &Problem<T>,
    vectors: usize,
) -> Result<Timing, fmm::Error> {
    let plan = problem.plan(fmm)?;
    let seconds = |report: &Report| Stage::ALL.map(|stage| report.seconds.of(stage));
    let of_plan = seconds(plan.report());
    let (mut fields, mut workspace) = (vec![Field::default()], Workspace::new());
    let charges = vec![problem.charges.as_slice(); vectors];
    let mut runs = Vec::new();
    for _ in 0..=REPEATS {
        match fields.as_mut_slice() {
            [field] if vectors == 1 => plan.evaluate_into(charges[0], field, &mut workspace)?,
            _ => plan.evaluate_many_into(&charges, &mut fields, &mut workspace)?,
        }
        // An evaluation's report has the plan's seconds added.
        let spent = seconds(&fields[0].report);
        runs.push(spent.iter().zip(of_plan).map(|(all, plan)| all - plan).collect::<Vec<f64>>());
    }
    let repeated = &runs[1..];
    let stages = (0..Stage::ALL.len()).map(|k| median(repeated.iter().map(|run| run[k])));
    Ok(Timing {
        report: fields[0].report.clone(),
        plan: of_plan.to_vec(),
        stages: stages.collect(),
        first: runs[0].iter().sum(),
    })
}
