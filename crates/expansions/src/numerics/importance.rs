//! Importance of receivers: the probabilities by which a check of a field picks a few that tell the error of all.
//!
//! The probability of a receiver has five reasons, which share it evenly: all receivers alike, the square of its potential,
//! that of its gradient, and the errors to expect of its place from local expansions and from multipoles. A reason whose sum
//! is 0 or not finite is left out.

/// Receivers in a block, whose weights are added first: few blocks are looked at again for their picks.
pub const BLOCK: usize = 1 << 9;

/// Squares of potential and gradient of a receiver, 0 for an output that does not count, and the squares of the two errors to
/// expect of its place, each in any unit.
pub type Weights = [f64; 4];

/// Squares of potential and gradient above which receivers are outliers.
pub type Limits = [f64; 2];

/// Sums over some receivers: [`Weights`], and the squares of potential and gradient without outliers.
pub type Sums = [f64; 6];

/// Place of a receiver in its box: how far in a corner, and how far in the middle of a face, each 1 at most and a square.
/// In f32, so that it takes little memory.
pub type Extremes = [f32; 2];

/// Squared distance of a box's centre from the corners, in sides of the box.
const CORNER: f32 = 0.75;

/// Distance of a box's centre from that of its nearest far box, in sides.
const FAR: f32 = 2.0;

/// Squared distance of a face's middle from the centre of the nearest far box beyond it, in sides.
const FACE: f32 = (FAR - 0.5) * (FAR - 0.5);

/// Squares of potential and gradient of a value (gx, gy, gz, Φ) times the `factors` of gradient and potential. A factor of 0
/// is that of an output that does not count, whatever its value.
#[inline(always)]
pub fn squares([x, y, z, potential]: [f64; 4], factors: [f64; 2]) -> [f64; 2] {
    let scaled = |x: f64, factor: f64| if factor == 0.0 { 0.0 } else { x * factor };
    let [x, y, z] = [x, y, z].map(|part| scaled(part, factors[0]));
    let potential = scaled(potential, factors[1]);
    [potential * potential, x * x + y * y + z * z]
}

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

/// Squares of the errors to expect of expansions of `order` at a place: of a local expansion with these
/// [`last_degrees`], and of the nearest multipole, over that in the middle of a face. The first degree that is left out grows
/// with the power `order` of the distance from the box's own centre, and falls as fast with that from the centre of the
/// multipole's box. Charges that cancel but in the corners of their boxes, as in a crystal, have errors in faces alone. Where
/// one charge of a close pair is far and the other near, the few receivers of one leaf may have most of the error.
#[inline(always)]
pub fn expected_errors([corner, face]: Extremes, order: u32, last_degrees: f64) -> [f64; 2] {
    let [corner, face] = powers([corner, face], order);
    [corner * last_degrees, face]
}

/// The first coefficient of the last two degrees of an expansion. Two degrees, because symmetry may leave one empty.
#[inline(always)]
pub const fn first_of_last_degrees(order: usize) -> usize {
    let degrees = order.saturating_sub(2);
    degrees * degrees
}

/// Square of the size of the last degrees of a local expansion, which tells in which boxes errors are large: the first degree
/// that is left out is not much smaller. `squares` is the sum over their coefficients. A potential has a power of −1 of the
/// box's side, a gradient of −2; the size is between them. In a unit that all boxes share.
#[inline(always)]
pub fn last_degrees(squares: f64, side: f64) -> f64 {
    squares / (side * side * side)
}

/// The power `exponent` of each base.
#[inline(always)]
fn powers(bases: [f32; 2], exponent: u32) -> [f64; 2] {
    let (mut powers, mut bases, mut left) = ([1.0; 2], bases.map(f64::from), exponent);
    while left > 0 {
        if left & 1 == 1 {
            powers = [powers[0] * bases[0], powers[1] * bases[1]];
        }
        bases = [bases[0] * bases[0], bases[1] * bases[1]];
        left >>= 1;
    }
    powers
}

/// Weights of a receiver as the sums of one.
#[inline(always)]
pub fn within([potential, gradient, corner, face]: Weights, limits: Limits) -> Sums {
    let kept = |square: f64, limit: f64| if square <= limit { square } else { 0.0 };
    [potential, gradient, corner, face, kept(potential, limits[0]), kept(gradient, limits[1])]
}

/// Sums over two groups of receivers.
#[inline(always)]
pub fn add(a: Sums, b: Sums) -> Sums {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]]
}

/// Probabilities by which receivers are picked.
#[derive(Clone, Copy, Debug)]
pub struct Probability {
    alike: f64,
    by_weight: Weights,
}

impl Probability {
    /// Probabilities of `n` receivers with these sums of [`Weights`].
    #[inline(always)]
    pub fn new(n: usize, [potential, gradient, corner, face, ..]: Sums) -> Self {
        let usable = |sum: f64| sum > 0.0 && sum.is_finite();
        let one = |sum: f64| u32::from(usable(sum));
        let share = 1.0 / f64::from(1 + one(potential) + one(gradient) + one(corner) + one(face));
        let of = |sum: f64| if usable(sum) { share / sum } else { 0.0 };
        let by_weight = [of(potential), of(gradient), of(corner), of(face)];
        Self { alike: share / n as f64, by_weight }
    }

    /// The probability of some receivers with sums of weights.
    #[inline(always)]
    pub fn of(self, receivers: usize, [potential, gradient, corner, face]: Weights) -> f64 {
        let [by_potential, by_gradient, by_corner, by_face] = self.by_weight;
        let by_outputs = by_potential * potential + by_gradient * gradient;
        let by_place = by_corner * corner + by_face * face;
        self.alike * receivers as f64 + (by_outputs + by_place)
    }

    /// Factor of the squared error of a receiver that is `hits` of `count` picks, in the sum over all receivers.
    #[inline(always)]
    pub fn factor(self, hits: usize, count: usize, weights: Weights) -> f64 {
        hits as f64 / (count as f64 * self.of(1, weights))
    }
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
            assert_eq!(expected_errors([1.0; 2], order, 3.0), [3.0, 1.0]);
            let expected = 0.25_f64.powi(order as i32);
            assert_eq!(expected_errors([0.25; 2], order, 1.0), [expected; 2]);
        }
        let third = f64::from(1.0_f32 / 3.0);
        let [corner, _] = expected_errors([1.0 / 3.0, 1.0], 37, 1.0);
        assert!((corner / third.powi(37) - 1.0).abs() < 1e-14);
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

    #[test]
    fn outputs_that_do_not_count_have_no_square() {
        let value = [1.0, f64::NAN, 2.0, f64::INFINITY];
        assert_eq!(squares(value, [0.0, 0.0]), [0.0; 2]);
        assert_eq!(squares([1.0, 2.0, 2.0, 3.0], [0.5, 2.0]), [36.0, 2.25]);
    }

    #[test]
    fn probabilities_of_all_receivers_add_up_to_one() {
        let sums = [8.0, 0.0, f64::INFINITY, 5.0, 0.0, 0.0];
        for (sums, weights) in [
            ([8.0, 6.0, 2.0, 9.0, 0.0, 0.0], [8.0, 6.0, 2.0, 9.0]),
            (sums, [8.0, 0.0, 3.0, 5.0]),
            ([0.0; 6], [0.0; 4]),
        ] {
            let probability = Probability::new(7, sums);
            assert!((probability.of(7, weights) - 1.0).abs() < 1e-15);
        }
    }
}
