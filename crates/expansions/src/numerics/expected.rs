//! Errors to expect at a receiver from the expansions that act on it.
//!
//! The last two degrees of an expansion tell its error, since the first degree that is left out is not much smaller. The error
//! of order p grows with the power p of the distance from the middle of a local expansion, and falls with the power p + 1 of
//! that from the middle of a multipole. So few expansions have nearly all of the error at a receiver, and few receivers nearly
//! all of the error of an expansion.

/// Place of a receiver in its box: how far in a corner, and how far in the middle of a face, each 1 at most and a square.
/// In f32, so that it takes little memory.
pub type Extremes = [f32; 2];

/// Sizes of the last degrees of the expansions that act on a receiver: of the local expansion of its leaf; of the far multipole
/// of the leaf's level that has the largest error, where the leaf is nearest to it; and of others that have large errors, at
/// the receiver itself. In the unit of [`last_degrees`].
pub type Sizes = [f32; 3];

/// Squared distance of a box's centre from the corners, in sides of the box.
const CORNER: f32 = 0.75;

/// Distance of a box's centre from that of its nearest far box, in sides.
const FAR: f32 = 2.0;

/// Squared distance of a face's middle from the centre of the nearest far box beyond it, in sides.
const FACE: f32 = (FAR - 0.5) * (FAR - 0.5);

/// Place of a point in its box; `relative` is the point less the centre, in sides of the box. First, the squared distance from
/// the centre over that of the corners; second, the squared distance of a face's middle from the centre of the nearest far
/// box over that of the point.
#[inline(always)]
pub fn extremes([x, y, z]: [f32; 3]) -> Extremes {
    let square = x * x + y * y + z * z;
    let largest = x.abs().max(y.abs()).max(z.abs()).min(0.5);
    let from_far = square + FAR * FAR - 2.0 * FAR * largest;
    [square / CORNER, FACE / from_far]
}

/// Squares of the errors to expect of expansions of `order` at a place: of the leaf's local expansion, and of all others.
/// Charges that cancel but in the corners of their boxes, as in a crystal, have errors in faces alone. Where one charge of a
/// close pair is far and the other near, the few receivers of one leaf may have most of the error.
#[inline(always)]
pub fn expected_errors(extremes: Extremes, order: u32, sizes: Sizes) -> [f64; 2] {
    let ([corner, face], [local, far, other]) = (sizes_at(extremes, order), sizes);
    let [local, far, other] = [corner * local, face * far, other].map(f64::from);
    [local * local, far * far + other * other]
}

/// The first coefficient of the last two degrees of an expansion. Two degrees, because symmetry may leave one empty.
#[inline(always)]
pub const fn first_of_last_degrees(order: usize) -> usize {
    let degrees = order.saturating_sub(2);
    degrees * degrees
}

/// Square of the size of the last degrees of an expansion; `squares` is the sum over their coefficients. A potential has a
/// power of −1 of the box's side, a gradient of −2; the size is between them. In a unit that all boxes share.
#[inline(always)]
pub fn last_degrees(squares: f64, side: f64) -> f64 {
    squares / (side * side * side)
}

/// Squared distance of a box's centre from the nearest corner or face of the box of its size at this offset, in sides.
#[inline(always)]
pub fn nearest(offset: [i32; 3]) -> f64 {
    let [x, y, z] = offset.map(|c| (f64::from(c.abs()) - 0.5).max(0.0));
    x * x + y * y + z * z
}

/// Share of the square of a multipole's last degrees that is left at a squared distance from its centre, in sides.
#[inline(always)]
pub fn left_at(distance2: f64, order: u32) -> f64 {
    let [left] = powers([1.0 / distance2], order + 1);
    left
}

/// Share of the square of a local expansion's last degrees at a squared distance from its centre, in sides.
#[inline(always)]
pub fn grown_to(distance2: f64, order: u32) -> f64 {
    let [grown] = powers([distance2], order);
    grown
}

/// Sizes at receivers, of those where the squared ratio of distances is 1: the power of the order, to an even exponent.
#[inline(always)]
pub fn sizes_at<const N: usize>(ratios: [f32; N], order: u32) -> [f32; N] {
    powers(ratios, order / 2)
}

/// The power `exponent` of each base.
#[inline(always)]
fn powers<T: Copy + From<u8> + core::ops::Mul<Output = T>, const N: usize>(
    mut bases: [T; N],
    exponent: u32,
) -> [T; N] {
    let (mut powers, mut left) = ([T::from(1); N], exponent);
    while left > 0 {
        for (power, base) in powers.iter_mut().zip(&mut bases) {
            if left & 1 == 1 {
                *power = *power * *base;
            }
            *base = *base * *base;
        }
        left >>= 1;
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_faces_have_the_largest_errors() {
        assert_eq!(extremes([0.5, -0.5, 0.5])[0], 1.0);
        assert_eq!(extremes([0.0, -0.5, 0.0])[1], 1.0);
        assert_eq!(extremes([0.0; 3]), [0.0, 0.5625]);
        for order in 0..45 {
            assert_eq!(expected_errors([1.0; 2], order, [3.0, 1.0, 0.0]), [9.0, 1.0]);
            let expected = 0.25_f64.powi(order as i32 / 2 * 2);
            assert_eq!(expected_errors([0.25; 2], order, [1.0; 3]), [expected, expected + 1.0]);
        }
    }

    #[test]
    fn far_boxes_are_measured_from_the_nearest_corner_or_face() {
        assert_eq!(nearest([0, -2, 1]), 2.25 + 0.25);
        assert_eq!(nearest([3, 0, 0]), 6.25);
    }

    #[test]
    fn high_powers_keep_their_digits() {
        let third = f64::from(1.0_f32 / 3.0);
        assert!((grown_to(third, 37) / third.powi(37) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn little_is_left_of_a_high_degree_far_away() {
        // (3/2)^(−2p − 2) and (1/2)^(2p)
        assert!((left_at(2.25, 4) / 1.5_f64.powi(-10) - 1.0).abs() < 1e-14);
        assert_eq!(grown_to(0.25, 5), 0.5_f64.powi(10));
        assert_eq!(sizes_at([0.25, 4.0], 7), [0.5_f32.powi(6), 2.0_f32.powi(6)]);
    }

    #[test]
    fn the_second_extreme_follows_from_the_nearest_centre_of_a_far_box() {
        let steps = || (-3_i32..=3).map(f64::from);
        let far: Vec<[f64; 3]> = steps()
            .flat_map(|x| steps().flat_map(move |y| steps().map(move |z| [x, y, z])))
            .filter(|center| center.iter().any(|x| x.abs() >= 2.0))
            .collect();
        for k in 0..500 {
            let point = [0.731, 0.577, 0.839].map(|c: f64| (c * f64::from(k)).fract() - 0.5);
            let square = |center: &[f64; 3]| {
                (0..3).map(|axis| (center[axis] - point[axis]).powi(2)).sum::<f64>()
            };
            let nearest = far.iter().map(square).fold(f64::INFINITY, f64::min);
            let found = f64::from(extremes(point.map(|x| x as f32))[1]);
            assert!((found / (2.25 / nearest) - 1.0).abs() < 1e-6, "{point:?}: {found}");
        }
    }
}
