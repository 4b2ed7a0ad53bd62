//! The layout: from the points that ranks happen to have to the part of the sum that each rank does.
//!
//! | file | what |
//! |---|---|
//! | `survey.rs` | counts, bounds and dimension of the points of all ranks |
//! | `cuts.rs` | cuts by points, by counted work, or kept |
//! | `trees.rs` | points to their owners, and the trees between given cuts |
//! | `work.rs` | work of a rank, counted from its lists, and its part on each point |
//! | `counts.rs` | boxes and pairs of the whole tree |
//! | `routes.rs` | ways of ghosts and multipoles |
//! | `sums.rs` | sums of boxes that several ranks share |

mod counts;
pub(super) mod cuts;
pub(super) mod routes;
mod sums;
pub(super) mod survey;
pub(super) mod trees;
mod work;

use std::ops::Range;

use distributed::{Route, Rows};
use octree::partition::{BoxRecord, Partition, SortedPoints, TopTree};
use octree::{Cube, Octree, SplitRule};

use super::Group;
use super::clumps::{self, Found};
use super::receivers::Receivers;
use super::walks::{Part, WalkPart};
use crate::api::{Error, Request, Seconds, Stage};
use crate::choose::{Algorithm, Chooser, Known, Scheme, TreeShape, TreeStatistics};
use crate::cpu::{ClumpKeys, ClumpPoints, Geometry, Ghosts, Listed, PartPoints};
use crate::engine::{PointSets, Scalar};
use counts::Counts;
use cuts::Cuts;
use routes::Routes;
use survey::Survey;
use trees::{Brought, Owned, Trees, Ways};
use work::Work;

/// The part of a rank.
#[derive(Clone, Debug)]
pub(super) struct Layout<T> {
    pub(super) geometry: Geometry<T>,
    pub(super) ways: Ways,
    pub(super) others: Others,
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

/// Data of other ranks that a rank needs.
#[derive(Clone, Debug)]
pub(super) enum Others {
    /// Boxes and ghosts that lists name, which are known before the charges.
    Lists(ListWays),
    /// Cells and sources that walks may reach, which depend on the charges.
    Walks(WalkPart),
}

/// Ways of the data that lists name.
#[derive(Clone, Debug)]
pub(super) struct ListWays {
    pub(super) routes: Routes,
    /// Tree position of each ghost, in the order in which they come.
    pub(super) ghost_places: Vec<u32>,
}

impl Others {
    /// Ways of the data that lists name; `None` where groups walk.
    pub(super) fn lists(&self) -> Option<&ListWays> {
        match self {
            Self::Lists(ways) => Some(ways),
            Self::Walks(_) => None,
        }
    }

    /// The rank's part in walks; `None` where lists say what acts.
    pub(super) fn walks(&self) -> Option<&WalkPart> {
        match self {
            Self::Lists(_) => None,
            Self::Walks(part) => Some(part),
        }
    }
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

impl<T: Scalar> Problem<'_, T> {
    /// The points of this rank along the curve, and the cuts to begin with. Collective.
    fn sorted(
        &self,
        rule: &SplitRule,
        earlier: Option<&Cuts>,
        seconds: &mut Seconds,
    ) -> Result<(SortedPoints, Cuts), Error> {
        let Self { group, request, points, .. } = *self;
        seconds.time(Stage::Sort, || {
            let sorted = SortedPoints::new(rule, points.sources, points.receivers);
            let cuts = Cuts::first(group, &sorted, rule, earlier, request.imbalance_limit)?;
            Ok((sorted, cuts))
        })
    }
}

impl<T: Scalar> Layout<T> {
    /// Brings the points to their owners and the ghosts to those who need them. Cuts are chosen anew where those of an
    /// earlier layout leave too much imbalance, and where the tree ends higher for the sake of clumps, whose own points of
    /// this rank are returned too. Collective.
    pub(super) fn new(
        problem: &Problem<'_, T>,
        earlier: Option<&Cuts>,
    ) -> Result<(Self, Vec<ClumpPoints<T>>, Seconds), Error> {
        let Problem { group, request, points, survey, scheme, .. } = *problem;
        let mut seconds = Seconds::default();
        let (shape, limit) = (&scheme.shape, request.imbalance_limit);
        let cube = Cube::around(survey.bounds)?.enlarged(shape.enlarged);
        let mut rule = SplitRule::new(cube, shape.depth)?;
        let (mut sorted, mut cuts) = problem.sorted(&rule, earlier, &mut seconds)?;
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
                            (sorted, cuts) = problem.sorted(&rule, earlier, &mut seconds)?;
                            continue;
                        }
                    }
                }
            };
            let between = Between { problem, partition: &partition, clumps };
            let (trees, counts) = between.counted_trees(&brought, &mut seconds)?;
            let tree = counts.statistics(survey, scheme, request);
            let choice = seconds.time(Stage::Sort, || {
                let work = trees.work(&between, &brought.part, &tree)?;
                cuts.better(group, &rule, &brought.owned, &work, limit)
            })?;
            if let Some(better) = choice.better {
                cuts = better;
                continue;
            }
            drop(sorted);
            let own_order = brought.part.source_permutation().to_vec();
            let (geometry, others, clump_points) = seconds
                .time(Stage::Exchange, || trees.filled(&between, &brought, counts.expands))?;
            cuts.count_points(group, &geometry, survey.counts.one_set)?;
            let receivers = Receivers::new(group, geometry.receivers().len())?;
            let layout = Self {
                geometry,
                ways,
                others,
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

/// A problem between given cuts.
struct Between<'a, T> {
    problem: &'a Problem<'a, T>,
    partition: &'a Partition,
    clumps: &'a ClumpKeys,
}

