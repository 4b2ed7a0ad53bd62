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

/// How multipoles become local expansions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FarField {
    /// By translations, pair by pair: [`M2l`](crate::operators::M2l).
    Translations,
    /// By [`Waves`](crate::operators::Waves), which fail to carry the highest terms of both expansions. Above order
    /// 24 that makes errors smaller, below it smaller leaves make them larger.
    Waves,
}

/// The largest order with tables: errors reach the rounding of f64 before.
pub const MAX_ORDER: usize = 54;

/// Factor between the tabled errors and what is promised.
const SAFETY: f64 = 2.0;

/// Relative L2 errors by order: potential and gradient for charges of one sign, then both for mixed ones. The last row
/// continues the one before at the same rate.
const TRANSLATIONS: &[(usize, [f64; 4])] = &[
    (1, [5.0e-2, 1.0e0, 1.6e-1, 2.0e-1]),
    (2, [6.6e-3, 1.1e-1, 4.1e-2, 6.4e-2]),
    (3, [9.8e-4, 2.0e-2, 9.0e-3, 2.1e-2]),
    (4, [3.9e-4, 5.7e-3, 2.8e-3, 7.4e-3]),
    (5, [8.8e-5, 1.5e-3, 9.1e-4, 2.7e-3]),
    (6, [2.1e-5, 4.5e-4, 3.2e-4, 1.1e-3]),
    (8, [2.3e-6, 5.7e-5, 4.3e-5, 1.9e-4]),
    (10, [2.4e-7, 8.1e-6, 8.0e-6, 3.1e-5]),
    (13, [1.4e-8, 8.3e-7, 6.7e-7, 3.2e-6]),
    (16, [2.6e-9, 1.3e-7, 7.5e-8, 4.8e-7]),
    (20, [7.3e-11, 5.2e-9, 4.1e-9, 3.3e-8]),
    (25, [4.4e-12, 3.5e-10, 3.1e-10, 2.3e-9]),
    (30, [3.4e-13, 4.5e-11, 3.6e-11, 3.7e-10]),
    (36, [2.4e-14, 3.7e-12, 2.7e-12, 3.3e-11]),
    (42, [1.8e-15, 3.4e-13, 2.1e-13, 2.6e-12]),
    (48, [1.4e-16, 3.2e-14, 1.7e-14, 2.4e-13]),
    (54, [1.1e-17, 3.0e-15, 1.4e-15, 2.3e-14]),
];

