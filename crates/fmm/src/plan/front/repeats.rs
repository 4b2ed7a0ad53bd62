//! Repeats: which hashes may come more than once, by a table of bits.

use super::shuffle::Shuffle;
use crate::api::Error;
use crate::ranks::Group;

/// Bits of a table for each hash: some 3 % of hashes that come once share a bit with another.
const BITS: usize = 32;

/// Whether hashes may come more than once among those of all ranks: 1 or 0 for each. Over ranks 9 bytes a hash travel. Collective.
pub(super) fn may_repeat(ranks: Option<&Group>, hashes: Vec<u64>) -> Result<Vec<u8>, Error> {
    let shuffle = Shuffle::new(ranks, hashes.len(), |row| hashes[row])?;
    shuffle.give_back(may_repeat_among(&shuffle.gather(hashes)?))
}

/// Whether hashes may come more than once among these.
fn may_repeat_among(hashes: &[u64]) -> Vec<u8> {
    let n_bits = (BITS * hashes.len()).next_power_of_two().max(64);
    let bit_of = |hash: &u64| {
        // The lowest bits of the hashes of a lattice's points are alike.
        let bit = (hash >> 20) as usize & (n_bits - 1);
        (bit / 64, 1_u64 << (bit % 64))
    };
    let [mut once, mut again] = [(); 2].map(|()| vec![0_u64; n_bits / 64]);
    for (word, bit) in hashes.iter().map(bit_of) {
        again[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let repeats = |(word, bit): (usize, u64)| u8::from(again[word] & bit != 0);
    hashes.iter().map(bit_of).map(repeats).collect()
}
