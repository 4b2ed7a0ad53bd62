//! Groups of receivers that walk together.
//!
//! A group is a run of consecutive children of one box with at most `capacity` receivers together. A box with no more
//! receivers than that is one group, so groups are blocks of space and never straddle a jump of the Morton curve.
//! Leaves with more receivers are cut into pieces. Groups are in Morton order.
//!
//! There are three steps: boxes mark the receivers at which groups begin, a scan numbers the marks, and the groups are
//! written in order.

use crate::device::{Vec2, Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;

/// Largest number of receivers of a group.
pub const GROUP: u32 = 64;

/// Arguments of [`MARK_GROUPS`]: a thread is a box.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MarkGroups {
    /// Largest number of receivers of a group in this tree, 1 to [`GROUP`].
    pub capacity: u32,
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Child in octant o of box b, or `NONE`, at o B + b.
    pub child: View<u32>,
    /// Output, M + 1 items, all 0 at first: 1 where a group begins.
    pub begins: ViewMut<u32>,
    /// Output, M items: end of the group that begins there.
    pub ends: ViewMut<u32>,
}

impl MarkGroups {
    #[inline(always)]
    fn mark(&self, begin: u32, end: u32) {
        if begin < end {
            self.begins.set(begin as usize, 1);
            self.ends.set(begin as usize, end);
        }
    }
}

fn mark_groups(args: MarkGroups) {
    let b = thread::index();
    if b >= args.range.len() {
        return;
    }
    let Vec4([_, _, first, last]) = args.range.get(b);
    let capacity = args.capacity;
    if last - first <= capacity {
        // Otherwise the box above has it.
        if b == 0 {
            args.mark(first, last);
        }
        return;
    }
    let (mut begin, mut end) = (first, first);
    for octant in 0..8 {
        let child = args.child.get(octant * args.range.len() + b);
        if child == NONE {
            continue;
        }
        let Vec4([_, _, from, to]) = args.range.get(child as usize);
        if to - begin > capacity {
            args.mark(begin, end);
            begin = from;
        }
        end = to;
        if to - from > capacity {
            // It makes its own groups.
            begin = to;
        }
    }
    if end == first {
        // A leaf.
        while last - begin > capacity {
            args.mark(begin, begin + capacity);
            begin += capacity;
        }
        end = last;
    }
    args.mark(begin, end);
}

/// Arguments of [`LIST_GROUPS`]: a thread is a receiver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListGroups {
    /// Number of groups that begin before each receiver, M + 1 items.
    pub before: View<u32>,
    /// End of the group that begins at each receiver, M items.
    pub ends: View<u32>,
    /// Output: first receiver and end of each group.
    pub groups: ViewMut<Vec2<u32>>,
}

fn list_groups(args: ListGroups) {
    let i = thread::index();
    if i >= args.ends.len() {
        return;
    }
    let group = args.before.get(i);
    if args.before.get(i + 1) > group {
        args.groups.set(group as usize, Vec2([i as u32, args.ends.get(i)]));
    }
}

kernel! {
    /// Marks the receivers at which groups begin.
    pub MARK_GROUPS = mark_groups, (MarkGroups);
    /// Writes the groups in order.
    pub LIST_GROUPS = list_groups, (ListGroups);
}
