//! Up to 32 ranges of items as one sequence, which a warp reads 32 items at a time whatever the ranges' lengths.

use crate::device::warp;

/// One range a lane, in the order of lanes.
#[derive(Clone, Copy)]
pub(crate) struct Runs {
    /// What turns a place in the sequence into an item, modulo 2³².
    shift: u32,
    /// The sequence's length up to the end of this lane's range.
    end: u32,
    total: u32,
}

impl Runs {
    /// From each lane's range, [begin, end]. About 30 instructions.
    #[inline(always)]
    pub(crate) fn new([begin, end]: [u32; 2]) -> Self {
        let length = end - begin;
        let scan = warp::inclusive_scan(length);
        Self {
            shift: begin.wrapping_sub(scan - length),
            end: scan,
            total: warp::shuffle(scan, warp::SIZE - 1),
        }
    }

    /// Items of all lanes' ranges.
    #[inline(always)]
    pub(crate) fn total(self) -> u32 {
        self.total
    }

    /// The item at `place`; any number if there are not so many. All lanes take part. About 20 instructions.
    #[inline(always)]
    pub(crate) fn item(self, place: u32) -> u32 {
        // The number of ranges that end at or before the place, by bisection over the lanes.
        let mut run = 0;
        let mut step = warp::SIZE / 2;
        while step > 0 {
            if warp::shuffle(self.end, run + step - 1) <= place {
                run += step;
            }
            step /= 2;
        }
        warp::shuffle(self.shift, run).wrapping_add(place)
    }
}
