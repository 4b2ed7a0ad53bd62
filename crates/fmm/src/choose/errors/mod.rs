//! Error tables: the measured errors from which orders and opening criteria follow.
//!
//! Rigorous bounds ([`expansions::bounds`]) are met only by adverse charges: the error that people see,
//! the relative L2 error over all receivers, is one to six digits smaller. So orders come from tables of measured
//! errors, the largest over several sets of points. `cargo xtask calibrate errors` measures them anew and writes
//! `fmm.rs` and `treecode.rs` of this folder.
//!
//! | file | what |
//! |---|---|
//! | `fmm.rs` | errors of expansions on lists by order, by M2L of pairs and by plane waves |
//! | `treecode.rs` | errors of walks by criterion and order, cells and sources that act on a receiver |
//! | `walk.rs` | interpolation in the treecode's tables |

mod fmm;
mod treecode;
mod walk;

use expansions::MAX_ORDER;

use crate::engine::Signs;

pub(crate) use walk::{WalkErrors, interactions};

/// The output whose error counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quantity {
    /// Φ
    Potential,
    /// ∇Φ; its relative error is the larger.
    Gradient,
}

/// Kind of M2L, as far as errors depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FarField {
    /// Pair by pair, by dense matrices or by rotation.
    Translations,
    /// By plane waves, which do not carry the highest terms of both expansions. Above order
    /// 24 that makes errors smaller, below it smaller leaves make them larger.
    Waves,
}

/// Factor between the tabled errors and the tolerance that they serve: sets of points other than the measured ones.
pub(crate) const SAFETY: f64 = 2.0;

/// Errors of one order: potential and gradient for charges of one sign, then both for mixed ones.
type Row = (usize, [f64; 4]);

/// The relative L2 error expected of an order, truncation only: interpolated in the table of
/// measurements, geometrically between its orders.
pub(crate) fn expected_error(order: usize, quantity: Quantity, signs: Signs, far: FarField) -> f64 {
    let table = match far {
        FarField::Translations => fmm::TRANSLATIONS,
        FarField::Waves => fmm::WAVES,
    };
    let column = match (signs, quantity) {
        (Signs::Same, Quantity::Potential) => 0,
        (Signs::Same, Quantity::Gradient) => 1,
        (Signs::Mixed, Quantity::Potential) => 2,
        (Signs::Mixed, Quantity::Gradient) => 3,
    };
    let order = order.clamp(1, MAX_ORDER);
    let above = table.iter().position(|(tabled, _)| *tabled >= order).unwrap_or(table.len() - 1);
    let below = above.saturating_sub(1);
    let ((from, low), (to, high)) = (table[below], table[above]);
    let (low, high) = (low[column], high[column]);
    if above == below {
        return high;
    }
    let fraction = (order - from) as f64 / (to - from) as f64;
    low * (high / low).powf(fraction)
}

/// The smallest order whose expected error, with [`SAFETY`], is at most `tolerance`; `None` above [`MAX_ORDER`].
pub(crate) fn order_for(
    tolerance: f64,
    quantity: Quantity,
    signs: Signs,
    far: FarField,
) -> Option<usize> {
    let error = |order| expected_error(order, quantity, signs, far);
    (1..=MAX_ORDER).find(|order| SAFETY * error(*order) <= tolerance)
}

/// The relative L2 error measured of an order, truncation only, for receivers in shells around the
/// sources or balls beside them.
///
/// No near terms outweigh these errors, and a set may lie in the corners of its boxes, so they fall by
/// 0.62 a degree in place of 0.5. The law is the largest error over a few such sets. No law holds for
/// all: for two sets that are points to their boxes the rate can be that of the proven bounds.
pub(crate) fn remote_error(order: usize, quantity: Quantity) -> f64 {
    let [at_zero, rate] = fmm::REMOTE[quantity as usize];
    at_zero * rate.powi(order as i32)
}

/// The smallest order whose [`remote_error`], with [`SAFETY`], is at most `tolerance`; `None` above
/// [`MAX_ORDER`]. A first guess, to be checked by measurement.
pub(crate) fn remote_order(tolerance: f64, quantity: Quantity) -> Option<usize> {
    (1..=MAX_ORDER).find(|order| SAFETY * remote_error(*order, quantity) <= tolerance)
}

/// The error that plane waves of an order may add, relative to the largest: so small that the whole error stays what it
/// is by rotation. From order 20 on that leaves more room: waves have few azimuthal indices, and the missing ones are
/// where rotation has most of its error. The shares keep the errors of both
/// forms in the table alike.
pub(crate) fn wave_error(order: usize) -> f64 {
    let share = if order < 20 { 0.6 } else { 2.0 };
    share * expected_error(order, Quantity::Potential, Signs::Mixed, FarField::Translations)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [(Signs, FarField); 4] = [
        (Signs::Same, FarField::Translations),
        (Signs::Mixed, FarField::Translations),
        (Signs::Same, FarField::Waves),
        (Signs::Mixed, FarField::Waves),
    ];

    #[test]
    fn expected_errors_fall_with_the_order_and_rise_with_difficulty() {
        for order in 1..=MAX_ORDER {
            for quantity in [Quantity::Potential, Quantity::Gradient] {
                for (signs, far) in CASES {
                    let error = expected_error(order, quantity, signs, far);
                    assert!(order == 1 || error < expected_error(order - 1, quantity, signs, far));
                    assert!(error <= expected_error(order, Quantity::Gradient, signs, far));
                }
            }
        }
    }

    #[test]
    fn remote_receivers_take_higher_orders() {
        for exponent in 3..=12 {
            let tolerance = 10f64.powi(-exponent);
            for quantity in [Quantity::Potential, Quantity::Gradient] {
                let order = remote_order(tolerance, quantity).unwrap();
                assert!(2.0 * remote_error(order, quantity) <= tolerance);
                assert!(2.0 * remote_error(order - 1, quantity) > tolerance);
            }
            let usual =
                order_for(tolerance, Quantity::Gradient, Signs::Mixed, FarField::Translations);
            assert!(remote_order(tolerance, Quantity::Gradient) > usual);
        }
    }

    #[test]
    fn orders_are_the_smallest_that_do() {
        for exponent in 1..=13 {
            let tolerance = 10f64.powi(-exponent);
            for (signs, far) in CASES {
                let order = order_for(tolerance, Quantity::Gradient, signs, far).unwrap();
                let error = |order| expected_error(order, Quantity::Gradient, signs, far);
                assert!(2.0 * error(order) <= tolerance);
                assert!(order == 1 || 2.0 * error(order - 1) > tolerance);
            }
        }
    }
}
