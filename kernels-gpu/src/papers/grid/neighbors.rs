//! Algs 2 and 4 of Hu, Gumerov and Duraiswami (2012), and the E4 query: source boxes and sources around receiver boxes.
//!
//! The paper reserves 27 slots a box and compacts them; here neighbours are counted first, so no slot stays empty.

use super::Ranks;
use crate::device::{View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;
use crate::tree::morton::{code_of, coordinates_of};
use octree::geometry::{DIRECTIONS, direction_places};

/// Largest number of boxes of E4.
pub const E4_BOXES: usize = 189;

/// Visits the boxes of a level that touch box `code`, itself included: `visit(direction, code)`, in the order of
/// [`direction_places`].
#[inline(always)]
pub fn each_e2(code: u32, level: u32, mut visit: impl FnMut(usize, u32)) {
    let at = coordinates_of(u64::from(code));
    for direction in 0..DIRECTIONS {
        let step = direction_places(direction);
        let mut place = [0; 3];
        let mut inside = true;
        for d in 0..3 {
            // Below the lower face this wraps around, and is outside as well.
            place[d] = (at[d] + step[d] as u32).wrapping_sub(1);
            inside &= place[d] < 1 << level;
        }
        if inside {
            visit(direction, code_of(place) as u32);
        }
    }
}

/// Visits the ranks of the non-empty boxes in E4 of box `code`: children of the neighbours of its parent that do not
/// touch box `code`. There are at most [`E4_BOXES`] (the paper's sec. 3.3 says 27). The eight children of a box are eight
/// bits of one word.
#[inline(always)]
pub fn each_e4(ranks: Ranks, code: u32, level: u32, mut visit: impl FnMut(u32)) {
    if level == 0 {
        return;
    }
    let octant = code % 8;
    each_e2(code / 8, level - 1, |direction, beside| {
        let first = 8 * beside;
        let word = ranks.bits.get(first as usize / 32);
        let filled = word >> (first % 32) & 0xff;
        let mut rest = filled & !touching(direction, octant);
        let below = word & ((1 << (first % 32)) - 1);
        let before = ranks.before.get(first as usize / 32) + below.count_ones();
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            visit(before + (filled & (bit - 1)).count_ones());
        }
    });
}

/// Children of the box in `direction` of the parent that touch the parent's child in `octant`, as bits.
#[inline(always)]
fn touching(direction: usize, octant: u32) -> u32 {
    // Octants in the lower half along each axis.
    let lower = [0x55, 0x33, 0x0f];
    let mut touching = 0xff;
    for (axis, stride) in [1, 3, 9].into_iter().enumerate() {
        let in_upper = octant >> axis & 1 == 1;
        touching &= match direction / stride % 3 {
            0 if in_upper => 0,
            0 => !lower[axis],
            2 if in_upper => lower[axis],
            2 => 0,
            _ => 0xff,
        };
    }
    touching
}

/// Arguments of [`COUNT_NEIGHBORS`] and [`LIST_NEIGHBORS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListNeighbors {
    /// Ranks of the source boxes.
    pub sources: Ranks,
    /// Ranks of the receiver boxes, which give their number.
    pub receivers: Ranks,
    /// Index of each receiver box.
    pub receiver_box_index: View<u32>,
    /// NeighborBookmark: counts when counting, then their prefix sums, which end at the row `receiver_box_index.len()`.
    pub bookmark: ViewMut<u32>,
    /// NeighborList, when listing.
    pub list: ViewMut<u32>,
    /// Level of the boxes.
    pub level: u32,
}

#[inline(always)]
fn neighbors<const LIST: bool>(args: ListNeighbors) {
    let i = thread::index();
    if i >= args.receiver_box_index.len() {
        return;
    }
    let n_boxes = args.receivers.n_boxes();
    let mut place = if LIST { args.bookmark.get(i) } else { 0 };
    if i < n_boxes {
        each_e2(args.receiver_box_index.get(i), args.level, |_, code| {
            let rank = args.sources.rank(code);
            if rank != NONE {
                if LIST {
                    args.list.set(place as usize, rank);
                }
                place += 1;
            }
        });
    }
    if !LIST {
        args.bookmark.set(i, place);
    }
}

