//! The bounds themselves: their values, their limits, and the guarantee for whole lists.

use expansions::MAX_ORDER;
use expansions::bounds::{
    convergence_ratio, guaranteed_order, guaranteed_tolerance, local_bound, local_gradient_bound,
    multipole_bound, multipole_gradient_bound,
};
use proptest::prelude::*;

use super::support::{Cloud, Cube, Operators, direct, distance, rotating};

const RADIUS: f64 = 0.866_025_403_784_438_6;

#[test]
fn ratios_are_those_of_the_stencils() {
    assert!((convergence_ratio(RADIUS, RADIUS, 2.0) - 0.763_71).abs() < 5e-6);
    assert!((convergence_ratio(RADIUS, RADIUS, 3.0) - 0.405_83).abs() < 5e-6);
    assert!((convergence_ratio(RADIUS, 0.0, 1.5) - 0.577_35).abs() < 5e-6);
    assert_eq!(convergence_ratio(0.25, 1.0, 2.25), 0.5);
    assert_eq!(convergence_ratio(1.0, 0.25, 2.25), 0.5);
}

#[test]
fn bounds_fall_at_the_ratio() {
    for order in 1..MAX_ORDER {
        let at = |p| local_bound(p, RADIUS, RADIUS, 2.0);
        let ratio = convergence_ratio(RADIUS, RADIUS, 2.0);
        assert!((at(order + 1) / at(order) - ratio).abs() < 1e-14);
        let at = |p| multipole_bound(p, RADIUS, 1.5);
        assert!((at(order + 1) / at(order) - 1.0 / 3.0_f64.sqrt()).abs() < 1e-14);
    }
}

#[test]
fn touching_spheres_have_no_bound() {
    let infinite = [
        multipole_bound(5, 1.0, 1.0),
        multipole_gradient_bound(5, 1.0, 0.5),
        local_bound(5, 1.0, 1.0, 2.0),
        local_gradient_bound(5, 1.0, 2.0, 0.0),
    ];
    assert_eq!(infinite, [f64::INFINITY; 4]);
}

/// Two charges in line with the centres make the errors nearly as large as the bound.
#[test]
fn the_bounds_are_attained() {
    let cube = Cube { center: [5.0, 0.0, 0.0], side: 1.0 };
    let far = cube.neighbor([-3, 0, 0]);
    let sources = Cloud::from_points(&[far.at([0.9, 0.0, 0.0])], &[1.0]);
    let receivers = Cloud::from_points(&[cube.at([-0.9, 0.0, 0.0])], &[0.0]);
    let exact = direct(&sources, &receivers, 0.0);
    for order in [4, 8, 14, 20] {
        let operators = Operators::<f64>::new(order);
        let multipole = operators.p2m(&sources, far);
        let local = operators.m2l(&rotating(order), [-3, 0, 0], &multipole);
        let sums = [
            operators.m2p(&multipole, far, &receivers),
            operators.l2p(&operators.p2l(&sources, cube), cube, &receivers),
            operators.l2p(&local, cube, &receivers),
        ];
        let bounds = [
            [multipole_bound(order, 0.9, 2.1), multipole_gradient_bound(order, 0.9, 2.1)],
            [local_bound(order, 0.0, 0.9, 2.1), local_gradient_bound(order, 0.0, 0.9, 2.1)],
            [local_bound(order, 0.9, 0.9, 3.0), local_gradient_bound(order, 0.9, 0.9, 3.0)],
        ];
        for (path, (sums, bounds)) in sums.iter().zip(bounds).enumerate() {
            for (error, bound) in sums.errors(&exact).into_iter().zip(bounds) {
                let part = error / bound;
                // One expansion attains its bound, two only in the limit of high orders.
                let least = if path < 2 { 0.999 } else { 0.6 };
                assert!(part > least && part < 1.000_001, "path {path}, p = {order}: {part}");
            }
        }
    }
}

