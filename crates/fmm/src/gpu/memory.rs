//! What a plan takes of a device's memory: estimated before it is made, reserved when the tree is known.

use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::operators::coefficients::groups;
use octree::Depth;

use super::Number;
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
    /// Of the FMM's expansions; `None` for the treecode.
    pub(super) order: Option<usize>,
    /// Of a number.
    pub(super) float_bytes: usize,
}

impl Demand {
    /// Bytes of points, charges, sums, tree, lists and expansions.
    pub(super) fn bytes(&self) -> usize {
        let vector = 4 * self.float_bytes;
        // In the caller's order and in the tree's.
        let points = 2 * self.n_points * vector + self.n_sources * self.float_bytes;
        // Of near pairs, of expansions, and in the caller's order.
        let sums = 3 * self.n_receivers * vector;
        let tree = self.n_points * TREE_OF_POINT + self.n_boxes * TREE_OF_BOX;
        let of_box = match self.order {
            Some(order) => 4 * LIST_ITEMS + 2 * groups(order) * vector,
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
        self.tree.n_levels() > COARSEST_FAR_LEVEL
    }

    /// Takes the memory of an evaluation by expansions of `order`.
    pub(super) fn reserve(&mut self, order: usize) -> Result<(), MachineError> {
        let (n_boxes, n_receivers) = (self.tree.n_boxes(), self.tree.n_receivers());
        self.sums.reserve(&self.machine, n_receivers)?;
        if self.has_far() {
            let length = groups(order) * n_boxes;
            self.multipole.reserve(&self.machine, length)?;
            self.local.reserve(&self.machine, length)?;
            self.more.reserve(&self.machine, n_receivers)?;
            self.leaf_of.reserve(&self.machine, n_receivers)?;
        }
        Ok(())
    }

    /// Memory of tree, lists and expansions in bytes.
    pub(super) fn bytes(&self) -> usize {
        let sums = self.sums.capacity() + self.more.capacity();
        let points = self.sources.capacity() + self.receivers.capacity() + sums;
        let expansions = self.multipole.capacity() + self.local.capacity();
        let tree = TREE_OF_POINT * self.tree.n_points() + TREE_OF_BOX * self.tree.n_boxes();
        let lists: usize = self.lists.n_items().iter().sum();
        (points + expansions) * 4 * size_of::<T>() + tree + 4 * lists
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use expansions::order::Signs;
    use kernels_gpu::device::{Kernel, Plain};
    use kernels_gpu::machine::{Emulator, Grid, Machine, MachineError};
    use octree::Depth;

    use super::{Demand, expected_boxes};
    use crate::gpu::pairs::Pairs;
    use crate::gpu::plan::Engine;
    use crate::gpu::resident::Resident;
    use crate::hybrid::NearPairs;
    use crate::{Error, Field, Fmm, Method};

    /// The emulator with so many free bytes, and counts of its uploads and of the bytes that were ever allocated.
    #[derive(Clone, Debug)]
    struct Small {
        free: usize,
        uploads: Arc<AtomicUsize>,
        allocated: Arc<AtomicUsize>,
    }

    impl Small {
        fn new(free: usize) -> Self {
            Self { free, uploads: Arc::default(), allocated: Arc::default() }
        }
    }

    type Answer = Result<(), MachineError>;

    impl Machine for Small {
        type Buffer<T: Plain> = <Emulator as Machine>::Buffer<T>;
        type Mark = Instant;

        fn allocate<T: Plain>(&self, len: usize) -> Result<Self::Buffer<T>, MachineError> {
            self.allocated.fetch_add(len * size_of::<T>(), Ordering::Relaxed);
            Emulator.allocate(len)
        }
        fn upload<T: Plain>(&self, items: &[T], buffer: &mut Self::Buffer<T>) -> Answer {
            self.uploads.fetch_add(items.len().min(1), Ordering::Relaxed);
            Emulator.upload(items, buffer)
        }
        fn download<T: Plain>(&self, buffer: &Self::Buffer<T>, items: &mut [T]) -> Answer {
            Emulator.download(buffer, items)
        }
        fn fill<T: Plain>(&self, byte: u8, buffer: &mut Self::Buffer<T>) -> Answer {
            Emulator.fill(byte, buffer)
        }
        fn launch<A: Copy + 'static>(&self, kernel: &Kernel<A>, grid: Grid, args: A) -> Answer {
            Emulator.launch(kernel, grid, args)
        }
        fn synchronize(&self) -> Answer {
            Ok(())
        }
        fn now(&self) -> Result<f64, MachineError> {
            Emulator.now()
        }
        fn mark(&self) -> Result<Instant, MachineError> {
            Emulator.mark()
        }
        fn seconds_between(&self, from: &Instant, to: &Instant) -> Result<f64, MachineError> {
            Emulator.seconds_between(from, to)
        }
        fn fork(&self) -> Result<Self, MachineError> {
            Ok(self.clone())
        }
        fn join(&self, _: &Self) -> Answer {
            Ok(())
        }
        fn free_bytes(&self) -> Result<usize, MachineError> {
            Ok(self.free)
        }
        fn multiprocessors(&self) -> u32 {
            1
        }
    }

    fn points(n: u32) -> Vec<[f64; 3]> {
        let point = |i: u32| [0.731, 0.577, 0.839].map(|c| (c * f64::from(i * i)).fract());
        (0..n).map(point).collect()
    }

    /// Nothing has been copied when a plan is refused, and what is said to be needed is enough.
    #[test]
    fn plans_that_do_not_fit_are_refused_beforehand() {
        for method in [Method::Direct, Method::Treecode, Method::Fmm] {
            let settings = Fmm::new().method(method).tolerance(1e-3);
            let machine = Small::new(10_000);
            let engine = Resident::<Small, f64>::new(machine.clone(), String::new(), settings);
            let engine = engine.unwrap();
            let before = machine.uploads.load(Ordering::Relaxed);
            let refused = engine.build(&points(500), None).unwrap_err();
            let Error::DeviceMemory { needed, free: 10_000 } = refused else { panic!("{refused}") };
            assert_eq!(machine.uploads.load(Ordering::Relaxed), before);

            let machine = Small::new(needed);
            let engine = Resident::<Small, f64>::new(machine, String::new(), settings).unwrap();
            let report = engine.build(&points(500), None).unwrap();
            // The memory that a plan has is its own when points move.
            engine.build(&points(500), None).unwrap();
            let mut field = Field::default();
            engine.evaluate(&[1.0; 500], Signs::Same, &mut field, &report).unwrap();
            assert_eq!(field.potential.len(), 500);
        }
    }

    /// Bytes that a plan allocates, and those that it says it takes.
    fn sizes(method: Method, n: u32) -> [usize; 2] {
        let settings = Fmm::new().method(method).tolerance(1e-3);
        let machine = Small::new(usize::MAX);
        let engine = Resident::<Small, f32>::new(machine.clone(), String::new(), settings);
        let narrow = |point: [f64; 3]| point.map(|x| x as f32);
        let points: Vec<[f32; 3]> = points(n).into_iter().map(narrow).collect();
        let report = engine.unwrap().build(&points, None).unwrap();
        [machine.allocated.load(Ordering::Relaxed), report.bytes]
    }

    /// The difference is without tables and scratch memory, which no points add to.
    #[test]
    fn more_points_take_no_more_than_was_estimated() {
        for method in [Method::Direct, Method::Treecode, Method::Fmm] {
            let [few, many] = [3000, 8000].map(|n| sizes(method, n));
            let [taken, said] = [0, 1].map(|k| many[k] - few[k]);
            assert!(taken <= said && said <= 4 * taken, "{method}: {few:?} {many:?}");
        }
    }

    /// Before anything is allocated on either side, and without overflow.
    #[test]
    fn billions_of_points_are_refused() {
        let gpu = Small::new(80_000_000_000);
        let machine = Small::new(1_000_000);
        for n_points in [2_000_000_000, u32::MAX as usize] {
            for depth in [Depth::Adaptive { leaf_capacity: 64 }, Depth::Uniform(21)] {
                for (order, float_bytes) in [(Some(7), 4), (Some(16), 8), (None, 4), (Some(0), 4)] {
                    let n_boxes = expected_boxes(depth, n_points);
                    let (n_sources, n_receivers) = (n_points, n_points);
                    let demand =
                        Demand { n_sources, n_receivers, n_points, n_boxes, order, float_bytes };
                    let per_point = demand.bytes() / n_points;
                    assert!((100..1_000_000).contains(&per_point), "{per_point}");
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

    #[test]
    fn pairs_that_do_not_fit_are_refused_beforehand() {
        let points = points(500);
        let axes = [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).collect::<Vec<f64>>());
        let pairs = NearPairs {
            sources: axes.each_ref().map(Vec::as_slice),
            receivers: None,
            range: vec![[0, 500, 0, 500]],
            leaves: &[0],
            offsets: vec![0, 1],
            items: vec![0],
            softening: 0.0,
        };
        let machine = Small::new(10_000);
        let refused = Pairs::new(machine.clone(), String::new(), &pairs).unwrap_err();
        let Error::DeviceMemory { needed, .. } = refused else { panic!("{refused}") };
        assert_eq!(machine.uploads.load(Ordering::Relaxed), 0);
        assert!(Pairs::new(Small::new(needed), String::new(), &pairs).is_ok());
    }
}
