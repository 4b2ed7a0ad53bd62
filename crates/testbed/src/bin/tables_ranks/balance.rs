//! Cuts by the work of points against cuts by their number.

use octree::partition::imbalance;
use testbed::ranks::anatomy::{Anatomy, Counts, Problem};
use testbed::ranks::sums::{RankSum, Settings};
use testbed::ranks::work::Costs;
use testbed::ranks::{Failure, Outcome};

use crate::{Arguments, heading, most, rule};

/// Ranks and points of the comparison; fewer of both where the options ask for fewer points.
const RANKS: usize = 16;
const POINTS: usize = 1_000_000;

/// Imbalance of work above which plans cut anew in the second row of a set: the library's own choice.
const LIMIT: f64 = 0.05;

/// Prints imbalances of points, of predicted work and of measured seconds, between cuts by points and by work.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    let n = POINTS.min(arguments.points);
    let Arguments { order, leaf: leaf_capacity, repeats, .. } = *arguments;
    println!("{n} points over {RANKS} ranks: the largest rank over the mean, minus 1.\n");
    heading(
        1,
        &[
            "set, cuts by",
            "points",
            "near pairs",
            "far pairs",
            "work",
            "region, measured",
            "work, by the plan",
            "plan, ms",
            "slowest region, ms",
        ],
    );
    for set in &arguments.sets {
        let cloud = Arguments::cloud(set, n)?;
        let points = &cloud.positions;
        let rule = rule(points, leaf_capacity)?;
        let seconds = |imbalance_limit| {
            let settings = Settings { order, leaf_capacity, repeats, imbalance_limit };
            RankSum::of_all(&cloud, RANKS, settings)
        };
        let (plain, weighted) = (seconds(f64::INFINITY)?, seconds(LIMIT)?);
        let parts = |weights| {
            let problem = Problem { points, weights, rule: &rule, n_ranks: RANKS };
            let parts = Anatomy::of_all(&problem)?;
            Ok::<Vec<Counts>, Failure>(parts.iter().map(|part| part.counts).collect())
        };
        let by_points = parts(None)?;
        let costs = Costs::of_ranks(&by_points, &plain);
        let weights = costs.weights(points, &rule)?;
        let by_work = parts(Some(&weights))?;
        for (name, counts, sums) in [("points", &by_points, &plain), ("work", &by_work, &weighted)]
        {
            let uneven = |of: &dyn Fn(&Counts) -> f64| 100.0 * imbalance(counts.iter().map(of));
            print!("| {set}, {name} | {:.1} % |", uneven(&|c| c.points as f64));
            print!(" {:.1} % |", uneven(&|c| c.near_pairs as f64));
            print!(" {:.1} % |", uneven(&|c| c.far_pairs as f64));
            print!(" {:.1} % |", uneven(&|c| costs.work(c)));
            print!(" {:.1} % |", 100.0 * imbalance(sums.iter().map(RankSum::region)));
            print!(" {:.1} % |", 100.0 * sums[0].imbalance);
            let [plan, region] = [|sum: &RankSum| sum.structure, RankSum::region]
                .map(|seconds| most(sums.iter().map(seconds)));
            println!(" {plan:.0} | {region:.0} |");
        }
        println!(
            "| {set}: M2L = {:.0} near pairs, a point {:.0} |  |  |  |  |  |  |  |  |",
            costs.translation, costs.point
        );
    }
    println!();
    Ok(())
}
