//! Counts of boxes and pairs, for the report of a plan.

use super::geometry::Geometry;
use crate::api::{Report, Request, Seconds};
use crate::choose::{ListPairs, Scheme};
use crate::engine::Scalar;

/// Boxes of which one task counts the pairs.
const TASK: usize = 1 << 10;

/// The report of a plan.
pub(crate) fn plan_report<T: Scalar>(
    request: &Request,
    geometry: &Geometry<T>,
    (scheme, expands): (&Scheme, bool),
    seconds: Seconds,
) -> Report {
    let Geometry { tree, lists, .. } = geometry;
    let pairs = |receiver: usize, sources: &[u32]| -> u64 {
        let n_sources: usize = sources.iter().map(|b| tree.sources(*b as usize).len()).sum();
        tree.receivers(receiver).len() as u64 * n_sources as u64
    };
    let n_boxes = tree.n_boxes();
    // A walk makes its lists, and counts them, when it is evaluated.
    let rows = if scheme.algorithm.walks() { 0 } else { n_boxes };
    let sum = |count: &(dyn Fn(usize) -> u64 + Sync)| -> u64 {
        parallel::map_ranges(0..rows, TASK, |boxes| boxes.map(count).sum::<u64>()).iter().sum()
    };
    let by_receivers = |b: usize, boxes: &[u32]| (tree.receivers(b).len() * boxes.len()) as u64;
    let pairs = ListPairs {
        p2p: sum(&|b| pairs(b, lists.near().row(b))),
        m2l: lists.far().n_items() as u64,
        m2p: sum(&|b| by_receivers(b, lists.m2p().row(b))),
        p2l: sum(&|b| {
            lists.p2l().row(b).iter().map(|leaf| tree.sources(*leaf as usize).len() as u64).sum()
        }),
        far_m2p: sum(&|b| by_receivers(b, lists.far().row(b))),
    };
    let mut report = Report {
        n_sources: geometry.sources().len(),
        n_receivers: geometry.receivers().len(),
        levels: tree.n_levels(),
        boxes: n_boxes,
        leaves: tree.leaves().len(),
        bytes: geometry.bytes(),
        seconds,
        ..scheme.plan_report::<T>(request, lanes::Arch::best().name(), pairs)
    };
    scheme.report(expands, &mut report);
    report
}
