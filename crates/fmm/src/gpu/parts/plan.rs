//! Numbers of parts, and the plan of each: its tree and lists are built once to be counted.

use std::ops::Range;
use std::sync::Mutex;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::sort::MAX_KEYS;
use kernels_gpu::tree::Sets;
use octree::Depth;

use super::set::SortedSet;
use super::{Memory, PartsEngine, State};
use crate::api::{DeviceMemory, Error, MemoryEstimate, Report, Request, Seconds, Stage};
use crate::choose::{self, Chooser, Known, PointStatistics, Scheme, TreeShape, TreeStatistics};
use crate::engine::{ChargeKind, PointCounts, PointSets, Scalar};
use crate::gpu::engine::plan_report::{Built, expands};
use crate::gpu::host_slices::{cube_around, inspect};
use crate::gpu::memory::{Demand, demand_of, least, likely_scheme};
use crate::gpu::pipeline::Pipeline;
use crate::gpu::pipeline::form::Expansions;
use crate::gpu::{Number, abilities};

/// Most pairs of parts. With so many, points take a thousandth of the memory that all would take.
const MOST: usize = 4096;

/// Numbers of parts of sources and of receivers whose plans should fit: the fewest pairs; of as many pairs, the fewest parts
/// of sources.
fn division<T>(counts: PointCounts, scheme: &Scheme, free: usize) -> Result<[usize; 2], Error> {
    let memory = |parts: [usize; 2]| {
        let demand = demand_of_part::<T>(counts, scheme, parts);
        (demand.n_points() <= MAX_KEYS).then(|| demand.memory(least(scheme)).peak)
    };
    let pairs = |pairs: usize| {
        let divisors = (1..=pairs).filter(move |sources| pairs.is_multiple_of(*sources));
        divisors.map(move |sources| [sources, pairs / sources])
    };
    let fits = |parts: &[usize; 2]| memory(*parts).is_some_and(|bytes| bytes <= free);
    let side = MOST.isqrt();
    let needed = || memory([side, side]).unwrap_or(usize::MAX);
    let refusal = || Error::DeviceMemory { needed: needed(), free };
    (2..=MOST).flat_map(pairs).find(fits).ok_or_else(refusal)
}

/// Memory of the largest pair of so many parts.
fn demand_of_part<T>(
    counts: PointCounts,
    scheme: &Scheme,
    [sources, receivers]: [usize; 2],
) -> Demand {
    let n_sources = counts.n_sources.div_ceil(sources);
    let n_receivers = counts.n_receivers.div_ceil(receivers);
    demand_of::<T>(PointCounts { n_sources, n_receivers, one_set: false }, scheme)
}

/// Memory of points that are taken in parts because no more than `free` bytes may be used.
pub(crate) fn memory_within<T>(
    counts: PointCounts,
    scheme: &Scheme,
    free: usize,
) -> Result<DeviceMemory, Error> {
    let taken_in = division::<T>(counts, scheme, free)?;
    let demand = demand_of_part::<T>(counts, scheme, taken_in);
    Ok(DeviceMemory { taken_in, ..demand.memory(least(scheme)) })
}

/// Memory of the host for points that are taken in parts: points with their indices, charges and sums in Morton order, and sums
/// in the caller's.
pub(crate) fn host_memory<T>(counts: PointCounts) -> MemoryEstimate {
    let number = size_of::<T>();
    let sums = counts.n_receivers.saturating_mul(8 * number);
    MemoryEstimate {
        points: counts.n_points().saturating_mul(3 * number + size_of::<u32>()),
        sums: sums.saturating_add(counts.n_sources.saturating_mul(number)),
        ..MemoryEstimate::default()
    }
}

