//! What a plan and its evaluations report of themselves.

use expansions::order::Signs;
use rayon::prelude::*;

use super::host::HostPlan;
use crate::Scalar;
use crate::hierarchy::Hierarchy;
use crate::net_force::net_force;
use crate::report::Report;
use crate::stopwatch::Seconds;
use crate::tasks::Sums;

impl<T: Scalar> HostPlan<T> {
    /// The plan's report.
    pub(super) fn count(&self, seconds: Seconds) -> Report {
        let Hierarchy { tree, lists, .. } = &self.hierarchy;
        let pairs = |receiver: usize, sources: &[u32]| -> u64 {
            let n_sources: usize = sources.iter().map(|b| tree.sources(*b as usize).len()).sum();
            tree.receivers(receiver).len() as u64 * n_sources as u64
        };
        let n_boxes = tree.n_boxes();
        // A walk makes its lists, and counts them, when it is evaluated.
        let rows = if self.shape.walk_group.is_some() { 0 } else { n_boxes };
        let sum =
            |count: &(dyn Fn(usize) -> u64 + Sync)| (0..rows).into_par_iter().map(count).sum();
        let with_expansions = self.has_expansions();
        let far = self.far_field(Signs::Mixed);
        let order = if with_expansions { self.goal.largest_order(far) } else { 0 };
        Report {
            n_sources: self.hierarchy.sources().len(),
            n_receivers: self.hierarchy.receivers().len(),
            n_vectors: 0,
            method: self.method,
            opening: self.opening,
            device: self.settings.device,
            instructions: match &self.pair_device {
                None => lanes::Arch::best().name().into(),
                Some(device) => {
                    format!("{} and {}", lanes::Arch::best().name(), device.name()).into()
                }
            },
            precision: T::NAME,
            tolerance: self.settings.tolerance,
            order,
            predicted_error: if with_expansions {
                self.goal.predicted_error(order, Signs::Mixed, far)
            } else {
                0.0
            },
            leaf_capacity: self.shape.depth.leaf_capacity(),
            levels: tree.n_levels(),
            boxes: n_boxes,
            leaves: tree.leaves().len(),
            p2p_pairs: sum(&|b| pairs(b, lists.near.row(b))),
            m2l_pairs: lists.far.n_items() as u64,
            m2p_pairs: sum(&|b| (tree.receivers(b).len() * lists.m2p.row(b).len()) as u64),
            p2l_pairs: sum(&|b| {
                lists.p2l.row(b).iter().map(|leaf| tree.sources(*leaf as usize).len() as u64).sum()
            }),
            net_force: None,
            bytes: self.hierarchy.bytes()
                + self.pair_device.as_ref().map_or(0, |device| device.bytes()),
            seconds,
        }
    }

    /// |Σ q ∇Φ| / Σ |q ∇Φ| of charges and sums in tree order.
    pub(super) fn net_force(&self, charges: &[T], sums: &Sums<T>) -> Option<f64> {
        let [x, y, z] = &sums.gradient;
        if x.is_empty() || !self.hierarchy.tree.sources_are_receivers() {
            return None;
        }
        let force = |i: usize| [x, y, z].map(|part| charges[i].widen() * part[i].widen());
        Some(net_force(charges.len(), force))
    }
}
