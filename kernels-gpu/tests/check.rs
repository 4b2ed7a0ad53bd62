//! The checks of a field against plain sums in f64.

#[macro_use]
mod common;
mod pairs;

use kernels_gpu::check::{Checkable, FewSum, SQUARES, field_squares};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Buffer, Machine};
use pairs::{cube, errors, fields, vectors};

on_every_machine!(
    few_receivers_have_the_direct_sum,
    coincident_pairs_count_nothing,
    no_points_are_fine,
    squares_add_up,
);

fn sum<M: Machine, T: Checkable>(
    machine: &M,
    receivers: &[[f64; 4]],
    sources: &[[f64; 4]],
    softening: f64,
) -> Vec<Vec4<f64>> {
    let receivers = machine.buffer_of(&vectors::<f64>(receivers)).unwrap();
    let sources = machine.buffer_of(&vectors::<T>(sources)).unwrap();
    let mut output = machine.allocate(receivers.len()).unwrap();
    let (from, at) = (sources.view(), receivers.view());
    let softening = T::from_f64(softening);
    FewSum::new().sum(machine, from, at, softening, output.view_mut()).unwrap();
    machine.items_of(&output).unwrap()
}

fn agree<M: Machine>(machine: &M, receivers: &[[f64; 4]], sources: &[[f64; 4]], softening: f64) {
    let exact = fields(receivers, sources, softening);
    let single = errors(&sum::<M, f32>(machine, receivers, sources, softening), &exact);
    let double = errors(&sum::<M, f64>(machine, receivers, sources, softening), &exact);
    // Pairs in f32 round to some units in the last place.
    assert!(single.iter().all(|e| *e < 4.0 * f64::from(f32::EPSILON)), "{single:?}");
    assert!(double.iter().all(|e| *e < 1e-14), "{double:?}");
}

fn few_receivers_have_the_direct_sum<M: Machine>(machine: &M) {
    agree(machine, &cube(17, 1, 0.1), &cube(1517, 2, 0.1), 0.0);
    agree(machine, &cube(3, 3, 0.1), &cube(1, 4, 0.1), 0.0);
    agree(machine, &cube(9, 5, 0.1), &cube(300, 6, 0.1), 0.05);
}

fn coincident_pairs_count_nothing<M: Machine>(machine: &M) {
    let points = cube(400, 7, 0.1);
    for softening in [0.0, 0.02] {
        agree(machine, &points[100..112], &points, softening);
    }
}

fn no_points_are_fine<M: Machine>(machine: &M) {
    assert!(sum::<M, f32>(machine, &[], &cube(5, 1, 0.1), 0.0).is_empty());
    let zero = sum::<M, f64>(machine, &cube(5, 1, 0.1), &[], 0.0);
    assert!(zero.iter().all(|Vec4(v)| *v == [0.0; 4]));
}

fn squares_add_up<M: Machine>(machine: &M) {
    let n = 2 * SQUARES + 77;
    let value = |i: usize| [1.0, -2.0, 0.5, i as f64 % 5.0];
    let field: Vec<[f64; 4]> = (0..n).map(value).collect();
    let field = machine.buffer_of(&vectors::<f32>(&field)).unwrap();
    let mut output = machine.allocate(3).unwrap();
    let limits = [50.0, 20.0];
    field_squares(machine, field.view(), [2.0, 3.0], limits, output.view_mut()).unwrap();
    for (block, Vec4(sums)) in machine.items_of(&output).unwrap().into_iter().enumerate() {
        let places = block * SQUARES..n.min((block + 1) * SQUARES);
        let gradient = 4.0 * 5.25 * places.len() as f64;
        let squares = || places.clone().map(|i| 9.0 * value(i)[3] * value(i)[3]);
        let within = squares().filter(|square| *square <= 50.0).sum();
        assert_eq!(sums, [squares().sum(), gradient, within, 0.0]);
    }
}
