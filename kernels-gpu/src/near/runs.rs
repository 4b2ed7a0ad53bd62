//! Sequence of up to 32 ranges of items, which a warp reads 32 items at a time whatever the ranges' lengths.

use crate::device::shared::Shared;
use crate::device::warp;

/// Ranges of a warp, one a lane, in the order of lanes, and the progress of reading.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// Difference between item and place in the sequence, modulo 2³², of each range that is not empty.
    shifts: Shared<u32>,
    /// Place in the sequence where this lane's range begins; above all places if the range is empty.
    begin: u32,
    /// Place where this lane's range ends.
    end: u32,
    total: u32,
    /// Number of ranges that begin before the next place.
    begun: u32,
}

impl Runs {
    /// Sequence of each lane's range [begin, end], with 32 words of shared memory for the warp. About 60 instructions.
    #[inline(always)]
    pub(crate) fn new([begin, end]: [u32; 2], shifts: Shared<u32>) -> Self {
        let (lane, length) = (warp::lane_id(), end - begin);
        let scan = warp::inclusive_scan(length);
        let start = scan - length;
        let before = warp::ballot(length > 0) & ((1 << lane) - 1);
        warp::sync_warp();
        if length > 0 {
            shifts.set(before.count_ones() as usize, begin.wrapping_sub(start));
        }
        warp::sync_warp();
        Self {
            shifts,
            begin: if length > 0 { start } else { u32::MAX },
            end: scan,
            total: warp::or(if lane == warp::SIZE - 1 { scan } else { 0 }),
            begun: 0,
        }
    }

    /// Number of items of all lanes' ranges.
    #[inline(always)]
    pub(crate) fn total(self) -> u32 {
        self.total
    }

    /// Begin and end of the places of the range of the one lane for which `this` holds; empty if there is no such lane.
    #[inline(always)]
    pub(crate) fn places(self, this: bool) -> [u32; 2] {
        [self.begin, self.end].map(|place| warp::or(if this { place } else { 0 }))
    }

    /// Item of this lane among the 32 items from place `at` on; any number behind the end. `at` is 0 in the first call and
    /// grows by 32 a call. All lanes take part. About 12 instructions: a bit for each range that begins within the 32 places
    /// tells each lane its range.
    #[inline(always)]
    pub(crate) fn next(&mut self, at: u32) -> u32 {
        let lane = warp::lane_id();
        let offset = self.begin.wrapping_sub(at);
        let begins = warp::or(if offset < warp::SIZE { 1 << offset } else { 0 });
        let begun = self.begun + (begins & (u32::MAX >> (warp::SIZE - 1 - lane))).count_ones();
        self.begun += begins.count_ones();
        // None has begun if there is none; then any number will do.
        let shift = self.shifts.get((begun.wrapping_sub(1) % warp::SIZE) as usize);
        shift.wrapping_add(at + lane)
    }
}
