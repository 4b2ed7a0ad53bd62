//! Company: which names may come more than once, by a table of bits.

use super::meeting::Meeting;
use crate::api::Error;
use crate::ranks::Group;

/// Bits of a table for each name: some 3 % of names that come once share a bit with another.
const BITS: usize = 32;

/// Whether names may come more than once among those of all ranks: 1 or 0 for each. Over ranks 9 bytes a name travel. Collective.
pub(super) fn have_company(ranks: Option<&Group>, names: Vec<u64>) -> Result<Vec<u8>, Error> {
    let meeting = Meeting::new(ranks, names.len(), |row| names[row])?;
    meeting.give_back(in_company(&meeting.gather(names)?))
}

/// Whether names may come more than once among these.
fn in_company(names: &[u64]) -> Vec<u8> {
    let n_bits = (BITS * names.len()).next_power_of_two().max(64);
    let bit_of = |name: &u64| {
        // The lowest bits of the names of a lattice's points are alike.
        let bit = (name >> 20) as usize & (n_bits - 1);
        (bit / 64, 1_u64 << (bit % 64))
    };
    let [mut once, mut again] = [(); 2].map(|()| vec![0_u64; n_bits / 64]);
    for (word, bit) in names.iter().map(bit_of) {
        again[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let company = |(word, bit): (usize, u64)| u8::from(again[word] & bit != 0);
    names.iter().map(bit_of).map(company).collect()
}
