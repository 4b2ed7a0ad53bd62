//! Cuts from a sample of the points, for processes that do not sort their points before they know the owners.

use super::cuts::{END, Partition};
use crate::morton::{LEVELS, MAX_LEVEL, ancestor_of, level_begun_at};

/// Numbers of points in the boxes around a cut, by level: entry l counts those that share the box of level l, and no deeper
/// one, with the first code after the cut.
pub type CutCounts = [u64; LEVELS];

impl Partition {
    /// The partition that balances a sample of the points of all processes, given as codes at [`MAX_LEVEL`] in any order. Cuts
    /// begin boxes of `deepest` or above, the largest ones that leave each rank within `tolerance` of the mean.
    ///
    /// Among m codes for each of P ranks, the points of a rank are known to about 1/√m. O(m P log P), and changes the order of
    /// the codes.
    pub fn of_sample(codes: &mut [u64], n_ranks: usize, deepest: u8, tolerance: f64) -> Self {
        let n = codes.len();
        let around = (0.5 * tolerance * n as f64 / n_ranks.max(1) as f64) as usize;
        // Places, in ascending order of codes, of the two codes between which each cut lies.
        let beside = |rank: usize| {
            let target = (rank as u128 * n as u128 / n_ranks as u128) as usize;
            [target.saturating_sub(around + 1), (target + around).min(n.saturating_sub(1))]
        };
        let mut places: Vec<usize> = (1..n_ranks).flat_map(beside).collect();
        places.sort_unstable();
        places.dedup();
        if n > 0 {
            put_in_order(codes, 0, &places);
        }
        let mut cuts = vec![0];
        for rank in 1..n_ranks {
            let [low, high] =
                beside(rank).map(|place| codes.get(place).copied().unwrap_or_default());
            let cut = cut_between(low, high, deepest);
            cuts.push(cut.max(cuts[rank - 1]));
        }
        cuts.push(END);
        Self::of_cuts(cuts)
    }

    /// Whether the codes of some points are enough to tell that no cut lies inside a leaf: more than `capacity` of them, not all
    /// in one box of `deepest`, are in each box that a cut parts. O(m P) for m codes.
    pub fn surely_spares_leaves(&self, codes: &[u64], deepest: u8, capacity: u64) -> bool {
        let box_of = |code: u64, level: u8| ancestor_of(code, u32::from(MAX_LEVEL - level));
        self.inner_cuts().iter().all(|cut| {
            // The smallest box that the cut parts.
            let Some(level) = level_begun_at(*cut).checked_sub(1) else { return true };
            let parted = box_of(*cut, level);
            let mut inside = codes.iter().filter(|code| box_of(**code, level) == parted);
            let Some(first) = inside.next() else { return false };
            let (mut n, mut elsewhere) = (1, false);
            inside.any(|code| {
                n += 1;
                elsewhere |= box_of(*code, deepest) != box_of(*first, deepest);
                n > capacity && elsewhere
            })
        })
    }

    /// The partition with each cut that lies inside a leaf moved to the beginning of the leaf. `counts` are those of all points
    /// around each inner cut, one row for each set of points. Boxes with at most `capacity` points of each set are leaves, and
    /// those whose points all lie in one box of `deepest`.
    pub fn snapped(&self, counts: &[Vec<CutCounts>], deepest: u8, capacity: u64) -> Self {
        let mut cuts = self.cuts().to_vec();
        for (k, cut) in self.inner_cuts().iter().enumerate() {
            let inside = |set: &Vec<CutCounts>, level: u8| -> u64 {
                set[k][usize::from(level)..].iter().sum()
            };
            let is_leaf = |level: &u8| {
                let fits = |set| inside(set, *level) <= capacity;
                let in_one_place = |set| inside(set, *level) == inside(set, deepest);
                counts.iter().all(fits) || counts.iter().all(in_one_place)
            };
            if let Some(level) = (0..level_begun_at(*cut)).find(is_leaf) {
                let below = 3 * (MAX_LEVEL - level);
                cuts[k + 1] = *cut >> below << below;
            }
        }
        // Two cuts in one leaf both move to its beginning, and no cut moves beyond another one's leaf.
        debug_assert!(cuts.is_sorted());
        Self::of_cuts(cuts)
    }
}

/// Brings codes to these places, as if all were sorted: lower ones before, others behind. `codes` begin with place `first`;
/// places ascend. O(m log n) for m codes and n places.
fn put_in_order(codes: &mut [u64], first: usize, places: &[usize]) {
    let (before, rest) = places.split_at(places.len() / 2);
    if let Some((place, behind)) = rest.split_first() {
        let (lower, _, others) = codes.select_nth_unstable(place - first);
        put_in_order(lower, first, before);
        put_in_order(others, place + 1, behind);
    }
}

