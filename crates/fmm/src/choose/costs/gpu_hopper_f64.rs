//! Costs on an NVIDIA H100 or H200, in f64.
//! `cargo xtask calibrate costs --device cuda` writes this file anew.

use super::{Costs, WalkCosts};
use crate::engine::ChargeKind;

pub(super) const COSTS: Costs = Costs {
    pair: [1.25e-12, 1.25e-12, 1.25e-12, 1.25e-12],
    symmetric: 1.007,
    checked: 3.7,
    vector: [6.65e-13, 6.65e-13],
    sharers: 4,
    near_pair: None,
    m2l: [0.0, 5.05e-13, 0.0],
    empty_offset: 0.50,
    few_boxes: 6.45e-8,
    boxes_at_once: 4224.0,
    waves: [8.22e-9, 2.41e-10],
    wave_launches: 3.00e-5,
    one_box: [0.0, 0.0],
    point: [3.28e-9, 1.13e-11],
    fixed: [1.18e-4, 0.0],
    m2p: [1.23e3, 8.39e0],
    p2l: [1.57e3, 1.14e1],
    smallest_leaf: 17.7,
    capacity: 0.859,
    smallest_capacity: 43.0,
    usual_charges: ChargeKind::Alike,
    walk: WalkCosts {
        leaf_capacity: 16,
        group_capacity: 64,
        listed: 3.04e-12,
        cell: [0.0, 5.02e-13],
        largest_unrolled: 5,
        large_cell: [0.0, 6.00e-13],
        f32_cell: 1.000,
        f32_cells_from: f64::INFINITY,
        in_place: 0.56,
        centres: 7.40e-11,
        multipoles: [8.73e-12, 1.04e-11],
    },
};

/// Seconds of a near pair on the GPU in f64, times 8.9, the work of all threads of the host over that of one: costs of
/// cores are those of one thread. The number of threads is not asked for, so that choices and bits are the same for any.
pub(super) const NEAR_PAIR: f64 = 1.21e-11;
