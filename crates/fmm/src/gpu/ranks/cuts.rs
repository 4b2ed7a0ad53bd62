//! Cuts between the points of several devices, chosen from a sample on each.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Launcher;
use kernels_gpu::partition::{CutFinder, count_beside};
use octree::partition::{CutCounts, Partition};
use octree::{Cube, Depth, SplitRule};

use crate::api::Error;
use crate::gpu::Number;
use crate::gpu::wire::Wire;

/// Sampled points of a rank that brings n, over n^⅔, and their least number. A sampled point takes the host 7 ns, and m of
/// them leave a rank about 1 / √m of its points too many, each of which takes 1.1 ns: the sum of both is least near (0.04 n)^⅔
/// on two ranks (H200, f32, 10⁻³).
const SAMPLED: f64 = 0.125;
const LEAST_SAMPLED: usize = 1 << 12;

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
pub(super) fn partition<M: Launcher, T: Number>(
    machine: &M,
    wire: &Wire,
    sets: &Sets<T>,
    cube: &Cube,
    depth: Depth,
) -> Result<Partition, Error> {
    let group = wire.group();
    let balanced = sets.receivers.unwrap_or(sets.sources);
    let count = sampled_here(balanced.len(), sets.n_all, group.size());
    let sample = CutFinder::new().sample(machine, balanced, cube, count)?;
    let deepest = SplitRule::new(*cube, depth)?.deepest();
    let capacity = depth.leaf_capacity().unwrap_or(0) as u64;
    let mut sample = group.gather(&sample)?;
    let sampled = Partition::of_sample(&mut sample, group.size(), deepest, TOLERANCE);
    if sampled.surely_spares_leaves(&sample, deepest, capacity) {
        return Ok(sampled);
    }
    let cuts = &sampled.cuts()[1..group.size()];
    let mut counts: Vec<Vec<CutCounts>> = Vec::new();
    for set in [Some(sets.sources), sets.receivers].into_iter().flatten() {
        let mut of_set = count_beside(machine, set, cube, cuts)?;
        group.sum(of_set.as_flattened_mut())?;
        counts.push(of_set);
    }
    Ok(sampled.snapped(&counts, deepest, capacity))
}

/// Number of points that a rank samples of the `n` that it brought; all bring `n_all`, of which each sample has the same share.
fn sampled_here(n: usize, n_all: usize, n_ranks: usize) -> usize {
    let mean = (n_all / n_ranks) as f64;
    let of_mean = ((SAMPLED * mean.cbrt().powi(2)) as usize).max(LEAST_SAMPLED);
    let share = n as u128 * (of_mean * n_ranks) as u128;
    share.div_ceil(n_all.max(1) as u128) as usize
}