/// The code after `low` and not after `high` that begins the largest box; at least the beginning of the box of `deepest` with
/// `high`.
fn cut_between(low: u64, high: u64, deepest: u8) -> u64 {
    let begin = |level: u8| {
        let below = 3 * (MAX_LEVEL - level);
        high >> below << below
    };
    (0..deepest).map(begin).find(|code| *code > low).unwrap_or_else(|| begin(deepest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Codes in clusters of several sizes.
    fn codes() -> impl Strategy<Value = Vec<u64>> {
        let cluster = (0..END, 0u32..60, 1usize..200, any::<u64>());
        prop::collection::vec(cluster, 1..6).prop_map(|clusters| {
            let of = |(at, bits, n, seed): (u64, u32, usize, u64)| {
                let mut state = seed | 1;
                (0..n).map(move |_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (at + (state >> 20) % (1 << bits)).min(END - 1)
                })
            };
            clusters.into_iter().flat_map(of).collect()
        })
    }

    fn counts(codes: &[u64], cuts: &[u64]) -> Vec<CutCounts> {
        let of_cut = |cut: &u64| {
            let mut counts = CutCounts::default();
            for code in codes {
                let level = crate::morton::common_level(*code, *cut, u32::from(MAX_LEVEL));
                counts[level as usize] += 1;
            }
            counts
        };
        cuts.iter().map(of_cut).collect()
    }

    proptest! {
        /// No cut lies in a leaf, and each rank has its share but for a leaf on either side.
        #[test]
        fn cuts_balance_and_spare_leaves(
            codes in codes(),
            n_ranks in 1usize..7,
            capacity in 1u64..30,
        ) {
            let sampled =
                Partition::of_sample(&mut codes.clone(), n_ranks, MAX_LEVEL, 0.01);
            let around = counts(&codes, sampled.inner_cuts());
            let partition = sampled.snapped(&[around], MAX_LEVEL, capacity);
            // All points tell just whether a cut moves; some of them never claim too much.
            let spares = |codes: &[u64]| sampled.surely_spares_leaves(codes, MAX_LEVEL, capacity);
            let moves = partition.cuts() != sampled.cuts();
            prop_assert_eq!(spares(&codes), !moves);
            prop_assert!(!(moves && spares(&codes[codes.len() / 2..])));
            prop_assert_eq!(partition.n_ranks(), n_ranks);
            prop_assert!(partition.cuts().is_sorted());
            let in_box = |level: u8, cut: u64| {
                let below = 3 * (MAX_LEVEL - level);
                codes.iter().filter(|code| *code >> below == cut >> below).count() as u64
            };
            for cut in partition.inner_cuts() {
                for level in 0..level_begun_at(*cut) {
                    let others = in_box(level, *cut) > in_box(MAX_LEVEL, *cut);
                    let is_split = in_box(level, *cut) > capacity && others;
                    prop_assert!(is_split, "level {} of {}", level, cut);
                }
            }
            let mut sorted = codes.clone();
            sorted.sort_unstable();
            for rank in 1..n_ranks {
                let target = rank * sorted.len() / n_ranks;
                let before = |cut: u64| sorted.partition_point(|code| *code < cut);
                // Codes that are equal to that of the target cannot be parted.
                let target_code = sorted[target.min(sorted.len() - 1)];
                let found = before(partition.cuts()[rank]);
                let slack = capacity as usize + 1 + sorted.len() / 100;
                let equal = sorted.iter().filter(|code| **code == target_code).count();
                prop_assert!(found.abs_diff(target) <= slack + equal, "{} {}", found, target);
            }
        }
    }

    proptest! {
        /// Codes at the given places, equal ones among them, are those of the sorted sample, and part the others.
        #[test]
        fn places_have_the_codes_of_the_sorted_sample(
            mut codes in prop::collection::vec(0u64..40, 1..200),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        ) {
            let mut places: Vec<usize> = places.iter().map(|at| at.index(codes.len())).collect();
            places.sort_unstable();
            places.dedup();
            let mut sorted = codes.clone();
            sorted.sort_unstable();
            put_in_order(&mut codes, 0, &places);
            for place in places {
                prop_assert_eq!(codes[place], sorted[place]);
                prop_assert!(codes[..place].iter().all(|code| *code <= codes[place]));
            }
        }
    }

    #[test]
    fn cuts_begin_large_boxes() {
        let half = END / 2;
        assert_eq!(cut_between(half - 5, half + 3, MAX_LEVEL), half);
        assert_eq!(cut_between(8, 24, MAX_LEVEL), 24 >> 3 << 3);
        assert_eq!(cut_between(9, 9, MAX_LEVEL), 9);
        assert_eq!(cut_between(9, 9, MAX_LEVEL - 1), 8);
    }
}
