//! Costs on an NVIDIA H100 or H200, in f32.
//! `cargo xtask calibrate costs --device cuda` writes this file anew.

use super::{Costs, WalkCosts};
use crate::engine::Signs;

pub(super) const COSTS: Costs = Costs {
    pair: [5.38e-13, 5.38e-13, 5.39e-13, 5.38e-13],
    symmetric: 1.010,
    vector: [5.38e-13, 5.38e-13],
    near_pair: None,
    m2l: [3.29e-13, 1.42e-13, 0.0],
    empty_offset: 0.55,
    waves: [0.0, 0.0],
    one_box: [0.0, 0.0],
    point: [2.69e-9, 1.38e-11],
    fixed: [8.35e-5, 0.0],
    m2p: [1.17e1, 7.83e0],
    p2l: [0.0, 8.22e0],
    smallest_leaf: 20.6,
    capacity: 0.634,
    smallest_capacity: 37.0,
    usual_signs: Signs::Same,
    walk: WalkCosts {
        leaf_capacity: 16,
        group_capacity: 64,
        listed: 1.44e-12,
        cell: [0.0, 2.43e-13],
        largest_unrolled: 5,
        large_cell: [0.0, 3.00e-13],
        short_cell: 1.000,
        short_from: f64::INFINITY,
        centres: 5.64e-11,
        multipoles: [4.55e-11, 3.59e-12],
    },
};
