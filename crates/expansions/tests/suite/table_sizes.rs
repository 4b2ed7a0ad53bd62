//! Sizes of the operators' tables: those that are told before against those that are made.

use expansions::operators::{L2l, M2l, M2lForm, M2m, M2pTables, Waves};
use expansions::{Gradient, Harmonics, Scalar};

/// Orders, with errors of plane waves as the package `fmm` asks for them.
const ORDERS: [(usize, f64); 9] = [
    (2, 2.5e-2),
    (4, 1.7e-3),
    (6, 1.9e-4),
    (10, 4.8e-6),
    (16, 4.5e-8),
    (20, 8.2e-9),
    (30, 7.2e-11),
    (42, 4.2e-13),
    (54, 2.8e-15),
];

/// Bytes of headers and indices, which the numbers told leave out.
const HEADERS: usize = 20_000;

fn assert_about<T>(told: usize, bytes: usize, what: &str) {
    let made = bytes / size_of::<T>();
    let slack = made / 5 + HEADERS / size_of::<T>();
    assert!(told.abs_diff(made) <= slack, "{what}: {told} told, {made} made");
}

fn translations_of<T: Scalar>() {
    for (p, error) in ORDERS {
        let waves = Waves::<T>::new(p, error).bytes();
        assert_about::<T>(Waves::<T>::table_numbers(p), waves, &format!("waves, p = {p}"));
        for form in [M2lForm::Dense, M2lForm::Rotation] {
            if form == M2lForm::Rotation || p <= 6 {
                let bytes = M2l::<T>::new(p, form).bytes();
                assert_about::<T>(form.table_numbers(p), bytes, &format!("{form:?}, p = {p}"));
            }
        }
        let (m2m, l2l) = (M2m::<T>::new(p).bytes(), L2l::<T>::new(p).bytes());
        assert_about::<T>(M2m::<T>::table_numbers(p), m2m, &format!("M2M, p = {p}"));
        assert_about::<T>(L2l::<T>::table_numbers(p), l2l, &format!("L2L, p = {p}"));
    }
}

#[test]
fn sizes_of_translations_are_about_those_told() {
    translations_of::<f32>();
    translations_of::<f64>();
}

#[test]
fn sizes_at_points_are_those_told() {
    for (p, _) in ORDERS {
        let bytes = |numbers: usize| numbers * size_of::<f64>();
        let told = bytes(Harmonics::<f64>::table_numbers(p));
        assert_eq!(Harmonics::<f64>::new(p).bytes(), told);
        assert_eq!(Gradient::<f64>::new(p).bytes(), bytes(Gradient::<f64>::table_numbers(p)));
        assert_eq!(M2pTables::<f64>::new(p).bytes(), bytes(M2pTables::<f64>::table_numbers(p)));
    }
}
