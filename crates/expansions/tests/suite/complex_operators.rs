//! Each operator of the complex basis on one path, against direct sums and against its error bound.

use crate::complex_support::{cloud, relative_difference, zeros};
use expansions::papers::complex::{
    Complex64, l2l, l2p, l2p_gradient, m2l, m2m, m2p, m2p_gradient, p2l, p2m, signed,
};
use proptest::prelude::*;

const NEAR: [f64; 3] = [0.2, -0.1, 0.3];
/// The centre of a box at the lattice offset (2, −1, 1) from `NEAR`, the worst kind of M2L pair.
const FAR: [f64; 3] = [2.2, -1.1, 1.3];
/// The circumradius of a unit box, and the distance of the two centres.
const A: f64 = 0.8660254037844386;
const D: f64 = 2.449489742783178;

/// Potential and gradient at a point.
struct Field {
    potential: f64,
    gradient: [f64; 3],
}

/// Bounds of the errors of a field.
struct Bounds {
    potential: f64,
    gradient: f64,
}

/// The field at `target`, by the definition.
fn direct(positions: &[[f64; 3]], charges: &[f64], target: [f64; 3]) -> Field {
    let (mut potential, mut gradient) = (0.0, [0.0; 3]);
    for (position, charge) in positions.iter().zip(charges) {
        let offset: [f64; 3] = std::array::from_fn(|axis| position[axis] - target[axis]);
        let inverse = offset.iter().map(|x| x * x).sum::<f64>().sqrt().recip();
        potential += charge * inverse;
        for axis in 0..3 {
            gradient[axis] += charge * offset[axis] * inverse.powi(3);
        }
    }
    Field { potential, gradient }
}

/// The field of a multipole about `NEAR`.
fn of_multipole(order: usize, multipole: &[Complex64], target: [f64; 3]) -> Field {
    Field {
        potential: m2p(order, NEAR, multipole, target),
        gradient: m2p_gradient(order, NEAR, multipole, target),
    }
}

/// The field of a local expansion.
fn of_local(order: usize, center: [f64; 3], local: &[Complex64], target: [f64; 3]) -> Field {
    Field {
        potential: l2p(order, center, local, target),
        gradient: l2p_gradient(order, center, local, target),
    }
}

