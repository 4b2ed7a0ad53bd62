//! What the lanes of a group walk sum: cells and sources that wait in the queue, over two receivers each.

use super::group::{EACH, GroupWalk, QUEUE, WarpMemory, stride};
use super::multipole::{MAX_VECTORS, m2p, vectors};
use crate::device::{Vec4, warp};
use crate::direct::pair::{Pair, Receiver, ReceiverBounds, nothing};

/// Terms that a lane adds plainly.
const PART: u32 = 128;
/// Sources that a lane takes at a time.
const UNROLL: u32 = 4;

/// What a lane sums.
pub(super) struct LaneSums<T> {
    pub(super) receivers: [Receiver<T>; EACH],
    pub(super) totals: [[T; 4]; EACH],
    /// Terms since the last carry.
    pub(super) terms: u32,
    /// Which of the lanes of its column this is, of how many.
    pub(super) turn: u32,
    pub(super) turns: u32,
}

impl<T: Pair> LaneSums<T> {
    /// Adds the cells at `begin` of the queue.
    #[inline(always)]
    pub(super) fn add_cells<const P: usize>(
        &mut self,
        args: GroupWalk<T>,
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
        let dipole = args.mixed != 0;
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

    /// Adds the sources at `begin` of the queue.
    #[inline(always)]
    pub(super) fn add_sources(
        &mut self,
        memory: WarpMemory<T>,
        begin: u32,
        count: u32,
        bounds: &ReceiverBounds<T>,
        softening2: T,
    ) {
        let lane = warp::lane_id();
        let own = ((begin + lane) % QUEUE) as usize;
        if lane >= count {
            memory.sources.set(own, nothing());
        }
        let masked = warp::any(bounds.holds(memory.sources.get(own)));
        warp::sync_warp();
        if masked {
            self.add_pairs::<true>(memory, begin, count, softening2);
        } else {
            self.add_pairs::<false>(memory, begin, count, softening2);
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
}
