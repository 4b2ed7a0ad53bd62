//! Parts of the conformance suite: engines, problems, and the oracle that judges results.
//!
//! A check is written once, over the engines of a [`Bed`] and a float type, and runs for every device:
//! an engine that is added to [`Bed::engines`] has to keep every promise. The suite is the
//! crate `conformance`.

mod problem;

use fmm::{Device, Field, Fmm, Method, Report, Scalar, Treecode};

use crate::clouds::{self, Cloud};
use crate::norms::{self, Errors};
use crate::{charges, sample, shares};
pub use problem::Problem;

/// One way to compute the sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Engine {
    /// The method, never [`Method::Auto`].
    pub method: Method,
    /// The device that computes.
    pub device: Device,
    /// Ranks that are threads, each with a device; `None` for one process.
    pub ranks: Option<usize>,
}

/// The engines of one device, and the size of their tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bed {
    /// The device.
    pub device: Device,
    /// Ranks that are threads, each with a device; `None` for one process.
    pub ranks: Option<usize>,
}

impl Bed {
    /// The bed of the processor's cores.
    pub const CPU: Self = Self::of(Device::Cpu);

    /// The bed of a device.
    pub const fn of(device: Device) -> Self {
        Self { device, ranks: None }
    }

    /// The bed of three ranks with a device each.
    pub const fn of_ranks(device: Device) -> Self {
        Self { device, ranks: Some(3) }
    }

    /// The engine of a method.
    pub fn engine(self, method: Method) -> Engine {
        Engine { method, device: self.device, ranks: self.ranks }
    }

    /// One engine for each method of the device.
    pub fn engines(self) -> impl Iterator<Item = Engine> + Clone {
        let methods = [Method::Direct, Method::Treecode(Treecode::new()), Method::Fmm];
        let no_treecode = self.is_hybrid() || self.ranks.is_some() && self.is_slow();
        let there = move |method: &Method| !(no_treecode && method.is_treecode());
        methods.into_iter().filter(there).map(move |method| self.engine(method))
    }

    /// The builder of the FMM on the device, all else by default.
    pub fn fmm(self) -> Fmm {
        self.engine(Method::Fmm).fmm()
    }

    /// Number of points to take where other devices take `n`: fewer on an emulator.
    pub fn points(self, n: usize) -> usize {
        if self.is_slow() { n.min(300 + n / 100) } else { n }
    }

    /// Whether cores and GPU share the work: leaves are large, and few points need no expansions.
    pub fn is_hybrid(self) -> bool {
        matches!(self.device, Device::Hybrid(_) | Device::EmulatedHybrid)
    }

    /// Whether a check takes every other set, and few tolerances.
    pub fn is_brief(self) -> bool {
        self.is_slow() || self.ranks.is_some()
    }

    /// Whether an emulator runs the kernels: thousands of times slower than a GPU.
    pub fn is_slow(self) -> bool {
        matches!(self.device, Device::Emulated | Device::EmulatedHybrid)
    }
}

impl Engine {
    /// The builder set to this engine, all else by default.
    pub fn fmm(self) -> Fmm {
        Fmm::new().method(self.method).device(self.device)
    }

    /// The report of the plan and the field of a problem, by a builder of this engine.
    ///
    /// # Errors
    ///
    /// The error of the plan or of its evaluation.
    ///
    /// # Panics
    ///
    /// A field that other ranks than those of the engine computed.
    pub fn run<T: Scalar>(
        self,
        problem: &Problem<T>,
        fmm: Fmm,
    ) -> Result<(Report, Field<T>), fmm::Error> {
        let (plan, field) = match self.ranks {
            Some(size) => {
                let fmm = |rank| fmm.device(shares::device_of(self.device, rank));
                problem.field_over(fmm, size)?
            }
            None => {
                let plan = problem.plan(fmm)?;
                (plan.report().clone(), plan.evaluate(&problem.charges)?)
            }
        };
        assert_eq!(field.report.ranks.as_ref().map(|ranks| ranks.ranks.len()), self.ranks);
        Ok((plan, field))
    }

