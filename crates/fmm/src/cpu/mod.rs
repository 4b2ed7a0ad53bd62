//! The cores: points, tree and lists in the host's memory, passes in the caller's rayon pool.
//!
//! | file | what |
//! |---|---|
//! | `geometry/` | points, tree, lists, and the work that follows from them |
//! | `peers/` | other processes, and a device for near pairs |
//! | `tables.rs`, `table_store.rs` | tables of the operators by order, and the store that plans share |
//! | `methods.rs` | sums by the method of a scheme |
//! | `memory.rs` | memory, estimated and checked against the limit |
//! | `buffers.rs` | memory that evaluations use again |
//! | `evaluation.rs` | from charges to fields |
//! | `results.rs` | sums to fields, and their errors |
//! | `expected/` | errors to expect at each receiver, by which the check picks some |
//! | `counts.rs` | counts of a plan, for its report |
//! | `passes/` | the passes of the FMM and of the direct sum |
//! | `clumps/` | points that the deepest level does not split, with engines of their own |
//! | `cells/` | cells of walks, with their opening test |
//! | `treecode/` | sums by group walks, and the treecode on lists |

mod buffers;
mod cells;
mod clumps;
mod counts;
mod evaluation;
mod expected;
mod geometry;
mod memory;
mod methods;
mod passes;
mod peers;
mod results;
mod table_store;
mod tables;
mod treecode;

use std::sync::Arc;

use expansions::MAX_ORDER;
use expansions::operators::M2lForm;
use octree::{InteractionLists, Octree};

use crate::api::{Error, Field, MemoryEstimate, Report, Request, SampledError, Seconds, Stage};
use crate::choose::{Abilities, Chooser, Costs, Known, PointStatistics, Scheme, TreeStatistics};
use crate::engine::{Charges, Engine, PointCounts, PointSets, Scalar, Workspace, on_pool};
pub(crate) use buffers::Buffers;
pub(crate) use cells::{CELL_BYTES, CellData, CellShape, Moments, moments, multipole_of};
pub(crate) use clumps::{
    BoxCount, Census, ClumpKeys, ClumpPoints, Clumps, Ends, InnerRoom, last_level, neighborhoods,
};
use clumps::{InnerEngine, inner_engines};
pub(crate) use counts::plan_report;
pub(crate) use geometry::{Geometry, Listed, PartPoints};
pub(crate) use memory::{Need, UNCHECKED_BYTES};
pub(crate) use passes::Passes;
pub(crate) use peers::ghosts::{Coming, Ghosts, Peers};
pub(crate) use peers::near_device::NearDevice;
#[cfg(feature = "gpu")]
pub(crate) use peers::near_device::{NearPairs, Pending, Reach};
pub(crate) use peers::walks::{GroupPart, OwnWalks, SeenPoints, WalkPeers};
pub(crate) use results::{in_callers_units, put_exact_sums, value_of, weights, wide_sources};
pub(crate) use table_store::TablesByOrder;
pub(crate) use tables::Tables;
pub(crate) use treecode::{WalkCounts, bounds, least_squared, reach_factor};

/// Abilities of the cores.
pub(crate) fn abilities<T: Scalar>() -> Abilities {
    let dense = |order: &usize| M2lForm::fastest(*order) == M2lForm::Dense;
    Abilities {
        largest_fast_dense: (1..=MAX_ORDER).take_while(dense).last().unwrap_or(0),
        ..Abilities::of_precision(T::PRECISION)
    }
}

/// The engine of the cores.
#[derive(Clone, Debug)]
pub(crate) struct CpuEngine<T> {
    request: Request,
    chooser: Chooser,
    geometry: Geometry<T>,
    tree: TreeStatistics,
    /// Tables by order, taken from the store when first needed.
    tables: TablesByOrder<T>,
    /// Engines of clumps.
    inner: Vec<InnerEngine<T>>,
    report: Report,
}

impl<T: Scalar> CpuEngine<T> {
    /// Tree and lists of points, for cores with these abilities and costs.
    pub(crate) fn new(
        request: Request,
        abilities: Abilities,
        costs: Costs,
        points: &PointSets<'_, T>,
    ) -> Result<Self, Error> {
        let chooser = Chooser::new(request, abilities, costs)?;
        let tables = TablesByOrder::default();
        on_pool(points.sources.len() + points.n_receivers(), || {
            Self::of_points(request, chooser, tables, points)
        })
    }

