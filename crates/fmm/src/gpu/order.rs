//! Points in an order that is not the caller's.

/// Places in an order of the points that have these indices, each once.
pub(super) fn places_of(order: &[u32], which: &[u32]) -> Vec<u32> {
    let mut wanted: Vec<(u32, usize)> = which.iter().copied().zip(0..).collect();
    wanted.sort_unstable();
    let mut places = vec![0; which.len()];
    for (place, index) in (0..).zip(order) {
        if let Ok(k) = wanted.binary_search_by_key(index, |(index, _)| *index) {
            places[wanted[k].1] = place;
        }
    }
    places
}
