//! Tables 2, 3 and 5 on the cores: the walk of the paper's appendix one by one, in several orders of the particles, and the
//! walk by groups.
//!
//! The walk one by one reads what the paper's kernel reads: positions, sizes, `next` and `more` in flat arrays of f32,
//! particles first.

use std::time::Instant;

use fmm::{Fmm, Method, Opening, Tolerance, Treecode};
use octree::papers::curve::Curve;
use octree::papers::walk::Visitor;
use rayon::prelude::*;
use testbed::clouds::Cloud;

use super::paper::{BY_ANGLE, BY_NUMBER, THETA};
use super::particles::{Particles, sphere};
use crate::timing::{fastest, narrow, seconds};
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Columns of Tables 2 and 3 and of Figures 9 and 10, on cores and on a GPU.
pub(super) const BY_NUMBER_COLUMNS: [&str; 8] = [
    "N",
    "build / s",
    "unsorted / s",
    "Morton / s",
    "Peano–Hilbert / s",
    "groups: build / s",
    "groups: walk / s",
    "direct / s",
];

/// Columns of Table 5.
pub(super) const BY_ANGLE_COLUMNS: [&str; 5] =
    ["θ", "one by one / s", "interactions", "groups: build / s", "groups: walk / s"];

/// The paper's numbers of particles in K, with smaller ones before.
pub(super) fn thousands(settings: Settings) -> Vec<usize> {
    let few = settings.pick(vec![1], vec![1, 3, 10, 30], vec![1, 3, 10, 30]);
    let most = settings.pick(1, 800, 800);
    few.into_iter().chain(BY_NUMBER.map(|row| row.0)).filter(|k| *k <= most).collect()
}

/// Measures Tables 2 and 3: a uniform sphere of N particles.
pub(crate) fn by_number(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(BY_NUMBER_COLUMNS);
    for thousands in thousands(settings) {
        let cloud = sphere(thousands);
        let mut row = vec![Some(cloud.positions.len() as f64)];
        for (k, curve) in [Curve::Given, Curve::Morton, Curve::Hilbert].into_iter().enumerate() {
            let particles = Particles::new(&cloud, curve)?;
            if k == 0 {
                row.push(Some(particles.build_seconds));
            }
            row.push(Some(walk_all(&particles, THETA).seconds));
        }
        row.extend(by_groups(&cloud, THETA)?.map(Some));
        let direct = Fmm::new().method(Method::Direct).tolerance(1e-4);
        row.push(match thousands <= settings.pick(1, 200, 800) {
            true => Some(seconds(&fastest(direct, &cloud, 1)?)),
            false => None,
        });
        table.push(row);
    }
    Ok(table)
}

/// Measures Table 5: 800K particles along the Morton curve.
pub(crate) fn by_angle(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(BY_ANGLE_COLUMNS);
    let cloud = sphere(settings.pick(1, 800, 800));
    let particles = Particles::new(&cloud, Curve::Morton)?;
    for (theta, ..) in BY_ANGLE {
        let Walked { seconds, interactions } = walk_all(&particles, theta);
        let [build, walk] = by_groups(&cloud, theta)?;
        let row = [theta, seconds, interactions, build, walk];
        table.push(row.map(Some));
    }
    Ok(table)
}

/// Walks once for a profiler: curve, thousands of particles and θ.
pub(crate) fn walk_once(words: &[String]) -> Outcome {
    let (curve, thousands, theta) = watched(words)?;
    let particles = Particles::new(&sphere(thousands), curve)?;
    println!("{:.4} s", walk_all(&particles, theta).seconds);
    Ok(())
}

/// Curve, thousands of particles and θ of a walk that a profiler watches.
pub(super) fn watched(words: &[String]) -> Outcome<(Curve, usize, f64)> {
    let [curve, thousands, theta] = words else { return Err("give CURVE K THETA".into()) };
    let curve = match curve.as_str() {
        "morton" => Curve::Morton,
        "hilbert" => Curve::Hilbert,
        "given" => Curve::Given,
        other => return Err(format!("{other:?} is no curve: given, morton, hilbert").into()),
    };
    Ok((curve, thousands.parse()?, theta.parse()?))
}

