//! The partition: cuts of the Morton curve, and who owns what between them.

use std::ops::Range;

use crate::boxes::coordinate::Coordinate;
use crate::boxes::cube::Cube;
use crate::boxes::key::Key;
use crate::error::Error;
use crate::morton::{MAX_LEVEL, level_begun_at};

/// Codes at [`MAX_LEVEL`]: one past the last.
pub(super) const END: u64 = 1 << (3 * MAX_LEVEL);

/// Points that one task takes at least.
const TASK: usize = 1 << 13;

/// Consecutive intervals of the Morton curve, one for each rank (Hu, Gumerov and Duraiswami's BoxProcId, sec. 3.2).
///
/// Rank r owns the codes `cuts()[r]..cuts()[r + 1]` at [`MAX_LEVEL`], and every box whose codes all lie there. A box
/// with a cut strictly inside is *shared*: several ranks own parts of it. Intervals may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// n_ranks + 1 codes, ascending: 0 first, 8^[`MAX_LEVEL`] last.
    cuts: Vec<u64>,
}

impl Partition {
    /// The partition with these cuts: n_ranks + 1 codes at [`MAX_LEVEL`], ascending, 0 first and 8^[`MAX_LEVEL`] last.
    ///
    /// A tree of the partition is that of one process only where no cut lies inside one of its leaves, as those of
    /// [`balanced`](Partition::balanced) do not.
    ///
    /// # Errors
    /// [`Error::NoRanks`], [`Error::NotACut`].
    pub fn from_cuts(cuts: Vec<u64>) -> Result<Partition, Error> {
        let unordered = cuts.windows(2).position(|pair| pair[0] > pair[1]);
        let index = match (cuts.first(), cuts.last()) {
            _ if cuts.len() < 2 => return Err(Error::NoRanks),
            (Some(&first), _) if first != 0 => 0,
            (_, Some(&last)) if last != END => cuts.len() - 1,
            _ => match unordered {
                Some(before) => before + 1,
                None => return Ok(Partition { cuts }),
            },
        };
        Err(Error::NotACut { index, cut: cuts[index] })
    }

    /// The partition with one rank, which owns all.
    pub fn whole() -> Partition {
        Partition { cuts: vec![0, END] }
    }

    /// The partition with cuts known to be in order.
    pub(super) fn of_cuts(cuts: Vec<u64>) -> Partition {
        debug_assert!(cuts.is_sorted() && cuts.last() == Some(&END));
        Partition { cuts }
    }

    /// n_ranks + 1 codes at [`MAX_LEVEL`], ascending.
    pub fn cuts(&self) -> &[u64] {
        &self.cuts
    }

