//! Memory that a plan and an evaluation take.

use std::fmt;

/// Memory of a plan and an evaluation, in bytes by part: an estimate, which [`Fmm::estimate`](crate::Fmm::estimate)
/// makes before anything is allocated.
///
/// The memory is that of the host, but for that of a [GPU](Self::device). [`Report::bytes`](crate::Report::bytes) of a plan
/// on the cores has the same parts, once they are there, but for the [fields](Self::fields), which are the caller's.
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
    /// Memory of the GPU, if one is asked for.
    pub device: Option<DeviceMemory>,
}

/// Memory of a GPU that a plan and its evaluations take, in bytes by part: of an estimate, or in
/// [`Report::device_memory`](crate::Report::device_memory).
///
/// Phases follow each other: points are sorted, lists are made, charges are evaluated. Plans that would not fit otherwise give
/// back after a phase what the next ones do not need, so that the [peak](Self::peak) is less than the [parts](Self::parts)
/// together.
///
/// Points that do not fit even so are [taken in parts](Self::taken_in): the sum of each part of the receivers over each part of
/// the sources has a tree of its own. With s and r parts, points are copied and sorted s + r times, each source r times and each
/// receiver s times; far boxes are translated r times, and near pairs are summed once. The tolerance is checked on the whole
/// sum. The host then keeps the points too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceMemory {
    /// Positions as they came, where they are kept beside the results, and charges.
    pub points: usize,
    /// Morton keys, and the sort's copies of them.
    pub sort: usize,
    /// Positions and charges in tree order, the permutation, boxes.
    pub tree: usize,
    /// Interaction lists, or groups of receivers, with what their making takes.
    pub lists: usize,
    /// Multipoles, local expansions, plane waves, and the treecode's cells.
    pub expansions: usize,
    /// Sums in tree order, and results in the caller's order.
    pub results: usize,
    /// Tables of the operators, and picks of the check.
    pub tables: usize,
    /// Most bytes at a time.
    pub peak: usize,
    /// Numbers of parts that sources and receivers are taken in, one after the other, because all of them do not fit; the
    /// bytes are those of the largest part. `[1, 1]` where they do.
    pub taken_in: [usize; 2],
}

impl DeviceMemory {
    /// Each part with its name.
    pub fn parts(&self) -> [(&'static str, usize); 7] {
        let Self { points, sort, tree, lists, expansions, results, tables, .. } = *self;
        [
            ("points", points),
            ("sort", sort),
            ("tree", tree),
            ("lists", lists),
            ("expansions", expansions),
            ("results", results),
            ("tables", tables),
        ]
    }
}

impl fmt::Display for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Bytes(self.peak))?;
        list(f, &self.parts())?;
        match self.taken_in {
            [0 | 1, 0 | 1] => Ok(()),
            [sources, receivers] => {
                write!(f, "; sources in {sources}, receivers in {receivers} parts")
            }
        }
    }
}

/// Prints the parts that are there.
fn list(f: &mut fmt::Formatter<'_>, parts: &[(&'static str, usize)]) -> fmt::Result {
    for (k, (name, bytes)) in parts.iter().filter(|part| part.1 > 0).enumerate() {
        write!(f, "{}{name} {}", if k == 0 { ": " } else { ", " }, Bytes(*bytes))?;
    }
    Ok(())
}

impl MemoryEstimate {
    /// All parts of the host's memory together.
    pub fn total(&self) -> usize {
        self.parts().into_iter().fold(0, |sum, (_, bytes)| sum.saturating_add(bytes))
    }

    /// Each part of the host's memory with its name.
    pub fn parts(&self) -> [(&'static str, usize); 8] {
        let Self { points, tree, lists, expansions, sums, tables, staging, fields, device: _ } =
            *self;
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
        list(f, &self.parts())?;
        match &self.device {
            Some(device) => write!(f, "; on the device {device}"),
            None => Ok(()),
        }
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
        let device = DeviceMemory {
            points: 2_000,
            results: 3_000,
            peak: 4_000,
            taken_in: [1; 2],
            ..Default::default()
        };
        assert_eq!(device.to_string(), "4.0 kB: points 2.0 kB, results 3.0 kB");
        let device = DeviceMemory { taken_in: [2, 3], ..device };
        let both = MemoryEstimate { device: Some(device), ..estimate };
        let parts = "; sources in 2, receivers in 3 parts";
        assert_eq!(both.to_string(), format!("{estimate}; on the device {device}"));
        assert!(device.to_string().ends_with(parts));
        let huge = MemoryEstimate { points: usize::MAX, sums: 1, ..Default::default() };
        assert_eq!(huge.total(), usize::MAX);
    }
}
