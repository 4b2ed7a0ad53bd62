//! The chooser: one function from a request, points, charges, abilities and costs to a [`Scheme`].
//!
//! Every engine asks it, before the tree is built and again for each evaluation, when the tree and the kind of the
//! charges are known. What else is decided, and where, is in `docs/ARCHITECTURE.md`, Choices.
//!
//! | file | what |
//! |---|---|
//! | `scheme.rs` | what is decided: algorithm, order, form of M2L, shape of the tree |
//! | `abilities.rs` | what an engine can do, as data |
//! | `accuracy.rs` | orders for a tolerance, and digits of pairs |
//! | `errors/` | measured errors, from which orders and criteria follow |
//! | `costs/` | measured seconds of the parts of an evaluation, one file a machine class |
//! | `far_field.rs` | the form of M2L |
//! | `leaf_size.rs` | leaf capacity, and the seconds of the FMM |
//! | `walks.rs` | criterion and order of the treecode's walks |
//! | `waves.rs` | plane waves that are sent together |
//! | `softening.rs` | what softening keeps from acting through expansions |
//! | `dimension.rs` | dimension of the points, from a sample |
//! | `crowds.rs` | points that outgrow a GPU, and are for the cores |
//! | `points.rs` | numbers of points, and counts of the tree |
//! | `work.rs` | costs of parts of a tree, for balance among ranks |
//! | `digits.rs` | digits of pairs, from charges and cancellation |
//! | `attempts.rs` | attempts of an evaluation, until its check keeps the tolerance |
//! | `checks.rs` | receivers of a check, and its safety |

mod abilities;
mod accuracy;
mod attempts;
mod checks;
mod costs;
mod crowds;
mod digits;
mod dimension;
mod errors;
mod far_field;
mod leaf_size;
mod points;
mod scheme;
mod softening;
mod walks;
mod waves;
mod work;

use expansions::layout::n_coefficients;

use abilities::LARGEST_DENSE;
#[cfg(feature = "gpu")]
pub(crate) use abilities::Orders;
pub(crate) use abilities::{Abilities, Treecodes};
use accuracy::Accuracy;
pub(crate) use attempts::Attempts;
pub(crate) use costs::{Costs, class_of_cores, of_class, of_cores};
#[cfg(feature = "gpu")]
pub(crate) use costs::{of_gpu, of_hybrid};
pub(crate) use crowds::{may_be_crowded, outgrow_a_gpu};
#[cfg(test)]
pub(crate) use dimension::cube_for_tests;
pub(crate) use dimension::{Spread, spread_indices};
pub(crate) use errors::wave_error;
use errors::{Conditions, FarField};
use leaf_size::{LeafSize, fmm_seconds, treecode_seconds};
pub(crate) use points::{Fill, Known, PointStatistics, TreeStatistics};
use scheme::Unexpanded;
pub(crate) use scheme::{Algorithm, FarBy, ListPairs, Scheme, TreeShape, Walk};
#[cfg(feature = "gpu")]
pub(crate) use walks::cells_have_dipoles;
pub(crate) use waves::sent_numbers;
use waves::wave_slab;
pub(crate) use work::WorkCosts;

use crate::api::{Error, M2l, Method, Opening, Request, Tolerance, Treecode};
use crate::engine::{ChargeKind, PointCounts};

/// Bytes of local expansions that one chunk of M2L keeps in the second-level cache: the whole of the smallest such cache
/// of cores with AVX2, so that larger ones, of 1 to 2 MB, hold multipoles and operators beside it.
const CHUNK_BYTES: usize = 1 << 18;

/// The chooser of one engine: request, abilities, costs and accuracy. Points and charges are arguments of its choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chooser {
    request: Request,
    abilities: Abilities,
    costs: Costs,
    accuracy: Accuracy,
}

