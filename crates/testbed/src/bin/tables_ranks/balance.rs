//! Cuts by the work of points against cuts by their number.

use testbed::ranks::anatomy::{Anatomy, Counts, Problem};
use testbed::ranks::sums::{RankSum, Settings};
use testbed::ranks::work::{Costs, imbalance};
use testbed::ranks::{Failure, Outcome};

use crate::{Arguments, heading, rule};

/// Ranks and points of the comparison; fewer of both where the options ask for fewer points.
const RANKS: usize = 16;
const POINTS: usize = 1_000_000;

/// Prints imbalances of points and of predicted work, by either cuts, and of measured seconds by points.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    let n = POINTS.min(arguments.points);
    let Arguments { order, leaf: leaf_capacity, repeats, .. } = *arguments;
    let settings = Settings { order, leaf_capacity, repeats };
    println!("{n} points over {RANKS} ranks: the largest rank over the mean, minus 1.\n");
    heading(1, &["set, cuts by", "points", "near pairs", "far pairs", "work", "measured time"]);
    for set in &arguments.sets {
        let cloud = Arguments::cloud(set, n)?;
        let points = &cloud.positions;
        let rule = rule(points, leaf_capacity)?;
        let seconds = RankSum::of_all(&cloud, RANKS, settings)?;
        let parts = |weights| {
            let problem = Problem { points, weights, rule: &rule, n_ranks: RANKS };
            let parts = Anatomy::of_all(&problem)?;
            Ok::<Vec<Counts>, Failure>(parts.iter().map(|part| part.counts).collect())
        };
        let by_points = parts(None)?;
        let costs = Costs::of_ranks(&by_points, &seconds);
        let weights = costs.weights(points, &rule)?;
        let by_work = parts(Some(&weights))?;
        for (name, counts) in [("points", &by_points), ("work", &by_work)] {
            let uneven = |of: &dyn Fn(&Counts) -> f64| 100.0 * imbalance(counts.iter().map(of));
            print!("| {set}, {name} | {:.1} % |", uneven(&|c| c.points as f64));
            print!(" {:.1} % |", uneven(&|c| c.near_pairs as f64));
            print!(" {:.1} % |", uneven(&|c| c.far_pairs as f64));
            print!(" {:.1} % |", uneven(&|c| costs.work(c)));
            match name {
                "points" => {
                    let uneven = imbalance(seconds.iter().map(RankSum::region));
                    println!(" {:.1} % |", 100.0 * uneven);
                }
                _ => println!(" – |"),
            }
        }
        println!(
            "| {set}: M2L = {:.0} near pairs, a point {:.0} |  |  |  |  |  |",
            costs.translation, costs.point
        );
    }
    println!();
    Ok(())
}
