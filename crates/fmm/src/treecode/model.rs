//! Errors of the treecode, by measurement.

use expansions::order::{MAX_ORDER, Signs};

use super::cost::seconds_per_receiver;
use super::opening::Opening;
use super::tables::{
    ALPHAS, MIXED, ORDERS, RELATIVE_MIXED, RELATIVE_SAME, SAME, TABLED_POINTS, THETAS, Table,
};
use crate::Tolerance;

/// Factor between the tabled errors and what is promised.
const SAFETY: f64 = 2.0;

/// What errors to expect of walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ErrorModel {
    opening: Opening,
    /// Whether groups or leaves are set by hand, and may be smaller than those of the tables.
    by_hand: bool,
}

impl ErrorModel {
    /// `None` for neighbour lists, whose errors are the FMM's.
    pub(crate) fn new(opening: Opening, by_hand: bool) -> Option<Self> {
        (opening != Opening::Neighbours).then_some(Self { opening, by_hand })
    }

    /// The criterion.
    pub(crate) fn opening(&self) -> Opening {
        self.opening
    }

    /// The error expected, the worse of potential and gradient: interpolated in the tables,
    /// geometrically, and continued beyond their ends at the same rate.
    pub(crate) fn expected(&self, order: usize, signs: Signs) -> f64 {
        let (by_angle, by_share) = match signs {
            Signs::Same => (&SAME, &RELATIVE_SAME),
            Signs::Mixed => (&MIXED, &RELATIVE_MIXED),
        };
        let error = match self.opening {
            Opening::Relative { alpha } => look_up(by_share, &ALPHAS, alpha, slowed(order)),
            Opening::BarnesHut { theta } => {
                look_up(by_angle, &THETAS, angle_with_shift(theta), order as f64)
            }
            Opening::Nakasato { theta } => look_up(by_angle, &THETAS, theta, order as f64),
            Opening::Neighbours => look_up(by_angle, &THETAS, 2.0 / 3.0, order as f64),
        };
        if self.by_hand { error * lone_factor(order) } else { error }
    }

    /// The smallest order that keeps a tolerance; `None` above [`MAX_ORDER`].
    pub(crate) fn order_for(&self, tolerance: f64, signs: Signs) -> Option<usize> {
        (1..=MAX_ORDER).find(|order| SAFETY * self.expected(*order, signs) <= tolerance)
    }
}

/// The relative criterion lets some cells act from where their series hardly converges: beyond the
/// tables, where they are what is left, errors fall more slowly.
fn slowed(order: usize) -> f64 {
    let (order, last) = (order as f64, ORDERS[ORDERS.len() - 1] as f64);
    order.min(last) + 0.75 * (order - last).max(0.0)
}

/// θ of l/θ + s < d that opens about as many cells as l/θ < d does, where s is 0.3 l.
fn angle_with_shift(theta: f64) -> f64 {
    (theta.recip() - 0.3).max(0.1).recip()
}

/// Errors of receivers that walk one by one, with leaves of one, by those of groups. A group opens what
/// its neediest receiver opens; higher orders feel more of it.
fn lone_factor(order: usize) -> f64 {
    2.3 + 0.2 * order as f64
}

fn look_up<const N: usize>(table: &Table<N>, places: &[f64; N], place: f64, order: f64) -> f64 {
    let in_order = |row: &[f64; N]| interpolate(&places.map(f64::ln), row, place.ln());
    let values = table.each_ref().map(in_order);
    interpolate(&ORDERS.map(|order| order as f64), &values, order)
}

/// The value at `x` of a function given at ascending places, linear in its logarithm, continued at
/// both ends.
pub(super) fn interpolate<const N: usize>(places: &[f64; N], values: &[f64; N], x: f64) -> f64 {
    let upper = places.iter().position(|place| *place >= x).unwrap_or(N - 1).max(1);
    let fraction = (x - places[upper - 1]) / (places[upper] - places[upper - 1]);
    values[upper - 1] * (values[upper] / values[upper - 1]).powf(fraction)
}

/// The criterion that reaches a tolerance at the least cost, for charges of one sign: the treecode's
/// home is gravity.
pub(crate) fn default_opening(tolerance: Tolerance, by_hand: bool) -> Opening {
    let tolerance = match tolerance {
        Tolerance::L2(tolerance) => tolerance,
        Tolerance::Order(_) => return Opening::Nakasato { theta: 0.6 },
        Tolerance::Guaranteed(_) => return Opening::Neighbours,
    };
    let mut best = (f64::INFINITY, Opening::Nakasato { theta: THETAS[0] });
    for theta in THETAS {
        let opening = Opening::Nakasato { theta };
        let model = ErrorModel { opening, by_hand };
        if let Some(order) = model.order_for(tolerance, Signs::Same) {
            let seconds = seconds_per_receiver(theta, order, tolerance, TABLED_POINTS);
            if seconds < best.0 {
                best = (seconds, opening);
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(opening: Opening) -> ErrorModel {
        ErrorModel { opening, by_hand: false }
    }

    #[test]
    fn tables_are_met_and_continued() {
        let tabled = model(Opening::Nakasato { theta: 0.6 });
        assert!((tabled.expected(5, Signs::Same) / SAME[4][3] - 1.0).abs() < 1e-12);
        let relative = model(Opening::Relative { alpha: ALPHAS[1] });
        assert!((relative.expected(8, Signs::Mixed) / RELATIVE_MIXED[6][1] - 1.0).abs() < 1e-12);
        for model in [tabled, relative] {
            for order in 3..MAX_ORDER {
                let error = |order| model.expected(order, Signs::Mixed);
                assert!(error(order + 1) < error(order));
            }
        }
    }

    #[test]
    fn looser_criteria_and_lone_walks_have_larger_errors() {
        let error = |opening| model(opening).expected(4, Signs::Same);
        let nakasato = |theta| error(Opening::Nakasato { theta });
        assert!(nakasato(0.7) > nakasato(0.6));
        assert!(error(Opening::BarnesHut { theta: 0.6 }) > nakasato(0.6));
        let relative = |alpha| error(Opening::Relative { alpha });
        assert!(relative(2e-3) > relative(1e-3));
        let alone = ErrorModel { by_hand: true, ..model(Opening::Nakasato { theta: 0.6 }) };
        assert!(alone.expected(4, Signs::Same) > nakasato(0.6));
    }

    #[test]
    fn criteria_exist_for_all_tolerances() {
        for (exponent, by_hand) in (1..=13).flat_map(|e| [(e, false), (e, true)]) {
            let tolerance = 10f64.powi(-exponent);
            let opening = default_opening(Tolerance::L2(tolerance), by_hand);
            let order = ErrorModel { opening, by_hand }.order_for(tolerance, Signs::Mixed);
            assert!(order.is_some(), "{tolerance:e}: {opening:?}");
        }
    }
}
