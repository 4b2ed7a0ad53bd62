//! The layout: from the points that ranks happen to have to the part of the sum that each rank does.

use std::ops::Range;

use distributed::{Route, Rows};
use octree::partition::SortedPoints;
use octree::{Cube, SplitRule};

use super::clumps::{self, Found};
use super::counts::Counts;
use super::cuts::Cuts;
use super::group::Group;
use super::receivers::Receivers;
use super::routes::Routes;
use super::survey::Survey;
use super::trees::{Brought, Owned, Trees};
use super::work::Work;
use crate::api::{Error, Request, Seconds, Stage};
use crate::choose::{Chooser, Geometry as Known, Scheme, TreeShape, TreeStatistics};
use crate::cpu::{ClumpKeys, ClumpPoints, Geometry, Ghosts, Listed, PartPoints};
use crate::engine::{PointSets, Scalar};

/// The part of a rank.
#[derive(Clone, Debug)]
pub(super) struct Layout<T> {
    pub(super) geometry: Geometry<T>,
    pub(super) routes: Routes,
    /// Tree position of each ghost, in the order in which they come.
    pub(super) ghost_places: Vec<u32>,
    /// Index among the owned sources, in the order in which they came, of each own source in tree order.
    pub(super) own_order: Vec<u32>,
    /// Receivers of all ranks, in the order of the whole tree.
    pub(super) receivers: Receivers,
    pub(super) cuts: Cuts,
    /// Largest work of a rank over the mean, minus 1.
    pub(super) imbalance: f64,
    pub(super) counts: Counts,
    /// The whole tree, for the chooser.
    pub(super) tree: TreeStatistics,
}

/// Input of a layout, the same on all ranks but for the points.
pub(super) struct Problem<'a, T> {
    pub(super) group: &'a Group,
    pub(super) request: &'a Request,
    pub(super) points: &'a PointSets<'a, T>,
    pub(super) survey: &'a Survey,
    pub(super) chooser: &'a Chooser,
    /// The scheme for points without a tree.
    pub(super) scheme: Scheme,
}

impl<T: Scalar> Layout<T> {
    /// Brings the points to their owners and the ghosts to those who need them. Cuts are chosen anew where those of an
    /// earlier layout leave too much imbalance, and where the tree ends higher for the sake of clumps, whose own points of
    /// this rank are returned too. Collective.
    pub(super) fn new(
        problem: &Problem<'_, T>,
        earlier: Option<&Cuts>,
    ) -> Result<(Self, Vec<ClumpPoints<T>>, Seconds), Error> {
        let Problem { group, request, points, survey, chooser, scheme } = *problem;
        let mut seconds = Seconds::default();
        let (shape, limit) = (&scheme.tree, request.imbalance_limit);
        let cube = Cube::around(survey.bounds)?.enlarged(shape.enlarged);
        let mut rule = SplitRule::new(cube, shape.depth)?;
        let first = |rule: &SplitRule| {
            let sorted = SortedPoints::new(rule, points.sources, points.receivers);
            let cuts = Cuts::first(group, &sorted, rule, earlier, limit)?;
            Ok::<_, Error>((sorted, cuts))
        };
        let (mut sorted, mut cuts) = seconds.time(Stage::Sort, || first(&rule))?;
        let mut clumps: Option<ClumpKeys> = None;
        loop {
            let partition = cuts.partition.clone();
            let (brought, ways) =
                Brought::new(group, points, &sorted, &rule, &partition, &mut seconds)?;
            let clumps = match &mut clumps {
                Some(clumps) => clumps,
                clumps => {
                    let census = brought.census(group, &partition);
                    match seconds.time(Stage::Sort, || clumps::find(&census, &rule, shape))? {
                        Found::Clumps(found) => clumps.insert(found),
                        Found::EndsAt(level) => {
                            rule = SplitRule::new(cube, shape.ending_at(level))?;
                            (sorted, cuts) = seconds.time(Stage::Sort, || first(&rule))?;
                            continue;
                        }
                    }
                }
            };
            let trees = seconds.time(Stage::Lists, || {
                brought.trees(&partition, group.rank(), shape.list_options, clumps)
            })?;
            let counts = Counts::new(group, &trees)?;
            let tree = counts.statistics(survey, scheme, request);
            let on_tree = chooser.choose(Known::Tree(&tree), None)?;
            let costs = chooser.work_costs(on_tree.algorithm, survey.counts.one_set);
            let choice = seconds.time(Stage::Sort, || {
                let work = Work::of_part(&trees, &costs);
                cuts.better(group, &rule, &brought.owned, &work, limit)
            })?;
            if let Some(better) = choice.better {
                cuts = better;
                continue;
            }
            drop(sorted);
            let routes = Routes::new(group, ways, &trees)?;
            let own_order = brought.part.source_permutation().to_vec();
            let (geometry, ghost_places, clump_points) = seconds.time(Stage::Exchange, || {
                let filled = Parts { owned: &brought.owned, trees, shape, clumps };
                filled.with_ghosts(group, &routes, counts.expands)
            })?;
            cuts.count_points(group, &geometry, survey.counts.one_set)?;
            let receivers = Receivers::new(group, geometry.receivers().len())?;
            let layout = Self {
                geometry,
                routes,
                ghost_places,
                own_order,
                receivers,
                cuts,
                imbalance: choice.imbalance,
                counts,
                tree,
            };
            return Ok((layout, clump_points, seconds));
        }
    }
}

