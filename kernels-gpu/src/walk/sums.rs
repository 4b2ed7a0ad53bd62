//! Sums of the lanes of a group walk: waiting cells and sources, over two receivers a lane.

use super::arguments::GroupWalk;
use super::multipole::{Dipole, MAX_VECTORS, m2p, vectors};
use super::warp_memory::{QUEUE, WarpMemory, stride};
use crate::device::{Vec4, warp};
use crate::direct::pair::{Pair, Receiver, ReceiverBounds, nothing};

/// Number of terms that a lane adds between carries.
const PART: u32 = 128;
/// Unrolling of the loop over sources.
const UNROLL: u32 = 4;

/// Number of receivers of a lane.
const EACH: usize = 2;

/// Division of a group's receivers among the lanes of a warp: columns of two receivers each. Lanes of one column take turns
/// with cells and sources.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    /// First receiver of the group.
    begin: u32,
    /// End of the group's receivers.
    end: u32,
    /// Number of columns: 8, 16 or 32.
    pub(super) count: u32,
}

impl Columns {
    /// Columns of the receivers `begin..end`, at most 64.
    #[inline(always)]
    pub(super) fn new(begin: u32, end: u32) -> Self {
        let n = end - begin;
        let count = if n > 32 {
            32
        } else if n > 16 {
            16
        } else {
            8
        };
        Self { begin, end, count }
    }

    /// Place of this lane's receiver `k` in the tree's order; it may lie behind the group's end.
    #[inline(always)]
    fn place(self, k: u32) -> u32 {
        self.begin + warp::lane_id() % self.count + self.count * k
    }

    /// Place of this lane's receiver `k`, or of the group's last receiver if there is none.
    #[inline(always)]
    pub(super) fn place_inside(self, k: u32) -> u32 {
        self.place(k).min(self.end - 1)
    }
}

/// Sums of one lane over its receivers.
pub(super) struct LaneSums<T> {
    pub(super) receivers: [Receiver<T>; EACH],
    /// Sums up to the last carry.
    totals: [[T; 4]; EACH],
    /// Number of terms since the last carry.
    terms: u32,
    /// Index of this lane among the lanes of its column.
    turn: u32,
    /// Number of lanes of a column.
    turns: u32,
}

impl<T: Pair> LaneSums<T> {
    /// Sums of 0 of this lane's receivers.
    #[inline(always)]
    pub(super) fn new(args: &GroupWalk<T>, columns: Columns) -> Self {
        let at = |k: u32| args.receivers.get(columns.place_inside(k) as usize);
        Self {
            receivers: [Receiver::new(at(0)), Receiver::new(at(1))],
            totals: [[T::ZERO; 4]; EACH],
            terms: 0,
            turn: warp::lane_id() / columns.count,
            turns: warp::SIZE / columns.count,
        }
    }

    /// Adds `count` cells from slot `begin` of their ring.
    #[inline(always)]
    pub(super) fn add_cells<const P: usize>(
        &mut self,
        args: &GroupWalk<T>,
        memory: WarpMemory<T>,
        begin: u32,
        count: u32,
    ) {
        let lane = warp::lane_id();
        let slot = stride(P) * lane as usize;
        if lane < count {
            let b = memory.cells.get(((begin + lane) % QUEUE) as usize) as usize;
            for j in 0..vectors(P) {
                memory.staged.set(slot + j, args.multipole.get(b * vectors(P) + j));
            }
        } else {
            memory.staged.set(slot, nothing());
            for j in 1..vectors(P) {
                memory.staged.set(slot + j, Vec4([T::ZERO; 4]));
            }
        }
        warp::sync_warp();
        let dipole = if args.mixed != 0 { Dipole::Present } else { Dipole::Absent };
        let mut at = 0;
        while at < count {
            let mut cell = [Vec4([T::ZERO; 4]); MAX_VECTORS];
            let slot = stride(P) * (at + self.turn) as usize;
            for (j, vector) in cell.iter_mut().enumerate().take(vectors(P)) {
                *vector = memory.staged.get(slot + j);
            }
            for k in 0..EACH {
                if P == 1 {
                    self.receivers[k].add::<false>(cell[0], args.softening2);
                } else {
                    m2p::<T, P>(&mut self.receivers[k], &cell, dipole);
                }
            }
            at += self.turns;
        }
        warp::sync_warp();
        self.carry(count / self.turns);
    }

    /// Adds `count` sources from slot `begin` of their ring.
    #[inline(always)]
    pub(super) fn add_sources(
        &mut self,
        args: &GroupWalk<T>,
        memory: WarpMemory<T>,
        begin: u32,
        count: u32,
        bounds: &ReceiverBounds<T>,
    ) {
        let lane = warp::lane_id();
        let own = ((begin + lane) % QUEUE) as usize;
        if lane >= count {
            memory.sources.set(own, nothing());
        }
        let masked = warp::any(bounds.holds(memory.sources.get(own)));
        warp::sync_warp();
        if masked {
            self.add_pairs::<true>(memory, begin, count, args.softening2);
        } else {
            self.add_pairs::<false>(memory, begin, count, args.softening2);
        }
        warp::sync_warp();
        self.carry(count / self.turns);
    }

    #[inline(always)]
    fn add_pairs<const MASKED: bool>(
        &mut self,
        memory: WarpMemory<T>,
        begin: u32,
        count: u32,
        softening2: T,
    ) {
        let mut at = 0;
        while at < count {
            for u in 0..UNROLL {
                let slot = (begin + at + u * self.turns + self.turn) % QUEUE;
                let source = memory.sources.get(slot as usize);
                for k in 0..EACH {
                    self.receivers[k].add::<MASKED>(source, softening2);
                }
            }
            at += UNROLL * self.turns;
        }
    }

    #[inline(always)]
    fn carry(&mut self, terms: u32) {
        self.terms += terms;
        if self.terms >= PART {
            self.terms = 0;
            for k in 0..EACH {
                self.totals[k] = self.receivers[k].carry(self.totals[k]);
            }
        }
    }

    /// Adds up the sums of the lanes of each column and writes the field.
    #[inline(always)]
    pub(super) fn write(&self, args: &GroupWalk<T>, columns: Columns) {
        for k in 0..EACH {
            let mut field = [0, 1, 2, 3].map(|c| self.totals[k][c] + self.receivers[k].part[c]);
            let mut mask = columns.count;
            while mask < warp::SIZE {
                field = field.map(|sum| sum + warp::shuffle_xor(sum, mask));
                mask *= 2;
            }
            let place = columns.place(k as u32);
            if warp::lane_id() < columns.count && place < columns.end {
                args.field.set(place as usize, Vec4(field));
            }
        }
    }
}
