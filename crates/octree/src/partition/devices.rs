//! Two-level ownership: processes, and the devices of each (Hu, Gumerov and Duraiswami sec. 3.2).

use std::num::NonZeroUsize;

/// Ranks of a partition over the devices of processes that have `g` devices each: device j of process i has rank
/// `i g + j`.
///
/// A balanced partition over ranks is balanced over processes too, and each process owns one interval of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceRanks {
    per_process: NonZeroUsize,
}

impl DeviceRanks {
    /// The ranks of processes with `per_process` devices each.
    pub fn new(per_process: NonZeroUsize) -> DeviceRanks {
        DeviceRanks { per_process }
    }

    /// The rank of a device, counted from 0 within its process.
    pub fn rank(&self, process: usize, device: usize) -> usize {
        debug_assert!(device < self.per_process.get());
        process * self.per_process.get() + device
    }

    /// The process of a rank.
    pub fn process(&self, rank: usize) -> usize {
        rank / self.per_process
    }

    /// The device of a rank, within its process.
    pub fn device(&self, rank: usize) -> usize {
        rank % self.per_process
    }

    /// The ranks of a process.
    pub fn ranks(&self, process: usize) -> std::ops::Range<usize> {
        self.rank(process, 0)..self.rank(process + 1, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_lead_to_devices_and_back() {
        let devices = DeviceRanks::new(NonZeroUsize::new(4).unwrap());
        assert_eq!(devices.ranks(2), 8..12);
        for rank in 0..40 {
            assert_eq!(devices.rank(devices.process(rank), devices.device(rank)), rank);
            assert!(devices.ranks(devices.process(rank)).contains(&rank));
        }
    }
}
