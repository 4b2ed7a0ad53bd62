//! Planning over several devices: from points as ranks brought them to tree and lists of owned receivers.

use kernels_gpu::device::View;
use kernels_gpu::lists::census::PairCounts;
use kernels_gpu::machine::Launcher;
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::{Part, PointsInCube};
use octree::Cube;
use octree::partition::{Partition, imbalance};

use super::way::Way;
use super::{Counts, State, Ways, cuts};
use crate::api::{DeviceMemory, Error, RankCuts, RanksReport, Report, Request, Seconds, Stage};
use crate::choose::{Algorithm, Chooser, Known, Scheme, TreeStatistics};
use crate::engine::{PointCounts, PointSets, Scalar, TreeSize};
use crate::gpu::Number;
use crate::gpu::engine::plan_report::Built;
use crate::gpu::host_slices::{bounds_of_sent, packed, send_points, unpack};
use crate::gpu::launches::sets_of;
use crate::gpu::memory::{Demand, likely_scheme};
use crate::gpu::pipeline::form::{Expansions, Form};
use crate::gpu::pipeline::ghosts::Others;
use crate::gpu::wire::Wire;
use crate::ranks::{Receivers, Survey, account};

/// The sum, as far as it is known when the lists are made.
pub(super) struct Planned {
    /// Tree of all ranks.
    pub(super) tree: TreeStatistics,
    /// Pairs of this rank's receivers.
    pairs: PairCounts,
    seconds: Seconds,
    cuts: RankCuts,
    /// Bytes that were reserved.
    bytes: usize,
}

impl Planned {
    /// Plans on the device of `state`. Collective.
    pub(super) fn new<M, T>(
        machine: &M,
        wire: &Wire,
        request: &Request,
        chooser: &Chooser,
        points: &PointSets<'_, T>,
        state: &mut State<M, T>,
    ) -> Result<Self, Error>
    where
        M: Launcher + Clone,
        T: Scalar + Number,
    {
        let mut seconds = Seconds::default();
        let mut rank = Planning { machine, wire, request, state };
        let (survey, packed) = seconds.time(Stage::Transfer, || rank.upload(points))?;
        let statistics = survey.statistics();
        let scheme = chooser.choose(Known::Points(&statistics), None)?;
        let cube = Cube::around(survey.bounds)?.enlarged(scheme.shape.enlarged);
        seconds.time(Stage::Transfer, || rank.take(points, packed))?;
        let likely = likely_scheme(chooser, survey.counts, (scheme, statistics.dimension()), None);
        let built = if scheme.algorithm == Algorithm::Direct {
            rank.keep(survey.counts.one_set, &likely, cube)?
        } else {
            rank.divide(survey.counts, &likely, cube)?
        };
        seconds = seconds + built;
        let (tree, pairs) = seconds.time(Stage::Transfer, || rank.count(&survey, scheme))?;
        // The tree tells the faster form of M2L.
        let scheme = tree.refined(chooser, None)?;
        let tree = TreeStatistics { scheme, ..tree };
        let bytes = rank.reserve(&scheme)?;
        let cuts = if state.ways.is_some() { RankCuts::ByPoints } else { RankCuts::AsBrought };
        Ok(Self { tree, pairs, seconds, cuts, bytes })
    }

    /// The report of the plan. Collective.
    pub(super) fn report<M, T>(
        &self,
        wire: &Wire,
        request: &Request,
        name: &str,
        state: &State<M, T>,
    ) -> Result<Report, Error>
    where
        M: Launcher + Clone,
        T: Scalar + Number,
    {
        let group = wire.group();
        let own = state.pipeline.tree();
        let owned = group.gather(&[own.n_receivers() as u64, own.n_leaves() as u64])?;
        let owned = owned.as_chunks::<2>().0;
        let n_leaves: u64 = owned.iter().map(|row| row[1]).sum();
        let receivers: Vec<f64> = owned.iter().map(|row| row[0] as f64).collect();
        let uneven = imbalance(receivers.into_iter());
        let (levels, boxes) = match &state.pipeline.ghosts {
            Some(ghosts) => (ghosts.n_all_levels, ghosts.n_all_boxes),
            None => (own.n_levels(), own.n_boxes()),
        };
        let built = Built {
            levels,
            boxes,
            leaves: n_leaves as usize,
            pairs: self.pairs,
            memory: DeviceMemory::default(),
        };
        let of_all = built.report::<T>(request, name, &self.tree);
        let ranks = RanksReport {
            imbalance: uneven,
            imbalance_of_points: uneven,
            cuts: self.cuts,
            ..RanksReport::default()
        };
        let own = Report { n_receivers: own.n_receivers(), device_memory: None, ..of_all };
        let report = Report { ranks: Some(ranks), ..account::of_ranks(group, own)? };
        account::complete(group, report, self.seconds, self.bytes)
    }
}

