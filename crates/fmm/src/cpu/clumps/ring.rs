//! Rings: neighbours of a crowded leaf that are not crowded, but have so many points together that the pairs with the
//! crowded leaf cost more than two clumps. In a cusp, such leaves surround the crowded one.

use octree::Key;
use octree::neighborhood::e2;

use super::boxes::{Boxes, receivers, sources};
use super::census::{BoxCount, Census};
use super::level::clump_cost;
use crate::api::Error;
use crate::choose::TreeShape;

/// Cost of the pairs over that of the clumps, at least: clumps without sources at the receivers' places may take trials.
const WORTH: f64 = 2.0;

/// Leaves of sources and leaves of receivers.
type Sides = (Vec<BoxCount>, Vec<BoxCount>);

/// Clumps of each crowded leaf with its ring, one for each way. Collective.
pub(super) fn rings(
    census: &dyn Census,
    crowded: &Boxes,
    shape: &TreeShape,
) -> Result<Vec<Sides>, Error> {
    let keys: Vec<Key> = crowded.boxes.iter().map(|count| count.key).collect();
    let around = census.around(&keys)?;
    let find = |key: Key| around.binary_search_by_key(&key, |count| count.key).ok();
    // Groups of the treecode reach beyond leaves of fewer receivers.
    let fewest = shape.group_capacity.unwrap_or(0);
    let mut clumps = Vec::new();
    for one in &crowded.boxes {
        let near = e2(one.key).filter_map(find).map(|place| around[place]);
        let others = near.filter(|other| !crowded.has(other.key) && other.n_receivers > fewest);
        let mut ring: Vec<BoxCount> = others.collect();
        ring.sort_unstable();

        let cost = |from: &[BoxCount], to: &[BoxCount]| {
            let [n_sources, n_receivers] = [sources(from), receivers(to)].map(|n| n as f64);
            let pairs = n_sources * n_receivers;
            [pairs, WORTH * clump_cost(shape, n_sources, n_receivers)]
        };
        let ways = [(vec![*one], ring.clone()), (ring, vec![*one])];
        let [out, back] = ways.each_ref().map(|(from, to)| cost(from, to));
        // Lists of one set are symmetric: both ways or none.
        if out[0] + back[0] > out[1] + back[1] {
            clumps.extend(ways);
        }
    }
    Ok(clumps)
}
