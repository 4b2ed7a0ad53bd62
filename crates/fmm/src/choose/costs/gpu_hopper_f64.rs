//! Costs on an NVIDIA H100 or H200, in f64.
//! `cargo xtask calibrate costs --device cuda` writes this file anew. So far it has twice the costs in f32, but for the
//! launches, plane waves, M2P and P2L, which an H200 was measured to take.

use super::{Costs, WalkCosts};
use crate::engine::Signs;

pub(super) const COSTS: Costs = Costs {
    pair: [1.2e-12; 4],
    symmetric: 1.0,
    vector: [1.2e-12; 2],
    near_pair: None,
    m2l: [2.1e-12, 0.35e-12, 0.0],
    empty_offset: 0.7,
    waves: [10.0e-9, 0.33e-9],
    one_box: [0.0, 0.0],
    point: [0.6e-9, 0.0],
    fixed: [0.5e-3, 0.0],
    m2p: [24.0, 7.5],
    p2l: [0.0, 8.2],
    smallest_leaf: 34.0,
    capacity: 0.668,
    smallest_capacity: 64.0,
    usual_signs: Signs::Same,
    walk: WalkCosts {
        leaf_capacity: 16,
        group_capacity: 64,
        listed: 0.36e-12,
        cell: [-0.56e-12, 0.38e-12],
        largest_unrolled: 5,
        large_cell: [0.0, 0.6e-12],
        short_cell: 1.0,
        short_from: f64::INFINITY,
        centres: 0.2e-9,
        multipoles: [0.4e-9, 0.0],
    },
};

/// A near pair in f64, times the work of the host's threads, 8.0 times that of one.
pub(super) const NEAR_PAIR: f64 = 1.1e-11;