/// A rank that plans on its device.
struct Planning<'p, M: Launcher, T: Number> {
    machine: &'p M,
    wire: &'p Wire,
    request: &'p Request,
    state: &'p mut State<M, T>,
}

impl<M, T> Planning<'_, M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// Uploads the points that the rank brought, packed, and surveys those of all ranks. The points before stay. Collective.
    fn upload(&mut self, points: &PointSets<'_, T>) -> Result<(Survey, View<T>), Error> {
        let packed = packed(self.machine, &mut self.state.fields[0], points)?;
        let tree = &mut self.state.pipeline.tree;
        send_points(self.machine, points, packed)?;
        tree.begin_packed_bounds(self.machine, packed.read_only())?;
        let bounds = bounds_of_sent(self.machine, tree, points)?;
        Ok((Survey::within(self.wire.group(), points, bounds)?, packed.read_only()))
    }

    /// Puts uploaded points into the place of those before, which are lost from here on. Collective.
    fn take(&mut self, points: &PointSets<'_, T>, packed: View<T>) -> Result<(), Error> {
        let state = &mut *self.state;
        state.build.lose_points();
        let n = points.counts().n_points();
        state.counts =
            Counts { sources: points.sources.len(), receivers: points.n_receivers(), points: n };
        state.points.reserve(self.machine, n)?;
        unpack(self.machine, packed, state.points.view_mut(n))?;
        // What was sent is there, and the last of the host's work waits for that of the other ranks: no stage of a device is to
        // count that.
        self.machine.synchronize()?;
        state.all_receivers = Receivers::new(self.wire.group(), points.n_receivers())?;
        Ok(())
    }

    /// Keeps the points where they are, for the direct sum.
    fn keep(&mut self, one_set: bool, scheme: &Scheme, cube: Cube) -> Result<Seconds, Error> {
        let state = &mut *self.state;
        state.ways = None;
        let Counts { sources, receivers, points } = state.counts;
        let counts = PointCounts { n_sources: sources, n_receivers: receivers, one_set };
        let demand = demand_of_rank::<T>(counts, scheme);
        state.find_room(self.machine, &demand, self.request.memory_limit)?;
        let (view, sets) = (state.points.view(points), sets_of(counts));
        let (far_by, part) = (scheme.algorithm.far_by(), Part::whole(cube));
        let built = state.pipeline.build_part(view, sets, scheme.shape, far_by, &part, None)?;
        Ok(built.seconds()?)
    }

    /// Brings the points, of which all ranks have so many, to their owners, and builds tree and lists there. Collective.
    fn divide(&mut self, all: PointCounts, scheme: &Scheme, cube: Cube) -> Result<Seconds, Error> {
        let Self { machine, wire, .. } = *self;
        let mut seconds = Seconds::default();
        let brought = self.state.points.view(self.state.counts.points);
        let sources = brought.part(0, self.state.counts.sources);
        let receivers = (!all.one_set).then(|| self.state.receivers());
        let sets = cuts::Sets { n_all: all.n_receivers, sources, receivers };
        let partition = seconds.time(Stage::Sort, || {
            cuts::partition(machine, wire, &sets, &cube, scheme.shape.depth)
        })?;
        let owned = seconds.time(Stage::Exchange, || {
            self.bring(&sets, all.n_sources, &cube, &partition, scheme)
        })?;
        Ok(seconds + self.build(&partition, cube, owned, scheme)?)
    }

    /// Brings the points of `sets` in `cube` to their owners, into the memory of the first field. Returns the numbers of owned
    /// points. Collective.
    fn bring(
        &mut self,
        sets: &cuts::Sets<T>,
        n_all_sources: usize,
        cube: &Cube,
        partition: &Partition,
        scheme: &Scheme,
    ) -> Result<PointCounts, Error> {
        let Self { machine, wire, request, state } = self;
        // Of ways of the points before, only the memory is of use.
        let [of_sources, of_receivers] =
            state.ways.take().map(Ways::into_orders).unwrap_or_default();
        let in_cube = |points| PointsInCube { points, cube };
        let way = |points, n_all, order| {
            Way::new(*machine, wire, in_cube(points), n_all, partition, order)
        };
        let sources_way = way(sets.sources, n_all_sources, of_sources)?;
        let receivers_way =
            sets.receivers.map(|points| way(points, sets.n_all, of_receivers)).transpose()?;
        let mut ways = Ways { sources: sources_way, receivers: receivers_way };
        let owned = PointCounts {
            n_sources: ways.sources.n_owned(),
            n_receivers: ways.receivers().n_owned(),
            one_set: sets.receivers.is_none(),
        };
        // What travels takes its memory before that of the plan is looked for.
        state.reserve_carried(machine, &ways)?;
        let carried = state.carried_bytes() + ways.bytes();
        let limit = request.memory_limit.map(|limit| limit.saturating_sub(carried));
        state.find_room(machine, &demand_of_rank::<T>(owned, scheme), limit)?;
        let [memory, sorted, arriving] = &mut state.fields;
        memory.reserve(machine, owned.n_points())?;
        let all = memory.view_mut(owned.n_points());
        let room = [&mut *sorted, &mut *arriving];
        ways.sources.points(machine, in_cube(sets.sources), room, all.part(0, owned.n_sources))?;
        if let (Some(way), Some(receivers)) = (&mut ways.receivers, sets.receivers) {
            let to = all.part(owned.n_sources, owned.n_receivers);
            way.points(machine, in_cube(receivers), [sorted, arriving], to)?;
        }
        state.ways = Some(ways);
        Ok(owned)
    }

    /// Builds tree and lists of owned points, which are in the memory of the first field. Collective.
    fn build(
        &mut self,
        partition: &Partition,
        cube: Cube,
        owned: PointCounts,
        scheme: &Scheme,
    ) -> Result<Seconds, Error> {
        let Self { wire, state, .. } = self;
        let part = Part { cube, interval: partition.interval(wire.rank()) };
        let (points, sets) = (state.fields[0].view(owned.n_points()), sets_of(owned));
        let (far_by, others) = (scheme.algorithm.far_by(), Others { wire, partition });
        let shape = scheme.shape;
        let built = state.pipeline.build_part(points, sets, shape, far_by, &part, Some(&others))?;
        Ok(built.seconds()?)
    }

    /// The tree of all ranks, and the pairs of this one. Collective.
    fn count(
        &self,
        survey: &Survey,
        scheme: Scheme,
    ) -> Result<(TreeStatistics, PairCounts), Error> {
        let counts = survey.counts;
        let pairs = self.pairs_here(counts)?;
        let own = self.state.pipeline.tree();
        let alone = match own.n_boxes() > 0 && counts.ask_for_alone(self.request) {
            true => own.receivers_alone(self.machine)?,
            false => 0,
        };
        let of_own = TreeStatistics::without_lists(counts, scheme, 0.0)
            .with_boxes(own.level_starts(), own.n_leaves());
        let (far_boxes, families) = (of_own.far_boxes as u64, of_own.families as u64);
        let mut sums = [pairs.m2l, pairs.m2p + pairs.p2l, alone, far_boxes, families];
        self.wire.group().sum(&mut sums)?;
        let [far_pairs, others, alone, far_boxes, families] = sums;
        let dimension = survey.statistics().dimension();
        let tree = TreeStatistics {
            far_pairs: far_pairs as usize,
            far_boxes: far_boxes as usize,
            families: families as usize,
            alone: alone as usize,
            expands: far_pairs + others > 0,
            ..TreeStatistics::without_lists(counts, scheme, dimension)
        };
        Ok((tree, pairs))
    }

    /// Pairs of the receivers of this rank; all ranks have points of these numbers.
    fn pairs_here(&self, all: PointCounts) -> Result<PairCounts, Error> {
        let pipeline = &self.state.pipeline;
        let n_receivers = pipeline.tree().n_receivers() as u64;
        let all_pairs = |n_sources: usize| {
            let p2p = n_sources as u64 * n_receivers;
            Ok(PairCounts { p2p, ..PairCounts::default() })
        };
        match &pipeline.ghosts {
            None => all_pairs(all.n_sources),
            Some(ghosts) if ghosts.tree.n_boxes() <= 1 => all_pairs(pipeline.tree().n_sources()),
            Some(ghosts) => {
                Ok(pipeline.lists().census(self.machine, &ghosts.tree, &mut Grown::new())?)
            }
        }
    }

    /// Takes the memory of evaluations, where points have gone to owners. Returns the bytes of the plan.
    fn reserve(&mut self, scheme: &Scheme) -> Result<usize, Error> {
        let state = &mut *self.state;
        let (pipeline, expansions) = (&mut state.pipeline, Expansions::of(scheme));
        if state.ways.is_some() {
            pipeline.reserve(Form::of(scheme.algorithm))?;
        }
        state.build.hold(pipeline.held(expansions));
        Ok(pipeline.memory(expansions).peak + state.carried_bytes())
    }
}

/// Memory of points of one rank, which fill a part of the cube, whatever the cube's side.
fn demand_of_rank<T>(counts: PointCounts, scheme: &Scheme) -> Demand {
    let size = TreeSize::expected(scheme.shape.depth, 1.0, counts.n_points());
    Demand::expected::<T>(counts, Expansions::of(scheme), size)
}