    /// The field of [`run`](Self::run).
    ///
    /// # Errors
    ///
    /// Errors of [`run`](Self::run).
    pub fn field<T: Scalar>(self, problem: &Problem<T>, fmm: Fmm) -> Result<Field<T>, fmm::Error> {
        Ok(self.run(problem, fmm)?.1)
    }

    /// The bed of the engine.
    pub fn bed(self) -> Bed {
        Bed { device: self.device, ranks: self.ranks }
    }

    /// The largest order that the engine accepts.
    pub fn largest_order(self) -> usize {
        match (self.device, self.method) {
            (Device::Cuda(_) | Device::Emulated, Method::Treecode(_)) => 5,
            _ => 40,
        }
    }

    /// The smallest tolerance that the engine accepts; [`largest_order`](Self::largest_order) limits it on a GPU.
    pub fn smallest<T: Precision>(self) -> f64 {
        match (self.device, self.method) {
            (Device::Cuda(_) | Device::Emulated, Method::Treecode(_)) => 1e-5,
            _ => T::SMALLEST,
        }
    }

    /// The tolerances that the engine is held to. Measured errors of the treecode end at order 14: smaller
    /// tolerances take extrapolated orders, for which nothing is promised.
    pub fn tolerances<T: Precision>(self) -> impl Iterator<Item = f64> {
        let tabled = match self.method {
            Method::Treecode(_) => 1e-6_f64.max(5.0 * T::SMALLEST),
            _ => 0.0,
        };
        let smallest = tabled.max(self.smallest::<T>());
        let all = T::TOLERANCES.iter().copied().filter(move |tolerance| *tolerance >= smallest);
        let few = if self.bed().is_brief() { 2 } else { usize::MAX };
        all.take(few)
    }
}

/// A float type and its tolerances.
pub trait Precision: Scalar {
    /// Tolerances of the suite.
    const TOLERANCES: &'static [f64];
    /// The smallest tolerance that is accepted.
    const SMALLEST: f64;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// The smallest positive number, which is subnormal.
    const TINY: f64;
}

impl Precision for f64 {
    const TOLERANCES: &'static [f64] = &[1e-3, 1e-6, 1e-9, 1e-12];
    const SMALLEST: f64 = 1e-13;
    const EPSILON: f64 = f64::EPSILON;
    const TINY: f64 = f64::from_bits(1);
}

impl Precision for f32 {
    const TOLERANCES: &'static [f64] = &[1e-3, 1e-4, 1e-5, 2e-6];
    const SMALLEST: f64 = 2e-6;
    const EPSILON: f64 = f32::EPSILON as f64;
    const TINY: f64 = f32::from_bits(1) as f64;
}

/// Sources, and receivers of their own.
pub type Apart = (Cloud, Vec<[f64; 3]>);

/// The sets a tolerance is promised on, each with receivers of its own: distributions of `n` points
/// with another draw of as many, and the data sets with every second point for a receiver.
///
/// # Errors
///
/// Data files that cannot be read.
pub fn promised_sets(n: usize, seed: u64) -> Result<Vec<Apart>, formats::Error> {
    let others = clouds::distributions(n, seed + 100).into_iter().map(|other| other.positions);
    let drawn = clouds::distributions(n, seed).into_iter().zip(others);
    let cut = clouds::real()?.into_iter().map(|Cloud { name, positions, charges }| {
        let every_second = |first| positions.iter().skip(first).step_by(2).copied().collect();
        let charges = charges.iter().step_by(2).copied().collect();
        (Cloud { name, positions: every_second(0), charges }, every_second(1))
    });
    Ok(drawn.chain(cut).collect())
}

/// Receivers away from the sources of a unit cube, as a shell around it, a ball beside it, far
/// away, and in its middle: at most a few of the sums have near terms.
pub fn separated_sets(n: usize, seed: u64) -> [Apart; 4] {
    let shell = clouds::sphere_surface(n, seed + 1).positions;
    let placed = |(name, center, radius): (&'static str, f64, f64)| {
        let receivers = shell.iter().map(|point| point.map(|x| center + radius * x)).collect();
        (Cloud { name, ..clouds::uniform_cube(n, seed) }, receivers)
    };
    let places = [
        ("around", 0.5, 30.0),
        ("beside", 1.5, 0.5),
        ("far away", 1e3, 1.0),
        ("inside", 0.5, 1e-3),
    ];
    places.map(placed)
}