/// Trees of a rank, before the points of others have come.
enum RankTrees<'a> {
    /// With lists of what acts.
    Listed(Box<Trees<'a>>),
    /// To be walked.
    Walked(TopTree),
}

impl<T: Scalar> Between<'_, T> {
    /// Records of other ranks' boxes, which lists need. Collective.
    fn halos(
        &self,
        brought: &Brought<T>,
        seconds: &mut Seconds,
    ) -> Result<Vec<Vec<BoxRecord>>, Error> {
        let Self { problem: Problem { group, scheme, .. }, partition, .. } = self;
        match scheme.algorithm.walks() {
            true => Ok(Vec::new()),
            false => seconds.time(Stage::Exchange, || brought.halos(group, partition)),
        }
    }

    /// The trees of the scheme, with what the others told of their boxes, and boxes and pairs of the whole tree. Collective.
    fn counted_trees<'b>(
        &'b self,
        brought: &'b Brought<T>,
        seconds: &mut Seconds,
    ) -> Result<(RankTrees<'b>, Counts), Error> {
        let halos = self.halos(brought, seconds)?;
        let trees = self.trees(brought, &halos, seconds)?;
        let counts = trees.counts(self, &brought.part)?;
        Ok((trees, counts))
    }

    /// The trees of the scheme. Collective.
    fn trees<'b>(
        &'b self,
        brought: &'b Brought<T>,
        halos: &[Vec<BoxRecord>],
        seconds: &mut Seconds,
    ) -> Result<RankTrees<'b>, Error> {
        let Self { problem: Problem { group, scheme, .. }, partition, clumps } = self;
        seconds.time(Stage::Lists, || match scheme.algorithm.walks() {
            true => Ok(RankTrees::Walked(WalkPart::top(group, &brought.part, partition)?)),
            false => {
                let (halos, options) = ((group.rank(), halos), scheme.shape.list_options);
                let trees = brought.trees(partition, halos, options, clumps)?;
                Ok(RankTrees::Listed(Box::new(trees)))
            }
        })
    }
}

impl<'a> RankTrees<'a> {
    /// Boxes and pairs of the whole tree. Collective.
    fn counts<T>(&self, between: &Between<'_, T>, part: &Octree) -> Result<Counts, Error> {
        let Between { problem: Problem { group, .. }, partition, .. } = between;
        match self {
            Self::Listed(trees) => Counts::new(group, trees),
            Self::Walked(top) => Counts::of_walks(group, partition, part, top),
        }
    }

    /// Work of the rank.
    fn work<'b, T>(
        &self,
        between: &Between<'_, T>,
        part: &'b Octree,
        tree: &TreeStatistics,
    ) -> Result<Work<'b>, Error>
    where
        'a: 'b,
    {
        let Problem { chooser, survey, .. } = between.problem;
        let on_tree = chooser.choose(Known::Tree(tree), None)?;
        Ok(match (self, on_tree.algorithm) {
            (Self::Listed(trees), algorithm) => {
                Work::of_part(trees, &chooser.work_costs(algorithm, survey.counts.one_set))
            }
            (Self::Walked(_), Algorithm::TreecodeWalk(walk)) => {
                Work::of_walks(part, chooser.walk_work(walk, tree))
            }
            // The direct sum in place of a walk: all pairs.
            (Self::Walked(_), _) => Work::of_walks(part, [0.0, 1.0]),
        })
    }

    /// The geometry of the rank, ways of what comes from others, and the points of clumps. Collective.
    fn filled<T: Scalar>(
        self,
        between: &Between<'_, T>,
        brought: &Brought<T>,
        expands: bool,
    ) -> Result<Filled<T>, Error> {
        let Between { problem: Problem { group, scheme, .. }, partition, clumps } = *between;
        let (owned, shape) = (&brought.owned, &scheme.shape);
        let own = PointSets { sources: &owned.sources, receivers: owned.receivers.as_deref() };
        let (geometry, others) = match self {
            Self::Listed(trees) => {
                let routes = Routes::new(group, &trees)?;
                let parts = Parts { owned, trees: *trees, shape, clumps };
                let (geometry, ghost_places) = parts.with_ghosts(group, &routes, expands)?;
                (geometry, Others::Lists(ListWays { routes, ghost_places }))
            }
            Self::Walked(top) => {
                let part = Part { tree: brought.part.clone(), top, partition };
                let (geometry, part) = WalkPart::new(group, part, shape, &own, clumps)?;
                (geometry, Others::Walks(part))
            }
        };
        let one_set = own.receivers.is_none();
        let of_clump = |clump| ClumpPoints::new(clump, &geometry.tree, &own, one_set);
        let clump_points = geometry.clumps.all.iter().map(of_clump).collect();
        Ok((geometry, others, clump_points))
    }
}

/// Points and trees of a rank, before its ghosts have come.
struct Parts<'a, T> {
    owned: &'a Owned<T>,
    trees: Trees<'a>,
    shape: &'a TreeShape,
    clumps: &'a ClumpKeys,
}

/// A geometry, what it needs of others, and the points of clumps.
type Filled<T> = (Geometry<T>, Others, Vec<ClumpPoints<T>>);

impl<T: Scalar> Parts<'_, T> {
    /// The geometry with the points of the ghosts, and the tree position of each ghost. Collective.
    fn with_ghosts(
        self,
        group: &Group,
        routes: &Routes,
        expands: bool,
    ) -> Result<(Geometry<T>, Vec<u32>), Error> {
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
        Ok((Geometry::of_part(listed, shape, &points, ghosts), ghost_places))
    }
}
