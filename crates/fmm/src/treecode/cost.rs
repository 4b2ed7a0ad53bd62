//! What a walk costs.

use expansions::operators::PairAccuracy;

use super::SHORT;
use super::model::interpolate;
use super::tables::{INTERACTIONS, TABLED_POINTS, THETAS};

/// Seconds that a treecode by l/θ + s < d takes a receiver among `n_sources` evenly spread sources, on one
/// core with AVX-512, for points in f64: multipoles, walk, cells and sources. Sorting is left out. Crowded
/// points take two to three times as long. Comparable with the costs in `tuning`.
pub(crate) fn seconds_per_receiver(
    theta: f64,
    order: usize,
    tolerance: f64,
    n_sources: f64,
) -> f64 {
    let [cells, sources] = [0, 1].map(|k| {
        let places = THETAS.map(f64::ln);
        interpolate(&places, &INTERACTIONS.map(|both| both[k]), theta.ln())
    });
    // Every level of the tree adds cells, but no sources.
    let cells = cells * (1.0 + CELLS_PER_LEVEL * (n_sources / TABLED_POINTS).log(8.0)).max(0.1);
    let accuracy = PairAccuracy::for_tolerance(tolerance);
    let halved = if tolerance >= SHORT { 0.5 } else { 1.0 };
    let act = cells * (LISTED + halved * cell(order, accuracy)) + sources * pair(accuracy);
    act + expand(order)
}

/// The growth of the number of cells for eight times as many points.
const CELLS_PER_LEVEL: f64 = 0.45;

/// To find a cell.
const LISTED: f64 = 0.25e-9;

/// A cell at a receiver, in f64.
fn cell(order: usize, accuracy: PairAccuracy) -> f64 {
    let p = order as f64;
    match order {
        1 => pair(accuracy),
        2..=6 => 0.3e-9 + 0.092e-9 * p * p,
        _ => 0.3e-9 + 0.15e-9 * p * p,
    }
}

/// A source at a receiver.
fn pair(accuracy: PairAccuracy) -> f64 {
    match accuracy {
        PairAccuracy::Digits4 => 0.30e-9,
        PairAccuracy::Digits8 => 0.40e-9,
        PairAccuracy::Digits12 => 0.45e-9,
        PairAccuracy::Full => 0.48e-9,
    }
}

/// A point's share of making multipoles.
fn expand(order: usize) -> f64 {
    let p = order as f64;
    if order == 1 { 50e-9 } else { 80e-9 + 5e-9 * p * p }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_more_costs_more() {
        let base = seconds_per_receiver(0.6, 4, 1e-3, 1e5);
        assert!(base > 1e-8 && base < 1e-4);
        assert!(seconds_per_receiver(0.5, 4, 1e-3, 1e5) > base);
        assert!(seconds_per_receiver(0.6, 5, 1e-3, 1e5) > base);
        assert!(seconds_per_receiver(0.6, 4, 1e-6, 1e5) > base);
        assert!(seconds_per_receiver(0.6, 4, 1e-3, 1e6) > base);
        assert!(seconds_per_receiver(0.6, 4, 1e-3, 1.0) > 0.0);
    }
}
