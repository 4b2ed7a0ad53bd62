//! High orders in both precisions, boxes of any size, boxes far from the origin, few points.

use expansions::MAX_ORDER;
use expansions::Scalar;
use expansions::operators::FarOffset;

use super::support::{Cloud, Cube, Operators, Sums, direct, rotating};

/// Results by both expansions for receivers in the unit cube, moved and scaled to `cube`:
/// P2M → M2P and P2M → M2M → M2L → L2L → L2P.
fn evaluate<T: Scalar>(order: usize, offset: [i8; 3], cube: Cube) -> [Sums<T>; 2] {
    let operators = Operators::<T>::new(order);
    let (sources, receivers) = clouds::<T>(offset, cube);
    let far = cube.neighbor(offset);
    let child = operators.p2m(&sources, far.child(3));
    let mut multipole = operators.row();
    operators.m2m(3, &child, &mut multipole);
    let local = operators.m2l(&rotating(order), offset, &multipole);
    let child = operators.l2l(4, &local);
    [operators.m2p(&multipole, far, &receivers), operators.l2p(&child, cube.child(4), &receivers)]
}

fn clouds<T: Scalar>(offset: [i8; 3], cube: Cube) -> (Cloud<T>, Cloud<T>) {
    let sources = Cloud::in_cube(30, cube.neighbor(offset).child(3), 1);
    (sources, Cloud::in_cube(20, cube.child(4), 2))
}

#[test]
fn single_precision_keeps_its_digits_up_to_order_20() {
    for offset in [[2, 0, 0], [2, -2, 1], [-3, 3, 3]] {
        for order in 1..=20 {
            let single = evaluate::<f32>(order, offset, Cube::UNIT);
            let double = evaluate::<f64>(order, offset, Cube::UNIT);
            let (sources, _) = clouds::<f64>(offset, Cube::UNIT);
            let rounding = 4.0 * f64::from(f32::EPSILON) * sources.total();
            for (single, double) in single.iter().zip(&double) {
                let [potential, gradient] = single.errors(double);
                assert!(potential < rounding, "{offset:?}, p = {order}: {potential:e}");
                // A derivative multiplies the terms, which fall at least like 0.76^n, by n.
                assert!(gradient < 8.0 * rounding, "{offset:?}, p = {order}: {gradient:e}");
            }
        }
    }
}

#[test]
fn high_orders_reach_rounding_in_double_precision() {
    for offset in [[3, 3, 3], [0, -3, 1], [2, 2, -2]] {
        let (sources, receivers) = clouds::<f64>(offset, Cube::UNIT);
        let exact = direct(&sources, &receivers, 0.0);
        for sums in [40, MAX_ORDER].into_iter().flat_map(|p| evaluate::<f64>(p, offset, Cube::UNIT))
        {
            let [potential, gradient] = sums.errors(&exact);
            let rounding = 20.0 * f64::EPSILON * sources.total();
            assert!(potential < rounding, "{offset:?}: {potential:e}");
            assert!(gradient < 10.0 * rounding, "{offset:?}: {gradient:e}");
        }
    }
}

/// All 316 tables at the highest orders, and beyond those of f32.
#[test]
fn no_table_overflows_at_the_highest_orders() {
    fn check<T: Scalar>(order: usize) {
        let operators = Operators::<T>::new(order);
        let m2l = rotating(order);
        for offset in FarOffset::all().map(FarOffset::components) {
            let far = Cube::UNIT.neighbor(offset);
            let multipole = operators.p2m(&Cloud::in_cube(9, far, 3), far);
            let local = operators.m2l(&m2l, offset, &multipole);
            assert!(local.iter().all(|x| x.widen().is_finite()), "{offset:?}, p = {order}");
        }
    }
    check::<f64>(40);
    check::<f64>(MAX_ORDER);
    check::<f32>(20);
    check::<f32>(40);
}

