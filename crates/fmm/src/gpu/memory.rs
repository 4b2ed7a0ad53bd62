//! Memory of a plan on a device: estimated before it is made, reserved when the tree is known.
//!
//! Bytes a point and a box are upper estimates of the arrays of `kernels_gpu`. A test compares them with what is
//! allocated: they are never less, and at most four times as much.

use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::operators::coefficients::groups;
use octree::Depth;

use super::Number;
use super::form::Form;
use super::host_slices::packed_len;
use super::pipeline::Pipeline;
use crate::api::Error;
use crate::engine::COARSEST_FAR_LEVEL;

/// Bytes a point: keys and orders, and the sort's copies of both.
const TREE_OF_POINT: usize = 40;

/// Bytes a box: its own arrays, colleagues, and what is noted of its lists.
const TREE_OF_BOX: usize = 400;

/// Items of all lists, a box.
const LIST_ITEMS: usize = 48;

/// Vectors of four numbers that the treecode has of a box.
const CELL: usize = 24;

/// The size of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    pub(super) n_sources: usize,
    pub(super) n_receivers: usize,
    /// Both sets together.
    pub(super) n_points: usize,
    pub(super) n_boxes: usize,
    /// The FMM's expansions; `None` for the treecode's walks.
    pub(super) form: Option<Form>,
    /// Bytes of a number.
    pub(super) float_bytes: usize,
}

impl Demand {
    /// Bytes of points, charges, sums, tree, lists and expansions.
    pub(super) fn bytes(&self) -> usize {
        let vector = 4 * self.float_bytes;
        // In the caller's order and in the tree's.
        let points = 2 * self.n_points * vector + self.n_sources * self.float_bytes;
        // Of near pairs, of expansions, and in the caller's order; there, points on their way before.
        let field = self.n_receivers.max(packed_len(self.n_points));
        let sums = (2 * self.n_receivers + field) * vector;
        let tree = self.n_points * TREE_OF_POINT + self.n_boxes * TREE_OF_BOX;
        let of_box = match self.form {
            Some(form) => {
                let scratch: usize = form.scratch_numbers().iter().sum();
                4 * LIST_ITEMS + 2 * groups(form.order) * vector + scratch * self.float_bytes
            }
            None => CELL * vector,
        };
        points + sums + tree + self.n_boxes * of_box
    }

    /// Refuses what `machine`, of whose memory this plan holds `held` bytes already, has no room for.
    pub(super) fn fits<M: Machine>(&self, machine: &M, held: usize) -> Result<(), Error> {
        let needed = self.bytes();
        if needed <= held {
            return Ok(());
        }
        let free = machine.free_bytes()?.saturating_add(held);
        if needed > free { Err(Error::DeviceMemory { needed, free }) } else { Ok(()) }
    }
}

