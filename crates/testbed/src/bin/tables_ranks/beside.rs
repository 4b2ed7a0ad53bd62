//! Ranks beside threads: P ranks of one thread each, and one process with P threads, in turn on the same cores.
//!
//! Core seconds are those that the system gave to the threads (Linux alone counts them so), which other programs disturb
//! less than the clock: of one process the mean of its threads, which leaves their waiting out; of ranks the slowest. On
//! other systems they are NaN.

use std::sync::Arc;
use std::time::Instant;

use distributed::{Communicator, threads};
use fmm::Fmm;
use rayon::{ThreadPool, ThreadPoolBuilder};
use testbed::clouds::Cloud;
use testbed::fit::median;
use testbed::ranks::Outcome;

use crate::{Arguments, heading};

/// Tolerance of the sums.
const TOLERANCE: f64 = 1e-6;

/// A plan and its first evaluation.
struct Run {
    /// Core seconds of the plan.
    plan: f64,
    /// Core seconds of the evaluation.
    evaluation: f64,
    /// Seconds of both by the clock.
    clock: f64,
}

/// Prints medians of core seconds, and those of the ratios of neighbouring runs, by cores and by the clock.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    let n = arguments.points;
    println!("{n} points at {TOLERANCE:e}: P threads and P ranks of one thread, ms of a core.\n");
    let names = ["set", "P", "plan, threads", "plan, ranks", "evaluation, threads"];
    heading(1, &[&names[..], &["evaluation, ranks", "ratio of both", "by the clock"]].concat());
    for set in &arguments.sets {
        let cloud = Arguments::cloud(set, n)?;
        for size in arguments.ranks.iter().copied() {
            let pairs = (0..arguments.repeats.max(1))
                .map(|_| Ok((of_threads(&cloud, size)?, of_ranks(&cloud, size)?)))
                .collect::<Outcome<Vec<(Run, Run)>>>()?;
            let of = |value: &dyn Fn(&(Run, Run)) -> f64| median(pairs.iter().map(value));
            print!("| {set} | {size} | {:.0} |", 1e3 * of(&|pair| pair.0.plan));
            print!(
                " {:.0} | {:.0} |",
                1e3 * of(&|pair| pair.1.plan),
                1e3 * of(&|pair| pair.0.evaluation)
            );
            print!(" {:.0} |", 1e3 * of(&|pair| pair.1.evaluation));
            let both = |run: &Run| run.plan + run.evaluation;
            print!(" {:.2} |", of(&|pair| both(&pair.1) / both(&pair.0)));
            println!(" {:.2} |", of(&|pair| pair.1.clock / pair.0.clock));
        }
    }
    println!();
    Ok(())
}

fn pool(threads: usize) -> Outcome<ThreadPool> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).build()?)
}

/// Core seconds of the threads of a pool so far, on average.
fn core_seconds(pool: &ThreadPool) -> Outcome<f64> {
    let of_thread = |_: rayon::BroadcastContext<'_>| -> Outcome<f64> {
        let Ok(counts) = std::fs::read_to_string("/proc/thread-self/schedstat") else {
            return Ok(f64::NAN);
        };
        let first = counts.split_whitespace().next().unwrap_or_default();
        Ok(1e-9 * first.parse::<f64>()?)
    };
    let seconds = pool.broadcast(of_thread).into_iter().collect::<Outcome<Vec<f64>>>()?;
    Ok(seconds.iter().sum::<f64>() / seconds.len() as f64)
}

/// Plan and evaluation on the threads of a pool.
fn timed<P: Send>(
    pool: &ThreadPool,
    plan: impl FnOnce() -> Result<P, fmm::Error> + Send,
    evaluate: impl FnOnce(P) -> Result<(), fmm::Error> + Send,
) -> Outcome<Run> {
    let (start, clock) = (core_seconds(pool)?, Instant::now());
    let plan = pool.install(plan)?;
    let planned = core_seconds(pool)?;
    pool.install(|| evaluate(plan))?;
    let clock = clock.elapsed().as_secs_f64();
    let end = core_seconds(pool)?;
    Ok(Run { plan: planned - start, evaluation: end - planned, clock })
}

/// One process with `size` threads.
fn of_threads(cloud: &Cloud, size: usize) -> Outcome<Run> {
    let fmm = Fmm::new().tolerance(TOLERANCE);
    let evaluate = |plan: fmm::Plan<f64>| plan.evaluate(&cloud.charges).map(|_| ());
    timed(&pool(size)?, || fmm.plan(&cloud.positions), evaluate)
}

/// Ranks, as many, with one thread each, of which rank r brings the r-th part of the points.
fn of_ranks(cloud: &Cloud, size: usize) -> Outcome<Run> {
    let pools = (0..size).map(|_| pool(1)).collect::<Outcome<Vec<_>>>()?;
    let run = |communicator: Arc<dyn Communicator>| -> Outcome<Run> {
        let (rank, n) = (communicator.rank(), cloud.positions.len());
        let part = rank * n / size..(rank + 1) * n / size;
        let (positions, charges) = (&cloud.positions[part.clone()], &cloud.charges[part]);
        let fmm = Fmm::new().tolerance(TOLERANCE);
        let plan = || fmm.plan_over(&communicator, positions);
        let evaluate = |plan: fmm::Plan<f64>| plan.evaluate(charges).map(|_| ());
        communicator.agree(None)?;
        timed(&pools[rank], plan, evaluate)
    };
    let runs = threads::run(size, run)?.into_iter().collect::<Outcome<Vec<Run>>>()?;
    let slowest = |of: fn(&Run) -> f64| runs.iter().map(of).fold(0.0, f64::max);
    Ok(Run {
        plan: slowest(|run| run.plan),
        evaluation: slowest(|run| run.evaluation),
        clock: slowest(|run| run.clock),
    })
}
