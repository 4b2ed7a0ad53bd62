//! Driver of the lists on a device: the launches that build them, and their arrays.

use super::colleagues::{self, COLLEAGUES, Colleagues};
use super::near::{self, COUNT_NEAR, FILL_NEAR, ListNear, NOTED};
use super::p2l::{COUNT_P2L, FILL_P2L, ListP2l};
use super::{DIRECTIONS, LIST_ENDS, Limits, ListBoxes, ListEnds, ListOutput, ListRows};
use crate::device::{View, ViewMut, warp};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::scan::Scanner;
use crate::tree::{Tree, items_of};
use octree::ListOptions;
use std::vec::Vec;

/// Number of threads of a block where each warp has one box.
const THREADS: u32 = 256;

/// Colleagues and lists in the memory of a device. Rebuilding reuses the memory, which only grows.
///
/// B boxes and L leaves have the numbers that the tree gave them.
#[derive(Debug)]
pub struct Lists<M: Launcher> {
    n_boxes: usize,
    n_leaves: usize,
    /// Ends of the items of `near`, `m2p` and `p2l`.
    ends: [u32; 3],
    scanner: Scanner<M>,
    colleague: Grown<M, u32>,
    places: Grown<M, u32>,
    noted: Grown<M, u32>,
    device_ends: Grown<M, u32>,
    offsets: Grown<M, u32>,
    items: Grown<M, u32>,
}

impl<M: Launcher> Lists<M> {
    /// Driver without lists.
    pub const fn new() -> Self {
        Self {
            n_boxes: 0,
            n_leaves: 0,
            ends: [0; 3],
            scanner: Scanner::new(),
            colleague: Grown::new(),
            places: Grown::new(),
            noted: Grown::new(),
            device_ends: Grown::new(),
            offsets: Grown::new(),
            items: Grown::new(),
        }
    }

