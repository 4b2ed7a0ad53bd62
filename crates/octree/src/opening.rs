//! Opening criteria of tree walks: how near a cell may come before it is opened.
//!
//! A cell has the side l, and acts through a point, from which distances d are measured, at the distance s from its
//! geometric centre. It acts as a whole where d is larger than its opening distance, by one of three criteria, and
//! larger than its [`enclosing_radius`].
//!
//! | criterion | opened where | here |
//! |---|---|---|
//! | Barnes and Hut (1986) | d ≤ l/θ | [`opening_distance`] without s |
//! | Barnes (1994); Nakasato (2012), eqs 2 and 3 | d ≤ l/θ + s | [`opening_distance`] |
//! | relative to a field g of earlier (Springel 2005) | d² ≤ l (w/α)^(1/2) \|g\|^(−1/2) for a cell of weight w | [`relative_reach`] |
//!
//! Floats are those of the caller, which on a device are not always `f64`.

use core::ops::{Add, Mul};

/// Half of the diagonal of a cube of side 1.
pub const HALF_DIAGONAL: f64 = 0.866_025_403_784_438_6;

/// Opening distance l/θ + `counted` · s of a cell; `counted` is 0 for Barnes and Hut's criterion and 1 for
/// Nakasato's.
#[inline(always)]
pub fn opening_distance<T>(side_per_theta: T, shift: T, counted: T) -> T
where
    T: Add<Output = T> + Mul<Output = T>,
{
    side_per_theta + shift * counted
}

/// Radius s + `half_diagonal` · l of the sphere about a cell's point that holds its cube: within, a cell is always
/// opened. `half_diagonal` is [`HALF_DIAGONAL`] in the caller's type.
#[inline(always)]
pub fn enclosing_radius<T>(side: T, shift: T, half_diagonal: T) -> T
where
    T: Add<Output = T> + Mul<Output = T>,
{
    shift + half_diagonal * side
}

/// Factor l (w/α)^(1/2) of the relative criterion: times |g|^(−1/2) it is the square of the opening distance.
#[inline(always)]
pub fn relative_reach<T: Mul<Output = T>>(side: T, root_of_weight_per_alpha: T) -> T {
    side * root_of_weight_per_alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_diagonal_is_rounded_once() {
        assert_eq!(HALF_DIAGONAL, 0.75_f64.sqrt());
    }

    #[test]
    fn the_enclosing_sphere_holds_the_corners() {
        let (side, point) = (2.0_f64, [0.3_f64, -0.9, 0.6]);
        let distance =
            |corner: [f64; 3]| (0..3).map(|d| (corner[d] - point[d]).powi(2)).sum::<f64>().sqrt();
        let radius = enclosing_radius(side, distance([0.0; 3]), HALF_DIAGONAL);
        for corner in 0..8 {
            let corner = [0, 1, 2].map(|d| if corner >> d & 1 == 1 { 1.0 } else { -1.0 });
            assert!(distance(corner) <= radius);
        }
    }
}