/// About how many boxes a tree of evenly spread points has.
pub(super) fn expected_boxes(depth: Depth, n_points: usize) -> usize {
    let grid = |level: u8| 8usize.saturating_pow(u32::from(level)).saturating_mul(8) / 7;
    // Leaves hold between an eighth of the capacity and all of it.
    let leaves = |capacity: usize| 3 * n_points / capacity.max(1) + 1;
    match depth {
        Depth::Uniform(level) => grid(level).min(n_points.saturating_mul(usize::from(level) + 1)),
        Depth::Adaptive { leaf_capacity } => leaves(leaf_capacity) * 8 / 7,
        Depth::AdaptiveTo { leaf_capacity, max_level } => {
            grid(max_level).min(leaves(leaf_capacity) * 8 / 7)
        }
    }
}

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Whether the tree is deep enough for anything to be far from anything.
    pub(super) fn has_far(&self) -> bool {
        let own = || self.tree.n_levels();
        self.ghosts.as_ref().map_or_else(own, |ghosts| ghosts.n_all_levels) > COARSEST_FAR_LEVEL
    }

    /// Takes the memory of an evaluation by expansions, and makes their tables, whose place it returns; there is none in a
    /// tree without far boxes.
    pub(super) fn reserve(&mut self, form: Form) -> Result<Option<usize>, MachineError> {
        let order = form.order;
        let (n_boxes, n_receivers) = (self.list_tree().n_boxes(), self.tree.n_receivers());
        self.sums.reserve(&self.machine, n_receivers)?;
        if !self.has_far() {
            return Ok(None);
        }
        let place = self.prepare(form)?;
        let scratch = self.scratch_length(place);
        self.scratch.reserve(&self.machine, scratch)?;
        let own = groups(order) * self.tree.n_boxes();
        self.multipole.reserve(&self.machine, own)?;
        self.local.reserve(&self.machine, groups(order) * n_boxes)?;
        if let Some(ghosts) = &mut self.ghosts {
            ghosts.reserve(&self.machine, groups(order))?;
        }
        self.more.reserve(&self.machine, n_receivers)?;
        self.leaf_of.reserve(&self.machine, n_receivers)?;
        Ok(Some(place))
    }

    /// Memory of tree, lists and expansions in bytes.
    pub(super) fn bytes(&self) -> usize {
        let sums = self.sums.capacity() + self.more.capacity();
        let points = self.sources.capacity() + self.receivers.capacity() + sums;
        let expansions = self.multipole.capacity() + self.local.capacity();
        let n_boxes = self.ghosts.as_ref().map_or(0, |ghosts| ghosts.tree.n_boxes());
        let n_boxes = self.tree.n_boxes() + n_boxes;
        let tree = TREE_OF_POINT * self.tree.n_points() + TREE_OF_BOX * n_boxes;
        let lists: usize = self.lists.n_items().iter().sum();
        (4 * (points + expansions) + self.scratch.capacity()) * size_of::<T>() + tree + 4 * lists
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use octree::Depth;

    use super::super::engine::GpuEngine;
    use super::super::form::Form;
    use super::super::limited_machine::LimitedMachine;
    use super::{Demand, expected_boxes};
    use crate::api::{Error, Field, Method, Request, Tolerance, Treecode};
    use crate::engine::{Charges, Engine, PointSets, Workspace};

    fn methods() -> [Request; 3] {
        [Method::Direct, Method::Treecode(Treecode::new()), Method::Fmm].map(|method| Request {
            method,
            tolerance: Tolerance::L2(1e-3),
            ..Request::default()
        })
    }

    fn one_set<T>(points: &[[T; 3]]) -> PointSets<'_, T> {
        PointSets { sources: points, receivers: None }
    }

    fn points(n: u32) -> Vec<[f64; 3]> {
        let point = |i: u32| [0.731, 0.577, 0.839].map(|c| (c * f64::from(i * i)).fract());
        (0..n).map(point).collect()
    }

    /// Nothing has been copied when a plan is refused, and the estimate is enough.
    #[test]
    fn plans_that_do_not_fit_are_refused_beforehand() {
        let points = points(500);
        for request in methods() {
            let machine = LimitedMachine::new(10_000);
            let engine = |machine| GpuEngine::<_, f64>::new(machine, String::new(), request);
            let mut small = engine(machine.clone()).unwrap();
            let before = machine.uploads.load(Ordering::Relaxed);
            let refused = small.build(&one_set(&points)).unwrap_err();
            let Error::DeviceMemory { needed, free: 10_000 } = refused else { panic!("{refused}") };
            assert_eq!(machine.uploads.load(Ordering::Relaxed), before);

            let mut enough = engine(LimitedMachine::new(needed)).unwrap();
            enough.build(&one_set(&points)).unwrap();
            // The memory that a plan has is its own when points move.
            enough.build(&one_set(&points)).unwrap();
            let mut fields = [Field::default()];
            let vectors = [[1.0; 500].as_slice()];
            let charges = Charges::new(&vectors, 500, None).unwrap();
            enough.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
            assert_eq!(fields[0].potential.len(), 500);
        }
    }

    /// Bytes that a plan allocates, and those that it reports.
    fn sizes(request: Request, n: u32) -> [usize; 2] {
        let machine = LimitedMachine::new(usize::MAX);
        let mut engine = GpuEngine::<_, f32>::new(machine.clone(), String::new(), request).unwrap();
        let narrow = |point: [f64; 3]| point.map(|x| x as f32);
        let points: Vec<[f32; 3]> = points(n).into_iter().map(narrow).collect();
        engine.build(&one_set(&points)).unwrap();
        [machine.allocated.load(Ordering::Relaxed), engine.report().bytes]
    }

    /// The difference is without tables and scratch memory, which no points add to.
    #[test]
    fn more_points_take_no_more_than_was_estimated() {
        for request in methods() {
            let [few, many] = [3000, 8000].map(|n| sizes(request, n));
            let [taken, said] = [0, 1].map(|k| many[k] - few[k]);
            assert!(taken <= said && said <= 4 * taken, "{request:?}: {few:?} {many:?}");
        }
    }

    /// Before anything is allocated on either side, and without overflow.
    #[test]
    fn billions_of_points_are_refused() {
        let gpu = LimitedMachine::new(80_000_000_000);
        let machine = LimitedMachine::new(1_000_000);
        for n_points in [2_000_000_000, u32::MAX as usize] {
            for depth in [Depth::Adaptive { leaf_capacity: 64 }, Depth::Uniform(21)] {
                let form = |order, waves| Some(Form { order, waves });
                for (form, float_bytes) in [
                    (form(7, false), 4),
                    (form(16, false), 8),
                    (form(44, true), 8),
                    (None, 4),
                    (form(0, false), 4),
                ] {
                    let n_boxes = expected_boxes(depth, n_points);
                    let (n_sources, n_receivers) = (n_points, n_points);
                    let demand =
                        Demand { n_sources, n_receivers, n_points, n_boxes, form, float_bytes };
                    let per_point = demand.bytes() / n_points;
                    // A point alone in 22 boxes, each with expansions and waves.
                    let waves = form.is_some_and(|form| form.waves);
                    let most = if waves { 4_000_000 } else { 1_000_000 };
                    assert!((100..most).contains(&per_point), "{per_point}");
                    for machine in [&gpu, &machine] {
                        let Err(Error::DeviceMemory { needed, free }) = demand.fits(machine, 0)
                        else {
                            panic!("{demand:?} fits");
                        };
                        assert_eq!((needed, free), (demand.bytes(), machine.free));
                    }
                    assert!(demand.fits(&gpu, demand.bytes()).is_ok());
                }
            }
        }
    }
}