    /// Number of ranks.
    pub fn n_ranks(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The cuts between ranks.
    pub(super) fn inner_cuts(&self) -> &[u64] {
        &self.cuts[1..self.n_ranks()]
    }

    /// The codes of a rank at [`MAX_LEVEL`].
    pub fn interval(&self, rank: usize) -> Range<u64> {
        self.cuts[rank]..self.cuts[rank + 1]
    }

    /// The rank that owns a code at [`MAX_LEVEL`], as [`Cube::key`] gives it. O(log ranks).
    pub fn owner(&self, code: u64) -> usize {
        self.inner_cuts().partition_point(|&cut| cut <= code)
    }

    /// The owner of each point. O(points × log ranks), in parallel.
    pub fn owners_of<C: Coordinate>(&self, cube: &Cube, points: &[[C; 3]]) -> Vec<u32> {
        let owner = |i: usize| self.owner(cube.key(&points[i]).code()) as u32;
        parallel::collect(points.len(), TASK, owner)
    }

    /// The ranks from the owner of the box's first code to that of its last. Ranks between them own some of the box
    /// or, with an empty interval, nothing.
    pub fn owners(&self, key: Key) -> Range<usize> {
        let codes = codes_of(key);
        self.owner(codes.start)..self.owner(codes.end - 1) + 1
    }

    /// Whether a cut lies strictly inside the box.
    pub fn is_shared(&self, key: Key) -> bool {
        let codes = codes_of(key);
        let first = self.inner_cuts().partition_point(|&cut| cut <= codes.start);
        self.inner_cuts().get(first).is_some_and(|&cut| cut < codes.end)
    }

    /// The fewest boxes that make up the interval of a rank, in Morton order; at most 14 a level.
    pub fn region(&self, rank: usize) -> Vec<Key> {
        let Range { mut start, end } = self.interval(rank);
        let mut boxes = Vec::new();
        while start < end {
            let aligned = level_begun_at(start);
            let fits = |&level: &u8| end - start >= 1 << (3 * (MAX_LEVEL - level));
            let level = (aligned..=MAX_LEVEL).find(fits).unwrap_or(MAX_LEVEL);
            let below = 3 * (MAX_LEVEL - level);
            boxes.push(Key::from_code(level, start >> below));
            start += 1 << below;
        }
        boxes
    }

    /// The boxes with a cut strictly inside, in the order of keys, whether they hold points or not: the same on all
    /// ranks. O(ranks × [`partition_level`](Partition::partition_level)).
    pub fn shared_boxes(&self) -> Vec<Key> {
        let inside = self.inner_cuts().iter().filter(|&&cut| cut != END);
        let mut keys: Vec<Key> = inside.flat_map(|&cut| ancestors(cut)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// l_par, the deepest level at which a cut begins a box: no box of this level or below is shared.
    pub fn partition_level(&self) -> u8 {
        self.inner_cuts().iter().map(|&cut| level_begun_at(cut)).max().unwrap_or(0)
    }

    /// l_crit = max(l_par − 1, 2): shared boxes are at this level or above, and their data are sums over ranks (Hu,
    /// Gumerov and Duraiswami sec. 3.2).
    pub fn critical_level(&self) -> u8 {
        self.partition_level().saturating_sub(1).max(2)
    }
}

/// The codes of a box at [`MAX_LEVEL`].
pub(super) fn codes_of(key: Key) -> Range<u64> {
    let below = 3 * (MAX_LEVEL - key.level());
    key.code() << below..(key.code() + 1) << below
}

/// The boxes with `cut` strictly inside, from the root down.
pub(super) fn ancestors(cut: u64) -> impl Iterator<Item = Key> {
    (0..level_begun_at(cut))
        .map(move |level| Key::from_code(level, cut >> (3 * (MAX_LEVEL - level))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Random cuts at boxes of levels 0 to 6, repeated ones included.
    fn partitions() -> impl Strategy<Value = Partition> {
        let cut = (0u8..7, 0.0..=1.0f64).prop_map(|(level, at)| {
            ((at * f64::from(1u32 << (3 * level))) as u64) << (3 * (MAX_LEVEL - level))
        });
        prop::collection::vec(cut, 0..12).prop_map(|mut cuts| {
            cuts.extend([0, END]);
            cuts.sort_unstable();
            Partition::from_cuts(cuts).unwrap()
        })
    }

    proptest! {
        #[test]
        fn regions_part_the_curve(partition in partitions()) {
            let mut at = 0;
            for rank in 0..partition.n_ranks() {
                for key in partition.region(rank) {
                    let codes = codes_of(key);
                    prop_assert_eq!(codes.start, at);
                    prop_assert_eq!(partition.owners(key), rank..rank + 1);
                    prop_assert!(!partition.is_shared(key));
                    // The parent would not fit: the fewest boxes.
                    let parent = key.parent().map(codes_of);
                    let interval = partition.interval(rank);
                    prop_assert!(parent.is_none_or(
                        |codes| codes.start < interval.start || codes.end > interval.end
                    ));
                    at = codes.end;
                }
                prop_assert_eq!(at, partition.cuts()[rank + 1]);
            }
        }

        #[test]
        fn shared_boxes_are_those_of_several_owners(
            partition in partitions(),
            level in 0u8..8,
            code in any::<u64>(),
        ) {
            let key = Key::from_code(level, code >> (64 - 3 * level.max(1)) & ((1 << (3 * level)) - 1));
            let owners = partition.owners(key);
            prop_assert_eq!(partition.is_shared(key), owners.len() > 1);
            prop_assert_eq!(partition.shared_boxes().contains(&key), owners.len() > 1);
            prop_assert!(owners.len() == 1 || level < partition.partition_level());
            let codes = codes_of(key);
            for rank in 0..partition.n_ranks() {
                let interval = partition.interval(rank);
                let meets = interval.start.max(codes.start) < interval.end.min(codes.end);
                prop_assert!(!meets || owners.contains(&rank));
            }
            prop_assert!(partition.interval(owners.start).contains(&codes.start));
            prop_assert!(partition.interval(owners.end - 1).contains(&(codes.end - 1)));
        }
    }

    #[test]
    fn levels_are_the_papers() {
        let eighth = END / 8;
        let of = |cuts: &[u64]| {
            let partition = Partition::from_cuts([&[0], cuts, &[END]].concat()).unwrap();
            (partition.partition_level(), partition.critical_level())
        };
        assert_eq!(of(&[]), (0, 2));
        assert_eq!(of(&[0, END]), (0, 2));
        assert_eq!(of(&[eighth, 3 * eighth]), (1, 2));
        assert_eq!(of(&[eighth / 8 / 8 / 8]), (4, 3));
    }

    #[test]
    fn bad_cuts_are_named() {
        assert_eq!(Partition::from_cuts(vec![0]), Err(Error::NoRanks));
        assert_eq!(Partition::from_cuts(vec![1, END]), Err(Error::NotACut { index: 0, cut: 1 }));
        let cuts = vec![0, 16, 8, END];
        assert_eq!(Partition::from_cuts(cuts), Err(Error::NotACut { index: 2, cut: 8 }));
        assert_eq!(Partition::from_cuts(vec![0, 5]), Err(Error::NotACut { index: 1, cut: 5 }));
    }
}