/// Points and trees of a rank, before its ghosts have come.
struct Parts<'a, T> {
    owned: &'a Owned<T>,
    trees: Trees<'a>,
    shape: &'a TreeShape,
    clumps: &'a ClumpKeys,
}

/// A geometry, the tree position of each ghost, and the points of clumps.
type Filled<T> = (Geometry<T>, Vec<u32>, Vec<ClumpPoints<T>>);

impl<T: Scalar> Parts<'_, T> {
    /// The geometry with the points of the ghosts. Collective.
    fn with_ghosts(
        self,
        group: &Group,
        routes: &Routes,
        expands: bool,
    ) -> Result<Filled<T>, Error> {
        let Self { owned, trees: Trees { part, essential, exchange, .. }, shape, clumps } = self;
        let n_own = owned.sources.len();
        // The ghosts' route names places of the tree: here points are in the order in which they came.
        let order = part.source_permutation();
        let came = |places: &Vec<u32>| places.iter().map(|place| order[*place as usize]).collect();
        let sends = routes.ghosts.sends().iter().map(came).collect();
        let route = Route::new(n_own, sends, routes.ghosts.receives().to_vec())?;
        let communicator = group.communicator();
        let rows = Rows::new(&owned.sources, 1);
        let ghost_points = group.transport.exchange(communicator, &route, rows)?;
        let tree = essential.fill(&exchange)?;
        let mut ghost_places = vec![0; ghost_points.len()];
        let mut own: Option<Range<usize>> = None;
        for (place, index) in tree.source_permutation().iter().enumerate() {
            match (*index as usize).checked_sub(n_own) {
                Some(ghost) => ghost_places[ghost] = place as u32,
                None => own = Some(own.map_or(place, |own| own.start)..place + 1),
            }
        }
        let acts = (0..tree.n_boxes()).map(|b| !essential.tree().sources(b).is_empty()).collect();
        let ghosts = Ghosts { own: own.unwrap_or(0..0), acts, expands };
        let own = PointSets { sources: &owned.sources, receivers: owned.receivers.as_deref() };
        let listed = Listed { tree, lists: exchange.lists, clumps };
        let points = PartPoints { own, ghosts: &ghost_points };
        let geometry = Geometry::of_part(listed, shape, &points, ghosts);
        let one_set = own.receivers.is_none();
        let of_clump = |clump| ClumpPoints::new(clump, &geometry.tree, &own, one_set);
        let clump_points = geometry.clumps.all.iter().map(of_clump).collect();
        Ok((geometry, ghost_places, clump_points))
    }
}