/// The same by waves, none smaller than that of a higher order. The last row continues the ten before.
const WAVES: &[(usize, [f64; 4])] = &[
    (1, [8.6e-2, 9.7e-1, 3.1e-1, 3.2e-1]),
    (2, [1.1e-2, 1.2e-1, 5.8e-2, 8.5e-2]),
    (3, [1.3e-3, 2.0e-2, 1.5e-2, 2.5e-2]),
    (4, [6.1e-4, 6.3e-3, 4.4e-3, 7.8e-3]),
    (5, [8.8e-5, 1.7e-3, 1.6e-3, 3.2e-3]),
    (6, [2.7e-5, 4.6e-4, 5.2e-4, 1.4e-3]),
    (7, [9.0e-6, 1.3e-4, 2.1e-4, 5.1e-4]),
    (8, [5.6e-6, 6.1e-5, 8.4e-5, 2.3e-4]),
    (9, [2.6e-6, 3.1e-5, 3.6e-5, 1.1e-4]),
    (10, [8.8e-7, 1.1e-5, 1.3e-5, 4.6e-5]),
    (11, [4.5e-7, 3.2e-6, 5.4e-6, 2.1e-5]),
    (12, [1.6e-7, 1.5e-6, 2.8e-6, 1.2e-5]),
    (13, [6.3e-8, 7.9e-7, 1.3e-6, 6.6e-6]),
    (14, [1.9e-8, 4.3e-7, 6.1e-7, 2.8e-6]),
    (15, [9.6e-9, 2.5e-7, 4.0e-7, 1.1e-6]),
    (16, [5.0e-9, 1.2e-7, 1.3e-7, 8.0e-7]),
    (17, [3.4e-9, 5.3e-8, 6.2e-8, 2.8e-7]),
    (18, [1.1e-9, 4.3e-8, 3.3e-8, 1.7e-7]),
    (19, [1.0e-9, 1.4e-8, 1.6e-8, 1.2e-7]),
    (20, [9.9e-10, 7.2e-9, 7.4e-9, 3.5e-8]),
    (21, [2.7e-10, 4.7e-9, 5.4e-9, 2.9e-8]),
    (22, [1.5e-10, 3.3e-9, 1.9e-9, 8.8e-9]),
    (23, [1.0e-10, 7.7e-10, 9.5e-10, 4.3e-9]),
    (24, [5.5e-11, 3.1e-10, 4.7e-10, 2.7e-9]),
    (25, [2.0e-11, 2.0e-10, 2.3e-10, 1.5e-9]),
    (26, [1.4e-11, 1.4e-10, 1.1e-10, 7.5e-10]),
    (27, [8.3e-12, 5.2e-11, 4.9e-11, 5.5e-10]),
    (28, [8.1e-12, 3.3e-11, 3.6e-11, 2.4e-10]),
    (29, [2.7e-12, 1.6e-11, 1.4e-11, 1.3e-10]),
    (30, [2.6e-12, 1.2e-11, 1.2e-11, 1.2e-10]),
    (31, [1.2e-12, 6.1e-12, 8.3e-12, 1.1e-10]),
    (32, [1.1e-12, 4.1e-12, 4.7e-12, 1.4e-11]),
    (33, [5.8e-13, 2.2e-12, 2.6e-12, 1.1e-11]),
    (34, [4.1e-13, 1.5e-12, 1.9e-12, 5.2e-12]),
    (35, [2.0e-13, 7.4e-13, 8.9e-13, 2.7e-12]),
    (36, [1.4e-13, 5.2e-13, 7.0e-13, 1.8e-12]),
    (37, [7.1e-14, 2.7e-13, 3.9e-13, 1.1e-12]),
    (38, [4.4e-14, 2.0e-13, 2.7e-13, 6.8e-13]),
    (39, [2.6e-14, 1.1e-13, 1.6e-13, 4.1e-13]),
    (40, [1.2e-14, 6.2e-14, 7.8e-14, 2.3e-13]),
    (41, [9.3e-15, 3.9e-14, 6.1e-14, 1.5e-13]),
    (42, [5.6e-15, 2.6e-14, 3.9e-14, 1.2e-13]),
    (43, [3.4e-15, 1.7e-14, 2.7e-14, 6.5e-14]),
    (44, [2.2e-15, 9.3e-15, 1.6e-14, 4.5e-14]),
    (54, [1.2e-17, 6.0e-17, 1.4e-16, 4.0e-16]),
];

/// The relative L2 error expected of an order, truncation only: interpolated in the table of
/// measurements, geometrically between its orders.
pub fn expected_error(order: usize, quantity: Quantity, signs: Signs, far: FarField) -> f64 {
    let table = match far {
        FarField::Translations => TRANSLATIONS,
        FarField::Waves => WAVES,
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
    low * num_traits::Float::powf(high / low, fraction)
}

/// The smallest order whose expected error is half of `tolerance` or less; `None` above
/// [`MAX_ORDER`].
///
/// ```
/// use expansions::order::{FarField, Quantity, Signs, order_for};
///
/// assert_eq!(order_for(1e-6, Quantity::Gradient, Signs::Mixed, FarField::Translations), Some(16));
/// assert_eq!(order_for(1e-12, Quantity::Gradient, Signs::Mixed, FarField::Waves), Some(39));
/// assert_eq!(order_for(1e-6, Quantity::Potential, Signs::Same, FarField::Translations), Some(10));
/// assert_eq!(order_for(1e-30, Quantity::Gradient, Signs::Mixed, FarField::Waves), None);
/// ```
pub fn order_for(tolerance: f64, quantity: Quantity, signs: Signs, far: FarField) -> Option<usize> {
    let error = |order| expected_error(order, quantity, signs, far);
    (1..=MAX_ORDER).find(|order| SAFETY * error(*order) <= tolerance)
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
