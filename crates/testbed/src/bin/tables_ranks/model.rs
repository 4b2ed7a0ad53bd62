//! Equations 5 to 9, fitted to some numbers of ranks and tried on others.

use testbed::fit::median;
use testbed::ranks::Outcome;
use testbed::ranks::anatomy::Problem;
use testbed::ranks::carrying::Carrier;
use testbed::ranks::cost_model::{
    EXCHANGE, EXCHANGE_COUNTED, KINDS, KINDS_HERE, Model, NEIGHBOURS, PARTITION, PARTITION_HERE,
    Run,
};

use crate::{Arguments, heading, rule};

/// Orders of the runs: p² differs by 4.
const ORDERS: [usize; 2] = [4, 8];

/// Error of a prediction that counts as right, relative to the measured seconds.
const TARGET: f64 = 0.2;

/// Runs that the constants are fitted to, and runs that are predicted.
struct Runs {
    fitted: Vec<Run>,
    held_out: Vec<Run>,
}

/// Prints constants and errors of all models, and equation 9 for the runs that were held out.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    println!(
        "Constants in ns a unit of each term, from runs with every second P; errors of |predicted / measured − 1| over \
         the others.\n"
    );
    heading(3, &["set", "seconds of", "constants", "median error", "worst", "within 20 %", "runs"]);
    let mut all = Vec::new();
    for set in ["cube", "plummer"].into_iter().filter(|set| arguments.sets.iter().any(|s| s == set))
    {
        let runs = Runs::measure(arguments, set)?;
        runs.print(set, &PARTITION);
        runs.print(set, &PARTITION_HERE);
        runs.print(set, &KINDS);
        runs.print(set, &KINDS_HERE);
        runs.print(set, &EXCHANGE);
        runs.print(set, &EXCHANGE_COUNTED);
        runs.print(set, &NEIGHBOURS);
        all.push(runs);
    }
    println!("\nTerms that these runs cannot tell apart (cosine above 0.99):\n");
    for runs in &all {
        runs.print_alike(&PARTITION);
        runs.print_alike(&EXCHANGE);
        runs.print_alike(&EXCHANGE_COUNTED);
    }
    println!("\nT = T1 + T2 + T3 by the manager, ms, of runs that were held out (equation 9).\n");
    heading(
        1,
        &["set", "N", "P", "boxes", "p", "measured", "equation 9", "ratio", "own counts", "ratio"],
    );
    for runs in &all {
        runs.print_totals();
    }
    println!();
    Ok(())
}

impl Runs {
    /// Three numbers of points, two of points a leaf, all P above 1, two orders.
    fn measure(arguments: &Arguments, set: &'static str) -> Outcome<Self> {
        let mut runs = Self { fitted: Vec::new(), held_out: Vec::new() };
        for n in [32, 8, 2].map(|part| arguments.points / part) {
            let cloud = Arguments::cloud(set, n)?;
            let points = &cloud.positions;
            for leaf_capacity in [arguments.leaf / 2, 2 * arguments.leaf] {
                let rule = rule(points, leaf_capacity)?;
                let many = arguments.ranks.iter().copied().filter(|n_ranks| *n_ranks > 1);
                for (place, n_ranks) in many.enumerate() {
                    let problem = Problem { points, weights: None, rule: &rule, n_ranks };
                    let carriers = Carrier::of_all(&problem, &ORDERS, arguments.repeats)?;
                    let to = if place % 2 == 0 { &mut runs.fitted } else { &mut runs.held_out };
                    for (k, order) in ORDERS.into_iter().enumerate() {
                        to.push(Run::new(set, &carriers, k, order));
                    }
                }
            }
        }
        Ok(runs)
    }

    fn print<const K: usize>(&self, set: &str, model: &Model<K>) {
        let constants = model.fit(&self.fitted);
        let names = model.terms.iter().zip(&constants);
        let names: Vec<String> = names
            .map(|((name, _), constant)| match *constant {
                0.0 => format!("{name}: 0"),
                constant => format!("{name}: {:.2e}", 1e9 * constant),
            })
            .collect();
        let error = |run| (model.predict(&constants, run) / (model.seconds)(run) - 1.0).abs();
        let errors: Vec<f64> = self.held_out.iter().map(error).collect();
        let right = errors.iter().filter(|error| **error <= TARGET).count();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        print!("| {set} | {} | {} |", model.name, names.join(", "));
        print!(" {:.0} % | {:.0} % |", 100.0 * median(errors.clone()), 100.0 * worst);
        println!(" {right} of {} | {} |", errors.len(), self.fitted.len());
    }

    fn print_alike<const K: usize>(&self, model: &Model<K>) {
        let pairs = model.alike(&self.fitted);
        let pairs: Vec<String> = pairs.iter().map(|pair| pair.join(" and ")).collect();
        let set = self.fitted.first().map_or("", |run| run.set);
        let pairs = if pairs.is_empty() { "none".to_owned() } else { pairs.join("; ") };
        println!("- {set}, {}: {pairs}", model.name);
    }

    /// Measured totals, and totals by the equations and by own counts.
    fn print_totals(&self) {
        let printed = (PARTITION.fit(&self.fitted), KINDS.fit(&self.fitted));
        let exchange = EXCHANGE.fit(&self.fitted);
        let own = (PARTITION_HERE.fit(&self.fitted), KINDS_HERE.fit(&self.fitted));
        let counted = EXCHANGE_COUNTED.fit(&self.fitted);
        for run in &self.held_out {
            let measured = run.partition + run.kinds + run.by_manager;
            let by_equations = PARTITION.predict(&printed.0, run)
                + KINDS.predict(&printed.1, run)
                + EXCHANGE.predict(&exchange, run);
            let by_counts = PARTITION_HERE.predict(&own.0, run)
                + KINDS_HERE.predict(&own.1, run)
                + EXCHANGE_COUNTED.predict(&counted, run);
            let Run { set, all_points, n_ranks, all_boxes, order, .. } = run;
            print!("| {set} | {all_points} | {n_ranks} | {all_boxes} | {order} |");
            print!(" {:.2} |", 1e3 * measured);
            print!(" {:.2} | {:.2} |", 1e3 * by_equations, by_equations / measured);
            println!(" {:.2} | {:.2} |", 1e3 * by_counts, by_counts / measured);
        }
    }
}
