//! Memory that a plan and an evaluation take.

use std::fmt;

/// Memory of a plan and an evaluation, in bytes by part: an estimate, which [`Fmm::estimate`](crate::Fmm::estimate)
/// makes before anything is allocated.
///
/// The memory is that of the host. [`Report::bytes`](crate::Report::bytes) has the same parts, once they are there, but
/// for the [fields](Self::fields), which are the caller's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryEstimate {
    /// Positions, in tree order.
    pub points: usize,
    /// Boxes, and the permutations between the two orders.
    pub tree: usize,
    /// Interaction lists, and what M2L has of them; the treecode's walks have none.
    pub lists: usize,
    /// Multipoles, local expansions, plane waves, and the treecode's cells.
    pub expansions: usize,
    /// Charges and sums of all vectors, in tree order.
    pub sums: usize,
    /// Tables of the operators, which all plans of one order share.
    pub tables: usize,
    /// Page-locked memory of copies to and from a GPU, which all plans on it share.
    pub staging: usize,
    /// Results in the caller's order.
    pub fields: usize,
}

impl MemoryEstimate {
    /// All parts together.
    pub fn total(&self) -> usize {
        self.parts().into_iter().fold(0, |sum, (_, bytes)| sum.saturating_add(bytes))
    }

    /// Each part with its name.
    pub fn parts(&self) -> [(&'static str, usize); 8] {
        let Self { points, tree, lists, expansions, sums, tables, staging, fields } = *self;
        [
            ("points", points),
            ("tree", tree),
            ("lists", lists),
            ("expansions", expansions),
            ("sums", sums),
            ("tables", tables),
            ("staging", staging),
            ("fields", fields),
        ]
    }
}

impl fmt::Display for MemoryEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Bytes(self.total()))?;
        for (k, (name, bytes)) in self.parts().into_iter().filter(|part| part.1 > 0).enumerate() {
            write!(f, "{}{name} {}", if k == 0 { ": " } else { ", " }, Bytes(bytes))?;
        }
        Ok(())
    }
}

/// Number of bytes, printed in the unit that suits it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{bytes} bytes"),
            1_000..1_000_000 => write!(f, "{:.1} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            _ => write!(f, "{:.1} GB", bytes / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_print() {
        let estimate = MemoryEstimate { points: 2_400_000, sums: 600, ..Default::default() };
        assert_eq!(estimate.total(), 2_400_600);
        assert_eq!(estimate.to_string(), "2.4 MB: points 2.4 MB, sums 600 bytes");
        let huge = MemoryEstimate { points: usize::MAX, sums: 1, ..Default::default() };
        assert_eq!(huge.total(), usize::MAX);
    }
}
