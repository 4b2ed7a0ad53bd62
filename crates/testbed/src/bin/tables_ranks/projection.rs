//! Weak scaling to 10¹² points on 10⁴ GPUs, projected: counts measured on ranks here, seconds of one GPU, a wire.

use testbed::fit::positive_fit;
use testbed::ranks::Outcome;
use testbed::ranks::anatomy::{Anatomy, Problem};
use testbed::ranks::sums::{RankSum, Settings};
use testbed::ranks::wire::{HUNDRED_GIGABIT, NVLINK, Surface, TWO_HUNDRED_GIGABIT};

use crate::{Arguments, heading, rule};

/// Points a GPU, and seconds of their sum on one H200: uniform cube, f32, gradient error some 3·10⁻⁴. An H100 takes 113 to
/// 118 ms (docs/performance-gpu.md).
const POINTS_A_GPU: f64 = 1e8;
const SECONDS_A_GPU: f64 = 0.116;

/// Points of a leaf there: [`POINTS_A_GPU`] / 8⁷, at most 64 a leaf.
const POINTS_A_LEAF: f64 = 47.7;

/// Order there.
const ORDER: f64 = 6.0;

/// Bytes of a number in f32.
const NARROW: f64 = 4.0;

/// GPUs of one host, which NVLink connects.
const GPUS_A_HOST: f64 = 8.0;

/// Numbers of GPUs: a host, powers of 8 that a cube divides into, and the goal.
const RANKS: [f64; 6] = [1.0, 8.0, 64.0, 512.0, 4096.0, 10_000.0];

/// Counts of messages and boxes on ranks here.
struct Counted {
    /// Multipoles that come to a rank, and ghosts, by leaves of the rank.
    imports: Surface,
    ghosts: Surface,
    /// Sums and parts of shared boxes that come to a rank: constant, log₂ P.
    shared: [f64; 2],
    /// Peers of the rank with the most.
    peers: f64,
    /// Messages of a plan, and of an evaluation: constant, a rank, log₂ P.
    plan: [f64; 3],
    evaluation: [f64; 3],
}

/// Prints what was counted, then the projection.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    let counted = Counted::measure(arguments)?;
    let Counted { imports, ghosts, shared, peers, plan, evaluation } = &counted;
    let surface = |law: &Surface| format!("{:.1} B^(2/3) + {:.1} B^(1/3)", law.face, law.edge);
    let law = |[one, ranks, log]: &[f64; 3]| format!("{one:.0} + {ranks:.1} P + {log:.1} log₂ P");
    println!("Counted on ranks of a cube, the largest of a run, B leaves a rank:\n");
    println!("- multipoles that come to a rank: {}", surface(imports));
    println!("- ghosts, in leaves: {}", surface(ghosts));
    let [one, log] = shared;
    println!("- sums and parts of shared boxes that come to a rank: {one:.0} + {log:.1} log₂ P");
    println!("- peers of a rank: at most {peers}");
    println!("- messages of a rank, plan: {}", law(plan));
    println!("- messages of a rank, evaluation: {}\n", law(evaluation));
    println!(
        "**Projected**: weak scaling, 10⁸ points a GPU ({:.0} ms measured on one), milliseconds of an evaluation. \
         Nothing overlaps.\n",
        1e3 * SECONDS_A_GPU
    );
    heading(
        0,
        &[
            "GPUs",
            "points",
            "MB to a rank",
            "at 12 GB/s",
            "at 25 GB/s",
            "NVLink",
            "shared boxes",
            "messages to all",
            "those of a plan",
            "efficiency",
            "without messages to all",
            "by many-to-many",
            "by the manager",
        ],
    );
    for n_ranks in RANKS {
        counted.project(n_ranks);
    }
    println!();
    Ok(())
}

