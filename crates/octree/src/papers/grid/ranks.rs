//! Rank of a box among the non-empty boxes: ScannedRank of Alg. 3.
//!
//! The paper keeps one integer for each of the 8^level boxes. One bit for each, and one count for each 64 of
//! them, hold the same in a twentieth of the memory, which then fits the cache where the neighbours of all boxes
//! are looked up.

/// The deepest level with a bit for every box: 2²⁷ bits, 16 MiB, and 8 MiB of counts.
const DEEPEST_BITS: u8 = 9;

/// Ranks of the non-empty boxes of one level.
#[derive(Debug, Clone)]
pub(super) enum Ranks {
    /// A word for every 64 boxes: which are non-empty, and how many are before the word.
    Bits(Vec<(u64, u32)>),
    /// Deeper levels: the indices themselves, to be searched.
    Sorted(Vec<u64>),
}

impl Ranks {
    /// `indices`: the Morton indices of the non-empty boxes, ascending.
    pub(super) fn new(level: u8, indices: &[u64]) -> Ranks {
        if level > DEEPEST_BITS {
            return Ranks::Sorted(indices.to_vec());
        }
        let mut words = vec![(0u64, 0); (1usize << (3 * level)).div_ceil(64)];
        for &index in indices {
            words[(index / 64) as usize].0 |= 1 << (index % 64);
        }
        let mut before = 0;
        for (bits, rank) in &mut words {
            *rank = before;
            before += bits.count_ones();
        }
        Ranks::Bits(words)
    }

    /// The rank of box `index` of the level; `None` for an empty box.
    pub(super) fn rank(&self, index: u64) -> Option<u32> {
        match self {
            Ranks::Bits(words) => {
                let (bits, before) = words[(index / 64) as usize];
                let bit = 1 << (index % 64);
                (bits & bit != 0).then(|| before + (bits & (bit - 1)).count_ones())
            }
            Ranks::Sorted(indices) => indices.binary_search(&index).ok().map(|rank| rank as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn both_forms_find_the_same_ranks() {
        let indices: Vec<u64> = (0..4096).filter(|i| i * i % 7 < 2).collect();
        let (bits, sorted) = (Ranks::new(4, &indices), Ranks::Sorted(indices.clone()));
        for index in 0..4096 {
            let expected = indices.iter().position(|&i| i == index).map(|rank| rank as u32);
            assert_eq!((bits.rank(index), sorted.rank(index)), (expected, expected));
        }
    }
}