impl Chooser {
    /// Checks the request against what the engine can do.
    pub(crate) fn new(request: Request, abilities: Abilities, costs: Costs) -> Result<Self, Error> {
        request.check()?;
        if let Some(options) = request.treecode() {
            let walks = options.asked_criterion().is_some();
            match abilities.treecodes {
                Treecodes::None => return Err(Error::TreecodeOnHybrid),
                Treecodes::OnLists if walks => return Err(Error::WalkOverGpus),
                Treecodes::OnLists | Treecodes::Walks(_) => {}
            }
        }
        let accuracy = Accuracy::new(&request, &abilities)?;
        let no_bound = |form| form == M2l::PlaneWaves && accuracy.is_proven();
        if let Some(form) = request.m2l
            && (!abilities.m2l.contains(&form) || no_bound(form))
        {
            return Err(Error::M2lForm { form });
        }
        Ok(Self { request, abilities, costs, accuracy })
    }

    /// The scheme for what is known of the points, and the kind of the charges. On a tree that stands, method and shape stay.
    /// Charges that are not known yet count as unlike, unless no order of the engine serves those.
    pub(crate) fn choose(
        &self,
        known: Known<'_>,
        charges: Option<ChargeKind>,
    ) -> Result<Scheme, Error> {
        let (algorithm, shape) = match known {
            Known::Tree(tree) => {
                let algorithm = self.serve(charges, |kind| self.on_tree_that_stands(tree, kind))?;
                (algorithm, tree.scheme.shape)
            }
            Known::Points(points) => {
                let algorithm = self.on_points(points, charges)?;
                (algorithm, self.shape(algorithm, points))
            }
        };
        let kind = charges.unwrap_or(ChargeKind::Unlike);
        let predicted_error = self.predicted_error(algorithm, kind, known.measures());
        Ok(Scheme { algorithm, shape, pair_accuracy: self.pair_accuracy(), predicted_error })
    }

    /// The algorithm for points without a tree.
    fn on_points(
        &self,
        points: &PointStatistics<'_>,
        charges: Option<ChargeKind>,
    ) -> Result<Algorithm, Error> {
        match self.request.method {
            Method::Auto => Ok(self.fastest(points, charges)),
            Method::Direct => Ok(Algorithm::Direct),
            Method::Fmm => self.serve(charges, |kind| self.fmm(kind, points.dimension())),
            Method::Treecode(options) => {
                match self.serve(charges, |kind| self.treecode(options, points, kind)) {
                    Err(Error::WalksOutOfReach { .. }) => {
                        self.serve(charges, |kind| self.treecode_on_lists(kind, points.dimension()))
                    }
                    served => served,
                }
            }
        }
    }

    /// The algorithm that serves charges of this kind; if it is unknown, unlike charges, or else alike ones.
    fn serve(
        &self,
        charges: Option<ChargeKind>,
        algorithm: impl Fn(ChargeKind) -> Result<Algorithm, Error>,
    ) -> Result<Algorithm, Error> {
        match charges {
            Some(kind) => algorithm(kind),
            None => algorithm(ChargeKind::Unlike).or_else(|_| algorithm(ChargeKind::Alike)),
        }
    }

    /// The algorithm of least cost of all that serve. The direct sum always does.
    fn fastest(&self, points: &PointStatistics<'_>, charges: Option<ChargeKind>) -> Algorithm {
        let (counts, unexpanded) = (points.counts, self.unexpanded(points));
        // An order by hand and a guarantee are those of expansions on lists.
        let tolerance = self.request.tolerance;
        let walk = |kind| match self.request.is_relative() {
            true => self.walk(None, tolerance, kind, counts, unexpanded),
            false => Err(Error::NoGuarantee),
        };
        let walk = |kind| walk(kind).map(Algorithm::TreecodeWalk);
        let fmm = |kind| self.fmm(kind, points.dimension());
        // Points that are softened are masses, as a rule.
        let masses = charges.is_none() && self.request.softening > 0.0;
        let softened = if masses { walk(ChargeKind::Alike) } else { Err(Error::NoGuarantee) };
        let served = [self.serve(charges, fmm), self.serve(charges, walk), softened];
        let seconds = |algorithm| self.seconds(algorithm, counts, unexpanded);
        let mut best = (seconds(Algorithm::Direct), Algorithm::Direct);
        for algorithm in served.into_iter().flatten() {
            let seconds = seconds(algorithm);
            // Where both are alike the direct sum stays, being exact.
            if seconds < best.0 {
                best = (seconds, algorithm);
            }
        }
        best.1
    }