impl Counted {
    fn measure(arguments: &Arguments) -> Outcome<Self> {
        let n_ranks = arguments.ranks.iter().copied().max().unwrap_or(1);
        let (mut imports, mut ghosts) = (Vec::new(), Vec::new());
        let mut peers = 0;
        for n in [8, 4, 2, 1].map(|part| arguments.points / part) {
            let cloud = Arguments::cloud("cube", n)?;
            let points = &cloud.positions;
            let rule = rule(points, arguments.leaf)?;
            let parts = Anatomy::of_all(&Problem { points, weights: None, rule: &rule, n_ranks })?;
            let counts = || parts.iter().map(|part| part.counts);
            let leaves = counts().map(|c| c.leaves).sum::<usize>() as f64 / n_ranks as f64;
            let points_a_leaf = n as f64 / (leaves * n_ranks as f64);
            let most = counts().map(|c| c.imports).max().unwrap_or(0) as f64;
            imports.push((leaves, most));
            let most = counts().map(|c| c.ghosts).max().unwrap_or(0) as f64;
            ghosts.push((leaves, most / points_a_leaf));
            peers = counts().map(|c| c.peers).fold(peers, usize::max);
        }
        let Arguments { order, leaf: leaf_capacity, .. } = *arguments;
        let settings =
            Settings { order, leaf_capacity, repeats: 1, imbalance_limit: f64::INFINITY };
        let (mut rows, mut plan, mut evaluation) = (Vec::new(), Vec::new(), Vec::new());
        let (mut logarithms, mut shared) = (Vec::new(), Vec::new());
        for n_ranks in arguments.ranks.iter().copied().filter(|n_ranks| *n_ranks > 1) {
            let cloud = Arguments::cloud("cube", arguments.points / 8)?;
            let (points, rule) = (&cloud.positions, rule(&cloud.positions, leaf_capacity)?);
            let parts = Anatomy::of_all(&Problem { points, weights: None, rule: &rule, n_ranks })?;
            let most = parts.iter().map(|part| part.counts.sums + part.counts.parts).max();
            logarithms.push([1.0, (n_ranks as f64).log2()]);
            shared.push(most.unwrap_or(0) as f64);
            let sums = RankSum::of_all(&cloud, n_ranks, settings)?;
            let most = |of: fn(&RankSum) -> u64| sums.iter().map(of).max().unwrap_or(0) as f64;
            rows.push([1.0, n_ranks as f64, (n_ranks as f64).log2()]);
            plan.push(most(|sum| sum.plan_messages));
            evaluation.push(most(|sum| sum.messages));
        }
        Ok(Self {
            imports: Surface::of_counts(&imports),
            ghosts: Surface::of_counts(&ghosts),
            shared: positive_fit(&logarithms, &shared),
            peers: peers as f64,
            plan: positive_fit(&rows, &plan),
            evaluation: positive_fit(&rows, &evaluation),
        })
    }

    /// A row of the projection.
    fn project(&self, n_ranks: f64) {
        let leaves = POINTS_A_GPU / POINTS_A_LEAF;
        let alone = n_ranks < 2.0;
        let boxes = self.imports.count(leaves) * ORDER * ORDER * NARROW;
        let charges = self.ghosts.count(leaves) * POINTS_A_LEAF * NARROW;
        let bytes = if alone { 0.0 } else { boxes + charges };
        let peers = if alone { 0.0 } else { self.peers.min(n_ranks - 1.0) };
        let wire = TWO_HUNDRED_GIGABIT;
        let shared_bytes = match alone {
            true => 0.0,
            false => {
                let [one, log] = self.shared;
                (one + log * n_ranks.log2()) * ORDER * ORDER * NARROW
            }
        };
        let shared = wire.seconds(0.0, shared_bytes);
        let [one, ranks, log] = self.evaluation;
        let to_all = match alone {
            true => 0.0,
            false => wire.seconds(one + ranks * n_ranks + log * n_ranks.log2(), 0.0),
        };
        let [one_plan, ranks_plan, log_plan] = self.plan;
        let plan_messages = match alone {
            true => 0.0,
            false => one_plan + ranks_plan * n_ranks + log_plan * n_ranks.log2(),
        };
        let few = if alone { 0.0 } else { wire.seconds(one + log * n_ranks.log2(), 0.0) };
        let travel = wire.seconds(peers, bytes);
        let efficiency =
            |more: f64| 100.0 * SECONDS_A_GPU / (SECONDS_A_GPU + travel + shared + more);
        print!("| {n_ranks} | {:.1e} | {:.0} |", n_ranks * POINTS_A_GPU, bytes / 1e6);
        print!(" {:.1} | {:.1} |", 1e3 * HUNDRED_GIGABIT.seconds(peers, bytes), 1e3 * travel);
        match n_ranks <= GPUS_A_HOST {
            true => print!(" {:.2} |", 1e3 * NVLINK.seconds(peers, bytes)),
            false => print!(" – |"),
        }
        print!(" {:.2} | {:.2} |", 1e3 * shared, 1e3 * to_all);
        print!(" {:.1} |", 1e3 * wire.seconds(plan_messages, 0.0));
        print!(" {:.0} % | {:.0} % |", efficiency(to_all), efficiency(few));
        // For ghosts and for boxes, a note to each other rank, or a reply of rank 0 to each.
        let messages = 2.0 * (n_ranks - 1.0);
        print!(" {:.1} |", 1e3 * wire.seconds(messages, bytes));
        println!(" {:.0} |", 1e3 * wire.seconds(messages, n_ranks * bytes));
    }
}
