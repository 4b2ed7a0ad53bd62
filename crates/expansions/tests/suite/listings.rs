//! Listings 3–5 against equation 4, and the complex basis against the real one.

use crate::complex_support::{cloud, relative_difference, zeros};
use expansions::papers::complex::{
    Complex64, coefficient_count, l2p, m2l, m2p, p2l, p2m, real_map, signed,
};
use expansions::papers::listings::{
    M2lShared, OFFSET_STRIDE, Real, m2l_calculate_ynm, m2l_kernel, shared_ynm_len,
};
use num_traits::Zero;

/// Offsets of a far box from the source, in box sides: axes, a corner, and the farthest.
const OFFSETS: [[i32; 3]; 7] =
    [[2, 0, 0], [0, -2, 1], [0, 0, 2], [0, 0, -3], [3, 3, 3], [-1, 2, -3], [-2, -1, 0]];

fn interleave<T: Real>(expansion: &[Complex64], number: impl Fn(f64) -> T) -> Vec<T> {
    expansion.iter().flat_map(|value| [number(value.re), number(value.im)]).collect()
}

/// Two target boxes, with all and with none of `OFFSETS`, through Listing 5; the same by eq. 4.
fn both_paths<T: Real + Into<f64>>(
    order: usize,
    side: f64,
    number: impl Fn(f64) -> T + Copy,
) -> (Vec<Complex64>, Vec<Complex64>) {
    let count = coefficient_count(order);
    let mut sources = Vec::new();
    let mut expected = zeros(order);
    let mut record = vec![OFFSETS.len() as i32];
    for (index, offset) in OFFSETS.iter().enumerate() {
        let (positions, charges) = cloud(index as u64 + 20, 15, [0.0; 3]);
        let positions: Vec<_> = positions.iter().map(|y| y.map(|x| x * side)).collect();
        let mut multipole = zeros(order);
        p2m(order, [0.0; 3], &positions, &charges, &mut multipole);
        m2l(order, [0.0; 3], offset.map(|x| f64::from(x) * side), &multipole, &mut expected);
        record.push((index * count) as i32);
        record.extend(offset);
        sources.extend(interleave(&multipole, number));
    }
    let mut offsets = vec![0; 2 * OFFSET_STRIDE];
    offsets[OFFSET_STRIDE..][..record.len()].copy_from_slice(&record);

    let mut locals = vec![T::one(); 4 * count];
    let mut shared = M2lShared::new(order);
    for block in 0..2 {
        m2l_kernel(block, &offsets, number(side), &mut locals, &sources, &mut shared);
    }
    let (empty, full) = locals.split_at(2 * count);
    assert!(empty.iter().all(Zero::is_zero));
    let full = full.chunks(2).map(|pair| Complex64::new(pair[0].into(), pair[1].into())).collect();
    (full, expected)
}

#[test]
fn listings_equal_equation_4() {
    for order in [1, 2, 3, 6, 10, 16] {
        let (kernel, expected) = both_paths(order, 1.0, |x| x);
        let difference = relative_difference(&kernel, &expected);
        assert!(difference <= 1e-13, "p={order}: {difference:e}");
    }
    let (kernel, expected) = both_paths(10, 0.75, |x| x);
    assert!(relative_difference(&kernel, &expected) <= 1e-13);
}

#[test]
fn listings_in_f32_keep_their_digits() {
    for order in [4, 10, 17] {
        let (kernel, expected) = both_paths(order, 1.0, |x| x as f32);
        let tolerance = 4.0 * (order * order) as f64 * f64::from(f32::EPSILON);
        let difference = relative_difference(&kernel, &expected);
        assert!(difference <= tolerance, "p={order}: {difference:e}");
    }
}

/// Erratum of Listing 5: stage one writes all of p(2p+1) entries, not p(p+1)/2.
#[test]
fn stage_one_fills_the_whole_buffer() {
    let order = 10;
    let factorial: Vec<f64> = (0..2 * order)
        .scan(1.0, |product, n| {
            *product *= n.max(1) as f64;
            Some(*product)
        })
        .collect();
    let mut ynm = vec![f64::NAN; shared_ynm_len(order)];
    m2l_calculate_ynm(&mut ynm, 2.0, 0.7, &factorial);
    assert_eq!(ynm.len(), 210);
    assert!(ynm.iter().all(|value| value.is_finite()));
}

