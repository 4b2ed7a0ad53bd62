//! Costs on one core with AVX-512, in f64: an Intel Xeon of the Sapphire Rapids class.
//! `cargo xtask calibrate costs` writes this file anew.

use super::{Costs, WalkCosts};
use crate::engine::ChargeKind;

pub(super) const COSTS: Costs = Costs {
    pair: [0.32e-9, 0.42e-9, 0.44e-9, 0.48e-9],
    symmetric: 0.62,
    checked: 1.3,
    vector: [0.02e-9, 0.08e-9],
    sharers: 16,
    near_pair: None,
    m2l: [1e-9, 0.0, 0.004e-9],
    empty_offset: 0.0,
    few_boxes: 0.0,
    boxes_at_once: 1.0,
    waves: [0.5e-6, 0.0255e-6],
    wave_launches: 0.0,
    one_box: [1e-6, 0.016e-6],
    point: [0.2e-6, 0.4e-9],
    fixed: [1e-5, 0.0],
    m2p: [50.0, 0.5],
    p2l: [50.0, 0.5],
    smallest_leaf: 1.0,
    capacity: 0.87,
    smallest_capacity: 1.0,
    usual_charges: ChargeKind::Unlike,
    walk: WalkCosts {
        leaf_capacity: 32,
        group_capacity: 64,
        listed: 0.25e-9,
        cell: [0.3e-9, 0.092e-9],
        largest_unrolled: 6,
        large_cell: [0.3e-9, 0.15e-9],
        f32_cell: 0.5,
        f32_cells_from: 1e-5,
        in_place: 1.0,
        centres: 50e-9,
        multipoles: [80e-9, 5e-9],
    },
};