fn absolute_charge(charges: &[f64]) -> f64 {
    charges.iter().map(|q| q.abs()).sum()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// Asserts that potential and gradient are within their `bounds`.
fn assert_close(order: usize, bounds: &Bounds, value: &Field, exact: &Field, size: f64) {
    // Sums of p² terms of size `size` each round at ε; a derivative multiplies degree n by n.
    let rounding = (order * order) as f64 * f64::EPSILON * size;
    let error = (value.potential - exact.potential).abs();
    assert!(error <= bounds.potential + rounding, "p={order}: {error:e} > {:e}", bounds.potential);
    let error = distance(value.gradient, exact.gradient);
    assert!(
        error <= bounds.gradient + 2.0 * order as f64 * rounding,
        "p={order}: gradient {error:e} > {:e}",
        bounds.gradient
    );
}

/// Bounds of the tail Σ_{n≥p} Aρⁿ/rⁿ⁺¹ and, as Σ (n+1) Aρⁿ/rⁿ⁺², of its gradient (Bernstein).
fn multipole_bounds(order: usize, total: f64, rho: f64, r: f64) -> Bounds {
    let (p, ratio) = (order as f64, rho / r);
    let power = total * ratio.powi(order as i32);
    Bounds {
        potential: power / (r - rho),
        gradient: power * (p + 1.0 - p * ratio) / (r * (1.0 - ratio)).powi(2),
    }
}

/// Bounds of the tail Σ_{n≥p} Arⁿ/ρⁿ⁺¹ and, as Σ n Arⁿ⁻¹/ρⁿ⁺¹, of its gradient.
fn local_bounds(order: usize, total: f64, r: f64, rho: f64) -> Bounds {
    let (p, ratio) = (order as f64, r / rho);
    let power = total * ratio.powi(order as i32 - 1);
    Bounds {
        potential: power * ratio / (rho - r),
        gradient: power * (p - (p - 1.0) * ratio) / (rho * (1.0 - ratio)).powi(2),
    }
}

/// The bound 2A/(d−2a) · (a/(d−a))^p of M2L between spheres of radius a at distance d, and its
/// derivative in the target's radius, which bounds the gradient.
fn m2l_bounds(order: usize, total: f64) -> Bounds {
    let (p, gap) = (order as f64, D - 2.0 * A);
    let power = total / gap * (A / (D - A)).powi(order as i32);
    Bounds { potential: 2.0 * power, gradient: power * (p / A + p / (D - A) + 2.0 / gap) }
}

#[test]
fn p2m_then_m2p_converges_within_the_bound() {
    let (positions, charges) = cloud(1, 40, NEAR);
    let total = absolute_charge(&charges);
    for order in [1, 2, 3, 5, 8, 12, 20, 30, 43] {
        let mut multipole = zeros(order);
        p2m(order, NEAR, &positions, &charges, &mut multipole);
        for target in [[1.7, -0.1, 0.3], [0.2, -1.4, -0.5], [0.2, -0.1, 2.3], [-2.8, 3.0, -4.0]] {
            let r = distance(target, NEAR);
            let bounds = multipole_bounds(order, total, A, r);
            let value = of_multipole(order, &multipole, target);
            let exact = direct(&positions, &charges, target);
            assert_close(order, &bounds, &value, &exact, total / r);
        }
    }
}

#[test]
fn p2l_then_l2p_converges_within_the_bound() {
    let (positions, charges) = cloud(2, 40, FAR);
    let total = absolute_charge(&charges);
    let nearest = positions.iter().map(|&y| distance(y, NEAR)).fold(f64::MAX, f64::min);
    for order in [1, 2, 3, 5, 8, 12, 20, 30, 43] {
        let mut local = zeros(order);
        p2l(order, NEAR, &positions, &charges, &mut local);
        for target in [NEAR, [0.2, -0.1, 0.8], [0.2, -0.1, 0.0], [-0.3, 0.4, -0.2]] {
            let r = distance(target, NEAR);
            let bounds = local_bounds(order, total, r, nearest);
            let value = of_local(order, NEAR, &local, target);
            let exact = direct(&positions, &charges, target);
            assert_close(order, &bounds, &value, &exact, total);
        }
    }
}

#[test]
fn m2l_converges_within_the_bound() {
    let (positions, charges) = cloud(3, 40, NEAR);
    let (targets, _) = cloud(4, 10, FAR);
    let total = absolute_charge(&charges);
    for order in [1, 2, 4, 7, 12, 20, 30, 43] {
        let (mut multipole, mut local) = (zeros(order), zeros(order));
        p2m(order, NEAR, &positions, &charges, &mut multipole);
        m2l(order, NEAR, FAR, &multipole, &mut local);
        let bounds = m2l_bounds(order, total);
        for &target in &targets {
            let value = of_local(order, FAR, &local, target);
            let exact = direct(&positions, &charges, target);
            assert_close(order, &bounds, &value, &exact, total);
        }
    }
}

/// M2L of a distant multipole and P2L of its sources are the same local expansion.
#[test]
fn m2l_equals_p2l_when_far() {
    let order = 14;
    let far = [30.0, -40.0, 20.0];
    let (positions, charges) = cloud(5, 30, NEAR);
    let (mut multipole, mut translated, mut local) = (zeros(order), zeros(order), zeros(order));
    p2m(order, NEAR, &positions, &charges, &mut multipole);
    m2l(order, NEAR, far, &multipole, &mut translated);
    p2l(order, far, &positions, &charges, &mut local);
    for n in 0..order {
        for m in 0..=n as isize {
            // Each degree on its own scale: a coefficient falls by the distance per degree.
            let size = (0..=n as isize).map(|m| signed(&local, n, m).l1_norm()).fold(0.0, f64::max);
            let error = (signed(&translated, n, m) - signed(&local, n, m)).l1_norm();
            // (a/d)^p is below ε here, times the binomial growth of degree n.
            let tolerance = 100.0 * (order * order) as f64 * f64::EPSILON;
            assert!(error <= tolerance * size, "n={n} m={m}: {error:e} of {size:e}");
        }
    }
}

#[test]
fn m2m_of_the_parts_is_p2m_of_the_whole() {
    let order = 20;
    let parent = [0.5, 0.4, -0.2];
    let (mut whole, mut parts) = (zeros(order), zeros(order));
    for octant in 0..8_u8 {
        let child: [f64; 3] = std::array::from_fn(|axis| {
            parent[axis] + if octant >> axis & 1 == 1 { 0.5 } else { -0.5 }
        });
        let (positions, charges) = cloud(u64::from(octant), 12, child);
        let mut multipole = zeros(order);
        p2m(order, child, &positions, &charges, &mut multipole);
        m2m(order, child, parent, &multipole, &mut parts);
        p2m(order, parent, &positions, &charges, &mut whole);
    }
    assert!(relative_difference(&parts, &whole) <= order as f64 * f64::EPSILON);
}

#[test]
fn l2l_leaves_the_polynomial_unchanged() {
    let order = 16;
    let child = [0.45, -0.35, 0.05];
    let (positions, charges) = cloud(7, 20, FAR);
    let (mut parent, mut local) = (zeros(order), zeros(order));
    p2l(order, NEAR, &positions, &charges, &mut parent);
    l2l(order, NEAR, child, &parent, &mut local);
    let (targets, _) = cloud(8, 10, child);
    let size = absolute_charge(&charges);
    for target in targets {
        let moved = l2p(order, child, &local, target);
        let kept = l2p(order, NEAR, &parent, target);
        assert!((moved - kept).abs() <= (order * order) as f64 * f64::EPSILON * size);
        let moved = l2p_gradient(order, child, &local, target);
        let kept = l2p_gradient(order, NEAR, &parent, target);
        let tolerance = (order * order * order) as f64 * f64::EPSILON * size;
        assert!(distance(moved, kept) <= tolerance);
    }
}

#[test]
fn one_path_through_all_operators_meets_the_direct_sum() {
    let order = 30;
    let (child_from, child_to) = ([-0.05, 0.15, 0.05], [2.45, -1.35, 1.55]);
    let (positions, charges) = cloud(9, 25, [0.0; 3]);
    let positions: Vec<[f64; 3]> = positions
        .iter()
        .map(|y| std::array::from_fn(|axis| child_from[axis] + 0.5 * y[axis]))
        .collect();
    let mut chain = [zeros(order), zeros(order), zeros(order), zeros(order)];
    let [child, parent, far, local] = &mut chain;
    p2m(order, child_from, &positions, &charges, child);
    m2m(order, child_from, NEAR, child, parent);
    m2l(order, NEAR, FAR, parent, far);
    l2l(order, FAR, child_to, far, local);
    let total = absolute_charge(&charges);
    let bounds = m2l_bounds(order, total);
    for target in [child_to, [2.6, -1.5, 1.7], [2.3, -1.2, 1.4]] {
        let value = of_local(order, child_to, local, target);
        assert_close(order, &bounds, &value, &direct(&positions, &charges, target), total);
    }
}

fn coordinate() -> impl Strategy<Value = f64> {
    -1.0..1.0
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    [coordinate(), coordinate(), coordinate()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn m2m_composes(
        order in 1_usize..10,
        position in vector(),
        middle in vector(),
        end in vector(),
    ) {
        let (mut source, mut first, mut second, mut both) =
            (zeros(order), zeros(order), zeros(order), zeros(order));
        p2m(order, [0.0; 3], &[position], &[1.0], &mut source);
        m2m(order, [0.0; 3], middle, &source, &mut first);
        m2m(order, middle, end, &first, &mut second);
        m2m(order, [0.0; 3], end, &source, &mut both);
        // The intermediate coefficients of degree n may be (|y| + 2|middle| + |end|)^n large.
        let size = 7.0_f64.powi(order as i32);
        for (a, b) in second.iter().zip(&both) {
            prop_assert!((a - b).l1_norm() <= f64::EPSILON * size);
        }
    }

    #[test]
    fn l2p_gradient_is_the_derivative_of_l2p(order in 1_usize..10, source in vector()) {
        let source = source.map(|x| x + 2.0);
        let target = [0.1, 0.2, -0.3];
        let mut local = zeros(order);
        p2l(order, [0.0; 3], &[source], &[1.0], &mut local);
        let gradient = l2p_gradient(order, [0.0; 3], &local, target);
        let step = 1e-3;
        for (axis, component) in gradient.into_iter().enumerate() {
            let at = |k: f64| {
                let mut moved = target;
                moved[axis] += k * step;
                l2p(order, [0.0; 3], &local, moved)
            };
            // The fourth-order difference leaves step⁴ Φ⁗⁗′/30 and ε/step.
            let difference = (8.0 * (at(1.0) - at(-1.0)) - at(2.0) + at(-2.0)) / (12.0 * step);
            let tolerance = 120.0 * step.powi(4) + 10.0 * f64::EPSILON / step;
            prop_assert!((difference - component).abs() <= tolerance);
        }
    }
}
