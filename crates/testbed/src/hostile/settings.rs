//! Depth and softening set by hand: the order has to follow them, or the report has to say that it does not.

use fmm::Depth;

use super::{Parts, Row, SEED, Size, equal, mixed};
use crate::clouds;

pub(super) const ROWS: &[Row] = &[
    ("cube-depth-2-mixed", |size| Parts { depth: uniform(2), ..mixed(cube(size)) }),
    ("cube-depth-5-mixed", |size| Parts { depth: uniform(5), ..mixed(cube(size)) }),
    ("cube-depth-5-equal", |size| Parts { depth: uniform(5), ..equal(cube(size)) }),
    ("plummer-capacity-1", |size| Parts { depth: capacity(1), ..equal(plummer(size)) }),
    ("plummer-capacity-400", |size| Parts { depth: capacity(400), ..equal(plummer(size)) }),
    ("plummer-softened", |size| Parts { softening: 0.05, ..equal(plummer(size)) }),
    ("plummer-softened-mixed", |size| Parts { softening: 0.05, ..mixed(plummer(size)) }),
    ("plummer-softened-depth-6", |size| Parts {
        softening: 0.05,
        depth: uniform(6),
        ..equal(plummer(size))
    }),
    ("cube-softened-depth-4-mixed", |size| Parts {
        softening: 0.01,
        depth: uniform(4),
        ..mixed(cube(size))
    }),
    ("cube-softened-wide", |size| Parts { softening: 10.0, ..equal(cube(size)) }),
];

fn cube(size: Size) -> Vec<[f64; 3]> {
    clouds::uniform_cube(size.of(20_000, 600), SEED + 70).positions
}

fn plummer(size: Size) -> Vec<[f64; 3]> {
    clouds::plummer(size.of(20_000, 600), SEED + 71).positions
}

fn uniform(level: u8) -> Option<Depth> {
    Some(Depth::Uniform(level))
}

fn capacity(leaf_capacity: usize) -> Option<Depth> {
    Some(Depth::Adaptive { leaf_capacity })
}
