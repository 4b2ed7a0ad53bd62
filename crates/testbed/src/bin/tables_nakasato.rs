//! Prints Nakasato (2012), Tables 2, 3 and 5, beside ours: times of walks one by one in several orders
//! of the particles, and by groups.
//!
//! The walk one by one is the kernel of the paper's appendix: positions, sizes, `next` and `more` in
//! flat arrays of f32, particles first. `walk CURVE K` walks K·1024 particles once and prints nothing
//! but the time, for a profiler to watch; CURVE is morton, hilbert or given.

use std::error::Error;
use std::time::Instant;

use fmm::{Fmm, Opening, Tolerance, Treecode};
use octree::papers::curve::Curve;
use octree::papers::walk::Visitor;
use rayon::prelude::*;
use testbed::clouds::Cloud;
use testbed::nakasato::{BY_ANGLE, BY_NUMBER, Particles, sphere};

const THETA: f64 = 0.6;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            by_number(&BY_NUMBER)?;
            by_angle(800)
        }
        ["walk", curve, thousands] => {
            let curve = match curve {
                "morton" => Curve::Morton,
                "hilbert" => Curve::Hilbert,
                _ => Curve::Given,
            };
            let particles = Particles::new(&sphere(thousands.parse()?), curve)?;
            println!("{:.4} s", walk_all(&particles, THETA).seconds);
            Ok(())
        }
        _ => Err("give nothing, or: walk CURVE K".into()),
    }
}

fn by_number(rows: &[(usize, [f64; 2], [f64; 2])]) -> Result<(), Box<dyn Error>> {
    println!("Uniform sphere, θ = {THETA}, seconds; *build* is tree, moments and links.\n");
    println!(
        "| N | paper, unsorted: total | build | paper, Morton: total | build | \
         build | unsorted | Morton | Peano–Hilbert | groups: build | walk |"
    );
    println!("|--:|{}", "--:|".repeat(10));
    for (thousands, unsorted, morton) in rows {
        let cloud = sphere(*thousands);
        print!("| {thousands}K | {} | {} |", unsorted[0], unsorted[1]);
        print!(" {} | {} |", morton[0], morton[1]);
        for (k, curve) in [Curve::Given, Curve::Morton, Curve::Hilbert].into_iter().enumerate() {
            let particles = Particles::new(&cloud, curve)?;
            if k == 0 {
                print!(" {:.3} |", particles.build_seconds);
            }
            print!(" {:.3} |", walk_all(&particles, THETA).seconds);
        }
        let [build, walk] = by_groups(&cloud, THETA)?;
        println!(" {build:.3} | {walk:.3} |");
    }
    println!();
    Ok(())
}

fn by_angle(thousands: usize) -> Result<(), Box<dyn Error>> {
    let cloud = sphere(thousands);
    let particles = Particles::new(&cloud, Curve::Morton)?;
    println!("Uniform sphere, {thousands}K particles in Morton order, seconds.\n");
    println!("| θ | paper, total | walk one by one | interactions | by groups, total |");
    println!("|--:|--:|--:|--:|--:|");
    for (theta, paper) in BY_ANGLE {
        let Walked { seconds, interactions } = walk_all(&particles, theta);
        let groups: f64 = by_groups(&cloud, theta)?.iter().sum();
        println!("| {theta} | {paper} | {seconds:.3} | {interactions:.0} | {groups:.3} |");
    }
    Ok(())
}

/// Seconds of planning and of evaluating by `fmm`, in f32.
fn by_groups(cloud: &Cloud, theta: f64) -> Result<[f64; 2], fmm::Error> {
    let positions: Vec<[f32; 3]> = cloud.positions.iter().map(|p| p.map(|x| x as f32)).collect();
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
    let walk = |at: &[f32; 4]| {
        let (bodies, cells) = particles.bodies.split_at(n);
        let mut walk = SingleWalk {
            particles: bodies,
            cells,
            sizes: &sizes,
            at: *at,
            ..SingleWalk::default()
        };
        particles.links.walk(&mut walk);
        (walk.sums, u64::from(walk.count))
    };
    let (sums, counts): (Vec<[f32; 4]>, Vec<u64>) =
        particles.bodies[..n].par_iter().with_min_len(256).map(walk).unzip();
    let seconds = clock.elapsed().as_secs_f64();
    debug_assert!(sums.iter().flatten().all(|x| x.is_finite()));
    Walked { seconds, interactions: counts.iter().sum::<u64>() as f64 / n as f64 }
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