impl<M, T> PartsEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// The engine with its points. Where a tree is larger than one of evenly spread points, so that it does not fit after all,
    /// there are more parts.
    pub(super) fn new(
        machine: M,
        request: Request,
        points: &PointSets<'_, T>,
    ) -> Result<Self, Error> {
        let mut seconds = Seconds::default();
        let chooser = Chooser::new(request, abilities::<T>(), choose::of_gpu(T::PRECISION))?;
        let statistics = PointStatistics::new(points);
        let counts = statistics.counts;
        let (found, largest) = (counts.n_sources.max(counts.n_receivers), u32::MAX as usize);
        if found > largest {
            return Err(Error::TooManyPoints { found, largest });
        }
        let scheme = chooser.choose(Known::Points(&statistics), None)?;
        let dimension = statistics.dimension();
        let PointSets { sources, receivers } = *points;
        let cube = cube_around(inspect(points)?, points.counts().n_points())?;
        let free = machine.free_bytes()?.min(request.memory_limit.unwrap_or(usize::MAX));
        let unlike = chooser.choose(Known::Points(&statistics), Some(ChargeKind::Unlike));
        let chosen = (unlike.unwrap_or(scheme), dimension);
        let unlike = likely_scheme(&chooser, counts, chosen, Some(ChargeKind::Unlike));
        let mut parts = division::<T>(counts, &unlike, free)?;
        let sort = |points| SortedSet::new(points, &cube);
        let (sources, receivers) =
            seconds.time(Stage::Sort, || (sort(sources), receivers.map(sort)));
        let pipeline = Pipeline::new(machine.clone(), request.is_relative())?;
        let mut engine = Self {
            request,
            chooser,
            machine,
            cube,
            sources,
            receivers,
            parts,
            reserved: Expansions::of(&unlike),
            tree: TreeStatistics::without_lists(counts, scheme, dimension),
            report: Report::default(),
            memory: Mutex::new(Memory::new(State::new(pipeline))),
        };
        // A tree that is larger than expected gets so much less of the memory.
        let mut allowed = free;
        loop {
            engine.parts = parts;
            let taken = match engine.count(free, &mut seconds) {
                Err(Error::Device(MachineError::Memory { bytes })) => bytes.max(free),
                Err(error) => return Err(error),
                Ok(()) => break,
            };
            let share = free as f64 / taken as f64;
            allowed = (allowed as f64 * share.clamp(0.5, 0.98)) as usize;
            parts = division::<T>(counts, &unlike, allowed)?;
        }
        engine.report.seconds = seconds;
        Ok(engine)
    }

    /// Builds tree and lists of each pair of parts, for the statistics and the report of the plan.
    /// Refuses parts that take more than `free` bytes.
    fn count(&mut self, free: usize, seconds: &mut Seconds) -> Result<(), Error> {
        let (counts, scheme) = (self.tree.counts, self.tree.scheme);
        let (mut built, mut any_expands) = (Built::default(), false);
        let (mut far_boxes, mut families, mut alone) = (0, 0, 0);
        let mut guard = self.memory();
        let memory = &mut *guard;
        for receivers in 0..self.parts[1] {
            let mut alone_here = u64::MAX;
            for sources in 0..self.parts[0] {
                *seconds = *seconds + self.build_pair(memory, [sources, receivers])?;
                let pipeline = &mut memory.state.pipeline;
                let pairs = seconds.time(Stage::Transfer, || pipeline.count_pairs(&scheme))?;
                if let Expansions::OnLists(form) = self.reserved {
                    pipeline.reserve(form)?;
                }
                let taken = pipeline.memory(self.reserved);
                if taken.peak > free {
                    return Err(MachineError::Memory { bytes: taken.peak }.into());
                }
                let tree = pipeline.tree();
                built.add(&Built::of(tree, pairs, taken));
                any_expands |= expands(&scheme, pairs);
                let of_part = TreeStatistics::without_lists(counts, scheme, 0.0)
                    .with_boxes(tree.level_starts(), tree.n_leaves());
                far_boxes += of_part.far_boxes;
                families += of_part.families;
                if counts.ask_for_alone(&self.request) && tree.n_boxes() > 0 {
                    alone_here = alone_here.min(tree.receivers_alone(&self.machine)?);
                }
            }
            alone += if counts.ask_for_alone(&self.request) { alone_here } else { 0 };
        }
        drop(guard);
        built.memory.taken_in = self.parts;
        let tree = TreeStatistics {
            far_pairs: built.pairs.m2l as usize,
            far_boxes,
            families,
            alone: alone as usize,
            expands: any_expands,
            ..self.tree
        };
        // The trees tell the faster form of M2L.
        let chosen = tree.refined(&self.chooser, None)?;
        self.tree = TreeStatistics { scheme: chosen, ..tree };
        self.report = built.report::<T>(&self.request, self.machine.name(), &self.tree);
        Ok(())
    }

    /// Brings a part of the sources and one of the receivers to the device, and builds their tree and lists there. Returns the
    /// seconds of each stage.
    pub(super) fn build_pair(
        &self,
        memory: &mut Memory<M, T>,
        [sources, receivers]: [usize; 2],
    ) -> Result<Seconds, Error> {
        let sources = &self.sources.points[self.sources.part(sources, self.parts[0])];
        let all = self.receivers();
        let receivers = &all.points[all.part(receivers, self.parts[1])];
        let shape = self.tree.scheme.shape;
        self.bring(memory, sources, receivers, shape)
    }

    /// Brings sources alone to the device, without a tree.
    pub(super) fn bring_sources(
        &self,
        memory: &mut Memory<M, T>,
        which: Range<usize>,
    ) -> Result<Seconds, Error> {
        let shape = TreeShape { depth: Depth::Uniform(0), ..TreeShape::one_leaf() };
        self.bring(memory, &self.sources.points[which], &[], shape)
    }

    fn bring(
        &self,
        memory: &mut Memory<M, T>,
        sources: &[[T; 3]],
        receivers: &[[T; 3]],
        shape: TreeShape,
    ) -> Result<Seconds, Error> {
        let mut seconds = Seconds::default();
        let Memory { state, host } = memory;
        state.end_build();
        let State { pipeline, points, .. } = state;
        pipeline.keeping = least(&self.tree.scheme);
        let point = |&[x, y, z]: &[T; 3]| Vec4([x, y, z, T::narrow(0.0)]);
        seconds.time(Stage::Transfer, || {
            host.clear();
            host.extend(sources.iter().chain(receivers).map(point));
            points.upload(&self.machine, host)
        })?;
        let n_sources = sources.len();
        let view = points.view(host.len());
        let far_by = self.tree.scheme.algorithm.far_by();
        let sets = Sets::Two { n_sources };
        let built = pipeline.build(view, sets, shape, far_by, self.cube)?;
        let seconds = seconds + built.seconds()?;
        state.end_build();
        Ok(seconds)
    }
}

impl Built {
    /// Adds another tree, with its pairs; of memory the larger counts.
    fn add(&mut self, other: &Self) {
        self.levels = self.levels.max(other.levels);
        self.boxes += other.boxes;
        self.leaves += other.leaves;
        self.pairs.p2p += other.pairs.p2p;
        self.pairs.m2l += other.pairs.m2l;
        self.pairs.m2p += other.pairs.m2p;
        self.pairs.p2l += other.pairs.p2l;
        self.pairs.far_m2p += other.pairs.far_m2p;
        if other.memory.peak > self.memory.peak {
            self.memory = other.memory;
        }
    }
}
