//! Group walk: one walk for up to 64 receivers, evaluated as it goes.
//!
//! A warp takes 32 boxes at a time from a stack, one a lane. Each lane compares the distance between its box's centre
//! of charge and the tight box around the receivers with the opening distance. Children of opened boxes go to the
//! stack. Accepted cells wait in a ring until 32 of them can be staged in shared memory, as do the sources of opened
//! leaves (`Runs`). Lanes hold two receivers each; where there are 32 receivers or fewer, lanes share them and take
//! turns with the cells.
//!
//! The stack cannot overflow, because boxes are taken one by one when room gets short, and then the stack holds at most
//! 7 boxes a level.
//!
//! Warps take groups by ticket until none is left, so few blocks keep the device busy to the end. The sums of a group
//! do not depend on the warp that has it.

pub use super::arguments::GroupWalk;
use super::sums::{Columns, LaneSums};
use super::traversal::Traversal;
use super::warp_memory::WarpMemory;
pub use super::warp_memory::{WALK_THREADS, shared_bytes};
use crate::device::{Vec2, warp};
use crate::direct::pair::{Pair, ReceiverBounds};

#[inline(always)]
pub(super) fn group_walk<T: Pair, const P: usize>(args: GroupWalk<T>) {
    let memory = WarpMemory::of_warp::<P>();
    let n_groups = args.n_groups.get(0);
    loop {
        let ticket = if warp::lane_id() == 0 { args.ticket.atomic_add(0, 1) } else { 0 };
        let group = warp::shuffle(ticket, 0);
        if group >= n_groups {
            return;
        }
        walk::<T, P>(&args, memory, args.groups.get(group as usize));
    }
}

/// Walks for the receivers `begin..end` and writes their field.
#[inline(always)]
fn walk<T: Pair, const P: usize>(
    args: &GroupWalk<T>,
    memory: WarpMemory<T>,
    Vec2([begin, end]): Vec2<u32>,
) {
    let columns = Columns::new(begin, end);
    let mut sums = LaneSums::new(args, columns);
    let [a, b] = sums.receivers;
    let bounds = ReceiverBounds::around(a.at).with(b.at).over_lanes(columns.count);
    let nearness = args.relative.nearness([0, 1].map(|k| columns.place_inside(k)));
    let mut traversal = Traversal::new(bounds, nearness, memory);
    let mut counts = [0u64; 2];
    loop {
        let last = traversal.is_done();
        let (cells, sources) = (traversal.cells, traversal.sources);
        if cells.waiting >= 32 || (last && cells.waiting > 0) {
            let count = cells.waiting.min(32);
            sums.add_cells::<P>(args, memory, cells.begin, count);
            traversal.cells.drop(count);
            counts[0] += u64::from(count);
        } else if sources.waiting >= 32 || (last && sources.waiting > 0) {
            let count = sources.waiting.min(32);
            sums.add_sources(args, memory, sources.begin, count, &bounds);
            traversal.sources.drop(count);
            counts[1] += u64::from(count);
        } else if last {
            break;
        } else if traversal.has_sources() {
            traversal.load_sources(args, memory);
        } else {
            traversal.open_boxes(args, memory);
        }
    }
    sums.write(args, columns);
    let lane = warp::lane_id();
    if !args.counts.is_empty() && lane < 2 {
        let count = if lane == 0 { counts[0] } else { counts[1] };
        args.counts.atomic_add(lane as usize, count * u64::from(end - begin));
    }
}