    fn of_points(
        request: Request,
        chooser: Chooser,
        tables: TablesByOrder<T>,
        points: &PointSets<'_, T>,
    ) -> Result<Self, Error> {
        let statistics = PointStatistics::new(points);
        let scheme = chooser.choose(Known::Points(&statistics), None)?;
        let mut seconds = Seconds::default();
        let demand = memory::expected(&request, &chooser, &statistics)?;
        Need { needed: demand.estimate::<T>().total(), held: 0 }.check(&request)?;
        let geometry = Geometry::new(points, scheme.shape, &mut seconds)?;
        let inner =
            seconds.time(Stage::Other, || inner_engines(&request, &tables, &geometry, points))?;
        let tree = tree_statistics(&request, &statistics, scheme, &geometry);
        // The tree tells more: what the report says is for charges of any kind.
        let scheme = chooser.choose(Known::Tree(&tree), None)?;
        let demand = memory::Demand { size: memory::size_of_tree(&geometry), ..demand };
        let held = geometry.bytes();
        let needed = held.saturating_add(demand.of_evaluation::<T>().total());
        Need { needed, held }.check(&request)?;
        let mut report = counts::plan_report(&request, &geometry, (&scheme, tree.expands), seconds);
        inner.iter().for_each(|inner| report.add_inner(inner.report()));
        Ok(Self { request, chooser, geometry, tree, tables, inner, report })
    }

    /// The same engine with other points.
    pub(crate) fn with_points(&self, points: &PointSets<'_, T>) -> Result<Self, Error> {
        let (chooser, tables) = (self.chooser, self.tables.clone());
        on_pool(points.sources.len() + points.n_receivers(), || {
            Self::of_points(self.request, chooser, tables, points)
        })
    }

    /// The geometry of the points.
    #[cfg(feature = "gpu")]
    pub(crate) fn near_pairs(&self) -> NearPairs<'_, T> {
        NearPairs::new(&self.geometry, self.request.softening)
    }

    /// Points, tree and lists.
    pub(crate) fn geometry(&self) -> &Geometry<T> {
        &self.geometry
    }

    /// The report of the plan, to be completed by an engine that does part of the work elsewhere.
    #[cfg(feature = "gpu")]
    pub(crate) fn report_mut(&mut self) -> &mut Report {
        &mut self.report
    }

    fn tables(&self, order: usize) -> &Tables<T> {
        let order = if self.geometry.has_expansions() { order.max(1) } else { 1 };
        self.tables.get(order)
    }
}

/// Memory that a request takes, for points that are not there yet.
pub(crate) fn estimate<T: Scalar>(
    request: &Request,
    abilities: Abilities,
    costs: Costs,
    counts: PointCounts,
) -> Result<MemoryEstimate, Error> {
    let chooser = Chooser::new(*request, abilities, costs)?;
    let points = PointStatistics::even(&counts);
    Ok(memory::expected(request, &chooser, &points)?.estimate::<T>())
}

/// Counts of the tree for the chooser.
fn tree_statistics<T: Scalar>(
    request: &Request,
    points: &PointStatistics<'_>,
    scheme: Scheme,
    geometry: &Geometry<T>,
) -> TreeStatistics {
    let counts = points.counts;
    TreeStatistics {
        counts,
        scheme,
        dimension: points.dimension(),
        far_pairs: geometry.lists.far().n_items(),
        far_boxes: geometry.far_boxes(),
        families: geometry.tree.n_boxes() - geometry.tree.leaves().len(),
        alone: if counts.ask_for_alone(request) { geometry.receivers_alone() } else { 0 },
        expands: geometry.has_expansions(),
    }
}

impl<T: Scalar> Engine<T> for CpuEngine<T> {
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        *self = self.with_points(points)?;
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        Ok(Arc::new(self.with_points(points)?))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let points = self.report.n_sources + self.report.n_receivers;
        on_pool(points, || self.evaluate_beside(None, charges, fields, workspace))
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.compare_sample(charges, field, count)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        Some((&self.geometry.tree, &self.geometry.lists))
    }
}
