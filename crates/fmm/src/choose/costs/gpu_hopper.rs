//! Costs on an NVIDIA H100 or H200, in f32.
//! `cargo xtask calibrate costs --device cuda` writes this file anew.

use super::{Costs, WalkCosts};
use crate::engine::ChargeKind;

pub(super) const COSTS: Costs = Costs {
    pair: [0.6e-12; 4],
    symmetric: 1.0,
    checked: 2.2,
    vector: [3.01e-13, 3.01e-13],
    sharers: 4,
    near_pair: None,
    m2l: [1.05e-12, 0.175e-12, 0.0],
    empty_offset: 0.7,
    few_boxes: 2.40e-8,
    boxes_at_once: 4224.0,
    waves: [0.0; 2],
    wave_launches: 0.0,
    one_box: [0.0, 0.0],
    point: [0.3e-9, 0.0],
    fixed: [0.5e-3, 0.0],
    m2p: [0.0, 1.0],
    p2l: [0.0, 3.0],
    smallest_leaf: 34.0,
    capacity: 0.668,
    smallest_capacity: 64.0,
    usual_charges: ChargeKind::Alike,
    walk: WalkCosts {
        leaf_capacity: 16,
        group_capacity: 64,
        listed: 0.87e-12,
        cell: [0.0, 0.243e-12],
        largest_unrolled: 5,
        large_cell: [0.0, 0.3e-12],
        f32_cell: 1.0,
        f32_cells_from: f64::INFINITY,
        in_place: 0.56,
        centres: 0.0587e-9,
        multipoles: [0.0383e-9, 0.00424e-9],
    },
};
