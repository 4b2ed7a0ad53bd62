//! The FMM and the direct sum on a device: from points in any order to the field in that order.
//!
//! | file | what |
//! |---|---|
//! | `near.rs`, `far.rs` | launches of near pairs, and of the far field of the FMM |
//! | `form.rs` | order of the expansions, and form of M2L |
//! | `treecode.rs` | launches of the treecode's walks |
//! | `together.rs` | near pairs of several vectors of charges, which share distances |
//! | `heavy.rs` | charges that outweigh the others |
//! | `results.rs` | sums of a run, to the caller's order and units |
//! | `looks.rs` | looks of the device at charges and results |
//! | `ghosts.rs` | boxes and sources of other devices, of a tree over several |
//! | `memory.rs`, `lifetimes.rs` | memory that a form takes, and that is given back when a phase ends |

mod far;
pub(super) mod form;
pub(super) mod ghosts;
mod heavy;
mod lifetimes;
pub(super) mod looks;
mod memory;
mod near;
mod results;
mod together;
pub(super) mod treecode;

use expansions::operators::PairAccuracy;
use kernels_gpu::check::weights::WeighedField;
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::direct::DirectSum;
use kernels_gpu::lists::Lists;
use kernels_gpu::machine::{Grid, Launcher, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::near::NearSum;
use kernels_gpu::operators::Operators;
use kernels_gpu::partition::Part;
use kernels_gpu::transfer::{GATHER_POINTS, GatherPoints, PUT_CHARGES, PutCharges};
use kernels_gpu::tree::{Sets, Tree};
use kernels_gpu::walk::Treecode;
use octree::{Cube, Depth};

use crate::api::{Error, Outputs, Stage};
use crate::choose::{FarBy, TreeShape};
use crate::engine::Unit;
use crate::gpu::Number;
use crate::gpu::launches::{Pairs, Sums, THREADS, refusal};
use crate::gpu::memory::check::CheckMemory;
use crate::gpu::memory::expected::ExpectedMemory;
use crate::gpu::memory::heavy::HeavyMemory;
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::memory::together::Together;
use crate::gpu::timers::{Launched, Timers};
use form::Form;
use ghosts::{Ghosts, Others};

/// Tree, lists, expansions and sums in the memory of a device, which is used again from one set of points to the next.
///
/// Points are (x, y, z, charge), fields (∂Φ/∂x, ∂Φ/∂y, ∂Φ/∂z, Φ), both in the caller's order and units.
pub(crate) struct Pipeline<M: Launcher, T: Number> {
    pub(super) machine: M,
    /// Memory that is kept from one phase to the next.
    pub(super) keeping: Keeping,
    pub(super) tree: Tree<M>,
    pub(super) lists: Lists<M>,
    /// By order and form of M2L, made when first needed.
    pub(super) operators: Vec<Operators<M, T>>,
    pub(super) multipole: Grown<M, Vec4<T>>,
    pub(super) local: Grown<M, Vec4<T>>,
    pub(super) leaf_of: Grown<M, u32>,
    /// Errors to expect of the expansions.
    pub(super) expected: ExpectedMemory<M>,
    /// The vector whose errors are those of the last run.
    pub(super) checked_vector: usize,
    /// Order of the local expansions of the last run, of which `leaf_of` has the leaves; `None` where there were none.
    pub(super) local_order: Option<usize>,
    /// Rows of coefficients and waves, where operators take them.
    pub(super) scratch: Grown<M, T>,
    pub(super) near: NearSum<M>,
    pub(super) direct: DirectSum<M, T>,
    pub(super) treecode: Treecode<M, T>,
    /// Way in which far boxes act: through local expansions in the FMM, by multipoles at each receiver in the treecode on lists.
    pub(super) far_by: FarBy,
    pub(super) unit: Unit,
    pub(super) charge_unit: f64,
    pub(super) sources: Grown<M, Vec4<T>>,
    pub(super) receivers: Grown<M, Vec4<T>>,
    /// In the tree's order and units: what comes from near pairs, or walks.
    pub(super) sums: Grown<M, Vec4<T>>,
    /// Accuracy of these if they are the sums over near pairs of the charges at hand: they serve every attempt that asks no more.
    pub(super) near_summed: Option<PairAccuracy>,
    /// Sums through expansions and over heavy charges.
    pub(super) more: Grown<M, Vec4<T>>,
    /// Whether a check will ask for the errors to expect.
    pub(super) checked: bool,
    /// Outputs that are checked behind a run, if some are.
    pub(super) checked_outputs: Option<Outputs>,
    /// The field of the last run, if its weights in a check are summed.
    pub(super) weighed: Option<WeighedField<T>>,
    /// Several vectors of charges, whose near pairs are summed together.
    pub(super) together: Option<Together<M, T>>,
    pub(super) heavy: HeavyMemory<M, T>,
    pub(super) counts: Grown<M, u64>,
    pub(super) checks: CheckMemory<M>,
    /// Boxes and sources of other devices, of a tree over several.
    pub(super) ghosts: Option<Box<Ghosts<M, T>>>,
}

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// No points yet, for a request whose tolerance is checked or not.
    pub(super) fn new(machine: M, checked: bool) -> Result<Self, Error> {
        let no_points = View::EMPTY;
        let depth = Depth::Uniform(0);
        Ok(Self {
            tree: Tree::build::<T>(&machine, no_points, Sets::One, depth, 1.0).map_err(refusal)?,
            lists: Lists::new(),
            operators: Vec::new(),
            multipole: Grown::new(),
            local: Grown::new(),
            leaf_of: Grown::new(),
            expected: ExpectedMemory::new(),
            checked_vector: 0,
            local_order: None,
            scratch: Grown::new(),
            near: NearSum::new(),
            direct: DirectSum::new(),
            treecode: Treecode::new(),
            far_by: FarBy::M2l,
            unit: Unit::of(1.0),
            charge_unit: 1.0,
            sources: Grown::new(),
            receivers: Grown::new(),
            sums: Grown::new(),
            near_summed: None,
            more: Grown::new(),
            checked,
            checked_outputs: None,
            weighed: None,
            together: None,
            heavy: HeavyMemory::new(),
            counts: Grown::new(),
            checks: CheckMemory::new(),
            ghosts: None,
            keeping: Keeping::All,
            machine,
        })
    }

    /// The tree of the last points.
    pub(super) fn tree(&self) -> &Tree<M> {
        &self.tree
    }

    /// The tree of the lists: that of the points, and boxes of other devices.
    pub(super) fn list_tree(&self) -> &Tree<M> {
        self.ghosts.as_ref().map_or(&self.tree, |ghosts| &ghosts.tree)
    }

    /// The lists of the tree.
    pub(super) fn lists(&self) -> &Lists<M> {
        &self.lists
    }

    /// Sorts `points` into a tree in a cube around them, which the shape enlarges, and makes its lists, or groups of receivers if they
    /// are to walk. The device may not be done when this returns.
    pub(super) fn build(
        &mut self,
        points: View<Vec4<T>>,
        sets: Sets,
        shape: TreeShape,
        far_by: FarBy,
        cube: Cube,
    ) -> Result<Launched<M>, Error> {
        let machine = self.machine.clone();
        let mut timers = Timers::start(&machine)?;
        self.begin_build();
        let whole = Part::whole(cube.enlarged(shape.enlarged));
        self.tree.rebuild_part(&machine, points, sets, shape.depth, &whole).map_err(refusal)?;
        self.end_sort();
        timers.end(Stage::Sort)?;
        self.ghosts = None;
        self.far_by = far_by;
        self.prepare_points(points, &shape, &mut timers)?;
        Ok(Launched::alone(timers))
    }

    /// Sorts `points` into a part of a tree over several devices, and makes the lists of its receivers. The device may not be
    /// done when this returns. Collective where there are other devices.
    pub(super) fn build_part(
        &mut self,
        points: View<Vec4<T>>,
        sets: Sets,
        shape: TreeShape,
        far_by: FarBy,
        part: &Part,
        others: Option<&Others<'_>>,
    ) -> Result<Launched<M>, Error> {
        let machine = self.machine.clone();
        let mut timers = Timers::start(&machine)?;
        self.begin_build();
        self.tree.rebuild_part(&machine, points, sets, shape.depth, part).map_err(refusal)?;
        self.end_sort();
        timers.end(Stage::Sort)?;
        self.far_by = far_by;
        let old = self.ghosts.take();
        if let Some(others) = others {
            let few = shape.list_options.min_sources_for_m2p;
            let mut ghosts = old.map_or_else(Ghosts::new, Ok)?;
            ghosts.find(&machine, &self.tree, others, few)?;
            self.ghosts = Some(ghosts);
        }
        timers.end(Stage::Exchange)?;
        self.prepare_points(points, &shape, &mut timers)?;
        Ok(Launched::alone(timers))
    }

    /// Puts points in their places, and makes the lists.
    fn prepare_points(
        &mut self,
        points: View<Vec4<T>>,
        shape: &TreeShape,
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let machine = self.machine.clone();
        self.unit = Unit::of(self.tree.cube().side());
        self.charge_unit = 1.0;
        self.near_summed = None;
        self.local_order = None;
        self.weighed = None;
        self.heavy.clear();
        self.sources.reserve(&machine, self.list_tree().n_sources())?;
        if !self.tree.sources_are_receivers() {
            self.receivers.reserve(&machine, self.tree.n_receivers())?;
        }
        // Points go to their places while the lists are made, which follow from the tree alone.
        let side = machine.fork()?;
        let gathered = self.gather(&side, points);
        let listed = self.make_lists(shape);
        machine.join(&side)?;
        gathered?;
        listed?;
        self.end_lists();
        Ok(timers.end(Stage::Lists)?)
    }

    /// Lists and tasks, or groups of receivers.
    fn make_lists(&mut self, shape: &TreeShape) -> Result<(), Error> {
        let machine = &self.machine;
        let tree = self.ghosts.as_ref().map_or(&self.tree, |ghosts| &ghosts.tree);
        if let Some(receivers) = shape.group_capacity {
            self.treecode.group(machine, tree, receivers)?;
        } else if tree.n_boxes() > 1 {
            self.lists.rebuild(machine, tree, shape.list_options)?;
            let (range, leaves, near) = (tree.range(), tree.leaves(), self.lists.near());
            let prepared = self.near.prepare::<T>(machine, range, leaves, near, tree.n_receivers());
            prepared.map_err(|error| refusal(error.into()))?;
        }
        Ok(())
    }

    /// Puts points in the tree's order and units.
    fn gather(&mut self, machine: &M, points: View<Vec4<T>>) -> Result<(), MachineError> {
        let (n_sources, n_receivers) = (self.tree.n_sources(), self.tree.n_receivers());
        let gather = GatherPoints {
            points: points.part(0, n_sources),
            permutation: self.tree.source_permutation(),
            length_factor: T::from_f64(self.unit.shrink(1.0)),
            charge_factor: T::from_f64(self.charge_unit.recip()),
            gathered: self.sources.view_mut(n_sources),
        };
        machine.launch(&GATHER_POINTS(), Grid::over(n_sources, THREADS), gather)?;
        if !self.tree.sources_are_receivers() {
            let gather = GatherPoints {
                points: points.part(n_sources, n_receivers),
                permutation: self.tree.receiver_permutation(),
                gathered: self.receivers.view_mut(n_receivers),
                ..gather
            };
            machine.launch(&GATHER_POINTS(), Grid::over(n_receivers, THREADS), gather)?;
        }
        Ok(())
    }

    /// Gives the sources other charges, in the caller's order.
    pub(super) fn put_charges(&mut self, charges: View<T>, charge_unit: f64) -> Result<(), Error> {
        self.charge_unit = charge_unit;
        self.near_summed = None;
        self.heavy.clear();
        let n_sources = self.tree.n_sources();
        let put = PutCharges {
            charges,
            permutation: self.tree.source_permutation(),
            factor: T::from_f64(charge_unit.recip()),
            points: self.sources.view_mut(n_sources),
        };
        Ok(self.machine.launch(&PUT_CHARGES(), Grid::over(n_sources, THREADS), put)?)
    }

    /// Brings sources with charges that other devices need to them, and theirs here. Collective where there are other devices.
    pub(super) fn exchange_sources(&mut self) -> Result<(), Error> {
        let n_sources = self.tree.n_sources();
        match &mut self.ghosts {
            Some(ghosts) => ghosts.exchange_sources(&self.machine, n_sources, &mut self.sources),
            None => Ok(()),
        }
    }

    /// Writes the field at the receivers, by expansions and sums over near pairs, in memory that is taken when the sums are there.
    /// The device may not be done when this returns.
    pub(super) fn evaluate(
        &mut self,
        form: Form,
        pairs: Pairs,
        field: &mut Grown<M, Vec4<T>>,
    ) -> Result<Launched<M>, Error> {
        if self.keeping == Keeping::Least {
            field.release();
        }
        let operators = self.reserve(form)?;
        self.local_order = operators.filter(|_| self.far_by == FarBy::M2l).map(|_| form.order);
        self.checked_vector = 0;
        let machine = self.machine.clone();
        if let Some(more) = self.made_ahead(form, pairs.accuracy) {
            let mut timers = Timers::start(&machine)?;
            self.end_sums(more, field, &mut timers)?;
            return Ok(Launched::alone(timers));
        }
        let near = Timers::start(&machine)?;
        let at_once = self.keeping < Keeping::Least;
        let (sums, more) = match at_once || self.list_tree().n_boxes() <= 1 {
            true => (Sums::Empty, self.heavy_field(pairs.softening)?),
            false => (self.begin_sums(pairs.softening)?, View::EMPTY),
        };

        // The far field goes up, across and down the tree beside the near pairs, which fill what its passes leave idle.
        let side = machine.fork()?;
        let mut far = Timers::start(&side)?;
        let near_field = self.near_field(pairs, sums);
        let sources = [self.sorted_sources(), self.all_sources()];
        let far_boxes = |place| self.far_boxes(&side, place, sources, &mut far);
        let boxes = operators.map(far_boxes).transpose();
        let more = match &boxes {
            Ok(Some(boxes)) if at_once => self.more_sums(&side, *boxes, more, &mut far),
            _ => Ok(more),
        };
        let ahead = match operators {
            Some(place) if at_once => self.go_ahead(&side, (place, form), &mut far),
            _ => Ok(()),
        };
        machine.join(&side)?;
        near_field?;
        let (boxes, more, ()) = (boxes?, more?, ahead?);
        let mut last = Timers::start(&machine)?;
        if let Some(boxes) = boxes.filter(|_| !at_once) {
            // In memory of the near pairs' sums, which have to be there.
            self.add_far(&machine, boxes, &mut last)?;
        }
        self.end_far();
        self.end_sums(more, field, &mut last)?;
        Ok(Launched::beside((Stage::P2p, near), far, last))
    }

    /// Writes the field from the sums over near pairs and those in `more`.
    fn end_sums(
        &mut self,
        more: View<Vec4<T>>,
        field: &mut Grown<M, Vec4<T>>,
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let n_receivers = self.tree.n_receivers();
        field.reserve(&self.machine, n_receivers)?;
        self.scatter(more, field.view_mut(n_receivers), timers)
    }

    pub(super) fn sorted_sources(&self) -> View<Vec4<T>> {
        self.sources.view(self.tree.n_sources())
    }

    pub(super) fn sorted_receivers(&self) -> View<Vec4<T>> {
        match self.tree.sources_are_receivers() {
            true => self.sorted_sources(),
            false => self.receivers.view(self.tree.n_receivers()),
        }
    }

    /// Sources in the tree's order, and those of other devices behind them.
    pub(super) fn all_sources(&self) -> View<Vec4<T>> {
        self.sources.view(self.list_tree().n_sources())
    }
}

impl<M: Launcher + std::fmt::Debug, T: Number> std::fmt::Debug for Pipeline<M, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline").field("machine", &self.machine).finish_non_exhaustive()
    }
}
