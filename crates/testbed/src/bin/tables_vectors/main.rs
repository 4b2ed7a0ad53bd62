//! Measures several vectors of charges at once on a GPU, beside the same vectors one by one on the same plan.
//!
//! ```sh
//! cargo run --release -p testbed --features cuda --bin tables_vectors -- --vectors 1,2,3,4,8 --points 1048576 --tolerance 1e-3
//! ```
//!
//! A row has the medians of rounds in which both ways take turns: milliseconds by the clock of the host, from slices to fields, and
//! of the stages on the device, without `transfer` and `check`; and the largest difference of the fields, which is 0 if the bits
//! are equal. Each row is one line of JSON. `--precision f64` measures f64, `--method direct` the direct sum.
//!
//! `--emulated` runs the kernels on the host: the table's shape without a GPU, its times meaningless.

use std::error::Error;
use std::time::Instant;

use fmm::{Device, Field, Fmm, Method, Plan, Scalar, Seconds, Stage, Workspace};
use nbody::initial_conditions::{plummer, sphere_surface, uniform_cube};
use serde_json::{Value, json};
use testbed::fit::median;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Rounds after the first, which allocates.
const ROUNDS: usize = 9;

/// Tables to be measured.
#[derive(Clone, Debug)]
struct Settings {
    vectors: Vec<usize>,
    points: Vec<usize>,
    sets: Vec<String>,
    tolerance: f64,
    method: Method,
    double: bool,
    emulated: bool,
}

fn main() -> Outcome<()> {
    let settings = settings()?;
    for set in &settings.sets {
        for n in &settings.points {
            let row = if settings.double { rows::<f64> } else { rows::<f32> };
            row(&settings, set, *n)?;
        }
    }
    Ok(())
}

fn settings() -> Outcome<Settings> {
    let mut settings = Settings {
        vectors: vec![1, 2, 3, 4, 8],
        points: vec![1 << 20],
        sets: vec!["cube".into(), "plummer".into(), "sphere".into()],
        tolerance: 1e-3,
        method: Method::Fmm,
        double: false,
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
        match (name.as_str(), value.as_str()) {
            ("--vectors", _) => settings.vectors = numbers()?,
            ("--points", _) => settings.points = numbers()?,
            ("--sets", _) => settings.sets = list().collect(),
            ("--tolerance", _) => settings.tolerance = value.parse()?,
            ("--precision", "f32" | "f64") => settings.double = value == "f64",
            ("--method", "fmm") => settings.method = Method::Fmm,
            ("--method", "direct") => settings.method = Method::Direct,
            _ => return Err(format!("no option {name} {value}").into()),
        }
    }
    Ok(settings)
}

/// All rows of a set.
fn rows<T: Scalar>(settings: &Settings, set: &str, n: usize) -> Outcome<()> {
    let cloud = match set {
        "cube" => uniform_cube(n, 100),
        "plummer" => plummer(n, 100),
        "sphere" => sphere_surface(n, 100),
        other => return Err(format!("no set {other}; choose cube, plummer or sphere").into()),
    };
    let points: Vec<[T; 3]> = cloud.positions.iter().map(|point| point.map(T::narrow)).collect();
    let device = if settings.emulated { Device::Emulated } else { Device::Cuda(0) };
    let fmm = Fmm::new().tolerance(settings.tolerance).method(settings.method).device(device);
    let plan: Plan<T> = fmm.plan(&points)?;
    for count in &settings.vectors {
        let charge =
            |k: usize, i: usize| T::narrow((1 + (i * (k + 1)) % 7) as f64 / (4 * n) as f64);
        let vectors: Vec<Vec<T>> =
            (0..*count).map(|k| (0..n).map(|i| charge(k, i)).collect()).collect();
        let mut row = measure(&plan, &vectors)?;
        row["set"] = json!(set);
        row["points"] = json!(n);
        row["vectors"] = json!(count);
        row["precision"] = json!(T::NAME);
        row["tolerance"] = json!(settings.tolerance);
        println!("{row}");
    }
    Ok(())
}

/// Medians of both ways, in turns.
fn measure<T: Scalar>(plan: &Plan<T>, vectors: &[Vec<T>]) -> Outcome<Value> {
    let slices: Vec<&[T]> = vectors.iter().map(Vec::as_slice).collect();
    let (mut apart, mut together) = (vec![Field::default(); slices.len()], Vec::new());
    let mut workspace = Workspace::new();
    let mut samples: [Vec<f64>; 4] = Default::default();
    for round in 0..=ROUNDS {
        let start = Instant::now();
        for (charges, field) in slices.iter().zip(&mut apart) {
            plan.evaluate_into(charges, field, &mut workspace)?;
        }
        let by_one = start.elapsed().as_secs_f64();
        let start = Instant::now();
        plan.evaluate_many_into(&slices, &mut together, &mut workspace)?;
        let at_once = start.elapsed().as_secs_f64();
        if round > 0 {
            // The seconds of the plan are in each report.
            let sums = [&apart, &together].map(|fields| on_device(plan, fields));
            for (samples, seconds) in samples.iter_mut().zip([by_one, at_once, sums[0], sums[1]]) {
                samples.push(1e3 * seconds);
            }
        }
    }
    let difference = apart.iter().zip(&together).flat_map(|(a, b)| {
        a.potential.iter().zip(&b.potential).map(|(a, b)| (a.widen() - b.widen()).abs())
    });
    let difference = difference.fold(0.0, f64::max);
    let [by_one, at_once, device_by_one, device_at_once] = samples.map(median);
    Ok(json!({
        "one_by_one_ms": by_one,
        "at_once_ms": at_once,
        "device_one_by_one_ms": device_by_one,
        "device_at_once_ms": device_at_once,
        "ratio": at_once / by_one,
        "device_ratio": device_at_once / device_by_one,
        "largest_difference": difference,
    }))
}

/// Seconds of all fields on the device, beside the plan's.
fn on_device<T: Scalar>(plan: &Plan<T>, fields: &[Field<T>]) -> f64 {
    let of = |seconds: &Seconds| {
        seconds.total() - seconds.of(Stage::Transfer) - seconds.of(Stage::Check)
    };
    fields.iter().map(|field| of(&field.report.seconds) - of(&plan.report().seconds)).sum()
}
