//! Prints Nakasato (2012), Tables 2, 3 and 5, beside ours: times of walks one by one in several orders
//! of the particles, and by groups.
//!
//! The walk one by one is the kernel of the paper's appendix: positions, sizes, `next` and `more` in
//! flat arrays of f32, particles first. `walk CURVE K` walks K·1024 particles once and prints nothing
//! but the time, for a profiler to watch; CURVE is morton, hilbert or given.

use std::error::Error;
use std::time::Instant;

use fmm::{Fmm, Method, Opening, Tolerance};
use octree::order::{Curve, permutation};
use octree::walk::{Links, Visitor};
use octree::{Depth, Octree, upward};
use rayon::prelude::*;
use testbed::clouds::{self, Cloud};

/// N in K, and the paper's total and construction times: unsorted (Table 2) and Morton (Table 3).
const BY_NUMBER: [(usize, [f64; 2], [f64; 2]); 5] = [
    (50, [3.95e-2, 1.1e-3], [3.00e-2, 9.1e-3]),
    (100, [9.65e-2, 2.5e-2], [6.08e-2, 1.8e-2]),
    (200, [0.234, 6.1e-2], [0.127, 3.9e-2]),
    (400, [0.583, 0.15], [0.265, 8.0e-2]),
    (800, [1.36, 0.38], [0.566, 0.16]),
];

/// θ and the paper's total time at 800K (Table 5).
const BY_ANGLE: [(f64, f64); 9] = [
    (0.2, 16.5),
    (0.3, 5.24),
    (0.4, 2.24),
    (0.5, 1.14),
    (0.6, 0.682),
    (0.7, 0.492),
    (0.8, 0.398),
    (0.9, 0.343),
    (1.0, 0.310),
];

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
            println!("{:.4} s", particles.walk_all(THETA).seconds);
            Ok(())
        }
        _ => Err("give nothing, or: walk CURVE K".into()),
    }
}

fn sphere(thousands: usize) -> Cloud {
    clouds::uniform_sphere(1024 * thousands, 1)
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
            print!(" {:.3} |", particles.walk_all(THETA).seconds);
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
        let Walked { seconds, interactions } = particles.walk_all(theta);
        let groups: f64 = by_groups(&cloud, theta)?.iter().sum();
        println!("| {theta} | {paper} | {seconds:.3} | {interactions:.0} | {groups:.3} |");
    }
    Ok(())
}

/// Seconds of planning and of evaluating by `fmm`, in f32.
fn by_groups(cloud: &Cloud, theta: f64) -> Result<[f64; 2], fmm::Error> {
    let positions: Vec<[f32; 3]> = cloud.positions.iter().map(|p| p.map(|x| x as f32)).collect();
    let masses: Vec<f32> = cloud.charges.iter().map(|mass| *mass as f32).collect();
    let fmm = Fmm::new().method(Method::Treecode).opening(Opening::Nakasato { theta });
    let plan = fmm.tolerance(Tolerance::Order(1)).plan(&positions)?;
    let planned = plan.report().seconds.total();
    let evaluated = plan.evaluate(&masses)?.report.seconds.total();
    Ok([planned, evaluated - planned])
}

/// The paper's arrays: n particles, then the cells.
struct Particles {
    links: Links,
    /// Position and mass: shape (n + n_cells).
    bodies: Vec<[f32; 4]>,
    /// Of cells: (l, s), from which a θ makes the squared effective size.
    shapes: Vec<[f32; 2]>,
    build_seconds: f64,
}

struct Walked {
    seconds: f64,
    /// Cells and particles on a receiver, in the mean.
    interactions: f64,
}

impl Particles {
    fn new(cloud: &Cloud, curve: Curve) -> Result<Self, octree::Error> {
        let Cloud { positions, charges, .. } = cloud;
        // The paper's particles come sorted, or not: sorting takes no part in the times.
        let order = permutation(positions, curve)?;
        let clock = Instant::now();
        let tree = Octree::build(positions, Depth::Adaptive { leaf_capacity: 1 })?;
        let links = Links::build(&tree)?.in_order(&order)?;
        let sources = tree.source_order();
        let body = |i: u32| {
            let [x, y, z] = positions[i as usize];
            [x, y, z, charges[i as usize]]
        };
        let moments = upward(&tree, |b, below: &[[f64; 4]]| {
            let of_points = if tree.is_leaf(b) { tree.sources(b) } else { 0..0 };
            let of_points =
                of_points.map(|at| body(sources[at])).map(|[x, y, z, m]| [m * x, m * y, m * z, m]);
            of_points
                .chain(below.iter().copied())
                .fold([0.0; 4], |a, b| [0, 1, 2, 3].map(|k| a[k] + b[k]))
        });
        let cells = moments.iter().map(|[x, y, z, m]| [x / m, y / m, z / m, *m]);
        let shape = |(b, [x, y, z, _]): (usize, [f64; 4])| {
            let (cube, key) = (tree.cube(), tree.key(b));
            let middle = cube.center(key);
            let s = (x - middle[0]).hypot(y - middle[1]).hypot(z - middle[2]);
            [cube.side_at(key.level()) as f32, s as f32]
        };
        let shapes = cells.clone().enumerate().map(shape).collect();
        let particles = links.order().iter().map(|i| body(*i));
        let bodies = particles.chain(cells).map(|body| body.map(|x| x as f32)).collect();
        Ok(Self { links, bodies, shapes, build_seconds: clock.elapsed().as_secs_f64() })
    }

    /// Walks for every particle, in the order of the arrays.
    fn walk_all(&self, theta: f64) -> Walked {
        let n = self.links.n_particles();
        let square = |x: f32| x * x;
        let sizes: Vec<f32> =
            self.shapes.iter().map(|[l, s]| square(l / theta as f32 + s)).collect();
        let clock = Instant::now();
        let walk = |at: &[f32; 4]| {
            let cells = &self.bodies[n..];
            let mut walk = Walk {
                particles: &self.bodies[..n],
                cells,
                sizes: &sizes,
                at: *at,
                ..Walk::default()
            };
            self.links.walk(&mut walk);
            (walk.sums, u64::from(walk.count))
        };
        let (sums, counts): (Vec<[f32; 4]>, Vec<u64>) =
            self.bodies[..n].par_iter().with_min_len(256).map(walk).unzip();
        let seconds = clock.elapsed().as_secs_f64();
        debug_assert!(sums.iter().flatten().all(|x| x.is_finite()));
        Walked { seconds, interactions: counts.iter().sum::<u64>() as f64 / n as f64 }
    }
}

/// The walk of one particle.
#[derive(Default)]
struct Walk<'a> {
    particles: &'a [[f32; 4]],
    cells: &'a [[f32; 4]],
    /// Squared effective sizes of cells.
    sizes: &'a [f32],
    at: [f32; 4],
    /// Acceleration and potential.
    sums: [f32; 4],
    count: u32,
}

impl Walk<'_> {
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

impl Visitor for Walk<'_> {
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
