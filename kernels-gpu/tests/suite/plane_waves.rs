//! M2L by plane waves against that of the crate `expansions`, which has the same quadratures: coefficient by coefficient.

use crate::forest::{Expansions, Forest, Planted, items, points};
use expansions::operators::{NO_ROW, Receiver, WavePart, WaveScratch, Waves};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::{NONE, Operators};
use octree::Depth;

/// Adds the waves of one part to the local expansions.
fn add_part(
    part: &WavePart<f64>,
    forest: &Forest,
    multipoles: &Expansions,
    locals: &mut Expansions,
) {
    let (n, mut scratch) = (forest.n_boxes(), WaveScratch::default());
    let children = |b: usize| {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|octant| match forest.child[octant * n + b] {
            NONE => NO_ROW,
            child => child,
        })
    };
    let has_children = |b: usize| children(b).iter().any(|row| *row != NO_ROW);
    let sent: Vec<Vec<f64>> = (0..n)
        .map(|b| {
            let mut sent = vec![0.0; part.sent_length()];
            part.send(&[children(b)], &multipoles.rows, &mut sent, &mut scratch);
            sent
        })
        .collect();
    for b in (0..n).filter(|&b| has_children(b) && forest.keys[b].level() > 0) {
        let mut sources: [[&[f64]; 9]; 2] = [[&[]; 9]; 2];
        for direction in 0..27 {
            let offset = [direction % 3, direction / 3 % 3, direction / 9].map(|c| c as i32 - 1);
            let source = forest.colleague[direction * n + b];
            if let Some((way, across)) = part.axis().slot(offset)
                && source != NONE
                && has_children(source as usize)
            {
                let half = part.sent_length() / 2;
                sources[way][across] = &sent[source as usize][way * half..][..half];
            }
        }
        let (locals, rows) = (&mut locals.rows[..], children(b));
        part.receive(&mut [Receiver { sources, locals, rows }], &mut scratch);
    }
}

pub(crate) fn waves<M: Launcher>(machine: &M) {
    let adaptive = Depth::Adaptive { leaf_capacity: 4 };
    let cases = [
        (4, 1e-3, Forest::new(&points(150, true), adaptive)),
        (12, 1e-6, Forest::new(&points(70, false), Depth::Uniform(2))),
        (23, 1e-9, Forest::new(&points(40, true), adaptive)),
        (36, 1e-13, Forest::new(&points(9, false), Depth::Uniform(2))),
    ];
    for (order, error, forest) in cases {
        let planted = Planted::<M, f64>::new(machine, &forest);
        let (n, tree) = (forest.n_boxes(), planted.tree());
        let multipoles = Expansions::random(order, n);
        let multipole = multipoles.plant::<M, f64>(machine);
        let operators = Operators::<M, f64>::with_large_set(machine, order, error).unwrap();
        let length = operators.scratch_length(tree.level_start);
        let mut scratch = machine.allocate(length).unwrap();
        let mut local = machine.allocate(operators.length(n)).unwrap();
        operators
            .m2l(machine, &tree, multipole.view(), local.view_mut(), scratch.view_mut())
            .unwrap();
        let mut want = Expansions::zero(order, n);
        for part in Waves::new(order, error).parts() {
            add_part(part, &forest, &multipoles, &mut want);
        }
        let tolerance = 100.0 * order as f64 * f64::EPSILON;
        want.assert_close(&items(machine, &local), tolerance, |_| true, &format!("p = {order}"));
    }
}
