//! Rings: neighbours of a crowded leaf that are not crowded, but have so many points together that the pairs with the
//! crowded leaf cost more than two clumps. In a cusp, such leaves surround the crowded one.

use octree::neighborhood::e2;

use super::Boxes;
use super::level::clump_cost;
use crate::choose::TreeShape;

/// Cost of the pairs over that of the clumps, at least: clumps without sources at the receivers' places may take trials.
const WORTH: f64 = 2.0;

/// Clumps, as leaves of sources and of receivers, of each crowded leaf with its ring, one for each way.
pub(super) fn rings(
    crowded: &Boxes<'_>,
    shape: &TreeShape,
    level: usize,
) -> Vec<(Vec<u32>, Vec<u32>)> {
    let tree = crowded.tree;
    let mut clumps = Vec::new();
    for b in crowded.boxes.iter().copied() {
        let boxes = tree.level(level);
        let keys = &tree.keys()[boxes.clone()];
        let place = |key| keys.binary_search(&key).ok().map(|place| boxes.start + place);
        let near = e2(tree.key(b)).filter_map(place);
        let others = near.filter(|other| crowded.boxes.binary_search(other).is_err());
        // Groups of the treecode reach beyond leaves of fewer receivers.
        let fewest = shape.group_capacity.unwrap_or(0);
        let others = others.filter(|other| tree.receivers(*other).len() > fewest);
        let mut ring: Vec<u32> = others.map(|other| other as u32).collect();
        ring.sort_unstable();

        let sum = |count: &dyn Fn(usize) -> usize, boxes: &[u32]| -> f64 {
            boxes.iter().map(|b| count(*b as usize)).sum::<usize>() as f64
        };
        let cost = |sources: &[u32], receivers: &[u32]| {
            let n_sources = sum(&|b| tree.sources(b).len(), sources);
            let n_receivers = sum(&|b| tree.receivers(b).len(), receivers);
            let pairs = n_sources * n_receivers;
            [pairs, WORTH * clump_cost(shape, n_sources, n_receivers)]
        };
        let ways = [(vec![b as u32], ring.clone()), (ring, vec![b as u32])];
        let [out, back] = ways.each_ref().map(|(sources, receivers)| cost(sources, receivers));
        // Lists of one set are symmetric: both ways or none.
        if out[0] + back[0] > out[1] + back[1] {
            clumps.extend(ways);
        }
    }
    clumps
}
