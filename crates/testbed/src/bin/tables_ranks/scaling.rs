//! Strong and weak scaling: the region of P2P and translations, what is beside it, and the data structure.

use octree::partition::imbalance;
use testbed::ranks::Outcome;
use testbed::ranks::anatomy::Problem;
use testbed::ranks::carrying::Carrier;
use testbed::ranks::sums::{RankSum, Settings};

use crate::{Arguments, heading, most, rule};

/// Prints both: Figure 7, Figure 6, and in the last columns of both Figure 8.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    println!("Strong scaling, {} points (Figures 7 and 8).\n", arguments.points);
    table(arguments, |_| arguments.points)?;
    println!("Weak scaling, {} points a rank (Figures 6 and 8).\n", arguments.points_a_rank);
    table(arguments, |n_ranks| arguments.points_a_rank * n_ranks)
}

/// Milliseconds of the slowest rank, measured without a wire.
fn table(arguments: &Arguments, n_points: impl Fn(usize) -> usize) -> Outcome {
    heading(
        1,
        &[
            "set",
            "P",
            "P2P",
            "translations",
            "region",
            "its mean",
            "overhead",
            "exchange",
            "structure",
            "exchange / total",
            "structure / total",
            "efficiency",
            "imbalance of time",
        ],
    );
    for set in &arguments.sets {
        let mut first = None;
        for n_ranks in arguments.ranks.iter().copied() {
            let n = n_points(n_ranks);
            let cloud = Arguments::cloud(set, n)?;
            let Arguments { order, leaf: leaf_capacity, repeats, .. } = *arguments;
            let sums = RankSum::of_all(
                &cloud,
                n_ranks,
                Settings { order, leaf_capacity, repeats, imbalance_limit: f64::INFINITY },
            )?;
            let rule = rule(&cloud.positions, leaf_capacity)?;
            let problem = Problem { points: &cloud.positions, weights: None, rule: &rule, n_ranks };
            let carriers = Carrier::of_all(&problem, &[order], repeats)?;
            let exchange = most(carriers.iter().map(|carrier| carrier.carried[0][2].seconds));
            let region = most(sums.iter().map(RankSum::region));
            let mean = 1e3 * sums.iter().map(RankSum::region).sum::<f64>() / n_ranks as f64;
            let overhead = most(sums.iter().map(RankSum::overhead));
            let structure = most(sums.iter().map(|sum| sum.structure));
            let evaluation = most(sums.iter().map(|sum| sum.evaluation));
            let total = structure + evaluation;
            // Points a second and rank, against the first row.
            let rate = n as f64 / (n_ranks as f64 * evaluation);
            let efficiency = rate / *first.get_or_insert(rate);
            print!("| {set} | {n_ranks} | {:.1} |", most(sums.iter().map(|sum| sum.near)));
            print!(" {:.1} |", most(sums.iter().map(|sum| sum.far)));
            print!(" {region:.1} | {mean:.1} | {overhead:.1} | {exchange:.2} | {structure:.1} |");
            print!(" {:.1} % | {:.0} % |", 100.0 * exchange / total, 100.0 * structure / total);
            let uneven = imbalance(sums.iter().map(RankSum::region));
            println!(" {:.0} % | {:.0} % |", 100.0 * efficiency, 100.0 * uneven);
        }
    }
    println!();
    Ok(())
}