/// The real, normalised, phase-free solid harmonics R_i(y), n² + n + m, by Cartesian recurrences.
fn real_harmonics(order: usize, [x, y, z]: [f64; 3]) -> Vec<f64> {
    let mut table = vec![0.0; order * order];
    let at = |n: usize, m: isize| (n * n + n).wrapping_add_signed(m);
    table[0] = 1.0;
    for n in 1..order {
        let order = n as isize;
        let (previous, degree) = (n - 1, n as f64);
        let (c, s) = match n {
            1 => (1.0, 0.0),
            _ => (table[at(previous, order - 1)], table[at(previous, 1 - order)]),
        };
        let factor = if n == 1 { 1.0 } else { (1.0 - 0.5 / degree).sqrt() };
        table[at(n, order)] = factor * (x * c - y * s);
        table[at(n, -order)] = factor * (x * s + y * c);
        for m in 1 - order..order {
            let square = (m * m) as f64;
            let mut value = (2.0 * degree - 1.0) * z * table[at(previous, m)];
            if n > 1 && m.unsigned_abs() < previous {
                let r2 = x * x + y * y + z * z;
                let norm = ((degree - 1.0).powi(2) - square).sqrt();
                value -= norm * r2 * table[at(n - 2, m)];
            }
            table[at(n, m)] = value / (degree * degree - square).sqrt();
        }
    }
    table
}

/// I_i(x) = R_i(x)/r^{2n+1}.
fn real_irregular(order: usize, x: [f64; 3]) -> Vec<f64> {
    let r2: f64 = x.iter().map(|x| x * x).sum();
    let mut table = real_harmonics(order, x);
    for n in 0..order {
        for value in &mut table[n * n..(n + 1) * (n + 1)] {
            *value /= r2.powi(n as i32) * r2.sqrt();
        }
    }
    table
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn complex_multipoles_map_to_the_real_basis() {
    let (order, side, center) = (14, 0.37, [0.1, -0.2, 0.3]);
    let (unit, charges) = cloud(40, 20, [0.0; 3]);
    let positions: Vec<[f64; 3]> =
        unit.iter().map(|y| std::array::from_fn(|axis| center[axis] + side * y[axis])).collect();
    let mut complex = zeros(order);
    p2m(order, center, &positions, &charges, &mut complex);
    let mut real = vec![0.0; order * order];
    real_map::multipole_to_real(order, side, &complex, &mut real);

    let mut expected = vec![0.0; order * order];
    for (&y, charge) in unit.iter().zip(&charges) {
        for (sum, value) in expected.iter_mut().zip(real_harmonics(order, y)) {
            *sum += charge * value;
        }
    }
    for (value, expected) in real.iter().zip(&expected) {
        assert!((value - expected).abs() <= 1e-13, "{value} {expected}");
    }

    let x = [1.3, -0.9, 0.4];
    let target = std::array::from_fn(|axis| center[axis] + side * x[axis]);
    let potential = dot(&real, &real_irregular(order, x)) / side;
    let reference = m2p(order, center, &complex, target);
    assert!((potential - reference).abs() <= 1e-13 * reference.abs().max(1.0 / side));

    let mut back = zeros(order);
    real_map::multipole_from_real(order, side, &real, &mut back);
    for n in 0..order {
        let tolerance = 8.0 * (n + 1) as f64 * f64::EPSILON * side.powi(n as i32) * 20.0;
        for m in 0..=n as isize {
            assert!((signed(&back, n, m) - signed(&complex, n, m)).l1_norm() <= tolerance);
        }
    }
}

#[test]
fn complex_locals_map_to_the_real_basis() {
    let (order, side, center) = (14, 2.5, [-1.0, 0.5, 0.0]);
    let (unit, charges) = cloud(41, 20, [2.0, 1.0, -1.5]);
    let positions: Vec<[f64; 3]> =
        unit.iter().map(|y| std::array::from_fn(|axis| center[axis] + side * y[axis])).collect();
    let mut complex = zeros(order);
    p2l(order, center, &positions, &charges, &mut complex);
    let mut real = vec![0.0; order * order];
    real_map::local_to_real(order, side, &complex, &mut real);

    let mut expected = vec![0.0; order * order];
    for (&y, charge) in unit.iter().zip(&charges) {
        for (sum, value) in expected.iter_mut().zip(real_irregular(order, y)) {
            *sum += charge * value;
        }
    }
    for (value, expected) in real.iter().zip(&expected) {
        assert!((value - expected).abs() <= 1e-13, "{value} {expected}");
    }

    let x = [0.3, -0.2, 0.4];
    let target = std::array::from_fn(|axis| center[axis] + side * x[axis]);
    let potential = dot(&real, &real_harmonics(order, x)) / side;
    let reference = l2p(order, center, &complex, target);
    assert!((potential - reference).abs() <= 1e-13 * reference.abs().max(1.0 / side));

    let mut back = zeros(order);
    real_map::local_from_real(order, side, &real, &mut back);
    assert!(relative_difference(&back, &complex) <= 8.0 * order as f64 * f64::EPSILON);
}
