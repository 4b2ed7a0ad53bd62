//! Errors to expect of the expansions of a tree against a look at all pairs of boxes on the host.

use crate::forest::{Expansions, Forest, Planted, items};
use crate::operators::{forests, operators_of, tolerance};
use expansions::numerics::expected::{grown_to, last_degrees, left_at};
use kernels_gpu::device::Vec4;
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::expected::{SIZES, WORST};
use kernels_gpu::operators::{ExpectedArrays, NONE, Operator};

on_every_machine!(errors_to_expect_are_those_of_the_worst_expansions);

/// A forest with its expansions.
struct Known<'a> {
    forest: &'a Forest,
    order: usize,
    /// Sizes of the last degrees of multipoles and of local expansions.
    sizes: [Vec<f64>; 2],
}

impl Known<'_> {
    fn size_of(&self, expansions: &Expansions, b: usize) -> f64 {
        if self.level(b) < 2 {
            return 0.0;
        }
        let last = &expansions.row(b)[self.order.saturating_sub(2).pow(2)..self.order.pow(2)];
        let squares = last.iter().map(|x| x * x).sum();
        last_degrees(squares, self.forest.side(b)).sqrt()
    }

    fn level(&self, b: usize) -> u8 {
        self.forest.keys[b].level()
    }

    /// Square of the distance of a point of box `b` from the centre of `from`, in its sides; each axis is `end` of half a side
    /// from that of the two centres.
    fn distance2(&self, from: usize, b: usize, end: f64) -> f64 {
        let [c, d] = [from, b].map(|b| self.forest.centre(b));
        let half = 0.5 * end * self.forest.side(b);
        let axis = |k: usize| ((c[k] - d[k]).abs() + half).max(0.0) / self.forest.side(from);
        (0..3).map(|k| axis(k).powi(2)).sum()
    }

    /// Error to expect of the multipole of `from` in the nearest corner of `b`.
    fn of_multipole(&self, from: usize, b: usize) -> f64 {
        self.sizes[0][from] * left_at(self.distance2(from, b, -1.0), self.order as u32).sqrt()
    }

    /// Error to expect of an ancestor's local expansion in the farthest corner of `b`.
    fn of_local(&self, from: usize, b: usize) -> f64 {
        self.sizes[1][from] * grown_to(self.distance2(from, b, 1.0), self.order as u32).sqrt()
    }

    fn ancestors(&self, b: usize) -> Vec<usize> {
        let parent = |b: &usize| {
            let above = self.forest.parent[*b];
            (above != NONE).then_some(above as usize)
        };
        std::iter::successors(parent(&b), parent).collect()
    }
}

/// Asserts that a box is one with the largest error.
fn assert_worst(found: u32, candidates: &[usize], error: impl Fn(usize) -> f64) {
    let largest = candidates.iter().map(|b| error(*b)).fold(0.0, f64::max);
    if largest == 0.0 {
        assert_eq!(found, NONE);
    } else {
        let found = found as usize;
        assert!(candidates.contains(&found), "{found} {candidates:?}");
        assert!(error(found) >= (1.0 - 1e-5) * largest);
    }
}

fn errors_of<M: Launcher, T: Operator>(machine: &M) {
    for (order, forest) in forests::<M, T>() {
        let n = forest.n_boxes();
        let planted = Planted::<M, T>::new(machine, &forest);
        let (operators, _) = operators_of(machine, order, &planted.tree());
        let multipoles = Expansions::random(order, n);
        let mut locals = Expansions::zero(order, n);
        for b in 0..n {
            locals.row_mut(b).copy_from_slice(multipoles.row(n - 1 - b));
        }
        let mut known = Known { forest: &forest, order, sizes: [vec![], vec![]] };
        known.sizes = [&multipoles, &locals]
            .map(|expansions| (0..n).map(|b| known.size_of(expansions, b)).collect());
        // In place of list W, some smaller boxes that are not in the leaf.
        let smaller = |leaf: usize| {
            let away = |b: &usize| known.level(*b) > known.level(leaf);
            let away = (0..n).filter(away).filter(|b| known.distance2(*b, leaf, -1.0) > 0.25);
            away.step_by(3).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<usize>> = forest.leaves.iter().map(|b| smaller(*b as usize)).collect();
        let (mut offsets, mut boxes) = (vec![0], Vec::new());
        for row in &rows {
            boxes.extend(row.iter().map(|b| *b as u32));
            offsets.push(boxes.len() as u32);
        }
        let of_rows = [&offsets, &boxes].map(|items| machine.buffer_of(items).unwrap());
        let list = ListRows { offsets: of_rows[0].view(), items: of_rows[1].view() };

        let [multipole, local] = [multipoles.plant(machine), locals.plant(machine)];
        let mut sizes = machine.buffer_of(&vec![-1.0_f32; SIZES * n]).unwrap();
        let mut worst = machine.buffer_of(&vec![7; WORST * n]).unwrap();
        let mut frames = machine.allocate(n).unwrap();
        let expansions = [multipole.view(), local.view()];
        let output = ExpectedArrays {
            frames: frames.view_mut(),
            sizes: sizes.view_mut(),
            worst: worst.view_mut(),
        };
        operators.expected_errors(machine, &planted.tree(), expansions, list, output).unwrap();
        let (sizes, worst) = (items(machine, &sizes), items(machine, &worst));

        let near = |found: f32, expected: f64| {
            let difference = (f64::from(found) - expected).abs();
            assert!(difference <= (tolerance::<T>(order) + 1e-6) * expected, "{found} {expected}");
        };
        let far_pairs = forest.far_pairs();
        let far_of = |b: usize| -> Vec<usize> {
            far_pairs.iter().filter(|[to, _]| *to == b).map(|[_, from]| *from).collect()
        };
        let mut worst_far = vec![NONE; n];
        for (b, Vec4([x, .., boxes])) in items(machine, &frames).into_iter().enumerate() {
            let cube = forest.octree.cube();
            let in_cube = (forest.centre(b)[0] - cube.corner()[0]) / cube.side();
            assert!((f64::from(x) - in_cube).abs() < 1e-6);
            assert_eq!(f64::from(boxes), cube.side() / forest.side(b));
            near(sizes[b], known.sizes[0][b]);
            near(sizes[n + b], known.sizes[1][b]);
            let far = far_of(b);
            let error = |from: usize| known.of_multipole(from, b);
            near(sizes[2 * n + b], far.iter().map(|from| error(*from)).fold(0.0, f64::max));
            if !forest.leaves.contains(&(b as u32)) {
                assert_worst(worst[n + b], &far, error);
                assert_eq!(worst[b], NONE);
                worst_far[b] = worst[n + b];
            }
        }
        for (leaf, row) in forest.leaves.iter().zip(rows) {
            let leaf = *leaf as usize;
            let ancestors = known.ancestors(leaf);
            assert_worst(worst[leaf], &ancestors, |b| known.of_local(b, leaf));
            let far = ancestors.iter().map(|b| worst_far[*b]).filter(|b| *b != NONE);
            let candidates: Vec<usize> = far.map(|b| b as usize).chain(row).collect();
            assert_worst(worst[n + leaf], &candidates, |b| known.of_multipole(b, leaf));
        }
    }
}

fn errors_to_expect_are_those_of_the_worst_expansions<M: Launcher>(machine: &M) {
    errors_of::<M, f32>(machine);
    errors_of::<M, f64>(machine);
}