#[test]
fn an_order_is_the_smallest_that_suffices() {
    for order in 2..=MAX_ORDER {
        let promise = guaranteed_tolerance(order);
        assert!(promise < guaranteed_tolerance(order - 1));
        assert_eq!(guaranteed_order(promise), Some(order));
        assert_eq!(guaranteed_order(promise * 1.000_001), Some(order));
    }
    for none in [guaranteed_tolerance(MAX_ORDER) * 0.999, 0.0, -1.0, f64::NAN] {
        assert_eq!(guaranteed_order(none), None);
    }
    assert_eq!(guaranteed_order(f64::INFINITY), Some(1));
}

/// The charges of a far box, one by one and together, at the receivers that are worst off.
#[test]
fn the_guarantee_holds_for_the_nearest_pairs() {
    for tolerance in [1.0, 0.1, 1e-2, 1e-3, 1e-4] {
        let order = guaranteed_order(tolerance).unwrap();
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        for offset in [[2, 0, 0], [0, -2, 1], [1, 1, 2], [2, 2, -2], [0, 3, 0]] {
            let far = Cube::UNIT.neighbor(offset);
            // The nearest point of a box whose own side is any multiple of this one's.
            let nearest = Cube::UNIT.at(offset.map(|c| 1.5 * f64::from(c.clamp(-1, 1))));
            let mut receivers = Cloud::in_cube(20, far, 1);
            receivers.append(&Cloud::from_points(&[nearest], &[0.0]));
            let sources = Cloud::in_cube(20, Cube::UNIT, 2);
            let parts = (0..sources.len())
                .map(|j| Cloud::from_points(&[sources.point(j)], &[sources.charges[j]]))
                .chain([sources.clone()]);
            for part in parts {
                let (there, here) = (operators.p2m(&part, Cube::UNIT), &part);
                let opposite = offset.map(|c: i8| -c);
                let local = operators.m2l(&m2l, opposite, &there);
                let exact = direct(here, &receivers, 0.0);
                let by_m2p = operators.m2p(&there, Cube::UNIT, &receivers);
                let by_m2l = operators.l2p(&local, far, &receivers);
                for i in 0..receivers.len() {
                    let x = receivers.point(i);
                    let scale: f64 = (0..part.len())
                        .map(|j| part.charges[j].abs() / distance(x, part.point(j)))
                        .sum();
                    let error = (by_m2p.potential[i] - exact.potential[i]).abs();
                    assert!(error <= tolerance * scale, "M2P, p = {order}: {error:e}");
                    // The last receiver is outside the local expansion's box.
                    if i < 20 {
                        let error = (by_m2l.potential[i] - exact.potential[i]).abs();
                        assert!(error <= tolerance * scale, "M2L, p = {order}: {error:e}");
                    }
                }
            }
        }
    }
}

proptest! {
    /// Forms that can be compared agree; the bound of the gradient is the slope of that of the potential.
    #[test]
    fn bounds_fit_together(
        order in 2_usize..=MAX_ORDER,
        a in 0.0..1.0_f64,
        b in 0.01..1.0_f64,
        gap in 0.01..3.0_f64,
    ) {
        let d = a + b + gap;
        let close = |x: f64, y: f64, tolerance: f64| (x - y).abs() <= tolerance * x.abs().max(y.abs());
        prop_assert!(close(local_bound(order, a, 0.0, d), multipole_bound(order, a, d), 1e-12));
        prop_assert!(close(
            local_gradient_bound(order, a, 0.0, d),
            multipole_gradient_bound(order, a, d),
            1e-12
        ));
        prop_assert!(close(local_bound(order, a, b, d), local_bound(order, b, a, d), 1e-12));
        let step = 1e-5 * b.min(gap);
        let slope = (local_bound(order, a, b + step, d) - local_bound(order, a, b - step, d))
            / (2.0 * step);
        prop_assert!(close(slope, local_gradient_bound(order, a, b, d), 1e-6));
    }
}