    /// Seconds of an evaluation, without sorting.
    fn seconds(&self, algorithm: Algorithm, counts: PointCounts, unexpanded: Unexpanded) -> f64 {
        let [n_sources, n_receivers] = [counts.n_sources, counts.n_receivers].map(|n| n as f64);
        let kind = self.pair_kind(counts.one_set);
        match algorithm {
            Algorithm::Direct => {
                let pair = self.costs.near_pair.unwrap_or(self.costs.pair(kind));
                // Half of the constant work on a point is to gather and to scatter, which the direct sum has, too.
                let points = 0.5 * (n_sources + n_receivers);
                n_sources * n_receivers * pair + 0.5 * points * self.costs.point(0)
            }
            Algorithm::Fmm { order, .. } | Algorithm::TreecodeLists { order } => {
                let (costs, points) = (&self.costs, [n_sources, n_receivers]);
                let seconds = match algorithm.far_by() {
                    FarBy::M2p => treecode_seconds(costs, order, kind, points),
                    FarBy::M2l => fmm_seconds(costs, order, kind, self.usual_far_field(), points),
                };
                let pair = costs.near_pair.unwrap_or(costs.pair(kind));
                costs.fixed(order) + seconds.max(n_receivers * unexpanded.by_lists * pair)
            }
            Algorithm::TreecodeWalk(walk) => {
                let one = self.walk_seconds(walk, counts, unexpanded);
                self.costs.fixed(1) + self.request.vectors as f64 * one
            }
        }
    }

    /// The FMM for charges of this kind, before its tree is known.
    fn fmm(&self, kind: ChargeKind, dimension: f64) -> Result<Algorithm, Error> {
        let far = self.usual_far_field();
        let order = self.accuracy.order(Conditions { kind, far, dimension });
        let order = self.reached(order, self.largest_order(far))?;
        Ok(Algorithm::Fmm { order, m2l: self.form(order, far) })
    }

    /// The treecode by options.
    fn treecode(
        &self,
        options: Treecode,
        points: &PointStatistics<'_>,
        kind: ChargeKind,
    ) -> Result<Algorithm, Error> {
        match (options.asked_opening(), self.request.tolerance) {
            (Some(Opening::Neighbours), _) | (None, Tolerance::Guaranteed(_)) => {
                self.treecode_on_lists(kind, points.dimension())
            }
            (None, _) if self.abilities.treecodes == Treecodes::OnLists => {
                self.treecode_on_lists(kind, points.dimension())
            }
            (Some(_), Tolerance::Guaranteed(_)) => Err(Error::NoGuarantee),
            (_, tolerance) => {
                let asked = options.asked_criterion();
                let unexpanded = self.unexpanded(points);
                let walk = self.walk(asked, tolerance, kind, points.counts, unexpanded);
                walk.map(Algorithm::TreecodeWalk)
            }
        }
    }

    /// The treecode on the FMM's lists.
    fn treecode_on_lists(&self, kind: ChargeKind, dimension: f64) -> Result<Algorithm, Error> {
        let far = FarField::Translations;
        let order = self.accuracy.order(Conditions { kind, far, dimension });
        // Without M2L, no form of it limits the order.
        let order = self.reached(order, self.abilities.largest_order)?;
        Ok(Algorithm::TreecodeLists { order })
    }

    /// The algorithm on a tree that stands. The automatic method sums directly where the tree was built for alike
    /// charges, and no order serves these.
    fn on_tree_that_stands(
        &self,
        tree: &TreeStatistics,
        kind: ChargeKind,
    ) -> Result<Algorithm, Error> {
        let dimension = tree.dimension;
        let algorithm = match tree.scheme.algorithm {
            Algorithm::Direct => Ok(Algorithm::Direct),
            Algorithm::Fmm { .. } => {
                let order = |far| self.accuracy.order(Conditions { kind, far, dimension });
                let mut far = self.faster_far_field(tree, order(self.usual_far_field()));
                if order(far) > self.abilities.largest_pairwise {
                    far = self.usual_far_field();
                }
                let order = self.reached(order(far), self.largest_order(far));
                order.map(|order| Algorithm::Fmm { order, m2l: self.form(order, far) })
            }
            Algorithm::TreecodeLists { .. } => self.treecode_on_lists(kind, dimension),
            Algorithm::TreecodeWalk(_) => {
                let asked = self.request.treecode().and_then(Treecode::asked_criterion);
                let (tolerance, unexpanded) =
                    (self.request.tolerance, tree.scheme.shape.unexpanded);
                let walk = self.walk(asked, tolerance, kind, tree.counts, unexpanded);
                walk.map(Algorithm::TreecodeWalk)
            }
        };
        match self.request.method {
            Method::Auto => Ok(algorithm.unwrap_or(Algorithm::Direct)),
            _ => algorithm,
        }
    }

