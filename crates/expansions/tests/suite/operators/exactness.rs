//! Identities that hold to rounding: M2M and L2L are exact, both forms of M2L agree, sums are linear.

use expansions::layout::index;
use expansions::operators::{FarOffset, M2l, M2lForm};
use proptest::prelude::*;

use super::support::{
    Cloud, Cube, Operators, far, largest, relative_difference, rotating, uniform,
};

/// Any expansion, its coefficients between −1/2 and 1/2.
fn any_row(operators: &Operators<f64>, seed: u64) -> Vec<f64> {
    let mut next = uniform(seed);
    let mut row = operators.row();
    row[..operators.order * operators.order].fill_with(&mut next);
    row
}

#[test]
fn multipoles_of_the_parts_make_that_of_the_whole() {
    let cube = Cube { center: [-0.4, 0.1, 7.0], side: 3.0 };
    for order in [1, 2, 3, 7, 12, 25, 40] {
        let operators = Operators::<f64>::new(order);
        let mut whole = Cloud::from_points(&[], &[]);
        let mut parts = operators.row();
        for octant in 0..8 {
            let part = Cloud::in_cube(15, cube.child(octant), octant as u64);
            let multipole = operators.p2m(&part, cube.child(octant));
            operators.m2m(octant, &multipole, &mut parts);
            whole.append(&part);
        }
        let difference = relative_difference(&parts, &operators.p2m(&whole, cube));
        assert!(difference <= 4.0 * order as f64 * f64::EPSILON, "p = {order}: {difference:e}");
    }
}

#[test]
fn a_child_sees_its_parents_polynomial() {
    let cube = Cube { center: [-0.4, 0.1, 7.0], side: 3.0 };
    for order in [1, 2, 3, 7, 12, 25, 40] {
        let operators = Operators::<f64>::new(order);
        let parent = any_row(&operators, 5);
        for octant in 0..8 {
            let child = cube.child(octant);
            let points = Cloud::in_cube(20, child, 6);
            let kept = operators.l2p(&parent, cube, &points);
            let moved = operators.l2p(&operators.l2l(octant, &parent), child, &points);
            let rounding = 4.0 * order as f64 * f64::EPSILON;
            // The polynomial is of order Σ_n √(2n+1) (√3/2)^n, and its slope n times that.
            for ((error, size), factor) in
                moved.errors(&kept).into_iter().zip(kept.sizes()).zip([1.0, order as f64])
            {
                assert!(error <= rounding * factor * size, "p = {order}: {error:e} of {size:e}");
            }
        }
    }
}

/// Two children's way to the parent and on to a far child, in any order of M2M, is one way.
#[test]
fn a_grandchild_reaches_the_root_by_two_steps() {
    let order = 14;
    let operators = Operators::<f64>::new(order);
    for (first, second) in [(0, 7), (3, 4), (6, 6)] {
        let child = Cube::UNIT.child(first);
        let cloud = Cloud::in_cube(9, child.child(second), 8);
        let (mut middle, mut root) = (operators.row(), operators.row());
        operators.m2m(second, &operators.p2m(&cloud, child.child(second)), &mut middle);
        operators.m2m(first, &middle, &mut root);
        let difference = relative_difference(&root, &operators.p2m(&cloud, Cube::UNIT));
        assert!(difference <= 8.0 * order as f64 * f64::EPSILON, "{difference:e}");
    }
}

#[test]
fn rotation_and_matrix_are_one_translation_for_all_offsets() {
    for order in [1, 2, 3, 4, 5, 8, 12] {
        let operators = Operators::<f64>::new(order);
        let (rotation, dense) = (rotating(order), M2l::new(order, M2lForm::Dense));
        assert_eq!((rotation.form(), dense.form()), (M2lForm::Rotation, M2lForm::Dense));
        let multipole = any_row(&operators, 9);
        let mut n_offsets = 0;
        for offset in FarOffset::all().map(FarOffset::components) {
            let a = operators.m2l(&rotation, offset, &multipole);
            let b = operators.m2l(&dense, offset, &multipole);
            let difference = relative_difference(&a, &b);
            assert!(difference < 1e-12, "p = {order}, {offset:?}: {difference:e}");
            n_offsets += 1;
        }
        assert_eq!(n_offsets, 316);
    }
}

#[test]
fn a_unit_charge_at_the_centre_gives_the_irregular_functions() {
    let order = 9;
    let operators = Operators::<f64>::new(order);
    let m2l = rotating(order);
    let mut multipole = operators.row();
    multipole[0] = 1.0;
    for offset in FarOffset::all().map(FarOffset::components) {
        let there = Cloud::from_points(&[Cube::UNIT.neighbor(offset).center], &[1.0]);
        let local = operators.m2l(&m2l, offset, &multipole);
        let want = operators.p2l(&there, Cube::UNIT);
        for n in 0..order {
            let degree = index(n, -(n as isize))..=index(n, n as isize);
            let difference = relative_difference(&local[degree.clone()], &want[degree]);
            assert!(difference < 1e-13, "{offset:?}, n = {n}: {difference:e}");
        }
    }
}

#[test]
fn near_offsets_are_refused() {
    assert_eq!(FarOffset::new([1, -1, 0]), None);
    assert_eq!(FarOffset::new([4, 0, 0]), None);
    assert_eq!(FarOffset::new([-128, 0, 0]), None);
    assert_eq!(far([-3, 0, 1]).components(), [-3, 0, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn expansions_are_linear_in_the_charges(
        seed in any::<u64>(),
        order in 1_usize..12,
        factors in prop::array::uniform2(-3.0..3.0_f64),
    ) {
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        let cube = Cube::UNIT.neighbor([2, 0, -1]);
        let receivers = Cloud::in_cube(5, Cube::UNIT, 1);
        let first = Cloud::<f64>::in_cube(20, cube, seed);
        let mut second = first.clone();
        second.charges.reverse();
        let mut mixed = first.clone();
        for (i, charge) in mixed.charges.iter_mut().enumerate() {
            *charge = factors[0] * first.charges[i] + factors[1] * second.charges[i];
        }
        // Charges of both signs may cancel by chance: rounding grows with Σ|q|.
        let mut magnitudes = first.clone();
        for (magnitude, charge) in magnitudes.charges.iter_mut().zip(&second.charges) {
            *magnitude = magnitude.abs() + charge.abs();
        }
        let [a, b, ab, sizes] = [&first, &second, &mixed, &magnitudes].map(|cloud| {
            let local = operators.m2l(&m2l, [2, 0, -1], &operators.p2m(cloud, cube));
            let direct_local = operators.p2l(cloud, Cube::UNIT);
            let sums = operators.l2p(&local, Cube::UNIT, &receivers);
            (local, direct_local, sums.potential)
        });
        let parts = [
            (&a.0, &b.0, &ab.0, &sizes.0),
            (&a.1, &b.1, &ab.1, &sizes.1),
            (&a.2, &b.2, &ab.2, &sizes.2),
        ];
        for (a, b, ab, sizes) in parts {
            let rounding = 100.0 * order as f64 * f64::EPSILON * largest(sizes);
            for ((a, b), ab) in a.iter().zip(b).zip(ab) {
                prop_assert!((factors[0] * a + factors[1] * b - ab).abs() <= rounding);
            }
        }
    }
}
