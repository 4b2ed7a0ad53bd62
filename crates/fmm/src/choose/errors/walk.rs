//! Errors and interactions of walks, interpolated in the treecode's tables.

use octree::walk::Criterion;

use super::treecode::{
    ALIKE, ALONE, ALPHAS, GROWTH, INTERACTIONS, ORDERS, RELATIVE_ALIKE, RELATIVE_UNLIKE, REMOTE,
    TABLED_POINTS, THETAS, Table, UNLIKE,
};
use super::{SAFETY, between};
use crate::engine::ChargeKind;

/// Growth of the errors of walks with the number of sources beyond those of the tables, for each factor e: among more points
/// groups are smaller beside the largest cells, which act on receivers from nearer then. Largest errors over cube, sphere, Plummer
/// model and galaxy at orders 1 to 5 and θ of 0.5 to 0.9, over the tabled ones: 1.2 to 1.55 for 10⁶ points and 1.4 to 1.96 for
/// 1.28·10⁷, where this gives 1.51 and 1.94; order 4 at θ = 0.7 has 1.93 and 2.41.
const ERROR_GROWTH: f64 = 0.17;

/// Errors to expect of walks by one criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WalkErrors {
    criterion: Criterion,
    /// Whether groups or leaves are set by hand, and may be smaller than those of the tables.
    by_hand: bool,
    n_sources: usize,
}

impl WalkErrors {
    /// The tolerance at which to begin for receivers away from the sources, for which no table serves.
    pub(crate) fn first_trial_tolerance(tolerance: f64) -> f64 {
        tolerance / REMOTE
    }

    pub(crate) fn new(criterion: Criterion, by_hand: bool, n_sources: usize) -> Self {
        Self { criterion, by_hand, n_sources }
    }

    /// The error expected, the worse of potential and gradient: interpolated in the tables,
    /// geometrically, and continued beyond their ends at the same rate.
    pub(crate) fn expected(&self, order: usize, kind: ChargeKind) -> f64 {
        let (by_angle, by_share) = match kind {
            ChargeKind::Alike => (&ALIKE, &RELATIVE_ALIKE),
            ChargeKind::Unlike => (&UNLIKE, &RELATIVE_UNLIKE),
        };
        let error = match self.criterion {
            Criterion::Relative { alpha } => look_up(by_share, &ALPHAS, alpha, slowed(order)),
            Criterion::BarnesHut { theta } => {
                look_up(by_angle, &THETAS, angle_with_shift(theta), order as f64)
            }
            Criterion::Nakasato { theta } => look_up(by_angle, &THETAS, theta, order as f64),
        };
        if self.by_hand {
            return error * (ALONE[0] + ALONE[1] * order as f64);
        }
        error * (1.0 + ERROR_GROWTH * (self.n_sources as f64 / TABLED_POINTS).max(1.0).ln())
    }

    /// Whether an order keeps a tolerance.
    pub(crate) fn keeps(&self, tolerance: f64, order: usize, kind: ChargeKind) -> bool {
        SAFETY * self.expected(order, kind) <= tolerance
    }
}

/// Cells and sources that act on a receiver among `n_sources` evenly spread sources, by a criterion.
pub(crate) fn interactions(criterion: Criterion, n_sources: f64) -> [f64; 2] {
    let theta = match criterion {
        Criterion::BarnesHut { theta } => angle_with_shift(theta),
        Criterion::Nakasato { theta } => theta,
        Criterion::Relative { .. } => 2.0 / 3.0,
    };
    let places = THETAS.map(f64::ln);
    let [cells, sources] =
        [0, 1].map(|which| interpolate(&places, |place| INTERACTIONS[place][which], theta.ln()));
    // Every level of the tree adds cells, but no sources. The line ends before few points have no cells.
    let levels = (n_sources.max(1.0) / TABLED_POINTS).log(8.0);
    [cells * (1.0 + GROWTH * levels).max(0.1), sources]
}

