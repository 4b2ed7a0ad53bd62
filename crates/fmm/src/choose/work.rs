//! Work: costs of what a tree is counted to hold, for balance among ranks.

use super::Chooser;
use super::costs::PairKind;
use super::scheme::Algorithm;
use crate::api::{M2l, Outputs};

/// Seconds of the parts of an FMM of one order, for one charge vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WorkCosts {
    /// A near pair whose source is a receiver here too, so that the pair serves both where the sets are one.
    pub(crate) own_pair: f64,
    /// A near pair with a ghost.
    pub(crate) ghost_pair: f64,
    /// M2L of a pair of boxes; 0 by plane waves.
    pub(crate) translation: f64,
    /// Plane waves of a box that sends or receives; 0 pair by pair.
    pub(crate) waves_of_box: f64,
    /// Plane waves of the children of a box, where they send or receive.
    pub(crate) waves_of_family: f64,
    /// The other work on a box.
    pub(crate) one_box: f64,
    /// The other work on a source or on a receiver.
    pub(crate) point: f64,
    /// M2P of one box at a receiver.
    pub(crate) m2p: f64,
    /// P2L of one source in a box.
    pub(crate) p2l: f64,
    /// A far box at a receiver, where far boxes act on receivers: by the treecode on lists.
    pub(crate) far_m2p: f64,
}

impl Chooser {
    /// Kind of the request's sums over pairs.
    pub(super) fn pair_kind(&self, one_set: bool) -> PairKind {
        PairKind {
            accuracy: self.pair_accuracy(),
            symmetric: one_set,
            gradient: self.request.outputs != Outputs::Potential,
            vectors: self.request.vectors,
        }
    }

    /// Costs of an algorithm, by the cost table that choices are made by.
    pub(crate) fn work_costs(&self, algorithm: Algorithm, one_set: bool) -> WorkCosts {
        let Self { costs, .. } = self;
        let order = algorithm.order().unwrap_or(1).max(1);
        let pair = |symmetric| {
            let kind = PairKind { symmetric, ..self.pair_kind(one_set) };
            costs.near_pair.unwrap_or(costs.pair(kind))
        };
        let by_waves = algorithm.m2l() == Some(M2l::PlaneWaves);
        let by_pairs = algorithm.m2l().is_some() && !by_waves;
        let on_lists = matches!(algorithm, Algorithm::TreecodeLists { .. });
        // One half is that of sending, and one that of receiving.
        let waves = |boxes, families| match by_waves {
            true => 0.5 * costs.waves(order, boxes, families),
            false => 0.0,
        };
        let one_way = costs.pair(self.pair_kind(false).one_way());
        let [m2p, p2l] = costs.single_expansions(order).map(|pairs| pairs * one_way);
        WorkCosts {
            own_pair: pair(one_set),
            ghost_pair: pair(false),
            translation: if by_pairs { costs.m2l(order) } else { 0.0 },
            waves_of_box: waves(1.0, 0.0),
            waves_of_family: waves(0.0, 1.0),
            one_box: costs.one_box(order),
            point: 0.5 * costs.point(order),
            m2p,
            p2l,
            far_m2p: if on_lists { costs.listed_box(order) } else { 0.0 },
        }
    }
}
