//! Leaf capacity and enlargement for a GPU, by a model of an H100. Only ratios matter.

use expansions::layout::n_coefficients;
use octree::{Depth, ListOptions};

use super::pipeline::Shape;
use crate::spread::Spread;

/// Seconds a pair in f32.
const PAIR: f64 = 0.6e-12;

/// Seconds that an M2L translation at order p takes in f32.
fn m2l(order: usize) -> f64 {
    let p = order as f64;
    1e-13 * p * p * (2.0 * p + 12.0)
}

/// Points of a leaf at most. Below 64, lists and what each warp begins with take more than smaller leaves save.
pub(super) fn leaf_capacity(order: usize) -> usize {
    (5.0 * (m2l(order) / PAIR).sqrt()).round().max(64.0) as usize
}

/// What leaves of evenly spread points should hold: where the 27 n pairs of a point cost as much as its 189/n
/// translations; for the same reason not below 32.
fn best_leaf(order: usize) -> f64 {
    (189.0 / 27.0 * (m2l(order) / PAIR).max(150.0)).sqrt()
}

/// The shape of the tree for expansions of an order.
pub(super) fn shape(order: usize, depth: Option<Depth>, n_points: usize) -> Shape {
    // A coefficient of M2P costs a pair or so; P2L, eight lanes a box, leaves more of the device idle.
    let worth = n_coefficients(order);
    Shape {
        depth: depth.unwrap_or(Depth::Adaptive { leaf_capacity: leaf_capacity(order) }),
        enlarged: match depth {
            None | Some(Depth::AdaptiveTo { .. }) => {
                Spread::even(n_points).enlargement(best_leaf(order))
            }
            Some(_) => 1.0,
        },
        list_options: ListOptions { min_sources_for_m2p: worth, min_receivers_for_p2l: 3 * worth },
        locals: true,
        walk_group: None,
    }
}

/// A shape for lists without local expansions: list X is summed directly.
pub(super) fn without_locals(shape: Shape) -> Shape {
    let list_options = ListOptions { min_receivers_for_p2l: usize::MAX, ..shape.list_options };
    Shape { list_options, locals: false, ..shape }
}

/// Whether summing all pairs takes less than half a millisecond, which the FMM's launches take.
pub(super) fn direct_wins(n_sources: usize, n_receivers: usize) -> bool {
    n_sources as f64 * n_receivers as f64 * PAIR < 0.5e-3
}