/// The effective order of the relative criterion, which lets some cells act from where their series hardly converges:
/// beyond the tables, where only those cells are left, errors fall more slowly. In the tables the rate from order 10 to 14
/// is about 0.8 of that from 8 to 10; a little less is continued.
fn slowed(order: usize) -> f64 {
    let (order, last) = (order as f64, ORDERS[ORDERS.len() - 1] as f64);
    order.min(last) + 0.75 * (order - last).max(0.0)
}

/// θ of l/θ + s < d that opens about as many cells as l/θ < d does, where s is 0.3 l: the centre of k even points in a box
/// is about l/√(4k) away from the box's centre, 0.3 l for three points and less for more.
fn angle_with_shift(theta: f64) -> f64 {
    // At least 0.1, so that the widest angles have a θ.
    (theta.recip() - 0.3).max(0.1).recip()
}

fn look_up<const N: usize>(table: &Table<N>, places: &[f64; N], place: f64, order: f64) -> f64 {
    let (places, place) = (places.map(f64::ln), place.ln());
    let in_order = |row: usize| interpolate(&places, |column| table[row][column], place);
    interpolate(&ORDERS.map(|order| order as f64), in_order, order)
}

/// The value at `x` of a function given at ascending places, linear in its logarithm, continued at
/// both ends.
fn interpolate<const N: usize>(places: &[f64; N], value: impl Fn(usize) -> f64, x: f64) -> f64 {
    let upper = places.iter().position(|place| *place >= x).unwrap_or(N - 1).max(1);
    let fraction = (x - places[upper - 1]) / (places[upper] - places[upper - 1]);
    let [low, high] = [upper - 1, upper].map(value);
    between(low, high, fraction)
}

#[cfg(test)]
mod tests {
    use expansions::MAX_ORDER;

    use super::*;

    fn errors(criterion: Criterion) -> WalkErrors {
        WalkErrors { criterion, by_hand: false, n_sources: TABLED_POINTS as usize }
    }

    #[test]
    fn tables_are_met_and_continued() {
        let tabled = errors(Criterion::Nakasato { theta: 0.6 });
        assert!((tabled.expected(5, ChargeKind::Alike) / ALIKE[4][3] - 1.0).abs() < 1e-12);
        let relative = errors(Criterion::Relative { alpha: ALPHAS[1] });
        assert!(
            (relative.expected(8, ChargeKind::Unlike) / RELATIVE_UNLIKE[6][1] - 1.0).abs() < 1e-12
        );
        for errors in [tabled, relative] {
            for order in 3..MAX_ORDER {
                let error = |order| errors.expected(order, ChargeKind::Unlike);
                assert!(error(order + 1) < error(order));
            }
        }
    }

    #[test]
    fn looser_criteria_and_lone_walks_have_larger_errors() {
        let error = |criterion| errors(criterion).expected(4, ChargeKind::Alike);
        let nakasato = |theta| error(Criterion::Nakasato { theta });
        assert!(nakasato(0.7) > nakasato(0.6));
        assert!(error(Criterion::BarnesHut { theta: 0.6 }) > nakasato(0.6));
        let relative = |alpha| error(Criterion::Relative { alpha });
        assert!(relative(2e-3) > relative(1e-3));
        let alone = WalkErrors { by_hand: true, ..errors(Criterion::Nakasato { theta: 0.6 }) };
        assert!(alone.expected(4, ChargeKind::Alike) > nakasato(0.6));
        let many =
            WalkErrors { n_sources: 10_000_000, ..errors(Criterion::Nakasato { theta: 0.6 }) };
        assert!(many.expected(4, ChargeKind::Alike) > 1.5 * nakasato(0.6));
    }

    #[test]
    fn looser_criteria_and_fewer_points_meet_fewer_cells() {
        let nakasato = |theta| Criterion::Nakasato { theta };
        let [cells, sources] = interactions(nakasato(0.6), TABLED_POINTS);
        assert!((cells / INTERACTIONS[3][0] - 1.0).abs() < 1e-12);
        assert!((sources / INTERACTIONS[3][1] - 1.0).abs() < 1e-12);
        assert!(interactions(nakasato(0.8), TABLED_POINTS)[0] < cells);
        assert!(interactions(nakasato(0.6), 1e6)[0] > cells);
        assert!(interactions(nakasato(0.6), 0.0)[0] > 0.0);
    }
}
