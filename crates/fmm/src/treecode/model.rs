//! Errors and costs of the treecode, by measurement.

use expansions::order::{MAX_ORDER, Signs};

use super::opening::Opening;
use crate::Tolerance;

/// Opening angles of the columns of the tables.
const THETAS: [f64; 6] = [0.3, 0.4, 0.5, 0.6, 0.8, 1.0];

/// Orders of their rows.
const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 14];

/// Relative L2 errors of the worse of potential and gradient for l/θ + s < d, the largest over uniform
/// cube, sphere surface, Plummer model and two clusters of 5·10⁴ points, charges of one sign.
/// `cargo run --release -p testbed --bin calibrate_treecode` measures them anew.
const SAME: [[f64; 6]; 9] = [
    [2.7e-4, 5.6e-4, 9.5e-4, 2.4e-3, 5.4e-3, 8.5e-3],
    [2.7e-4, 5.6e-4, 9.5e-4, 2.4e-3, 5.4e-3, 8.5e-3],
    [3.9e-5, 1.0e-4, 2.4e-4, 4.6e-4, 2.4e-3, 7.6e-3],
    [1.1e-5, 4.8e-5, 1.5e-4, 3.0e-4, 2.1e-3, 7.3e-3],
    [1.2e-6, 5.9e-6, 1.8e-5, 4.7e-5, 2.8e-4, 1.4e-3],
    [2.4e-7, 1.6e-6, 7.4e-6, 3.0e-5, 2.3e-4, 1.3e-3],
    [8.9e-9, 1.2e-7, 7.5e-7, 4.7e-6, 8.1e-5, 4.9e-4],
    [4.4e-10, 8.5e-9, 9.0e-8, 7.2e-7, 2.0e-5, 2.2e-4],
    [1.1e-12, 5.8e-11, 1.4e-9, 1.8e-8, 1.6e-6, 4.2e-5],
];

/// The same for charges of both signs.
const MIXED: [[f64; 6]; 9] = [
    [6.2e-2, 8.1e-2, 9.9e-2, 1.1e-1, 1.5e-1, 1.9e-1],
    [4.2e-3, 7.4e-3, 1.3e-2, 1.6e-2, 3.2e-2, 4.9e-2],
    [5.0e-4, 1.3e-3, 2.4e-3, 3.9e-3, 1.1e-2, 2.0e-2],
    [6.8e-5, 1.9e-4, 5.0e-4, 1.1e-3, 3.8e-3, 9.0e-3],
    [9.6e-6, 4.4e-5, 1.3e-4, 3.2e-4, 1.6e-3, 4.8e-3],
    [1.6e-6, 9.0e-6, 3.3e-5, 9.9e-5, 6.1e-4, 2.3e-3],
    [5.2e-8, 4.9e-7, 2.8e-6, 1.2e-5, 1.5e-4, 7.8e-4],
    [1.8e-9, 2.9e-8, 2.9e-7, 1.7e-6, 3.4e-5, 2.7e-4],
    [3.2e-12, 1.7e-10, 3.4e-9, 4.3e-8, 2.9e-6, 6.6e-5],
];

/// Cells and sources that act on a receiver of the uniform cube, by θ.
const INTERACTIONS: [[f64; 2]; 6] = [
    [1152.0, 2228.0],
    [676.0, 1227.0],
    [440.0, 780.0],
    [320.0, 619.0],
    [181.0, 279.0],
    [105.0, 250.0],
];

/// Factor between the tabled errors and what is promised.
const SAFETY: f64 = 2.0;

/// The error expected under a criterion, the worse of potential and gradient: interpolated in the
/// tables, geometrically, and continued beyond the last order at the same rate.
pub(crate) fn expected_error(opening: Opening, order: usize, signs: Signs) -> f64 {
    let table = match signs {
        Signs::Same => &SAME,
        Signs::Mixed => &MIXED,
    };
    let theta = match opening {
        Opening::BarnesHut { theta } | Opening::Nakasato { theta } => theta,
        // One cell's error relative to the sum: about as many cells as act at θ = 0.5 add up.
        Opening::Relative { alpha } => return 10.0 * alpha,
        Opening::Neighbours => 2.0 / 3.0,
    };
    let in_order = |row: &[f64; 6]| interpolate(&THETAS.map(f64::ln), row, theta.ln());
    let values = table.each_ref().map(in_order);
    interpolate(&ORDERS.map(|order| order as f64), &values, order as f64)
}

/// The value at `x` of a function given at ascending places, linear in its logarithm, continued at
/// both ends.
fn interpolate<const N: usize>(places: &[f64; N], values: &[f64; N], x: f64) -> f64 {
    let upper = places.iter().position(|place| *place >= x).unwrap_or(N - 1).max(1);
    let fraction = (x - places[upper - 1]) / (places[upper] - places[upper - 1]);
    values[upper - 1] * (values[upper] / values[upper - 1]).powf(fraction)
}

/// The smallest order that keeps a tolerance under a criterion; `None` above [`MAX_ORDER`].
pub(crate) fn order_for_opening(opening: Opening, tolerance: f64, signs: Signs) -> Option<usize> {
    (1..=MAX_ORDER).find(|order| SAFETY * expected_error(opening, *order, signs) <= tolerance)
}

/// The criterion that reaches a tolerance at the least cost, for charges of one sign: the treecode's
/// home is gravity.
pub(crate) fn default_opening(tolerance: Tolerance) -> Opening {
    let tolerance = match tolerance {
        Tolerance::L2(tolerance) => tolerance,
        Tolerance::Order(_) => return Opening::Nakasato { theta: 0.6 },
        Tolerance::Guaranteed(_) => return Opening::Neighbours,
    };
    let mut best = (f64::INFINITY, Opening::Nakasato { theta: THETAS[0] });
    for (theta, [cells, sources]) in THETAS.into_iter().zip(INTERACTIONS) {
        let opening = Opening::Nakasato { theta };
        if let Some(order) = order_for_opening(opening, tolerance, Signs::Same) {
            let cost = cells * cell_cost(order) + sources;
            if cost < best.0 {
                best = (cost, opening);
            }
        }
    }
    best.1
}

/// Cost of a cell at a receiver, in pairs of points.
fn cell_cost(order: usize) -> f64 {
    if order == 1 { 1.0 } else { 1.0 + 0.25 * ((order + 1) * (order + 1)) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_met_and_continued() {
        let opening = Opening::Nakasato { theta: 0.6 };
        assert!((expected_error(opening, 5, Signs::Same) / 4.7e-5 - 1.0).abs() < 1e-12);
        for order in 3..MAX_ORDER {
            let error = |order| expected_error(opening, order, Signs::Mixed);
            assert!(error(order + 1) < error(order));
        }
        let wider = Opening::Nakasato { theta: 0.7 };
        assert!(expected_error(wider, 5, Signs::Same) > expected_error(opening, 5, Signs::Same));
    }

    #[test]
    fn criteria_exist_for_all_tolerances() {
        for exponent in 1..=13 {
            let tolerance = 10f64.powi(-exponent);
            let opening = default_opening(Tolerance::L2(tolerance));
            let order = order_for_opening(opening, tolerance, Signs::Mixed);
            assert!(order.is_some(), "{tolerance:e}: {opening:?}");
        }
    }
}
