//! Cuts between the points of several devices, chosen from a sample on each.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Machine;
use kernels_gpu::partition::{CutFinder, count_beside};
use octree::partition::{CutCounts, Partition};
use octree::{Cube, Depth, SplitRule};

use super::super::Number;
use super::super::wire::Wire;
use crate::api::Error;

/// Sampled points of all ranks together: shares of ranks are known to half a per cent on two, in the time of a launch.
const SAMPLE: usize = 1 << 15;

/// Part of its share that a rank may have more or less, for cuts at large boxes.
const TOLERANCE: f64 = 0.005;

/// Points on the device, by set: receivers balance.
pub(super) struct Sets<T> {
    /// Number of receivers of all ranks.
    pub(super) n_all: usize,
    pub(super) sources: View<Vec4<T>>,
    /// `None`: the receivers are the sources.
    pub(super) receivers: Option<View<Vec4<T>>>,
}

/// The partition of all points, whose cuts lie outside the leaves. Collective.
pub(super) fn partition<M: Machine, T: Number>(
    machine: &M,
    wire: &Wire,
    sets: &Sets<T>,
    cube: &Cube,
    depth: Depth,
) -> Result<Partition, Error> {
    let group = wire.group();
    let balanced = sets.receivers.unwrap_or(sets.sources);
    let share = balanced.len() as u128 * SAMPLE as u128;
    let count = share.div_ceil(sets.n_all.max(1) as u128) as usize;
    let sample = CutFinder::new().sample(machine, balanced, cube, count)?;
    let deepest = SplitRule::new(*cube, depth)?.deepest();
    let sampled = Partition::of_sample(group.gather(&sample)?, group.size(), deepest, TOLERANCE);
    let cuts = &sampled.cuts()[1..group.size()];
    let mut counts: Vec<Vec<CutCounts>> = Vec::new();
    for set in [Some(sets.sources), sets.receivers].into_iter().flatten() {
        let mut of_set = count_beside(machine, set, cube, cuts)?;
        group.sum(of_set.as_flattened_mut())?;
        counts.push(of_set);
    }
    let capacity = depth.leaf_capacity().unwrap_or(0) as u64;
    Ok(sampled.snapped(&counts, deepest, capacity))
}
