//! The operators of the real basis against the papers' complex equations, after the map between
//! the bases.

use expansions::layout::index;
use expansions::operators::FarOffset;
use expansions::papers::complex::{self as reference, Complex64, coefficient_count, real_map};

use super::support::{Cloud, Cube, Operators, rotating, uniform};

const CUBE: Cube = Cube { center: [0.3, -0.2, 0.7], side: 0.5 };
const ORDERS: [usize; 6] = [1, 2, 3, 8, 16, 25];
const TOLERANCE: f64 = 1e-13;

type Map<A, B> = fn(usize, f64, &[A], &mut [B]);

fn zeros(order: usize) -> Vec<Complex64> {
    vec![Complex64::new(0.0, 0.0); coefficient_count(order)]
}

fn to_real(map: Map<Complex64, f64>, order: usize, side: f64, complex: &[Complex64]) -> Vec<f64> {
    let mut real = vec![0.0; order * order];
    map(order, side, complex, &mut real);
    real
}

fn to_complex(map: Map<f64, Complex64>, order: usize, side: f64, real: &[f64]) -> Vec<Complex64> {
    let mut complex = zeros(order);
    map(order, side, &real[..order * order], &mut complex);
    complex
}

/// Asserts that expansions agree, each degree relative to its own size.
fn assert_equal(what: &str, order: usize, got: &[f64], want: &[f64]) {
    for n in 0..order {
        let degree = index(n, -(n as isize))..=index(n, n as isize);
        let (got, want) = (&got[degree.clone()], &want[degree]);
        let size = want.iter().map(|x| x * x).sum::<f64>().sqrt();
        for (a, b) in got.iter().zip(want) {
            assert!((a - b).abs() <= TOLERANCE * size, "{what}, p = {order}, n = {n}: {a} {b}");
        }
    }
}

fn points(cloud: &Cloud<f64>) -> Vec<[f64; 3]> {
    (0..cloud.len()).map(|i| cloud.point(i)).collect()
}

/// An expansion with coefficients that fall as those of a box's charges do.
fn any_row(operators: &Operators<f64>, ratio: f64) -> Vec<f64> {
    let mut next = uniform(7);
    let mut row = operators.row();
    for n in 0..operators.order {
        for value in &mut row[n * n..(n + 1) * (n + 1)] {
            *value = next() * ratio.powi(n as i32);
        }
    }
    row
}

#[test]
fn expansions_of_charges_are_those_of_the_complex_basis() {
    let (inside, outside) =
        (Cloud::in_cube(12, CUBE, 1), Cloud::in_cube(12, CUBE.neighbor([0, 2, -1]), 2));
    for order in ORDERS {
        let operators = Operators::<f64>::new(order);
        let (mut multipole, mut local) = (zeros(order), zeros(order));
        let (center, side) = (CUBE.center, CUBE.side);
        reference::p2m(order, center, &points(&inside), &inside.charges, &mut multipole);
        reference::p2l(order, center, &points(&outside), &outside.charges, &mut local);
        let multipole = to_real(real_map::multipole_to_real, order, side, &multipole);
        assert_equal("P2M", order, &operators.p2m(&inside, CUBE), &multipole);
        let local = to_real(real_map::local_to_real, order, side, &local);
        assert_equal("P2L", order, &operators.p2l(&outside, CUBE), &local);
    }
}

#[test]
fn values_are_those_of_the_complex_basis() {
    let (inside, outside) =
        (Cloud::in_cube(12, CUBE, 1), Cloud::in_cube(12, CUBE.neighbor([0, 2, -1]), 2));
    for order in ORDERS {
        let operators = Operators::<f64>::new(order);
        let row = any_row(&operators, 0.75);
        let (center, side) = (CUBE.center, CUBE.side);
        let multipole = to_complex(real_map::multipole_from_real, order, side, &row);
        let local = to_complex(real_map::local_from_real, order, side, &row);
        let (m2p, l2p) = (operators.m2p(&row, CUBE, &outside), operators.l2p(&row, CUBE, &inside));
        let [sizes_m2p, sizes_l2p] = [m2p.sizes(), l2p.sizes()];
        for i in 0..12 {
            let (x, y) = (outside.point(i), inside.point(i));
            let value = reference::m2p(order, center, &multipole, x);
            assert!((m2p.potential[i] - value).abs() <= TOLERANCE * sizes_m2p[0], "M2P {order}");
            let value = reference::l2p(order, center, &local, y);
            assert!((l2p.potential[i] - value).abs() <= TOLERANCE * sizes_l2p[0], "L2P {order}");
            let far = reference::m2p_gradient(order, center, &multipole, x);
            let near = reference::l2p_gradient(order, center, &local, y);
            for k in 0..3 {
                let error = (m2p.gradient[k][i] - far[k]).abs();
                assert!(error <= TOLERANCE * sizes_m2p[1], "M2P gradient, p = {order}: {error:e}");
                let error = (l2p.gradient[k][i] - near[k]).abs();
                assert!(error <= TOLERANCE * sizes_l2p[1], "L2P gradient, p = {order}: {error:e}");
            }
        }
    }
}

#[test]
fn m2m_and_l2l_are_those_of_the_complex_basis() {
    for order in ORDERS {
        let operators = Operators::<f64>::new(order);
        // Charges at the corners of the child, so that no degree of a sum vanishes.
        let row = any_row(&operators, 0.75);
        let far = any_row(&operators, 0.6);
        for octant in 0..8 {
            let child = CUBE.child(octant);
            let (mut up, mut down) = (zeros(order), zeros(order));
            let from = to_complex(real_map::multipole_from_real, order, child.side, &row);
            reference::m2m(order, child.center, CUBE.center, &from, &mut up);
            let mut parent = operators.row();
            operators.m2m(octant, &row, &mut parent);
            let want = to_real(real_map::multipole_to_real, order, CUBE.side, &up);
            assert_equal("M2M", order, &parent, &want);
            let from = to_complex(real_map::local_from_real, order, CUBE.side, &far);
            reference::l2l(order, CUBE.center, child.center, &from, &mut down);
            let want = to_real(real_map::local_to_real, order, child.side, &down);
            assert_equal("L2L", order, &operators.l2l(octant, &far), &want);
        }
    }
}

#[test]
fn m2l_is_that_of_the_complex_basis() {
    for order in [1, 2, 3, 8, 16] {
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        let row = any_row(&operators, 0.75);
        // Every offset where that is quick, else one in eleven.
        let step = if order < 4 { 1 } else { 11 };
        for offset in FarOffset::all().map(FarOffset::components).step_by(step) {
            let far = CUBE.neighbor(offset);
            let from = to_complex(real_map::multipole_from_real, order, far.side, &row);
            let mut local = zeros(order);
            reference::m2l(order, far.center, CUBE.center, &from, &mut local);
            let want = to_real(real_map::local_to_real, order, CUBE.side, &local);
            assert_equal("M2L", order, &operators.m2l(&m2l, offset, &row), &want);
        }
    }
}
