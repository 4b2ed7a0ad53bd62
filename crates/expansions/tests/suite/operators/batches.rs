//! Translations of many pairs at once: every batch size, so every remainder of the lanes.

use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{FarOffset, L2l, M2l, M2lForm, M2m};
use expansions::{RowPair, Scalar};

use super::support::{far, rotating, uniform};

/// `n` rows of order `order`, padded with zeros.
fn rows<T: Scalar>(n: usize, order: usize, seed: u64) -> Vec<T> {
    let mut next = uniform(seed);
    let mut rows = vec![T::ZERO; n * row_length(order)];
    for row in rows.chunks_mut(row_length(order).max(1)) {
        row[..n_coefficients(order)].fill_with(|| T::narrow(next()));
    }
    rows
}

/// Checks that a batch gives each pair what it gets alone, and touches no other row.
fn check<T: Scalar>(order: usize, form: M2lForm) {
    const ROWS: usize = 50;
    let m2l = M2l::<T>::new(order, form);
    let multipoles = rows::<T>(ROWS, order, 1);
    let offsets: Vec<FarOffset> = [[2, 0, 0], [-1, 3, 2], [0, 0, -2]].map(far).to_vec();
    for size in 1..=40 {
        // Scattered rows, distinct within a batch because 7 and 11 are prime to 50.
        let pairs: Vec<Vec<RowPair>> = (0..offsets.len())
            .map(|b| {
                (0..size).map(move |i| [(7 * i + b) as u32 % 50, (11 * i + 3 * b) as u32 % 50])
            })
            .map(Iterator::collect)
            .collect();
        let start = rows::<T>(ROWS, order, 2);
        let (mut together, mut alone) = (start.clone(), start);
        let batches = offsets.iter().copied().zip(pairs.iter().map(Vec::as_slice));
        m2l.apply(batches.clone(), &multipoles, &mut together);
        for (offset, pairs) in batches {
            for pair in pairs.chunks(1) {
                m2l.apply([(offset, pair)].into_iter(), &multipoles, &mut alone);
            }
        }
        assert!(together == alone, "p = {order}, {} {form:?}, {size} pairs", T::NAME);
    }
}

#[test]
fn m2l_gives_the_same_bits_in_any_batch() {
    for order in [1, 2, 5, 6] {
        check::<f64>(order, M2lForm::Rotation);
        check::<f32>(order, M2lForm::Rotation);
    }
    check::<f64>(3, M2lForm::Dense);
    check::<f32>(4, M2lForm::Dense);
}

#[test]
fn m2m_and_l2l_give_the_same_bits_in_any_batch() {
    const ROWS: usize = 50;
    let order = 6;
    let (m2m, l2l) = (M2m::<f64>::new(order), L2l::<f64>::new(order));
    let from = rows::<f64>(ROWS, order, 3);
    for size in 1..=40_u32 {
        let mut pairs = [const { Vec::<RowPair>::new() }; 8];
        for (octant, pairs) in pairs.iter_mut().enumerate().filter(|(o, _)| o % 3 != 1) {
            pairs.extend((0..size).map(move |i| [(7 * i + octant as u32) % 50, 11 * i % 50]));
        }
        for child_to_parent in [true, false] {
            let apply = |pairs: &[Vec<RowPair>; 8], to: &mut [f64]| {
                if child_to_parent {
                    m2m.apply(pairs, &from, to);
                } else {
                    l2l.apply(pairs, &from, to);
                }
            };
            let start = rows::<f64>(ROWS, order, 4);
            let (mut together, mut alone) = (start.clone(), start);
            apply(&pairs, &mut together);
            for (octant, pairs) in pairs.iter().enumerate() {
                for pair in pairs {
                    let mut one = [const { Vec::new() }; 8];
                    one[octant].push(*pair);
                    apply(&one, &mut alone);
                }
            }
            assert!(together == alone, "{size} pairs, upwards: {child_to_parent}");
        }
    }
}

#[test]
fn nothing_to_do_changes_nothing() {
    let order = 4;
    let m2l = rotating::<f64>(order);
    let multipoles = rows::<f64>(3, order, 5);
    let mut locals = rows::<f64>(3, order, 6);
    let before = locals.clone();
    m2l.apply([].into_iter(), &multipoles, &mut locals);
    m2l.apply([(far([2, 0, 0]), &[][..])].into_iter(), &multipoles, &mut locals);
    M2m::new(order).apply(&[const { Vec::new() }; 8], &multipoles, &mut locals);
    assert_eq!(locals, before);
}
