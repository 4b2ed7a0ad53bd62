//! From a tolerance to an order, by measurement.
//!
//! Rigorous bounds ([`crate::bounds`]) are met only by adverse charges: the error that people see,
//! the relative L2 error over all receivers, is one to six digits smaller. So orders come from a
//! table of measured errors: the largest over uniform cube, sphere surface, Plummer model, two far
//! clusters, a star cluster and a protein, of 2·10⁴ to 10⁵ points, with neighbours and M2L as in the
//! FMM. `cargo run --release -p testbed --bin calibrate` measures them anew.

/// Signs of the charges. Where they are mixed the sums nearly cancel, and errors weigh more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signs {
    /// No two charges have opposite signs.
    Same,
    /// Both signs occur.
    Mixed,
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Φ
    Potential,
    /// ∇Φ; its relative error is the larger.
    Gradient,
}

/// The largest order with tables: errors reach the rounding of f64 before.
pub const MAX_ORDER: usize = 54;

/// Factor between the tabled errors and what is promised.
const SAFETY: f64 = 2.0;

/// Orders of the rows of [`MEASURED`].
const ORDERS: [usize; 17] = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 36, 42, 48, 54];

/// Relative L2 errors at [`ORDERS`]: potential and gradient for charges of one sign, then both for
/// mixed ones. The last row continues the one before at the same rate.
const MEASURED: [[f64; 4]; 17] = [
    [5.0e-2, 1.0e0, 1.6e-1, 2.0e-1],
    [6.6e-3, 1.1e-1, 4.1e-2, 6.4e-2],
    [9.8e-4, 2.0e-2, 9.0e-3, 2.1e-2],
    [3.9e-4, 5.7e-3, 2.8e-3, 7.4e-3],
    [8.8e-5, 1.5e-3, 9.1e-4, 2.7e-3],
    [2.1e-5, 4.5e-4, 3.2e-4, 1.1e-3],
    [2.3e-6, 5.7e-5, 4.3e-5, 1.9e-4],
    [2.4e-7, 8.1e-6, 8.0e-6, 3.1e-5],
    [1.4e-8, 8.3e-7, 6.7e-7, 3.2e-6],
    [2.6e-9, 1.3e-7, 7.5e-8, 4.8e-7],
    [7.3e-11, 5.2e-9, 4.1e-9, 3.3e-8],
    [4.4e-12, 3.5e-10, 3.1e-10, 2.3e-9],
    [3.4e-13, 4.5e-11, 3.6e-11, 3.7e-10],
    [2.4e-14, 3.7e-12, 2.7e-12, 3.3e-11],
    [1.8e-15, 3.4e-13, 2.1e-13, 2.6e-12],
    [1.4e-16, 3.2e-14, 1.7e-14, 2.4e-13],
    [1.1e-17, 3.0e-15, 1.4e-15, 2.3e-14],
];

/// The relative L2 error expected of an order, truncation only: interpolated in the table of
/// measurements, geometrically between its orders.
pub fn expected_error(order: usize, quantity: Quantity, signs: Signs) -> f64 {
    let column = match (signs, quantity) {
        (Signs::Same, Quantity::Potential) => 0,
        (Signs::Same, Quantity::Gradient) => 1,
        (Signs::Mixed, Quantity::Potential) => 2,
        (Signs::Mixed, Quantity::Gradient) => 3,
    };
    let order = order.clamp(1, MAX_ORDER);
    let above = ORDERS.iter().position(|tabled| *tabled >= order).unwrap_or(ORDERS.len() - 1);
    let below = above.saturating_sub(1);
    let (low, high) = (MEASURED[below][column], MEASURED[above][column]);
    if above == below {
        return high;
    }
    let fraction = (order - ORDERS[below]) as f64 / (ORDERS[above] - ORDERS[below]) as f64;
    low * num_traits::Float::powf(high / low, fraction)
}

/// The smallest order whose expected error is half of `tolerance` or less; `None` above
/// [`MAX_ORDER`].
///
/// ```
/// use expansions::order::{Quantity, Signs, order_for};
///
/// assert_eq!(order_for(1e-6, Quantity::Gradient, Signs::Mixed), Some(16));
/// assert_eq!(order_for(1e-6, Quantity::Potential, Signs::Same), Some(10));
/// assert_eq!(order_for(1e-30, Quantity::Gradient, Signs::Mixed), None);
/// ```
pub fn order_for(tolerance: f64, quantity: Quantity, signs: Signs) -> Option<usize> {
    (1..=MAX_ORDER).find(|order| SAFETY * expected_error(*order, quantity, signs) <= tolerance)
}

/// The relative L2 error measured of an order, truncation only, for receivers in shells around the
/// sources or balls beside them.
///
/// No near terms outweigh these errors, and a set may lie in the corners of its boxes, so they fall by
/// 0.62 a degree in place of 0.5. The law is the largest error over a few such sets. No law holds for
/// all: of two sets that are points to their boxes it can be the 0.76 of the proven bounds.
/// `cargo run --release -p testbed --bin calibrate` measures these errors too.
pub fn remote_error(order: usize, quantity: Quantity) -> f64 {
    let (at_zero, rate) = match quantity {
        Quantity::Potential => (9e-3, 0.57),
        Quantity::Gradient => (5.2e-2, 0.62),
    };
    at_zero * num_traits::Float::powi(rate, order as i32)
}

/// The smallest order whose [`remote_error`] is half of `tolerance` or less; `None` above
/// [`MAX_ORDER`]. A first guess, to be checked by measurement.
///
/// ```
/// use expansions::order::{Quantity, remote_order};
///
/// assert_eq!(remote_order(1e-6, Quantity::Gradient), Some(25));
/// ```
pub fn remote_order(tolerance: f64, quantity: Quantity) -> Option<usize> {
    (1..=MAX_ORDER).find(|order| SAFETY * remote_error(*order, quantity) <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_errors_fall_with_the_order_and_rise_with_difficulty() {
        for order in 1..=MAX_ORDER {
            for quantity in [Quantity::Potential, Quantity::Gradient] {
                for signs in [Signs::Same, Signs::Mixed] {
                    let error = expected_error(order, quantity, signs);
                    assert!(order == 1 || error < expected_error(order - 1, quantity, signs));
                    assert!(error <= expected_error(order, Quantity::Gradient, signs));
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
            let usual = order_for(tolerance, Quantity::Gradient, Signs::Mixed);
            assert!(remote_order(tolerance, Quantity::Gradient) > usual);
        }
    }

    #[test]
    fn orders_are_the_smallest_that_do() {
        for exponent in 1..=13 {
            let tolerance = 10f64.powi(-exponent);
            for signs in [Signs::Same, Signs::Mixed] {
                let order = order_for(tolerance, Quantity::Gradient, signs).unwrap();
                let error = |order| expected_error(order, Quantity::Gradient, signs);
                assert!(2.0 * error(order) <= tolerance);
                assert!(order == 1 || 2.0 * error(order - 1) > tolerance);
            }
        }
    }
}