    /// Finds colleagues, counts and fills the lists of `tree`: 7 launches and one a level. The host waits once, for the
    /// lengths of the lists.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn rebuild(
        &mut self,
        machine: &M,
        tree: &Tree<M>,
        options: ListOptions,
    ) -> Result<(), MachineError> {
        let (n_boxes, n_leaves) = (tree.n_boxes(), tree.n_leaves());
        (self.n_boxes, self.n_leaves, self.ends) = (n_boxes, n_leaves, [0; 3]);
        if n_boxes == 0 {
            return Ok(());
        }
        self.find_colleagues(machine, tree)?;

        let n_places = 2 * n_leaves + n_boxes + 1;
        self.places.reserve(machine, n_places)?;
        self.noted.reserve(machine, NOTED * n_leaves)?;
        let output = ListOutput {
            places: self.places.view_mut(n_places),
            offsets: ViewMut::EMPTY,
            items: ViewMut::EMPTY,
        };
        let at_most = |limit: usize| u32::try_from(limit).unwrap_or(u32::MAX);
        let limits = Limits {
            min_sources_for_m2p: at_most(options.min_sources_for_m2p),
            min_receivers_for_p2l: at_most(options.min_receivers_for_p2l),
        };
        let boxes = self.boxes(tree);
        let noted = self.noted.view_mut(NOTED * n_leaves);
        let of_leaves = ListNear { boxes, leaves: tree.leaves(), limits, output, noted };
        let of_boxes = ListP2l {
            boxes,
            limits,
            output,
            first_place: 2 * n_leaves as u32,
            first_row: 2 * n_leaves as u32,
        };
        let warps = |n: usize| n * warp::SIZE as usize;
        let leaf_grid = Grid::over(warps(n_leaves), near::THREADS).shared(near::SHARED);
        let box_grid = Grid::over(warps(n_boxes), THREADS);
        machine.launch(&COUNT_NEAR, leaf_grid, of_leaves)?;
        machine.launch(&COUNT_P2L, box_grid, of_boxes)?;
        self.scanner.exclusive(machine, output.places)?;
        self.find_ends(machine, output.places.read_only())?;

        let (n_rows, n_items) = (2 * n_leaves + n_boxes, self.ends[2] as usize);
        self.offsets.reserve(machine, n_rows + 1)?;
        self.items.reserve(machine, n_items)?;
        let (offsets, items) = (self.offsets.view_mut(n_rows + 1), self.items.view_mut(n_items));
        let output = ListOutput { offsets, items, ..output };
        machine.launch(&FILL_NEAR, leaf_grid, ListNear { output, ..of_leaves })?;
        machine.launch(&FILL_P2L, box_grid, ListP2l { output, ..of_boxes })
    }

    /// Finds where the lists of each kind end, from the places of all rows.
    fn find_ends(&mut self, machine: &M, places: View<u32>) -> Result<(), MachineError> {
        self.device_ends.reserve(machine, 4)?;
        let args = ListEnds {
            places,
            total: self.scanner.total(places.len()),
            ends: self.device_ends.view_mut(4),
            n_leaves: self.n_leaves as u32,
        };
        machine.launch(&LIST_ENDS, Grid::of(1, 32), args)?;
        let mut ends = [0; 4];
        self.device_ends.download(machine, &mut ends)?;
        self.ends = numbered(ends)?;
        Ok(())
    }

    /// Gives back the memory that only [`rebuild`](Self::rebuild) uses.
    pub fn release_scratch(&mut self) {
        self.places.release();
        self.noted.release();
    }

    /// Gives all memory back: there are no lists until they are rebuilt.
    pub fn release(&mut self) {
        *self = Self::new();
    }

    fn find_colleagues(&mut self, machine: &M, tree: &Tree<M>) -> Result<(), MachineError> {
        let n_items = DIRECTIONS * self.n_boxes;
        self.colleague.reserve(machine, n_items)?;
        for level in 0..tree.n_levels() {
            let boxes = tree.level_range(level);
            let args = Colleagues {
                parent: tree.parent(),
                child: tree.child(),
                children: tree.children(),
                key: tree.key(),
                colleague: self.colleague.view_mut(n_items),
                begin: boxes.start as u32,
                end: boxes.end as u32,
            };
            let blocks = boxes.len().div_ceil(colleagues::BOXES) as u32;
            machine.launch(&COLLEAGUES, Grid::of(blocks, colleagues::THREADS), args)?;
        }
        Ok(())
    }

    pub(super) fn boxes(&self, tree: &Tree<M>) -> ListBoxes {
        ListBoxes {
            range: tree.range(),
            parent: tree.parent(),
            child: tree.child(),
            children: tree.children(),
            level: tree.level(),
            key: tree.key(),
            colleague: self.colleague(),
        }
    }

    /// Colleagues, 27 B items: the colleague of box b in direction d, or `NONE`, is at d B + b. A colleague is the box
    /// of the same level, or a leaf of a higher level that covers its place.
    pub fn colleague(&self) -> View<u32> {
        self.colleague.view(DIRECTIONS * self.n_boxes)
    }

    /// List U: row k has the source leaves that touch the k-th leaf of the tree.
    pub fn near(&self) -> ListRows {
        self.rows(0, self.n_leaves)
    }

    /// List W: row k has the smaller source boxes of the k-th leaf of the tree.
    pub fn m2p(&self) -> ListRows {
        self.rows(self.n_leaves, self.n_leaves)
    }

    /// List X: row b has the larger source leaves of box b.
    pub fn p2l(&self) -> ListRows {
        self.rows(2 * self.n_leaves, self.n_boxes)
    }

    /// Numbers of items of `near`, `m2p` and `p2l`.
    pub fn n_items(&self) -> [usize; 3] {
        let [near, m2p, p2l] = self.ends;
        [near, m2p - near, p2l - m2p].map(|n| n as usize)
    }

    fn rows(&self, first: usize, n_rows: usize) -> ListRows {
        if self.n_boxes == 0 {
            return ListRows { offsets: View::EMPTY, items: View::EMPTY };
        }
        let offsets = self.offsets.view(2 * self.n_leaves + self.n_boxes + 1);
        ListRows {
            offsets: offsets.part(first, n_rows + 1),
            items: self.items.view(self.ends[2] as usize),
        }
    }

    /// Copies colleagues and lists to the host.
    ///
    /// # Errors
    /// If a copy or a launch before it fails.
    pub fn to_host(&self, machine: &M) -> Result<HostLists, MachineError> {
        let (n_boxes, n_leaves) = (self.n_boxes, self.n_leaves);
        let n_offsets = if n_boxes == 0 { 0 } else { 2 * n_leaves + n_boxes + 1 };
        let offsets = items_of(machine, &self.offsets, n_offsets)?;
        let items = items_of(machine, &self.items, self.ends[2] as usize)?;
        let rows = |first: usize, n_rows: usize| HostListRows {
            offsets: offsets.get(first..=first + n_rows).unwrap_or_default().to_vec(),
            items: items.clone(),
        };
        Ok(HostLists {
            colleague: items_of(machine, &self.colleague, DIRECTIONS * n_boxes)?,
            near: rows(0, n_leaves),
            m2p: rows(n_leaves, n_leaves),
            p2l: rows(2 * n_leaves, n_boxes),
        })
    }
}

/// Ends of the lists, from those modulo 2³² and the number of items over 2³². More items have no numbers: they count as memory
/// that is not there, with the same cure.
fn numbered([near, m2p, p2l, over]: [u32; 4]) -> Result<[u32; 3], MachineError> {
    match over {
        0 => Ok([near, m2p, p2l]),
        _ => Err(MachineError::Memory { bytes: (over as usize) << 34 }),
    }
}

impl<M: Launcher> Default for Lists<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Copies of the arrays of [`Lists`], as its methods of the same names describe them.
#[derive(Clone, Debug, Default)]
pub struct HostLists {
    /// Colleagues, 27 B items.
    pub colleague: Vec<u32>,
    /// List U, L rows.
    pub near: HostListRows,
    /// List W, L rows.
    pub m2p: HostListRows,
    /// List X, B rows.
    pub p2l: HostListRows,
}

/// Rows of a list on the host, see [`ListRows`].
#[derive(Clone, Debug, Default)]
pub struct HostListRows {
    /// Places in `items`, n_rows + 1.
    pub offsets: Vec<u32>,
    /// Boxes of all rows, and of other lists.
    pub items: Vec<u32>,
}

impl HostListRows {
    /// Row `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.items[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_beyond_their_numbers_are_refused() {
        assert_eq!(numbered([1, 2, u32::MAX, 0]).unwrap(), [1, 2, u32::MAX]);
        let refused = numbered([1, 2, 3, 2]).unwrap_err();
        assert_eq!(refused, MachineError::Memory { bytes: 4 * (2 << 32) });
    }
}