/// Interactions of a particle in the walk one by one, on the mean of a sample of particles.
pub(super) fn interactions(particles: &Particles, theta: f64) -> f64 {
    const SAMPLED: usize = 20_000;
    let sizes = particles.sizes(theta);
    let step = particles.n().div_ceil(SAMPLED);
    let counts: Vec<u64> = (0..particles.n())
        .into_par_iter()
        .step_by(step)
        .map(|i| u64::from(walk_of(particles, &sizes, i).1))
        .collect();
    counts.iter().sum::<u64>() as f64 / counts.len() as f64
}

/// Seconds of planning and of evaluating by `fmm`, in f32.
fn by_groups(cloud: &Cloud, theta: f64) -> Result<[f64; 2], fmm::Error> {
    let positions = narrow(&cloud.positions);
    let masses: Vec<f32> = cloud.charges.iter().map(|mass| *mass as f32).collect();
    let fmm = Fmm::new().method(Treecode::new().opening(Opening::Nakasato { theta }));
    let plan = fmm.tolerance(Tolerance::Order(1)).plan(&positions)?;
    let planned = plan.report().seconds.total();
    let evaluated = plan.evaluate(&masses)?.report.seconds.total();
    Ok([planned, evaluated - planned])
}

struct Walked {
    seconds: f64,
    /// Mean number of cells and particles that act on a receiver.
    interactions: f64,
}

/// Walks for every particle, in the order of the arrays.
fn walk_all(particles: &Particles, theta: f64) -> Walked {
    let n = particles.n();
    let sizes = particles.sizes(theta);
    let clock = Instant::now();
    let (sums, counts): (Vec<[f32; 4]>, Vec<u64>) = (0..n)
        .into_par_iter()
        .with_min_len(256)
        .map(|i| walk_of(particles, &sizes, i))
        .map(|(sums, count)| (sums, u64::from(count)))
        .unzip();
    let seconds = clock.elapsed().as_secs_f64();
    debug_assert!(sums.iter().flatten().all(|x| x.is_finite()));
    Walked { seconds, interactions: counts.iter().sum::<u64>() as f64 / n as f64 }
}

/// Sums of one particle, and the number of its interactions.
fn walk_of(particles: &Particles, sizes: &[f32], i: usize) -> ([f32; 4], u32) {
    let (bodies, cells) = particles.bodies.split_at(particles.n());
    let mut walk =
        SingleWalk { particles: bodies, cells, sizes, at: bodies[i], ..SingleWalk::default() };
    particles.links.walk(&mut walk);
    (walk.sums, walk.count)
}

/// The walk of one particle.
#[derive(Default)]
struct SingleWalk<'a> {
    particles: &'a [[f32; 4]],
    cells: &'a [[f32; 4]],
    /// Squared effective sizes of cells.
    sizes: &'a [f32],
    at: [f32; 4],
    /// Acceleration and potential.
    sums: [f32; 4],
    count: u32,
}

impl SingleWalk<'_> {
    #[inline]
    fn distance2(&self, body: &[f32; 4]) -> ([f32; 3], f32) {
        let d = [0, 1, 2].map(|axis| body[axis] - self.at[axis]);
        (d, d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    }

    #[inline]
    fn add(&mut self, body: &[f32; 4]) {
        let (d, r2) = self.distance2(body);
        if r2 > 0.0 {
            let inverse = r2.sqrt().recip();
            let phi = body[3] * inverse;
            let force = phi * inverse * inverse;
            for (sum, d) in self.sums.iter_mut().zip(d) {
                *sum += force * d;
            }
            self.sums[3] += phi;
        }
        self.count += 1;
    }
}

impl Visitor for SingleWalk<'_> {
    #[inline]
    fn opens(&self, cell: usize) -> bool {
        self.distance2(&self.cells[cell]).1 <= self.sizes[cell]
    }

    #[inline]
    fn particle(&mut self, i: usize) {
        self.add(&self.particles[i]);
    }

    #[inline]
    fn cell(&mut self, cell: usize) {
        self.add(&self.cells[cell]);
    }
}
