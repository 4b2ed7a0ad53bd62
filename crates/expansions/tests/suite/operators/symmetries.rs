//! Invariance under motions of space, and harmonicity.

use expansions::layout::n_coefficients;
use proptest::prelude::*;

use super::support::{Cloud, Cube, Operators, largest, rotating, uniform};

/// A rotation by Euler angles, as rows.
fn rotation([a, b, c]: [f64; 3]) -> [[f64; 3]; 3] {
    let ((sa, ca), (sb, cb), (sc, cc)) = (a.sin_cos(), b.sin_cos(), c.sin_cos());
    [
        [ca * cb * cc - sa * sc, -ca * cb * sc - sa * cc, ca * sb],
        [sa * cb * cc + ca * sc, -sa * cb * sc + ca * cc, sa * sb],
        [-sb * cc, sb * sc, cb],
    ]
}

fn turn(matrix: [[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

fn map(cloud: &Cloud<f64>, f: impl Fn([f64; 3]) -> [f64; 3]) -> Cloud<f64> {
    let points: Vec<_> = (0..cloud.len()).map(|i| f(cloud.point(i))).collect();
    Cloud::from_points(&points, &cloud.charges)
}

/// Motion that takes a cube to itself, one of 48: axes exchanged, then reflected.
fn cube_motion(number: usize, x: [f64; 3]) -> [f64; 3] {
    let axes = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]][number / 8];
    [0, 1, 2].map(|k: usize| if number >> k & 1 == 1 { -x[axes[k]] } else { x[axes[k]] })
}

fn angles() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-3.2..3.2_f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The truncated series themselves turn with the charges, not just their limits.
    #[test]
    fn turning_charges_and_receivers_turns_the_field(
        seed in any::<u64>(),
        order in 1_usize..16,
        angles in angles(),
    ) {
        let operators = Operators::<f64>::new(order);
        let matrix = rotation(angles);
        let inside = Cloud::in_cube(15, Cube::UNIT, seed);
        let outside = Cloud::in_cube(15, Cube::UNIT.neighbor([-2, 1, 0]), seed ^ 1);
        let run = |inside: &Cloud<f64>, outside: &Cloud<f64>| {
            let multipole = operators.p2m(inside, Cube::UNIT);
            let local = operators.p2l(outside, Cube::UNIT);
            [operators.m2p(&multipole, Cube::UNIT, outside), operators.l2p(&local, Cube::UNIT, inside)]
        };
        let before = run(&inside, &outside);
        let after = run(&map(&inside, |x| turn(matrix, x)), &map(&outside, |x| turn(matrix, x)));
        let rounding = 8.0 * (order * order) as f64 * f64::EPSILON * inside.total().max(outside.total());
        for (mut before, after) in before.into_iter().zip(after) {
            for i in 0..before.potential.len() {
                let turned = turn(matrix, [0, 1, 2].map(|k| before.gradient[k][i]));
                for (component, turned) in before.gradient.iter_mut().zip(turned) {
                    component[i] = turned;
                }
            }
            let [potential, gradient] = after.errors(&before);
            prop_assert!(potential <= rounding, "{potential:e}");
            prop_assert!(gradient <= 2.0 * order as f64 * rounding, "{gradient:e}");
        }
    }

    #[test]
    fn moving_the_boxes_changes_nothing(
        seed in any::<u64>(),
        order in 1_usize..12,
        shift in prop::array::uniform3(-1e3..1e3_f64),
    ) {
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        let offset = [2, -1, 2];
        let run = |shift: [f64; 3]| {
            let cube = Cube { center: shift, side: 1.0 };
            let far = cube.neighbor(offset);
            let move_by = |x: [f64; 3]| [0, 1, 2].map(|k| x[k] + shift[k]);
            let sources = map(&Cloud::in_cube(10, Cube::UNIT.neighbor(offset), seed), move_by);
            let receivers = map(&Cloud::in_cube(10, Cube::UNIT, seed ^ 1), move_by);
            let multipole = operators.p2m(&sources, far);
            let local = operators.m2l(&m2l, offset, &multipole);
            [operators.m2p(&multipole, far, &receivers), operators.l2p(&local, cube, &receivers)]
        };
        // Positions are rounded at the size of the shift; the field changes by its slope.
        let rounding = 20.0 * (order * order) as f64 * f64::EPSILON * 2e3;
        for (moved, unmoved) in run(shift).into_iter().zip(run([0.0; 3])) {
            let [potential, gradient] = moved.errors(&unmoved);
            prop_assert!(potential <= rounding, "{potential:e}");
            prop_assert!(gradient <= order as f64 * rounding, "{gradient:e}");
        }
    }
}

