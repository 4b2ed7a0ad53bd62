//! `farfield tree`: levels, leaves and lists of the octree of a point set.

use std::fmt::{self, Write};

use clap::Args;
use fmm::{Fmm, Method};
use octree::{Csr, InteractionLists, Octree};

use super::arguments::input::Input;
use super::arguments::memory_limit::MemoryLimit;
use super::arguments::{threads, tolerance};
use super::error::Error;
use super::narrow::blame;
use super::report;
use super::report::progress::Progress;

/// Print the levels, leaves and interaction lists of the octree of a point set
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Relative L2 error for which the depth is chosen
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    tolerance: f64,
    #[command(flatten)]
    memory_limit: MemoryLimit,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    tolerance::check(arguments.tolerance)?;
    threads::start(None)?;
    let progress = Progress::new(2);
    let points = progress.stage("reading", || arguments.input.read_positions())?;
    let fmm = Fmm::new().method(Method::Fmm).tolerance(arguments.tolerance);
    let fmm = arguments.memory_limit.limit(fmm);
    let plan = progress.stage("building the tree", || fmm.plan(&points.points.positions));
    let plan = plan.map_err(|error| blame(error, &[&points]))?;
    drop(progress);
    match plan.octree().zip(plan.lists()) {
        Some((tree, lists)) => report::print(Statistics { tree, lists }),
        // Many of the points coincide, and those of the tree are places.
        None => report::print(plan.report()),
    }
}

struct Statistics<'a> {
    tree: &'a Octree,
    lists: &'a InteractionLists,
}

impl fmt::Display for Statistics<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics { tree, lists } = self;
        let points = |b: usize| tree.sources(b).len();
        let cube = tree.cube();
        let n_points = tree.n_sources();
        writeln!(f, "points           {n_points}")?;
        writeln!(f, "cube             side {:e}, corner {:?}", cube.side(), cube.corner())?;
        writeln!(f, "boxes            {} on {} levels", tree.n_boxes(), tree.n_levels())?;

        let counts = tree.leaves().iter().map(|&leaf| points(leaf as usize));
        let least = counts.clone().min().unwrap_or(0);
        let most = counts.max().unwrap_or(0);
        let n_leaves = tree.leaves().len();
        let mean = n_points as f64 / n_leaves.max(1) as f64;
        writeln!(f, "leaves           {n_leaves}")?;
        writeln!(f, "points in a leaf {least} to {most}, {mean:.1} in the mean")?;

        writeln!(f, "\n{:>5} {:>10} {:>10} {:>12}", "level", "boxes", "leaves", "in leaves")?;
        for level in 0..tree.n_levels() {
            let leaves = tree.level(level).filter(|&b| tree.is_leaf(b));
            let in_leaves: usize = leaves.clone().map(points).sum();
            let (boxes, leaves) = (tree.level(level).len(), leaves.count());
            writeln!(f, "{level:>5} {boxes:>10} {leaves:>10} {in_leaves:>12}")?;
        }

        writeln!(f, "\n{:<20} {:>12} {:>10} {:>10}", "list", "pairs", "a box", "at most")?;
        let mut table = String::new();
        list(&mut table, "near (U), P2P", lists.near())?;
        list(&mut table, "far (V), M2L", lists.far())?;
        list(&mut table, "M2P (W)", lists.m2p())?;
        list(&mut table, "P2L (X)", lists.p2l())?;
        f.write_str(table.trim_end())
    }
}

/// Pairs of a list, and the mean and the largest number for a box that has any.
fn list(out: &mut String, name: &str, list: &Csr) -> fmt::Result {
    let lengths = (0..list.n_rows()).map(|b| list.row(b).len()).filter(|&length| length > 0);
    let most = lengths.clone().max().unwrap_or(0);
    let mean = list.n_items() as f64 / lengths.count().max(1) as f64;
    writeln!(out, "{name:<20} {:>12} {mean:>10.1} {most:>10}", list.n_items())
}
