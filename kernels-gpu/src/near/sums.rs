//! Sums of a warp's receivers, and the sources that it has staged.

use super::Near;
use super::tasks::NearTask;
use crate::device::shared::Shared;
use crate::device::{Vec4, warp};
use crate::direct::pair::{Pair, Tile, VectorReceiver, carried};

/// Unrolling of the inner loop in sources, for V vectors of charges: as long as it stays in the instruction cache.
const fn unroll<const V: usize>() -> u32 {
    if V == 1 { 2 } else { 1 }
}

/// Sums of a warp's receivers in shared memory: vector v of receiver k of lane l at 32 (V k + v) + l.
#[derive(Clone, Copy)]
pub(super) struct SharedSums<T, const V: usize> {
    pub(super) of: Shared<Vec4<T>>,
}

impl<T: Pair, const V: usize> SharedSums<T, V> {
    #[inline(always)]
    fn place(k: usize, v: usize) -> usize {
        32 * (V * k + v) + warp::lane_id() as usize
    }

    #[inline(always)]
    pub(super) fn clear<const R: usize>(self) {
        for k in 0..R {
            for v in 0..V {
                self.of.set(Self::place(k, v), Vec4([T::ZERO; 4]));
            }
        }
    }

    #[inline(always)]
    pub(super) fn carry<const R: usize>(self, receivers: &mut [VectorReceiver<T, V>; R]) {
        for (k, receiver) in receivers.iter_mut().enumerate() {
            for (v, part) in receiver.parts.iter_mut().enumerate() {
                let Vec4(total) = self.of.get(Self::place(k, v));
                let (total, rest) = carried(total, *part);
                *part = rest;
                self.of.set(Self::place(k, v), Vec4(total));
            }
        }
    }

    /// Adds the receivers' last parts.
    #[inline(always)]
    pub(super) fn add<const R: usize>(self, receivers: &[VectorReceiver<T, V>; R]) {
        for (k, receiver) in receivers.iter().enumerate() {
            for (v, part) in receiver.parts.iter().enumerate() {
                let Vec4(total) = self.of.get(Self::place(k, v));
                self.of.set(Self::place(k, v), Vec4([0, 1, 2, 3].map(|c| total[c] + part[c])));
            }
        }
        warp::sync_warp();
    }

    /// Adds up the sums of the lanes of each column, in the rows from `first` on, and writes the field.
    #[inline(always)]
    pub(super) fn write<const R: usize>(self, args: Near<T>, task: NearTask, first: u32) {
        let columns = 1 << task.fold;
        // One vector takes all rows in one pass.
        let past = match V {
            1 => task.end,
            _ => task.end.min(task.begin + ((first + R as u32) << task.fold)),
        };
        for v in 0..V {
            let field_of = args.field.part(v * args.receivers.len(), args.receivers.len());
            let mut j = (first << task.fold) + warp::lane_id();
            while task.begin + j < past {
                let k = j >> task.fold;
                let mut field = [T::ZERO; 4];
                if args.add != 0 {
                    Vec4(field) = field_of.get((task.begin + j) as usize);
                }
                // Each lane begins with another group, which spreads them over the banks.
                let mut at = (k << task.fold) & 31;
                for _ in 0..warp::SIZE >> task.fold {
                    let lane = (at + j % columns) % 32;
                    let row = 32 * (V as u32 * (k - first) + v as u32);
                    let Vec4(part) = self.of.get((row + lane) as usize);
                    field = [0, 1, 2, 3].map(|c| field[c] + part[c]);
                    at += columns;
                }
                field_of.set((task.begin + j) as usize, Vec4(field));
                j += warp::SIZE;
            }
        }
        if V > 1 {
            // The next pass begins when all lanes have read the sums of this one.
            warp::sync_warp();
        }
    }
}

/// Staged sources, and the share of them that a lane takes.
#[derive(Clone, Copy)]
pub(super) struct Stage<T, const V: usize> {
    pub(super) tile: Tile<T, V>,
    /// Scratch memory of `Runs`.
    pub(super) shifts: Shared<u32>,
    pub(super) group: u32,
    pub(super) groups: u32,
    pub(super) softening2: T,
}

impl<T: Pair, const V: usize> Stage<T, V> {
    #[inline(always)]
    pub(super) fn add_to<const R: usize, const MASKED: bool, const BITS: u32>(
        self,
        receivers: &mut [VectorReceiver<T, V>; R],
        count: u32,
    ) {
        // Whole steps for all groups: a stage is filled up with nothing. The stride is no constant, which keeps the compiler
        // from unrolling further than the instruction cache goes.
        let unroll = if MASKED { 1 } else { unroll::<V>() };
        let mut at = self.group;
        while at < count + self.group {
            for _ in 0..unroll {
                let source = self.tile.get(at as usize);
                at += self.groups;
                for receiver in receivers.iter_mut() {
                    receiver.add::<MASKED, BITS>(source, self.softening2);
                }
            }
        }
    }
}
