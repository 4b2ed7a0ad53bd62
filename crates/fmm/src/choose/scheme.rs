//! The scheme: what the chooser decides.

use std::borrow::Cow;

use expansions::operators::PairAccuracy;
use octree::walk::Criterion;
use octree::{Depth, ListOptions};

use crate::api::{M2l, Method, Opening, Report, Request};
use crate::engine::Scalar;

/// Scheme of one sum: the algorithm with its parameters, on which tree, how closely pairs are summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scheme {
    pub(crate) algorithm: Algorithm,
    pub(crate) shape: TreeShape,
    pub(crate) pair_accuracy: PairAccuracy,
    /// Expected relative L2 error of the worse output; 0 where rounding is all there is.
    pub(crate) predicted_error: f64,
}

impl Scheme {
    /// The report of a plan, but for numbers of points and boxes.
    pub(crate) fn plan_report<T: Scalar>(
        &self,
        request: &Request,
        instructions: impl Into<Cow<'static, str>>,
        pairs: ListPairs,
    ) -> Report {
        let (m2l_pairs, far_m2p) = match self.algorithm.far_by() {
            FarBy::M2l => (pairs.m2l, 0),
            FarBy::M2p => (0, pairs.far_m2p),
        };
        Report {
            method: self.algorithm.method(request),
            opening: self.algorithm.opening(),
            device: request.device,
            instructions: instructions.into(),
            precision: T::PRECISION,
            tolerance: request.tolerance,
            softening: request.softening,
            leaf_capacity: self.shape.depth.leaf_capacity(),
            level_limit: self.shape.level_limit(),
            p2p_pairs: pairs.p2p,
            m2l_pairs,
            m2p_pairs: pairs.m2p + far_m2p,
            p2l_pairs: pairs.p2l,
            ..Report::default()
        }
    }

    /// Writes order, criterion, form of M2L and expected error of the expansions in use to a report; for the direct
    /// sum, the count of all pairs. Nothing where no expansion acts.
    pub(crate) fn report(&self, expands: bool, report: &mut Report) {
        if !expands {
            return;
        }
        report.order = self.algorithm.order().unwrap_or(0);
        (report.opening, report.m2l) = (self.algorithm.opening(), self.algorithm.m2l());
        report.predicted_error = self.predicted_error;
        if self.algorithm == Algorithm::Direct {
            report.method = Method::Direct;
            report.p2p_pairs = report.n_sources as u64 * report.n_receivers as u64;
            [report.m2l_pairs, report.m2p_pairs, report.p2l_pairs] = [0; 3];
        }
    }
}

/// Pairs of a plan's lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListPairs {
    /// Pairs of receivers and sources in neighbouring leaves.
    pub(crate) p2p: u64,
    /// Pairs of far boxes.
    pub(crate) m2l: u64,
    /// Pairs of receivers and boxes of the list for M2P.
    pub(crate) m2p: u64,
    /// Pairs of boxes and sources of the list for P2L.
    pub(crate) p2l: u64,
    /// Pairs of receivers and far boxes, of their leaves and of the boxes above: the treecode's in place of `m2l`.
    pub(crate) far_m2p: u64,
}

/// Algorithms, each with what it needs to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Algorithm {
    /// All pairs.
    Direct,
    /// The FMM with expansions of an order and a form of M2L.
    Fmm { order: usize, m2l: M2l },
    /// The treecode on the FMM's lists: multipoles about boxes' centres act on receivers by M2P.
    TreecodeLists { order: usize },
    /// The treecode by group walks.
    TreecodeWalk(Walk),
}

/// Way in which far boxes of lists act on receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FarBy {
    /// M2L: through local expansions.
    M2l,
    /// M2P: multipoles at each receiver.
    M2p,
}

/// Parameters of the treecode's walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Walk {
    pub(crate) criterion: Criterion,
    pub(crate) order: usize,
    /// Distance below which cells are opened because multipoles are not softened, in the caller's unit.
    pub(crate) unsoftened_from: f64,
    /// Error that rounding of the cells' sums may have; 0 for as little as can be.
    pub(crate) rounding: f64,
    /// Whether cells of f64 points act in f32.
    pub(crate) f32_cells: bool,
    /// Sources of a cell that acts as a whole, at least: fewer are summed one by one in less time. 2 where the
    /// criterion is the caller's.
    pub(crate) fewest_sources: usize,
    /// Whether the criterion is the caller's: few receivers may have errors then that the tables do not know, and the check
    /// looks for them at all orders.
    pub(crate) asked: bool,
}

impl Walk {
    /// Opening angle of the walk that stands in for an earlier gradient: the criterion asks for a magnitude, for which an
    /// error below a hundredth does, as monopoles of one sign have at this angle in the error tables.
    const FIRST_THETA: f64 = 0.7;

    /// Fewest sources of a cell that gets a multipole.
    pub(crate) const FEWEST_SOURCES: usize = 2;

