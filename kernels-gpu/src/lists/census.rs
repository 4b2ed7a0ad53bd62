//! Census of a tree's lists: numbers of pairs, for reports, and of receivers in leaves without sources.

#[cfg(not(target_arch = "nvptx64"))]
use super::Lists;
use super::{DIRECTIONS, ListBoxes, ListRows};
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::kernel;
#[cfg(not(target_arch = "nvptx64"))]
use crate::machine::{Grid, Launcher, MachineError};
#[cfg(not(target_arch = "nvptx64"))]
use crate::memory::Grown;
use crate::tree::NONE;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tree::Tree;

/// Number of threads of a block.
#[cfg(not(target_arch = "nvptx64"))]
const THREADS: u32 = 256;

/// Numbers of pairs of all lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Pairs of receivers and sources of `near`.
    pub p2p: u64,
    /// Pairs of far boxes.
    pub m2l: u64,
    /// Pairs of receivers and boxes of `m2p`.
    pub m2p: u64,
    /// Pairs of boxes and sources of `p2l`.
    pub p2l: u64,
    /// Pairs of receivers and far boxes of their leaves and of the boxes above: the work of a treecode in place of
    /// `m2l`.
    pub far_m2p: u64,
}

/// Arguments of [`CENSUS`]: a thread is a row of `near` and `m2p`, and a box.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Census {
    /// Arrays of the boxes.
    pub boxes: ListBoxes,
    /// Leaf of each row of `near` and `m2p`.
    pub leaves: View<u32>,
    /// List U.
    pub near: ListRows,
    /// List W.
    pub m2p: ListRows,
    /// List X.
    pub p2l: ListRows,
    /// Output, added to: five counts in the order of [`PairCounts`], 0 at first.
    pub counts: ViewMut<u64>,
}

fn census(args: Census) {
    let (i, boxes) = (thread::index(), args.boxes);
    let mut counts = [0; 5];
    if i < args.leaves.len() {
        let receivers = u64::from(boxes.n_receivers(args.leaves.get(i)));
        counts[0] = receivers * sources_of(boxes, args.near, i);
        let row = args.m2p.offsets.get(i)..args.m2p.offsets.get(i + 1);
        counts[2] = receivers * u64::from(row.end - row.start);
    }
    if i < boxes.len() {
        counts[1] = far_boxes(boxes, i as u32);
        counts[3] = sources_of(boxes, args.p2l, i);
        counts[4] = counts[1] * u64::from(boxes.n_receivers(i as u32));
    }
    for (k, count) in counts.into_iter().enumerate() {
        add(args.counts, k, count);
    }
}

/// Number of sources of all boxes of a row.
#[inline(always)]
fn sources_of(boxes: ListBoxes, rows: ListRows, row: usize) -> u64 {
    let mut sources = 0;
    for item in rows.offsets.get(row)..rows.offsets.get(row + 1) {
        sources += u64::from(boxes.n_sources(rows.items.get(item as usize)));
    }
    sources
}

/// Number of boxes with sources that are far from box `b`, if box `b` has receivers: children of the colleagues of its
/// parent, less its own colleagues.
#[inline(always)]
fn far_boxes(boxes: ListBoxes, b: u32) -> u64 {
    let parent = boxes.parent.get(b as usize);
    if parent == NONE || boxes.n_receivers(b) == 0 {
        return 0;
    }
    let (mut around_parent, mut around) = (0, 0);
    for direction in 0..DIRECTIONS {
        let colleague = boxes.colleague(parent, direction);
        if colleague != NONE && !boxes.is_leaf(colleague) {
            for octant in 0..8 {
                let child = boxes.child.get(octant * boxes.len() + colleague as usize);
                around_parent += u64::from(child != NONE && boxes.n_sources(child) > 0);
            }
        }
        let colleague = boxes.colleague(b, direction);
        if colleague != NONE && boxes.level.get(colleague as usize) == boxes.level.get(b as usize) {
            around += u64::from(boxes.n_sources(colleague) > 0);
        }
    }
    around_parent - around
}

/// Adds the counts of a warp. All lanes take part.
#[inline(always)]
fn add(counts: ViewMut<u64>, k: usize, count: u64) {
    let sum = warp::sum(count);
    if warp::lane_id() == 0 && sum > 0 {
        counts.atomic_add(k, sum);
    }
}

/// Arguments of [`RECEIVERS_ALONE`]: a thread is a leaf.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ReceiversAlone {
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Leaves.
    pub leaves: View<u32>,
    /// Output, added to: one count, 0 at first.
    pub count: ViewMut<u64>,
}

fn receivers_alone(args: ReceiversAlone) {
    let i = thread::index();
    let mut count = 0;
    if i < args.leaves.len() {
        let Vec4([first, past, begin, end]) = args.range.get(args.leaves.get(i) as usize);
        count = if first == past { u64::from(end - begin) } else { 0 };
    }
    add(args.count, 0, count);
}

kernel! {
    /// Counts the pairs of all lists.
    pub CENSUS = census, (Census);
    /// Counts the receivers in leaves without sources.
    pub RECEIVERS_ALONE = receivers_alone, (ReceiversAlone);
}

#[cfg(not(target_arch = "nvptx64"))]
impl<M: Launcher> Lists<M> {
    /// Counts the pairs of all lists of `tree`, for which the lists were built, in some memory. One launch, for which the host
    /// waits; up to 500 loads a box.
    ///
    /// # Errors
    /// If the device fails.
    pub fn census(
        &self,
        machine: &M,
        tree: &Tree<M>,
        memory: &mut Grown<M, u64>,
    ) -> Result<PairCounts, MachineError> {
        if tree.n_boxes() == 0 {
            return Ok(PairCounts::default());
        }
        memory.upload(machine, &[0; 5])?;
        let args = Census {
            boxes: self.boxes(tree),
            leaves: tree.leaves(),
            near: self.near(),
            m2p: self.m2p(),
            p2l: self.p2l(),
            counts: memory.view_mut(5),
        };
        machine.launch(&CENSUS, Grid::over(tree.n_boxes(), THREADS), args)?;
        let mut counts = [0; 5];
        memory.download(machine, &mut counts)?;
        let [p2p, m2l, m2p, p2l, far_m2p] = counts;
        Ok(PairCounts { p2p, m2l, m2p, p2l, far_m2p })
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl<M: Launcher> Tree<M> {
    /// Counts the receivers in leaves without sources. One launch, for which the host waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn receivers_alone(&self, machine: &M) -> Result<u64, MachineError> {
        let mut memory = Grown::<M, u64>::new();
        memory.upload(machine, &[0])?;
        let (range, leaves) = (self.range(), self.leaves());
        let args = ReceiversAlone { range, leaves, count: memory.view_mut(1) };
        machine.launch(&RECEIVERS_ALONE, Grid::over(leaves.len(), THREADS), args)?;
        let mut count = [0];
        memory.download(machine, &mut count)?;
        Ok(count[0])
    }
}
