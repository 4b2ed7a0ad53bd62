//! Bookmarks of the octants of a box: the first point of each child in sorted order (Hu, Gumerov and
//! Duraiswami, Alg. 3, one box at a time).

use std::ops::Range;

/// Bookmarks of the octants among the points `range` of a box: 9 ends, octant o holds `ends[o]..ends[o + 1]`.
/// `octant_of` reads the octant from a sorted code.
pub(crate) fn octant_bookmarks(
    sorted: &[u64],
    range: Range<u32>,
    octant_of: impl Fn(u64) -> u64,
) -> [u32; 9] {
    let mut ends = [range.end; 9];
    let mut at = range.start as usize;
    let end = range.end as usize;
    let mut octant = 0;
    while at < end {
        let here = octant_of(sorted[at]) as usize;
        ends[octant..=here].fill(at as u32);
        octant = here + 1;
        at += run(&sorted[at..end], |code| octant_of(code) as usize == here);
    }
    ends
}

/// Number of codes at the beginning that satisfy `same`, which holds for the first one and for no code after a
/// failure. Search by doubling steps, so that short runs cost little.
fn run(sorted: &[u64], same: impl Fn(u64) -> bool) -> usize {
    let mut step = 1;
    while step < sorted.len() && same(sorted[step]) {
        step *= 2;
    }
    let known = step / 2;
    known + sorted[known..step.min(sorted.len())].partition_point(|&code| same(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn octants_part_the_box(mut codes in prop::collection::vec(0u64..8, 0..200), cut in 0usize..50) {
            codes.sort_unstable();
            let range = cut.min(codes.len()) as u32..codes.len() as u32;
            let ends = octant_bookmarks(&codes, range.clone(), |code| code);
            prop_assert_eq!((ends[0], ends[8]), (range.start, range.end));
            for octant in 0..8 {
                let part = &codes[ends[octant] as usize..ends[octant + 1] as usize];
                prop_assert!(part.iter().all(|&code| code == octant as u64));
            }
        }
    }
}