/// Results in boxes of any size are those of the unit box in another unit.
fn check_sides<T: Scalar>(order: usize, sides: &[f64]) {
    let offset = [-2, 0, 1];
    let want = evaluate::<f64>(order, offset, Cube { center: [0.3, 0.4, -0.1], side: 1.0 });
    for side in sides {
        let cube = Cube { center: [0.3, 0.4, -0.1].map(|c| c * side), side: *side };
        for (got, want) in evaluate::<T>(order, offset, cube).iter().zip(&want) {
            for i in 0..got.potential.len() {
                let error = (got.potential[i].widen() * side - want.potential[i]).abs();
                let gradient = [0, 1, 2]
                    .map(|k| (got.gradient[k][i].widen() * side * side) - want.gradient[k][i]);
                let epsilon = T::epsilon().widen();
                assert!(error < 200.0 * epsilon, "{} side {side:e}: {error:e}", T::NAME);
                for error in gradient {
                    assert!(error.abs() < 2000.0 * epsilon, "{} side {side:e}: {error:e}", T::NAME);
                }
            }
        }
    }
}

#[test]
fn boxes_may_be_of_any_size() {
    check_sides::<f64>(20, &[1e-30, 1e-20, 1e-7, 1.0, 3.7e9, 1e20, 1e30]);
    check_sides::<f32>(12, &[1e-12, 1e-5, 1.0, 2.9e6, 1e12]);
}

/// Centre and points differ by little where both are large: the difference is exact in f64, and is
/// scaled only then.
#[test]
fn far_from_the_origin_nothing_is_lost() {
    let order = 24;
    let operators = Operators::<f64>::new(order);
    let offset = [3, 0, -3];
    let side = 3.0 * 0.5_f64.powi(11);
    let cube = Cube { center: [1e9, -1e9, 0.0], side };
    let far = cube.neighbor(offset);
    let (sources, receivers) = (Cloud::in_cube(20, far, 1), Cloud::in_cube(20, cube, 2));
    let local = operators.m2l(&rotating(order), offset, &operators.p2m(&sources, far));
    let exact = direct(&sources, &receivers, 0.0);
    let [potential, gradient] = operators.l2p(&local, cube, &receivers).errors(&exact);
    let size = sources.total() / side;
    assert!(potential < 1e-11 * size, "{potential:e} of {size:e}");
    assert!(gradient < 1e-9 * size / side, "{gradient:e} of {:e}", size / side);
}

/// All counts of points, so all remainders of the lanes, by superposition of single points.
#[test]
fn any_number_of_points_is_expanded_and_evaluated() {
    let operators = Operators::<f64>::new(5);
    let far = Cube::UNIT.neighbor([2, 1, 0]);
    let many = Cloud::<f64>::in_cube(40, far, 1);
    for n in 0..=40 {
        let points: Vec<_> = (0..n).map(|i| many.point(i)).collect();
        let cloud = Cloud::from_points(&points, &many.charges[..n]);
        let (mut multipole, mut local) = (operators.row(), operators.row());
        let single = |i: usize| Cloud::from_points(&points[i..=i], &many.charges[i..=i]);
        for i in 0..n {
            for (sum, x) in multipole.iter_mut().zip(operators.p2m(&single(i), far)) {
                *sum += x;
            }
            for (sum, x) in local.iter_mut().zip(operators.p2l(&single(i), Cube::UNIT)) {
                *sum += x;
            }
        }
        let rounding = 4.0 * f64::EPSILON * cloud.total();
        for (sum, whole) in
            [(&multipole, operators.p2m(&cloud, far)), (&local, operators.p2l(&cloud, Cube::UNIT))]
        {
            assert!(sum.iter().zip(whole).all(|(a, b)| (a - b).abs() <= rounding), "{n} points");
        }
        let [at_all, at_all_far] = [
            operators.l2p(&local, Cube::UNIT, &cloud),
            operators.m2p(&multipole, Cube::UNIT, &cloud),
        ];
        for i in 0..n {
            let alone = operators.l2p(&local, Cube::UNIT, &single(i));
            assert_eq!(alone.potential[0], at_all.potential[i]);
            assert_eq!(alone.gradient[2][0], at_all.gradient[2][i]);
            let alone = operators.m2p(&multipole, Cube::UNIT, &single(i));
            assert_eq!(alone.potential[0], at_all_far.potential[i]);
            assert_eq!(alone.gradient[1][0], at_all_far.gradient[1][i]);
        }
    }
}