    /// The walk with as little rounding as can be: away from the sources the sum may cancel, so that rounding counts.
    pub(crate) fn without_rounding(self) -> Self {
        Self { rounding: 0.0, f32_cells: false, ..self }
    }

    /// The coarse walk whose gradient stands in for an earlier one, where the criterion needs one.
    pub(crate) fn first(self) -> Option<Self> {
        let criterion = Criterion::BarnesHut { theta: Self::FIRST_THETA };
        matches!(self.criterion, Criterion::Relative { .. }).then_some(Self { criterion, ..self })
    }
}

impl Algorithm {
    /// The method, with the options of the request.
    pub(crate) fn method(self, request: &Request) -> Method {
        match self {
            Self::Direct => Method::Direct,
            Self::Fmm { .. } => Method::Fmm,
            Self::TreecodeLists { .. } | Self::TreecodeWalk(_) => {
                Method::Treecode(request.treecode().unwrap_or_default())
            }
        }
    }

    /// The order of the expansions, if there are any.
    pub(crate) fn order(self) -> Option<usize> {
        match self {
            Self::Direct => None,
            Self::Fmm { order, .. } | Self::TreecodeLists { order } => Some(order),
            Self::TreecodeWalk(walk) => Some(walk.order),
        }
    }

    /// The treecode's criterion.
    pub(crate) fn opening(self) -> Option<Opening> {
        match self {
            Self::Direct | Self::Fmm { .. } => None,
            Self::TreecodeLists { .. } => Some(Opening::Neighbours),
            Self::TreecodeWalk(walk) => Some(Opening::by(walk.criterion)),
        }
    }

    /// The form of M2L.
    pub(crate) fn m2l(self) -> Option<M2l> {
        match self {
            Self::Fmm { m2l, .. } => Some(m2l),
            _ => None,
        }
    }

    /// The way in which far boxes of lists act, if there are lists.
    pub(crate) fn far_by(self) -> FarBy {
        match self {
            Self::TreecodeLists { .. } => FarBy::M2p,
            Self::Direct | Self::Fmm { .. } | Self::TreecodeWalk(_) => FarBy::M2l,
        }
    }

    /// Whether groups of receivers walk the tree.
    pub(crate) fn walks(self) -> bool {
        matches!(self, Self::TreecodeWalk(_))
    }
}

/// How to build tree and lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TreeShape {
    pub(crate) depth: Depth,
    /// Side of the cube of level 0 over that of the smallest cube.
    pub(crate) enlarged: f64,
    pub(crate) list_options: ListOptions,
    /// Receiver boxes whose far pairs are worked off together.
    pub(crate) far_chunk: usize,
    /// Families of boxes that send plane waves together, at least.
    pub(crate) wave_slab: usize,
    /// Largest number of receivers in a group of a walk; `None` where lists say what acts on the receivers.
    pub(crate) group_capacity: Option<usize>,
    /// Sources that softening keeps from acting through expansions.
    pub(crate) unexpanded: Unexpanded,
}

impl TreeShape {
    /// The tree of one leaf.
    pub(crate) fn one_leaf() -> Self {
        Self {
            depth: Depth::Uniform(0),
            enlarged: 1.0,
            list_options: ListOptions::default(),
            far_chunk: 1,
            wave_slab: 1,
            group_capacity: None,
            unexpanded: Unexpanded::default(),
        }
    }

    /// The shape for lists without local expansions: list X is summed directly.
    pub(crate) fn without_locals(self) -> Self {
        let list_options = ListOptions { min_receivers_for_p2l: usize::MAX, ..self.list_options };
        Self { list_options, ..self }
    }

    /// The level at which a tree of adaptive depth ends, where one was set.
    fn level_limit(&self) -> Option<usize> {
        match self.depth {
            Depth::AdaptiveTo { max_level, .. } => Some(max_level.into()),
            Depth::Adaptive { .. } | Depth::Uniform(_) => None,
        }
    }

    /// The depth of trees of adaptive depth that end at a level; that of the shape where all leaves are of one level.
    pub(crate) fn ending_at(&self, level: usize) -> Depth {
        match self.depth.leaf_capacity() {
            Some(leaf_capacity) => Depth::AdaptiveTo { leaf_capacity, max_level: level as u8 },
            None => self.depth,
        }
    }

    /// Whether leaves of one set of points are on each other's list U or on none.
    pub(crate) fn lists_are_symmetric(&self) -> bool {
        let ListOptions { min_sources_for_m2p, min_receivers_for_p2l } = self.list_options;
        min_sources_for_m2p == min_receivers_for_p2l
    }
}

/// Sources, for an average receiver, that softening keeps from acting through expansions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Unexpanded {
    /// In the near boxes of the smallest boxes that lists may have.
    pub(crate) by_lists: f64,
    /// Within the distance at which walks open all cells.
    pub(crate) by_walks: f64,
}
