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

use crate::api::M2l;
use crate::engine::ChargeKind;

pub(crate) use walk::{WalkErrors, interactions};

/// The output whose error counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quantity {
    /// Φ
    Potential,
    /// ∇Φ, with or without Φ: the larger error of both.
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

impl From<M2l> for FarField {
    fn from(form: M2l) -> Self {
        match form {
            M2l::PlaneWaves => Self::Waves,
            M2l::Dense | M2l::Rotation => Self::Translations,
        }
    }
}

/// Conditions on which errors of one order depend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conditions {
    /// Kind of the charges.
    pub(crate) kind: ChargeKind,
    pub(crate) far: FarField,
    /// Dimension of the points: 3 for a volume, 2 for a surface. A surface has fewer far boxes, and nearer points.
    pub(crate) dimension: f64,
}

/// Factor between the tabled errors and the tolerance that they serve: sets of points other than the measured ones. Masses that
/// calibration never saw had up to 1.8 of the tabled errors (docs/records/accuracy-f64-cpu.json over these tables, 2026-11-29), most of them less
/// than 1; where the factor is too small, the check of the evaluation asks for a second attempt.
pub(crate) const SAFETY: f64 = 1.4;

/// The same for expansions on lists among charges of both signs, whose errors depend less on the set of points: those of sets that
/// calibration never saw were at most 0.92 of the table's down to 10⁻⁹ (docs/accuracy.md, 2026-11-29), where masses have up to 1.8.
/// Errors stay so far from the tolerance that few checks look twice.
const SAFETY_OF_UNLIKE: f64 = 1.25;

/// Errors of one order, of volumes and of surfaces: potential and gradient for charges of one sign, then both for charges
/// of both signs.
type Row = (usize, [f64; 4], [f64; 4]);

/// Dimensions between which points count as a surface; a sample tells the dimension to 0.1.
const SURFACE: [f64; 2] = [1.8, 2.1];

/// Dimension from which points count as a volume. Dimensions below a surface's do too: they are those of curves, and of
/// clusters in which a few dense places have most of the pairs.
const FULL: f64 = 2.4;

/// The relative L2 error expected of an order, truncation only: interpolated in the table of
/// measurements, geometrically between its orders.
pub(crate) fn expected_error(order: usize, quantity: Quantity, conditions: Conditions) -> f64 {
    let Conditions { kind, far, dimension } = conditions;
    let table = match far {
        FarField::Translations => fmm::TRANSLATIONS,
        FarField::Waves => fmm::WAVES,
    };
    let column = if kind == ChargeKind::Alike { 0 } else { 2 };
    let error = |errors: [f64; 4]| match quantity {
        Quantity::Potential => errors[column],
        Quantity::Gradient => errors[column].max(errors[column + 1]),
    };
    let [least, most] = SURFACE;
    let part = match dimension < least {
        true => 1.0,
        false => ((dimension - most) / (FULL - most)).clamp(0.0, 1.0),
    };
    let of_row = |row: &Row| between(error(row.2), error(row.1), part);
    of_order(table, order, |row| row.0, of_row)
}

/// An error of a table at an order, geometrically between its rows.
fn of_order<R>(
    table: &[R],
    order: usize,
    order_of: impl Fn(&R) -> usize,
    error: impl Fn(&R) -> f64,
) -> f64 {
    let order = order.clamp(1, MAX_ORDER);
    let above = table.iter().position(|row| order_of(row) >= order).unwrap_or(table.len() - 1);
    let [low, high] = [above.saturating_sub(1), above].map(|row| &table[row]);
    let [from, to] = [low, high].map(&order_of);
    let fraction = if from == to { 1.0 } else { (order - from) as f64 / (to - from) as f64 };
    between(error(low), error(high), fraction)
}

/// Geometric interpolation from `a`, at 0, to `b`, at 1.
fn between(a: f64, b: f64, fraction: f64) -> f64 {
    a * (b / a).powf(fraction)
}

/// The smallest order whose expected error, with a factor of safety, is at most `tolerance`; `None` above [`MAX_ORDER`].
pub(crate) fn order_for(
    tolerance: f64,
    quantity: Quantity,
    conditions: Conditions,
) -> Option<usize> {
    let safety = safety_of(conditions.kind);
    let error = |order| expected_error(order, quantity, conditions);
    (1..=MAX_ORDER).find(|order| safety * error(*order) <= tolerance)
}

fn safety_of(kind: ChargeKind) -> f64 {
    match kind {
        ChargeKind::Alike => SAFETY,
        ChargeKind::Unlike => SAFETY_OF_UNLIKE,
    }
}

/// The relative L2 error measured of an order, truncation only, for receivers in shells around the
/// sources or balls beside them.
///
/// No near terms outweigh these errors, and a set may lie in the corners of its boxes, so they fall more slowly. The law is the largest error over a few such sets. No law holds for
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

/// The error that plane waves of an order may add, relative to the largest: a share of the potential's by rotation for charges of
/// both signs in volumes, so that the whole error stays what it is by rotation. From order 20 on that leaves more room: waves have
/// few azimuthal indices, and the missing ones are where rotation has most of its error. The shares keep the errors of both forms in
/// the tables alike, as `calibrate errors --check` shows side by side.
pub(crate) fn wave_error(order: usize) -> f64 {
    let share = if order < 20 { 0.4 } else { 1.0 };
    share * of_order(fmm::TRANSLATIONS, order, |row| row.0, |(_, volume, _)| volume[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::dimension::VOLUME;

    /// Both kinds of charges and forms, for a surface and a volume.
    fn all_conditions() -> impl Iterator<Item = Conditions> {
        let far = |kind| [FarField::Translations, FarField::Waves].map(|far| (kind, far));
        let pairs = [ChargeKind::Alike, ChargeKind::Unlike].into_iter().flat_map(far);
        let dimensions =
            |(kind, far)| [2.0, 2.2, VOLUME].map(|dimension| Conditions { kind, far, dimension });
        pairs.flat_map(dimensions)
    }

    #[test]
    fn expected_errors_fall_with_the_order_and_rise_with_difficulty() {
        for order in 1..=MAX_ORDER {
            for quantity in [Quantity::Potential, Quantity::Gradient] {
                for conditions in all_conditions() {
                    let error = expected_error(order, quantity, conditions);
                    assert!(order == 1 || error < expected_error(order - 1, quantity, conditions));
                }
            }
        }
    }

    #[test]
    fn remote_orders_are_the_smallest_that_do() {
        for exponent in 3..=12 {
            let tolerance = 10f64.powi(-exponent);
            for quantity in [Quantity::Potential, Quantity::Gradient] {
                let order = remote_order(tolerance, quantity).unwrap();
                assert!(SAFETY * remote_error(order, quantity) <= tolerance);
                assert!(SAFETY * remote_error(order - 1, quantity) > tolerance);
            }
        }
    }

    #[test]
    fn orders_are_the_smallest_that_do() {
        for exponent in 1..=13 {
            let tolerance = 10f64.powi(-exponent);
            for conditions in all_conditions() {
                let order = order_for(tolerance, Quantity::Gradient, conditions).unwrap();
                let safety = safety_of(conditions.kind);
                let error = |order| expected_error(order, Quantity::Gradient, conditions);
                assert!(safety * error(order) <= tolerance);
                assert!(order == 1 || safety * error(order - 1) > tolerance);
            }
        }
    }
}
