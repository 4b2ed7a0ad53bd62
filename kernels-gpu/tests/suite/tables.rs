//! Sizes of the operators' tables: those that are told before against those that are made.

use kernels_gpu::machine::Launcher;
use kernels_gpu::operators::{MAX_ORDER, Operator, OperatorSet, Operators};

fn small_of<M: Launcher, T: Operator>(machine: &M) {
    for order in 1..=MAX_ORDER {
        let operators = Operators::<M, T>::new(machine, order).unwrap();
        assert_eq!(operators.set(), OperatorSet::Small);
        assert_eq!(operators.table_numbers(), OperatorSet::Small.table_numbers(order), "{order}");
    }
}

fn sizes_of_small_sets<M: Launcher>(machine: &M) {
    small_of::<M, f32>(machine);
    small_of::<M, f64>(machine);
}

/// Orders, with errors as the package `fmm` asks for them.
const ERRORS: [(usize, f64); 9] = [
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

fn sizes_of_large_sets<M: Launcher>(machine: &M) {
    for (order, error) in ERRORS {
        let operators = Operators::<M, f64>::with_large_set(machine, order, error).unwrap();
        assert_eq!(operators.set(), OperatorSet::Large);
        let (made, told) = (operators.table_numbers(), OperatorSet::Large.table_numbers(order));
        let ratio = told as f64 / made as f64;
        assert!((0.95..1.25).contains(&ratio), "p = {order}: {told} told, {made} made");
    }
}

on_every_machine!(sizes_of_small_sets, sizes_of_large_sets);
