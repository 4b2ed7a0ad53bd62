//! Company: which names may come more than once, by a table of bits.

/// Bits of a table for each name: some 3 % of names that come once share a bit with another.
const BITS: usize = 32;

/// Names, of which those that come twice are never taken for others.
pub(super) struct Company {
    /// Bits of all names.
    once: Vec<u64>,
    /// Bits that two names share.
    again: Vec<u64>,
}

impl Company {
    pub(super) fn of(names: impl ExactSizeIterator<Item = u64>) -> Self {
        let words = (BITS * names.len()).next_power_of_two().max(64) / 64;
        let mut company = Self { once: vec![0; words], again: vec![0; words] };
        for name in names {
            let (word, bit) = company.place(name);
            company.again[word] |= company.once[word] & bit;
            company.once[word] |= bit;
        }
        company
    }

    /// Word and bit of a name.
    fn place(&self, name: u64) -> (usize, u64) {
        // The lowest bits of the names of a lattice's points are alike.
        let bit = (name >> 20) as usize & (64 * self.once.len() - 1);
        (bit / 64, 1 << (bit % 64))
    }

    /// Whether the name may be one of these.
    pub(super) fn may_have(&self, name: u64) -> bool {
        let (word, bit) = self.place(name);
        self.once[word] & bit != 0
    }

    /// Whether the name, which is one of these, may come again.
    pub(super) fn may_have_again(&self, name: u64) -> bool {
        let (word, bit) = self.place(name);
        self.again[word] & bit != 0
    }
}