/// Arrays that Alg. 2 reads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Neighbors {
    /// NeighborBookmark: rows of `list`, one a receiver box.
    pub bookmark: View<u32>,
    /// NeighborList: ranks of source boxes.
    pub list: View<u32>,
    /// SrcBookmark: sorted places, one row a source box.
    pub source_bookmark: View<u32>,
}

impl Neighbors {
    /// Alg. 2, Access-Source-E2-neighborhood: visits the sorted places of the sources in E2 of the i-th receiver box.
    #[inline(always)]
    pub fn each_source(self, i: usize, mut visit: impl FnMut(u32)) {
        for k in self.bookmark.get(i)..self.bookmark.get(i + 1) {
            let source_box = self.list.get(k as usize) as usize;
            for place in
                self.source_bookmark.get(source_box)..self.source_bookmark.get(source_box + 1)
            {
                visit(place);
            }
        }
    }
}

/// Arguments of [`E2_SOURCES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct E2Sources {
    /// Neighbours of the receiver boxes.
    pub neighbors: Neighbors,
    /// Output: number of sources that each receiver box finds, which is the work of its direct sums.
    pub counts: ViewMut<u32>,
}

fn e2_sources(args: E2Sources) {
    let i = thread::index();
    if i < args.counts.len() {
        let mut count = 0;
        args.neighbors.each_source(i, |_| count += 1);
        args.counts.set(i, count);
    }
}

/// Arguments of [`E4_QUERY`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct E4Query {
    /// Ranks of the source boxes.
    pub sources: Ranks,
    /// Index of each of the n receiver boxes.
    pub receiver_box_index: View<u32>,
    /// Output, n items: numbers of boxes.
    pub counts: ViewMut<u32>,
    /// Output, [`E4_BOXES`] · n items: the k-th box of receiver box i at k · n + i.
    pub boxes: ViewMut<u32>,
    /// Level of the boxes.
    pub level: u32,
}

fn e4_query(args: E4Query) {
    let (i, n) = (thread::index(), args.receiver_box_index.len());
    if i < n {
        let mut count = 0;
        each_e4(args.sources, args.receiver_box_index.get(i), args.level, |rank| {
            args.boxes.set(count * n + i, rank);
            count += 1;
        });
        args.counts.set(i, count as u32);
    }
}

/// Arguments of [`TOTALS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Totals {
    /// Ranks of the source boxes.
    pub sources: Ranks,
    /// Ranks of the receiver boxes.
    pub receivers: Ranks,
    /// Prefix sums of the neighbours' counts.
    pub bookmark: View<u32>,
    /// Output, three items: numbers of source boxes, receiver boxes, neighbours.
    pub totals: ViewMut<u32>,
}

fn totals(args: Totals) {
    if thread::index() == 0 {
        args.totals.set(0, args.sources.n_boxes() as u32);
        args.totals.set(1, args.receivers.n_boxes() as u32);
        args.totals.set(2, args.bookmark.get(args.bookmark.len() - 1));
    }
}

kernel! {
    /// Counts neighbours: one thread a receiver box at most.
    pub COUNT_NEIGHBORS = neighbors::<false>, (ListNeighbors);
    /// Lists neighbours: one thread a receiver box.
    pub LIST_NEIGHBORS = neighbors::<true>, (ListNeighbors);
    /// Counts the sources in E2: one thread a receiver box.
    pub E2_SOURCES = e2_sources, (E2Sources);
    /// Lists the boxes in E4: one thread a receiver box.
    pub E4_QUERY = e4_query, (E4Query);
    /// Totals: one thread.
    pub TOTALS = totals, (Totals);
}