    /// An order up to the largest that serves.
    fn reached(&self, order: usize, largest: usize) -> Result<usize, Error> {
        if order > largest {
            return Err(Error::OrderOnDevice { order, largest });
        }
        if self.request.m2l == Some(M2l::Dense) && order > LARGEST_DENSE {
            return Err(Error::DenseOrder { order, largest: LARGEST_DENSE });
        }
        Ok(order)
    }

    /// The error to expect for points of a dimension, so many of them sources.
    fn predicted_error(
        &self,
        algorithm: Algorithm,
        kind: ChargeKind,
        (dimension, n_sources): (f64, usize),
    ) -> f64 {
        match algorithm {
            Algorithm::Direct => 0.0,
            Algorithm::Fmm { order, m2l } => {
                let far = m2l.into();
                self.accuracy.expected_error(order, Conditions { kind, far, dimension })
            }
            Algorithm::TreecodeLists { order } => {
                let far = FarField::Translations;
                self.accuracy.expected_error(order, Conditions { kind, far, dimension })
            }
            Algorithm::TreecodeWalk(walk) => {
                self.walk_errors(walk.criterion, n_sources).expected(walk.order, kind)
            }
        }
    }

    /// The tree for an algorithm.
    fn shape(&self, algorithm: Algorithm, points: &PointStatistics<'_>) -> TreeShape {
        match algorithm {
            Algorithm::Direct => TreeShape::one_leaf(),
            Algorithm::TreecodeWalk(_) => self.walk_shape(points),
            Algorithm::TreecodeLists { .. } => self.list_shape(points, FarBy::M2p).without_locals(),
            Algorithm::Fmm { .. } => self.list_shape(points, FarBy::M2l),
        }
    }

    /// A tree with interaction lists, for the charges that are usual on the machine.
    fn list_shape(&self, points: &PointStatistics<'_>, far_by: FarBy) -> TreeShape {
        let far = match far_by {
            FarBy::M2l => self.usual_far_field(),
            FarBy::M2p => FarField::Translations,
        };
        let dimension = points.spread().dimension();
        let conditions = Conditions { kind: self.costs.usual_charges, far, dimension };
        let order = self.accuracy.order(conditions);
        let order = order.min(self.abilities.largest_order);
        let kind = self.pair_kind(points.counts.one_set);
        let leaf = match far_by {
            FarBy::M2l => LeafSize::new(&self.costs, order, kind, far, dimension),
            FarBy::M2p => LeafSize::of_treecode(&self.costs, order, kind, dimension),
        };
        let by_hand = self.request.depth.is_some();
        let row_bytes = n_coefficients(order).max(1) * self.abilities.precision.bytes();
        let [m2p, p2l] = leaf.expansions;
        let enlarged = if by_hand { 1.0 } else { self.enlargement(leaf.best, points) };
        TreeShape {
            depth: self.depth(leaf.capacity, enlarged, points),
            enlarged,
            list_options: octree::ListOptions {
                min_sources_for_m2p: m2p,
                min_receivers_for_p2l: p2l,
            },
            // Fewer than 64 boxes have hardly a lane's worth of pairs of each offset, of which there are 316; more
            // than 512 leave few chunks to share among threads.
            far_chunk: (CHUNK_BYTES / row_bytes).clamp(64, 512),
            wave_slab: wave_slab(order, self.abilities.precision.bytes()),
            group_capacity: None,
            unexpanded: self.unexpanded(points),
        }
    }
}
