//! Last degrees of local expansions against those of the host.

use crate::forest::{Expansions, Planted, items};
use crate::operators::{forests, operators_of, tolerance};
use kernels_gpu::machine::{Buffer, Machine};
use kernels_gpu::operators::Operator;

on_every_machine!(last_degrees_are_told);

fn last_degrees_of<M: Machine, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, _) = operators_of(machine, order, &planted.tree());
        let locals = Expansions::random(order, forest.n_boxes());
        let local = locals.plant::<M, T>(machine);
        let mut sizes = machine.buffer_of(&vec![-1.0; forest.n_boxes()]).unwrap();
        operators.last_degrees(machine, &planted.tree(), local.view(), sizes.view_mut()).unwrap();
        let sizes = items(machine, &sizes);
        for (b, found) in sizes.into_iter().enumerate() {
            if !forest.leaves.contains(&(b as u32)) {
                assert_eq!(found, -1.0);
                continue;
            }
            let last = &locals.row(b)[order.saturating_sub(2).pow(2)..order * order];
            let squares: f64 = last.iter().map(|x| x * x).sum();
            let expected = squares / forest.side(b).powi(3);
            assert!((found / expected - 1.0).abs() < tolerance::<T>(order), "{order}: {b}");
        }
    }
}

fn last_degrees_are_told<M: Machine>(machine: &M) {
    last_degrees_of::<M, f32>(machine);
    last_degrees_of::<M, f64>(machine);
}
