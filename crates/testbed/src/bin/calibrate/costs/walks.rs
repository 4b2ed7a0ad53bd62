//! Seconds of the parts of the treecode's walks.

use fmm::{Depth, Fmm, Opening, Scalar, Stage, Tolerance, Treecode};
use testbed::clouds;
use testbed::conformance::Problem;
use testbed::fit::{geometric_mean, positive_fit};

use super::timing::{Machine, Timing, masses, time};
use crate::tables::Numbers;
use crate::{Outcome, SEED};

const OPENING: Opening = Opening::Nakasato { theta: 0.6 };

/// Capacities of leaves and groups that are tried.
const LEAVES: [usize; 4] = [8, 16, 32, 64];
const GROUPS: [usize; 3] = [32, 64, 128];

/// Costs of walks, as in `fmm::choose::costs::WalkCosts`, whose monopoles cost a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkCosts {
    pub(super) leaf_capacity: usize,
    pub(super) group_capacity: usize,
    pub(super) listed: f64,
    pub(super) cell: [f64; 2],
    pub(super) largest_unrolled: usize,
    pub(super) large_cell: [f64; 2],
    pub(super) f32_cell: f64,
    pub(super) f32_cells_from: f64,
    pub(super) in_place: f64,
    pub(super) centres: f64,
    pub(super) multipoles: [f64; 2],
}

/// Measures walks of evenly spread points. Numbers that are properties of kernels stay as on file: the largest order
/// with a kernel of its own, the rounding error from which cells may act in f32, and the share of a cell's cost up to which its
/// sources act in its place.
pub(super) fn measure<T: Scalar>(
    machine: Machine,
    pair: [f64; 4],
    old: &Numbers,
) -> Outcome<WalkCosts> {
    let on_file = |name: &str| old.get(name).map_or(&[][..], Vec::as_slice);
    let first = |name: &str, default: f64| on_file(name).first().copied().unwrap_or(default);
    let largest_unrolled = first("largest_unrolled", 6.0) as usize;
    let (leaf_capacity, group_capacity) = capacities::<T>(machine)?;
    let n = machine.pick(50_000, 1 << 20);
    let problem: Problem<T> = masses(&clouds::uniform_cube(n, SEED));
    let walks = Walks { machine, problem, pair: pair[3] };
    let listed = walks.listed()?;
    let unrolled: &[usize] = machine.pick(&[2, 3, 4, 5, 6], &[3, 4, 5]);
    let cell = walks.cells(unrolled, listed)?;
    let multipoles = walks.multipoles(machine.pick(&[2, 3, 4, 5, 6, 8], &[3, 4, 5]))?;
    let centres = walks.at(1)?.of(Stage::P2m) / n as f64;
    let (large_cell, f32_cell) = if machine.is_gpu() {
        // No kernels of a GPU have larger orders or cells in another precision.
        let large = on_file("large_cell");
        let large = large.first().zip(large.get(1)).map_or(cell, |(a, b)| [*a, *b]);
        (large, 1.0)
    } else {
        (walks.cells(&[8, 10, 12, 14], listed)?, walks.short_share()?)
    };
    let f32_cells_from = first("f32_cells_from", f64::INFINITY);
    let in_place = first("in_place", 1.0);
    Ok(WalkCosts {
        leaf_capacity,
        group_capacity,
        listed,
        cell,
        largest_unrolled,
        large_cell,
        f32_cell,
        f32_cells_from,
        in_place,
        centres,
        multipoles,
    })
}

/// Capacities of leaves and groups that take least time, by the geometric mean over an even and a clustered set.
fn capacities<T: Scalar>(machine: Machine) -> Outcome<(usize, usize)> {
    let n = machine.pick(50_000, 1 << 20);
    let sets = [clouds::uniform_cube(n, SEED), clouds::plummer(n, SEED)];
    let problems: Vec<Problem<T>> = sets.iter().map(masses).collect();
    let mut best = (f64::INFINITY, (0, 0));
    // A GPU's groups end at 64 receivers.
    for group in GROUPS.into_iter().filter(|group| !machine.is_gpu() || *group <= 64) {
        for leaf_capacity in LEAVES {
            let options = Treecode::new().opening(OPENING).group_capacity(group);
            let fmm = machine.fmm().method(options).tolerance(Tolerance::Order(3));
            let fmm = fmm.depth(Depth::Adaptive { leaf_capacity });
            let seconds: Result<Vec<f64>, fmm::Error> =
                problems.iter().map(|problem| Ok(time(fmm, problem, 1)?.total())).collect();
            let seconds = geometric_mean(&seconds?);
            eprintln!("leaves of {leaf_capacity}, groups of {group}: {seconds:.4} s");
            if seconds < best.0 {
                best = (seconds, (leaf_capacity, group));
            }
        }
    }
    Ok(best.1)
}

/// Walks of one set on one machine.
struct Walks<T> {
    machine: Machine,
    problem: Problem<T>,
    /// Seconds of a pair summed in full, as at an order by hand.
    pair: f64,
}

impl<T: Scalar> Walks<T> {
    fn fmm(&self, tolerance: Tolerance) -> Fmm {
        self.machine.fmm().method(Treecode::new().opening(OPENING)).tolerance(tolerance)
    }

    fn at(&self, order: usize) -> Outcome<Timing> {
        Ok(time(self.fmm(Tolerance::Order(order)), &self.problem, 1)?)
    }

    /// Seconds of listing a cell. One kernel of a GPU lists and sums: monopoles and sources, which cost a pair each, are
    /// taken from its time.
    fn listed(&self) -> Outcome<f64> {
        let timing = self.at(1)?;
        let cells = timing.report.m2p_pairs as f64;
        if !self.machine.is_gpu() {
            return Ok(timing.of(Stage::Walk) / cells);
        }
        let pairs = cells + timing.report.p2p_pairs as f64;
        Ok(((timing.of(Stage::Walk) - pairs * self.pair) / cells).max(0.0))
    }

    /// Coefficients of 1 and p² of a cell that acts on a receiver.
    fn cells(&self, orders: &[usize], listed: f64) -> Outcome<[f64; 2]> {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for order in orders {
            let timing = self.at(*order)?;
            let cells = timing.report.m2p_pairs as f64;
            let seconds = if self.machine.is_gpu() {
                let sources = timing.report.p2p_pairs as f64 * self.pair;
                (timing.of(Stage::Walk) - sources) / cells - listed
            } else {
                timing.of(Stage::M2p) / cells
            };
            // Differences of times may be lost in their noise.
            if seconds > 0.0 {
                rows.push([1.0, (order * order) as f64]);
                values.push(seconds);
            }
        }
        Ok(positive_fit(&rows, &values))
    }

    /// Coefficients of 1 and p² of a source's share of making multipoles.
    fn multipoles(&self, orders: &[usize]) -> Outcome<[f64; 2]> {
        let n = self.problem.sources.len() as f64;
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for order in orders {
            rows.push([1.0, (order * order) as f64]);
            values.push(self.at(*order)?.of(Stage::P2m) / n);
        }
        Ok(positive_fit(&rows, &values))
    }

    /// The share of a cell's time where cells act in f32: a loose tolerance against its order by hand.
    fn short_share(&self) -> Outcome<f64> {
        let short = time(self.fmm(Tolerance::L2(1e-3)), &self.problem, 1)?;
        let full = self.at(short.report.order)?;
        let a_cell = |timing: &Timing| timing.of(Stage::M2p) / timing.report.m2p_pairs as f64;
        Ok(a_cell(&short) / a_cell(&full))
    }
}
