//! With groups and leaves of one, the treecode is the papers': one walk a receiver. It is compared with
//! a walk along `next` and `more` links, written from the formulas, cell by cell.

use fmm::{Depth, Device, Opening, Tolerance, Treecode, Workspace};
use octree::papers::walk::{Links, Visitor};
use octree::{Octree, upward};
use testbed::clouds::{self, Cloud};
use testbed::conformance::Bed;
use testbed::{charges, reference};

const POINTS: usize = 1500;

/// Σ |q|, Σ |q| x and Σ q.
type Moments = (f64, [f64; 3], f64);

/// Sums and counts of the walk of one receiver.
struct Walk<'a> {
    cells: &'a [Cell],
    /// In tree order.
    points: &'a [[f64; 3]],
    charges: &'a [f64],
    at: [f64; 3],
    gradient_before: f64,
    opening: Opening,
    potential: f64,
    gradient: [f64; 3],
    counts: [u64; 2],
}

struct Cell {
    center: [f64; 3],
    charge: f64,
    weight: f64,
    /// Side.
    l: f64,
    /// From the centre of charge to that of the cube.
    s: f64,
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

impl Walk<'_> {
    fn add(&mut self, charge: f64, at: [f64; 3]) {
        let r = distance(at, self.at);
        if r > 0.0 {
            self.potential += charge / r;
            for ((sum, to), from) in self.gradient.iter_mut().zip(at).zip(self.at) {
                *sum += charge * (to - from) / r.powi(3);
            }
        }
    }
}

impl Visitor for Walk<'_> {
    fn opens(&self, cell: usize) -> bool {
        let Cell { center, weight, l, s, .. } = self.cells[cell];
        let d = distance(center, self.at);
        let within_the_cube = d <= s + 0.75_f64.sqrt() * l;
        within_the_cube
            || match self.opening {
                Opening::BarnesHut { theta } => l / d >= theta,
                Opening::Nakasato { theta } => l / theta + s >= d,
                Opening::Relative { alpha } => {
                    weight * l.powi(2) / d.powi(4) >= alpha * self.gradient_before
                }
                _ => unreachable!("lists, no walk"),
            }
    }

    fn particle(&mut self, i: usize) {
        self.counts[1] += 1;
        self.add(self.charges[i], self.points[i]);
    }

    fn cell(&mut self, cell: usize) {
        self.counts[0] += 1;
        self.add(self.cells[cell].charge, self.cells[cell].center);
    }
}

fn cells(tree: &Octree, points: &[[f64; 3]], charges: &[f64]) -> Vec<Cell> {
    let moments = upward(tree, |b, below: &[Moments]| {
        let add = |(w, wx, q): Moments, (v, vx, p): Moments| {
            (w + v, [0, 1, 2].map(|axis| wx[axis] + vx[axis]), q + p)
        };
        let of_point = |i: usize| {
            let weight = charges[i].abs();
            (weight, points[i].map(|x| weight * x), charges[i])
        };
        let leaf = if tree.is_leaf(b) { tree.sources(b) } else { 0..0 };
        below.iter().copied().chain(leaf.map(of_point)).fold(Moments::default(), add)
    });
    let cell = |(b, (weight, weighted, charge)): (usize, Moments)| {
        let (cube, key) = (tree.cube(), tree.key(b));
        let center = weighted.map(|x| x / weight);
        let s = distance(center, cube.center(key));
        Cell { center, charge, weight, l: cube.side_at(key.level()), s }
    };
    moments.into_iter().enumerate().map(cell).collect()
}

/// Sums of |q| / r and of |q| / r² at each point, to which rounding is relative.
struct Magnitudes {
    potentials: Vec<f64>,
    pulls: Vec<f64>,
}

impl Magnitudes {
    fn of(positions: &[[f64; 3]], charges: &[f64]) -> Self {
        let absolute: Vec<f64> = charges.iter().map(|q| q.abs()).collect();
        let (potentials, _) = reference::direct(positions, &absolute, positions, 0.0);
        Self { potentials, pulls: reference::pulls(positions, &absolute, positions, 0.0) }
    }
}

fn walks_agree(
    device: Device,
    positions: &[[f64; 3]],
    charges: &[f64],
    magnitudes: &Magnitudes,
    opening: Opening,
    leaf_capacity: usize,
) {
    let depth = Depth::Adaptive { leaf_capacity };
    let method = Treecode::new().opening(opening).group_capacity(1).into();
    let fmm = Bed::of(device).engine(method).fmm().depth(depth).tolerance(Tolerance::Order(1));
    let plan = fmm.plan(positions).unwrap();
    let before = plan.evaluate(charges).unwrap();
    let mut field = before.clone();
    if matches!(opening, Opening::Relative { .. }) {
        let workspace = &mut Workspace::new();
        plan.evaluate_after_into(charges, &before.gradient, &mut field, workspace).unwrap();
    }

    let tree = Octree::build(positions, depth).unwrap();
    let links = Links::build(&tree).unwrap();
    let sorted: Vec<[f64; 3]> =
        links.permutation().iter().map(|i| positions[*i as usize]).collect();
    let sorted_charges: Vec<f64> =
        links.permutation().iter().map(|i| charges[*i as usize]).collect();
    let cells = cells(&tree, &sorted, &sorted_charges);
    let mut counts = [0; 2];
    for (i, at) in positions.iter().enumerate() {
        let mut walk = Walk {
            cells: &cells,
            points: &sorted,
            charges: &sorted_charges,
            at: *at,
            gradient_before: distance(before.gradient[i], [0.0; 3]),
            opening,
            potential: 0.0,
            gradient: [0.0; 3],
            counts,
        };
        links.walk(&mut walk);
        counts = walk.counts;
        let rounding = positions.len() as f64 * f64::EPSILON;
        let error = (field.potential[i] - walk.potential).abs();
        assert!(error <= rounding * magnitudes.potentials[i], "{opening}, {i}: {error:e}");
        let error = distance(field.gradient[i], walk.gradient);
        assert!(error <= rounding * magnitudes.pulls[i], "{opening}, {i}: {error:e}");
    }
    assert_eq!([field.report.m2p_pairs, field.report.p2p_pairs], counts, "{opening}");
}

fn single_walks_agree(bed: Bed) {
    let (n, few) = (bed.points(POINTS), if bed.is_slow() { 1 } else { 2 });
    let openings = [
        Opening::BarnesHut { theta: 0.6 },
        Opening::BarnesHut { theta: 1.2 },
        Opening::Nakasato { theta: 0.6 },
        Opening::Nakasato { theta: 1.0 },
        Opening::Relative { alpha: 1e-3 },
    ];
    for Cloud { positions, .. } in &[clouds::plummer(n, 1), clouds::uniform_cube(n, 2)][..few] {
        for charges in &[charges::mixed(n, 4), charges::masses(n, 3)][..few] {
            let magnitudes = Magnitudes::of(positions, charges);
            for opening in openings {
                for leaf_capacity in [1, 8] {
                    let device = bed.device;
                    walks_agree(device, positions, charges, &magnitudes, opening, leaf_capacity);
                }
            }
        }
    }
}

on_devices! {
    single_walks_agree: cpu emulated cuda;
}