/// The tables of M2L differ from offset to offset: each must give what its mirror images give.
#[test]
fn far_boxes_that_are_images_of_each_other_act_alike() {
    let order = 10;
    let operators = Operators::<f64>::new(order);
    let m2l = rotating(order);
    for offset in [[2, 0, 0], [2, 1, 0], [3, 2, 1], [3, 3, 3], [2, 2, 1]] {
        let run = |motion: usize| {
            let moved = cube_motion(motion, offset.map(f64::from)).map(|c| c as i8);
            let far = Cube::UNIT.neighbor(moved);
            let inside =
                |seed| map(&Cloud::in_cube(12, Cube::UNIT, seed), |x| cube_motion(motion, x));
            let (sources, receivers) = (inside(1), inside(2));
            let sources = map(&sources, |x| [0, 1, 2].map(|k| x[k] + far.center[k]));
            let local = operators.m2l(&m2l, moved, &operators.p2m(&sources, far));
            (operators.l2p(&local, Cube::UNIT, &receivers).potential, sources.total())
        };
        let (want, total) = run(0);
        for motion in 1..48 {
            for (a, b) in run(motion).0.iter().zip(&want) {
                assert!((a - b).abs() <= 40.0 * f64::EPSILON * total, "{offset:?}, {motion}");
            }
        }
    }
}

/// The Laplacian of either series, by differentiating twice, has no coefficient left.
#[test]
fn series_are_harmonic() {
    for order in 1..=20 {
        let operators = Operators::<f64>::new(order + 1);
        let mut next = uniform(order as u64);
        let mut coefficients = vec![0.0; n_coefficients(order)];
        coefficients.fill_with(&mut next);
        for multipole in [false, true] {
            let derivatives = |order: usize, of: &[f64]| {
                let mut out = [(); 3].map(|()| vec![0.0; n_coefficients(order + 1)]);
                let [x, y, z] = &mut out;
                if multipole {
                    operators.gradient.of_multipole(order, of, [x, y, z]);
                } else {
                    operators.gradient.of_local(order, of, [x, y, z]);
                }
                out
            };
            let next_order = if multipole { order + 1 } else { order - 1 };
            let first = derivatives(order, &coefficients);
            let mut laplacian = vec![0.0; n_coefficients(next_order + 1)];
            let mut size = 0.0;
            for (axis, first) in first.iter().enumerate() {
                let second = derivatives(next_order, first);
                size += largest(&second[axis]);
                for (sum, value) in laplacian.iter_mut().zip(&second[axis]) {
                    *sum += value;
                }
            }
            assert!(largest(&laplacian) <= 8.0 * f64::EPSILON * size, "p = {order}");
            assert_eq!(size > 0.0, multipole || order > 2);
        }
    }
}

/// Laplacian by differences of the gradients of L2P and M2P, so that their sums are harmonic too.
#[test]
fn evaluated_fields_are_harmonic() {
    let operators = Operators::<f64>::new(12);
    let far = Cube::UNIT.neighbor([0, 2, 1]);
    let sources = Cloud::in_cube(30, far, 1);
    let step = 1e-2;
    for point in [[0.1, 0.2, -0.3], [0.4, -0.4, 0.4], [0.0, 0.0, 0.0]] {
        let mut stencil = vec![point];
        for axis in 0..3 {
            for k in [-2.0, -1.0, 1.0, 2.0] {
                let mut moved = point;
                moved[axis] += k * step;
                stencil.push(moved);
            }
        }
        let receivers = Cloud::from_points(&stencil, &vec![0.0; stencil.len()]);
        let local = operators.p2l(&sources, Cube::UNIT);
        let multipole = operators.p2m(&sources, far);
        for sums in [
            operators.l2p(&local, Cube::UNIT, &receivers),
            operators.m2p(&multipole, far, &receivers),
        ] {
            let phi = &sums.potential;
            let second = |axis: usize| {
                let [a, b, c, d] = [1, 2, 3, 4].map(|k| phi[4 * axis + k]);
                (16.0 * (b + c) - (a + d) - 30.0 * phi[0]) / (12.0 * step * step)
            };
            let parts = [0, 1, 2].map(second);
            let (laplacian, size) = (parts.iter().sum::<f64>(), largest(&parts));
            // The difference formula's own error is step⁴/90 times a sixth derivative.
            assert!(laplacian.abs() < 1e-4 * size, "{point:?}: {laplacian:e} of {size:e}");
        }
    }
}
