//! The data exchange manager, many-to-many and neighbours: messages, bytes, seconds.

use testbed::ranks::Outcome;
use testbed::ranks::anatomy::Problem;
use testbed::ranks::carrying::{Carried, Carrier, TRANSPORTS};
use testbed::ranks::wire::{TWO_HUNDRED_GIGABIT, Wire};

use crate::{Arguments, heading, rule};

/// Prints one exchange of multipoles and ghost charges by each transport: counted, measured without a wire, and projected.
pub(crate) fn print(arguments: &Arguments) -> Outcome {
    println!(
        "One exchange of multipoles (order {}) and of the ghosts' charges, {} points. Measured: ms of the slowest rank, \
         by the manager rank 0 and the slowest other one. Projected: ms of the same messages and bytes at 1.5 µs and \
         {}.\n",
        arguments.order, arguments.points, TWO_HUNDRED_GIGABIT.name
    );
    heading(
        2,
        &[
            "set",
            "transport",
            "P",
            "messages",
            "of rank 0",
            "MB",
            "through rank 0",
            "measured",
            "projected wire",
        ],
    );
    for set in &arguments.sets {
        let cloud = Arguments::cloud(set, arguments.points)?;
        let points = &cloud.positions;
        let rule = rule(points, arguments.leaf)?;
        for n_ranks in arguments.ranks.iter().copied().filter(|n| *n > 1) {
            let problem = Problem { points, weights: None, rule: &rule, n_ranks };
            let carriers = Carrier::of_all(&problem, &[arguments.order], arguments.repeats)?;
            for (t, transport) in TRANSPORTS.into_iter().enumerate() {
                let carried: Vec<Carried> =
                    carriers.iter().map(|carrier| carrier.carried[0][t]).collect();
                print!("| {set} | {transport:?} | {n_ranks} |");
                row(&carried, t == 0);
            }
        }
    }
    println!();
    Ok(())
}

fn row(carried: &[Carried], by_manager: bool) {
    let messages: u64 = carried.iter().map(|one| one.posted).sum();
    let bytes: u64 = carried.iter().map(|one| one.traffic.sent.bytes).sum();
    let of_rank_0 = carried[0].traffic;
    let through = of_rank_0.sent.bytes + of_rank_0.received.bytes;
    let slowest = |ranks: &[Carried]| ranks.iter().map(|one| one.seconds).fold(0.0, f64::max);
    let measured = match by_manager {
        true => carried[0].seconds + slowest(&carried[1..]),
        false => slowest(carried),
    };
    print!(" {messages} | {} |", carried[0].posted);
    print!(" {:.2} | {:.2} |", bytes as f64 / 1e6, through as f64 / 1e6);
    println!(" {:.2} | {:.3} |", 1e3 * measured, 1e3 * projected(carried, TWO_HUNDRED_GIGABIT));
}

/// Seconds on the wire of the rank that is busiest there, sending and receiving at once.
fn projected(carried: &[Carried], wire: Wire) -> f64 {
    let of_rank = |one: &Carried| {
        let bytes = one.traffic.sent.bytes.max(one.traffic.received.bytes);
        wire.seconds(one.posted.max(one.traffic.received.messages) as f64, bytes as f64)
    };
    carried.iter().map(of_rank).fold(0.0, f64::max)
}
