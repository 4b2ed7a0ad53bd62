//! Repeats: which hashes may come more than once, by a table of bits.

use super::shuffle::Shuffle;
use crate::api::Error;
use crate::ranks::Group;

/// Bits of a table for each hash: some 3 % of hashes that come once share a bit with another.
const BITS: usize = 32;

/// Tasks, at most: a power of two.
const MOST_TASKS: usize = 64;

/// Bits of a task's part of the table, which a core's cache holds, and tasks up to which there are more for that: each reads all hashes.
const IN_CACHE: usize = 1 << 22;
const MOST_FOR_CACHE: usize = 8;

/// Hashes of a task, at least.
const TASK: usize = parallel::min_length(3.0);

/// Whether hashes may come more than once among those of all ranks: 1 or 0 for each. Over ranks 9 bytes a hash travel. Collective.
pub(super) fn may_repeat(ranks: Option<&Group>, hashes: Vec<u64>) -> Result<Vec<u8>, Error> {
    let shuffle = Shuffle::new(ranks, hashes.len(), |row| hashes[row])?;
    shuffle.give_back(may_repeat_among(&shuffle.gather(hashes)?))
}

/// Whether hashes may come more than once among these. A task has a part of the table and reads all hashes: there is one for each
/// thread, and for [`TASK`] hashes, at most, or more where the table is large.
fn may_repeat_among(hashes: &[u64]) -> Vec<u8> {
    let n_bits = (BITS * hashes.len()).next_power_of_two().max(64 * MOST_TASKS);
    // The lowest bits of the hashes of a lattice's points are alike.
    let bit_of = |hash: u64| (hash >> 20) as usize & (n_bits - 1);
    let threads = rayon::current_num_threads().min(hashes.len() / TASK);
    let n_tasks = threads.max((n_bits / IN_CACHE).min(MOST_FOR_CACHE));
    let n_tasks = n_tasks.clamp(1, MOST_TASKS).next_power_of_two();
    let length = n_bits / n_tasks;
    let task_bits = length.trailing_zeros();
    let repeated = parallel::map(n_tasks, |task| {
        let bits = || {
            let bits = hashes.iter().map(|hash| bit_of(*hash)).enumerate();
            let own = bits.filter(move |(_, bit)| bit >> task_bits == task);
            own.map(move |(row, bit)| (row, bit & (length - 1)))
        };
        let [mut once, mut again] = [(); 2].map(|()| vec![0_u64; length / 64]);
        for (_, bit) in bits() {
            let (word, bit) = (bit / 64, 1 << (bit % 64));
            again[word] |= once[word] & bit;
            once[word] |= bit;
        }
        let repeats = |(_, bit): &(usize, usize)| again[bit / 64] >> (bit % 64) & 1 > 0;
        bits().filter(repeats).map(|(row, _)| row).collect::<Vec<_>>()
    });
    let mut repeats = vec![0; hashes.len()];
    for row in repeated.into_iter().flatten() {
        repeats[row] = 1;
    }
    repeats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_find_the_same_repeats() {
        // Every tenth of these comes twice.
        let n = 10 * TASK as u64;
        let hash =
            |i: u64| (if i % 10 == 9 { i - 1 } else { i }).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hashes: Vec<u64> = (0..n).map(hash).collect();
        let found = [1, 3, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| may_repeat(None, hashes.clone()).unwrap())
        });
        assert!(found.iter().all(|repeats| *repeats == found[0]));
        assert!(found[0].iter().enumerate().all(|(i, repeats)| i % 10 < 8 || *repeats == 1));
        let others = found[0].iter().filter(|repeats| **repeats == 1).count() - hashes.len() / 5;
        assert!(others < hashes.len() / 20, "{others}");
    }
}
