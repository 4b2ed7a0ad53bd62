//! Rigorous error bounds, and the order that they ask for.
//!
//! Every bound is for charges with Σ|q| = 1 and is multiplied by the Σ|q| at hand. It holds for any
//! charges and any points within the radii, in exact arithmetic: rounding comes on top. Errors of
//! charges that fill a box are far smaller and fall faster, for directions average; choose the
//! order by [`guaranteed_order`] only where a promise for the worst case is wanted.
//!
//! M2M and L2L appear nowhere, because they are exact: a multipole moved to the parent's centre
//! equals that of its charges there, and a local expansion moved to a child's centre is the same
//! polynomial. Derivations are in `docs/theory/formulas.md`, section 6.

use num_traits::Float;

/// The largest order with tables: errors reach the rounding of f64 before.
pub const MAX_ORDER: usize = 54;

/// The smallest order whose potential is within `tolerance` for the worst possible charges, at
/// every point: |ΔΦ(x)| ≤ `tolerance` · Σ_j |q_j| / |x − y_j|, or none if [`MAX_ORDER`] is too low.
///
/// The promise is for the lists of an octree with one box between far boxes: M2L over the 316
/// offsets, and M2P and P2L at 3/2 sides or more from the expansion's centre. With charges of one
/// sign it is the relative error. The nearest M2L decides, and it gains one digit in 8.5 orders.
#[must_use]
pub fn guaranteed_order(tolerance: f64) -> Option<usize> {
    (1..=MAX_ORDER).find(|order| guaranteed_tolerance(*order) <= tolerance)
}

/// Tolerance that [`guaranteed_order`] promises for an order ≥ 1.
///
/// A charge at y contributes to the potential at x by exactly one expansion. Let e be the bound of
/// its error and R the largest distance between points of the two boxes; then the error of the
/// charge is at most |q| e ≤ |q| e R / |x − y|, and this is the largest e R of all pairs of boxes.
#[must_use]
pub fn guaranteed_tolerance(order: usize) -> f64 {
    let radius = circumradius();
    // M2P and, with the parts of source and receiver exchanged, P2L. The product falls with the
    // distance, so that the nearest point decides.
    let nearest = 1.5;
    let point = multipole_bound(order, radius, nearest) * (nearest + radius);
    let boxes = offset_classes().map(|offset| {
        let reach = norm(offset.map(|c| c + 1.0));
        local_bound(order, radius, radius, norm(offset)) * reach
    });
    boxes.fold(point, f64::max)
}

/// The smallest order whose gradient is within `tolerance` for the worst possible charges, at every point:
/// |Δ∇Φ(x)| ≤ `tolerance` · Σ_j |q_j| / |x − y_j|², or none if [`MAX_ORDER`] is too low. For the lists of
/// [`guaranteed_order`].
#[must_use]
pub fn guaranteed_gradient_order(tolerance: f64) -> Option<usize> {
    (1..=MAX_ORDER).find(|order| guaranteed_gradient_tolerance(*order) <= tolerance)
}

/// Tolerance that [`guaranteed_gradient_order`] promises for an order ≥ 1: the largest g R² of all pairs of boxes, with g
/// the bound of the gradient's error and R the largest distance between points of the two boxes.
#[must_use]
pub fn guaranteed_gradient_tolerance(order: usize) -> f64 {
    let radius = circumradius();
    let nearest = 1.5;
    let square = |x: f64| x * x;
    let m2p = multipole_gradient_bound(order, radius, nearest);
    let p2l = local_gradient_bound(order, 0.0, radius, nearest);
    let point = m2p.max(p2l) * square(nearest + radius);
    let boxes = offset_classes().map(|offset| {
        let reach = norm(offset.map(|c| c + 1.0));
        local_gradient_bound(order, radius, radius, norm(offset)) * square(reach)
    });
    boxes.fold(point, f64::max)
}

/// One far offset of each class of equal ones, by symmetry.
fn offset_classes() -> impl Iterator<Item = [f64; 3]> {
    (2..=3_i32)
        .flat_map(|x| (0..=x).flat_map(move |y| (0..=y).map(move |z| [x, y, z].map(f64::from))))
}

/// Bound of the error of a potential by P2M and M2P: charges within `radius` of the centre, the
/// receiver at `distance` from it. Infinite if `distance` ≤ `radius`.
///
/// (a/r)^p / (r − a): the terms of degree n are at most aⁿ/rⁿ⁺¹ (Greengard & Rokhlin 1987).
#[must_use]
pub fn multipole_bound(order: usize, radius: f64, distance: f64) -> f64 {
    let gap = distance - radius;
    if gap > 0.0 { power(radius / distance, order) / gap } else { f64::INFINITY }
}

/// Bound of the error of the gradient, as a vector's length, for [`multipole_bound`].
///
/// (a/r)^p (p/(r (r − a)) + 1/(r − a)²): the terms' gradients are at most (n + 1) aⁿ/rⁿ⁺².
#[must_use]
pub fn multipole_gradient_bound(order: usize, radius: f64, distance: f64) -> f64 {
    let gap = distance - radius;
    if gap > 0.0 {
        power(radius / distance, order) * (order as f64 / distance + gap.recip()) / gap
    } else {
        f64::INFINITY
    }
}

/// Bound of the error of a potential by P2M, M2L and L2P: charges within `source_radius` of their
/// centre, receivers within `receiver_radius` of theirs, `distance` between the centres, order at
/// least 1. Infinite if the spheres touch. A `source_radius` of 0 gives P2L and L2P.
///
/// ((b/(d − a))^p + (a/(d − b))^p) / (d − a − b): both expansions are cut, and each cut costs one
/// term. Points in line with the centres attain the rate.
#[must_use]
pub fn local_bound(order: usize, source_radius: f64, receiver_radius: f64, distance: f64) -> f64 {
    let (a, b, d) = (source_radius, receiver_radius, distance);
    let gap = d - a - b;
    if gap > 0.0 {
        (power(b / (d - a), order) + power(a / (d - b), order)) / gap
    } else {
        f64::INFINITY
    }
}

/// Bound of the error of the gradient, as a vector's length, for [`local_bound`]: its derivative by
/// the receiver's radius, for a derivative multiplies a term of degree n by n at most (Bernstein).
#[must_use]
pub fn local_gradient_bound(
    order: usize,
    source_radius: f64,
    receiver_radius: f64,
    distance: f64,
) -> f64 {
    let (a, b, d) = (source_radius, receiver_radius, distance);
    let gap = d - a - b;
    if gap > 0.0 {
        let (p, receiver, source) = (order as f64, b / (d - a), a / (d - b));
        let first = p / (d - a) * power(receiver, order.saturating_sub(1));
        let second = p / (d - b) * power(source, order);
        (first + second + (power(receiver, order) + power(source, order)) / gap) / gap
    } else {
        f64::INFINITY
    }
}

/// The factor by which the error of M2L falls with each order, max(a, b)/(d − min(a, b)) (Hu,
/// Gumerov & Duraiswami, eq. 4): 0.7637 for the nearest far boxes, where a = b = √3/2 and d = 2.
#[must_use]
pub fn convergence_ratio(source_radius: f64, receiver_radius: f64, distance: f64) -> f64 {
    source_radius.max(receiver_radius) / (distance - source_radius.min(receiver_radius))
}

/// Radius of the sphere around a box of side 1.
fn circumradius() -> f64 {
    0.5 * Float::sqrt(3.0)
}

fn norm(v: [f64; 3]) -> f64 {
    Float::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
}

fn power(ratio: f64, order: usize) -> f64 {
    Float::powi(ratio, order as i32)
}