/// The kinds of charges a tolerance is promised for, by name: masses, mixed, the set's own.
pub fn promised_charges(cloud: &Cloud, seed: u64) -> [(&'static str, Vec<f64>); 3] {
    let n = cloud.positions.len();
    [
        ("masses", charges::masses(n, seed)),
        ("mixed", charges::mixed(n, seed + 1)),
        ("own", cloud.charges.clone()),
    ]
}

/// The right results of a [`Problem`] at some of its receivers, in f64 from the rounded inputs.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Indices of the receivers, ascending: shape (k).
    pub receivers: Vec<usize>,
    /// Potential Φ at these receivers: shape (k).
    pub potential: Vec<f64>,
    /// Gradient ∇Φ at these receivers: shape (k).
    pub gradient: Vec<[f64; 3]>,
}

/// Errors of a field at an oracle's receivers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Errors of the potential.
    pub potential: Errors,
    /// Errors of the gradient.
    pub gradient: Errors,
}

impl Measured {
    /// The relative L2 error of the worse output; not a number if one of them is.
    pub fn worse(&self) -> f64 {
        let (potential, gradient) = (self.potential.l2, self.gradient.l2);
        if potential > gradient || potential.is_nan() { potential } else { gradient }
    }
}

impl Oracle {
    /// The oracle of `count` random receivers, or of all if there are fewer.
    pub fn new<T: Scalar>(problem: &Problem<T>, count: usize) -> Self {
        Self::softened(problem, count, 0.0)
    }

    /// The oracle with Plummer softening, in the unit of the positions.
    pub fn softened<T: Scalar>(problem: &Problem<T>, count: usize, softening: f64) -> Self {
        let charges: Vec<f64> = problem.charges.iter().map(|q| q.widen()).collect();
        Self::of(problem, &charges, count, softening)
    }

    /// The oracle with Σ |q_j| / r_j, softened, in place of the potential. Rounding and proven bounds
    /// are relative to that sum.
    pub fn of_magnitudes<T: Scalar>(problem: &Problem<T>, count: usize, softening: f64) -> Self {
        let charges: Vec<f64> = problem.charges.iter().map(|q| q.widen().abs()).collect();
        Self::of(problem, &charges, count, softening)
    }

    fn of<T: Scalar>(problem: &Problem<T>, charges: &[f64], count: usize, softening: f64) -> Self {
        let receivers = sample(problem.receivers().len(), count, 77);
        let all = widen(problem.receivers());
        let at: Vec<[f64; 3]> = receivers.iter().map(|i| all[*i]).collect();
        let sources = widen(&problem.sources);
        let (potential, gradient) = reference::direct(&sources, charges, &at, softening);
        Self { receivers, potential, gradient }
    }

    /// The errors of a field of the whole problem.
    pub fn errors<T: Scalar>(&self, field: &Field<T>) -> Measured {
        let gradient: Vec<[f64; 3]> =
            self.receivers.iter().map(|i| field.gradient[*i].map(T::widen)).collect();
        Measured {
            potential: self.potential_errors(field),
            gradient: norms::vector(&gradient, &self.gradient),
        }
    }

    /// The errors of a field without gradient.
    pub fn potential_errors<T: Scalar>(&self, field: &Field<T>) -> Errors {
        let potential: Vec<f64> =
            self.receivers.iter().map(|i| field.potential[*i].widen()).collect();
        norms::scalar(&potential, &self.potential)
    }
}

/// The bits of a field: all potentials, then the gradients by receiver.
pub fn bits<T: Scalar>(field: &Field<T>) -> Vec<u64> {
    let numbers = field.potential.iter().chain(field.gradient.as_flattened());
    numbers.map(|x| x.widen().to_bits()).collect()
}

/// Positions in `T`, each coordinate rounded.
pub fn narrow<T: Scalar>(positions: &[[f64; 3]]) -> Vec<[T; 3]> {
    positions.iter().map(|position| position.map(T::narrow)).collect()
}

/// Positions in f64.
pub fn widen<T: Scalar>(positions: &[[T; 3]]) -> Vec<[f64; 3]> {
    positions.iter().map(|position| position.map(T::widen)).collect()
}
