//! Parts of ranks: what a rank owns, what its essential tree has, and what crosses.

use octree::partition::imbalance;
use testbed::ranks::Outcome;
use testbed::ranks::anatomy::{Anatomy, Counts, Problem};

use crate::{Arguments, heading, rule};

/// Prints a row a set and P: means over ranks, and the largest rank where it matters.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    println!("Parts of ranks, {} points, at most {} a leaf.\n", arguments.points, arguments.leaf);
    heading(
        1,
        &[
            "set",
            "P",
            "own boxes",
            "shared",
            "essential tree, mean",
            "most",
            "ghosts, mean",
            "most",
            "multipoles in, mean",
            "most",
            "peers, most",
            "imbalance of points",
        ],
    );
    for set in &arguments.sets {
        let cloud = Arguments::cloud(set, arguments.points)?;
        let points = &cloud.positions;
        let rule = rule(points, arguments.leaf)?;
        for n_ranks in arguments.ranks.iter().copied() {
            let parts = Anatomy::of_all(&Problem { points, weights: None, rule: &rule, n_ranks })?;
            let counts: Vec<Counts> = parts.iter().map(|part| part.counts).collect();
            let mean = |of: fn(&Counts) -> usize| counts.iter().map(of).sum::<usize>() / n_ranks;
            let most = |of: fn(&Counts) -> usize| counts.iter().map(of).max().unwrap_or(0);
            print!("| {set} | {n_ranks} | {} | {} |", mean(|c| c.boxes), most(|c| c.shared));
            print!(" {} | {} |", mean(|c| c.essential), most(|c| c.essential));
            print!(" {} | {} |", mean(|c| c.ghosts), most(|c| c.ghosts));
            print!(" {} | {} |", mean(|c| c.imports), most(|c| c.imports));
            let uneven = imbalance(counts.iter().map(|c| c.points as f64));
            println!(" {} | {:.1} % |", most(|c| c.peers), 100.0 * uneven);
        }
    }
    println!();
    Ok(())
}
