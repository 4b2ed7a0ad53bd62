//! Measures one sum on several GPUs of a host, beside the same sum on one of them.
//!
//! ```sh
//! cargo run --release -p testbed --features cuda --bin tables_gpus -- --gpus 1,2 --points 1e7,1e8 --sets cube,plummer
//! ```
//!
//! Points are drawn in eight parts, of which each rank brings consecutive ones, so that half of all points has another owner on
//! two GPUs. A row is from points in the devices' memory, as brought, to potentials and gradients there, in the same order:
//! cuts, redistribution, trees, lists, sums, results on their way back; without copies from and to the host and without the
//! check, which are the host's. Seconds are those of the slowest rank, the smallest of the repetitions. Each row is one line
//! of JSON.
//!
//! `--emulated` runs the kernels on the host: the table's shape without a GPU, its times meaningless.

use std::error::Error;
use std::sync::Arc;

use distributed::{Communicator, threads};
use fmm::{Device, Field, Fmm, Method, Plan, Stage, Workspace};
use nbody::initial_conditions::{plummer, sphere_surface, uniform_cube};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Parts in which a set is drawn: the same points for any number of ranks that divides it.
const PARTS: usize = 8;

/// Repetitions after the first, which allocates.
const REPETITIONS: usize = 3;

/// Receivers at which the error is measured.
const RECEIVERS: usize = 1000;

/// A table to be measured.
#[derive(Clone, Debug)]
struct Settings {
    gpus: Vec<usize>,
    points: Vec<usize>,
    sets: Vec<String>,
    tolerance: f64,
    emulated: bool,
}

/// One row.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    set: &'a str,
    n: usize,
    gpus: usize,
    settings: &'a Settings,
}

fn main() -> Outcome<()> {
    let settings = settings()?;
    for set in &settings.sets {
        for n in &settings.points {
            for gpus in &settings.gpus {
                let row = Case { set, n: *n, gpus: *gpus, settings: &settings }.measure()?;
                println!("{row}");
            }
        }
    }
    Ok(())
}

fn settings() -> Outcome<Settings> {
    let mut settings = Settings {
        gpus: vec![1, 2],
        points: vec![10_000_000],
        sets: vec!["cube".into(), "plummer".into()],
        tolerance: 1e-3,
        emulated: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        if name == "--emulated" {
            settings.emulated = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("{name} takes a value"))?;
        let list = || value.split(',').map(str::to_owned);
        let numbers = || list().map(|x| Ok(x.parse::<f64>()? as usize)).collect::<Outcome<_>>();
        match name.as_str() {
            "--gpus" => settings.gpus = numbers()?,
            "--points" => settings.points = numbers()?,
            "--sets" => settings.sets = list().collect(),
            "--tolerance" => settings.tolerance = value.parse()?,
            _ => return Err(format!("no option {name}").into()),
        }
    }
    Ok(settings)
}

impl Case<'_> {
    fn measure(self) -> Outcome<Value> {
        let ranks = threads::run(self.gpus, |ranks| self.rank(&ranks).map_err(|e| e.to_string()))?;
        let rows = ranks.into_iter().collect::<Result<Vec<Value>, String>>()?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    /// One rank with its GPU. Collective.
    fn rank(self, ranks: &Arc<dyn Communicator>) -> Outcome<Value> {
        let points = self.points(ranks.rank(), ranks.size())?;
        let charges = vec![1.0 / self.n as f32; points.len()];
        let device = match self.settings.emulated {
            true => Device::Emulated,
            false => Device::Cuda(ranks.rank()),
        };
        let fmm = Fmm::new().tolerance(self.settings.tolerance).method(Method::Fmm).device(device);
        let mut plan: Plan<f32> = match ranks.size() {
            1 => fmm.plan(&points)?,
            _ => fmm.plan_over(ranks, &points)?,
        };
        let mut field = plan.evaluate(&charges)?;
        let mut workspace = Workspace::new();
        let mut best = f64::INFINITY;
        let mut stages = Value::Null;
        for _ in 0..REPETITIONS {
            plan.update_positions(&points)?;
            plan.evaluate_into(&charges, &mut field, &mut workspace)?;
            let seconds = self.seconds(&field);
            if seconds < best {
                (best, stages) = (seconds, of_ranks(&field));
            }
        }
        let error = plan.sample_error(&charges, &field, RECEIVERS)?;
        let report = &field.report;
        Ok(json!({
            "set": self.set,
            "points": self.n,
            "gpus": self.gpus,
            "device": report.instructions,
            "tolerance": self.settings.tolerance,
            "order": report.order,
            "boxes": report.boxes,
            "p2p_pairs": report.p2p_pairs,
            "seconds": best,
            "potential_error": error.potential.l2,
            "gradient_error": error.gradient.l2,
            "imbalance_of_points": report.ranks.as_ref().map(|ranks| ranks.imbalance_of_points),
            "ranks": stages,
        }))
    }

    /// The parts of the set that a rank brings.
    fn points(self, rank: usize, size: usize) -> Outcome<Vec<[f32; 3]>> {
        let draw = match self.set {
            "cube" => uniform_cube,
            "plummer" => plummer,
            "sphere" => sphere_surface,
            other => return Err(format!("no set {other}; choose cube, plummer or sphere").into()),
        };
        let cut = |rank: usize| rank * PARTS / size;
        let mut points = Vec::new();
        for part in cut(rank)..cut(rank + 1) {
            let n = (part + 1) * self.n / PARTS - part * self.n / PARTS;
            let cloud = draw(n, 100 + part as u64);
            points.extend(cloud.positions.iter().map(|point| point.map(|x| x as f32)));
        }
        Ok(points)
    }

    /// Seconds of the slowest rank on its device.
    fn seconds(self, field: &Field<f32>) -> f64 {
        let on_device = |seconds: &fmm::Seconds| {
            let host = seconds.of(Stage::Transfer) + seconds.of(Stage::Check);
            seconds.total() - host
        };
        match &field.report.ranks {
            Some(ranks) => ranks.ranks.iter().map(|r| on_device(&r.seconds)).fold(0.0, f64::max),
            None => on_device(&field.report.seconds),
        }
    }
}

/// Stages in milliseconds and bytes of each rank.
fn of_ranks(field: &Field<f32>) -> Value {
    let stages = |seconds: &fmm::Seconds| -> Value {
        let taken = seconds.iter().filter(|(_, seconds)| *seconds > 0.0);
        taken.map(|(name, seconds)| (name.to_owned(), json!(1e3 * seconds))).collect()
    };
    match &field.report.ranks {
        Some(ranks) => ranks
            .ranks
            .iter()
            .map(|rank| json!({ "bytes_sent": rank.bytes_sent, "stages": stages(&rank.seconds) }))
            .collect(),
        None => json!([{ "stages": stages(&field.report.seconds) }]),
    }
}
