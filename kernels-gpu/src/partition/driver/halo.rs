//! Launches that find and pack the boxes that another device needs.

use super::THREADS;
use super::numbers::SlotBoxes;
use crate::device::{Vec4, View};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::partition::halo::{
    BoxWords, Interval, MARK_HALO, MarkHalo, PACK_HALO, PackHalo, SLOT_ENDS, SlotEnds,
};
use crate::scan::Scanner;
use crate::tree::Tree;
use crate::tree::morton::SLOTS;
use std::ops::Range;
use std::vec;

/// Boxes and sources of the own tree that another device needs, in the memory of this one.
#[derive(Debug)]
pub struct Halo<M: Launcher> {
    n_boxes: usize,
    n_sources: usize,
    needed: Grown<M, u32>,
    sources: Grown<M, u32>,
    records: Grown<M, BoxWords>,
    chosen: Grown<M, u32>,
    places: Grown<M, u32>,
}

impl<M: Launcher> Halo<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self {
            n_boxes: 0,
            n_sources: 0,
            needed: Grown::new(),
            sources: Grown::new(),
            records: Grown::new(),
            chosen: Grown::new(),
            places: Grown::new(),
        }
    }

    /// Finds the boxes of `tree` that the owner of `interval` needs, and the sources that it needs point by point; boxes with
    /// fewer sources than `few` are summed leaf by leaf. Returns the boxes by slot. Six launches; the host waits twice.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn find(
        &mut self,
        machine: &M,
        tree: &Tree<M>,
        interval: Range<u64>,
        few: usize,
    ) -> Result<SlotBoxes, MachineError> {
        (self.n_boxes, self.n_sources) = (0, 0);
        let (n, boxes) = (tree.n_boxes(), tree.boxes());
        if n == 0 || interval.is_empty() {
            return Ok(SlotBoxes::default());
        }
        self.needed.reserve(machine, n + 1)?;
        self.sources.reserve(machine, n + 1)?;
        let (needed, sources) = (self.needed.view_mut(n + 1), self.sources.view_mut(n + 1));
        let interval = Interval { begin: interval.start, end: interval.end };
        let few = u32::try_from(few).unwrap_or(u32::MAX);
        let args = MarkHalo { boxes, interval, few, needed, sources };
        machine.launch(&MARK_HALO, Grid::over(n, THREADS), args)?;
        let mut scanner = Scanner::new();
        let mut totals = [[0]; 2];
        for (counts, total) in [needed, sources].into_iter().zip(&mut totals) {
            scanner.exclusive(machine, counts)?;
            machine.read(counts.part(n, 1).read_only(), total)?;
        }
        let [[n_boxes], [n_sources]] = totals;
        (self.n_boxes, self.n_sources) = (n_boxes as usize, n_sources as usize);
        self.records.reserve(machine, self.n_boxes)?;
        self.chosen.reserve(machine, self.n_boxes)?;
        self.places.reserve(machine, self.n_sources)?;
        let args = PackHalo {
            boxes,
            needed_before: needed.read_only(),
            sources_before: sources.read_only(),
            records: self.records.view_mut(self.n_boxes),
            chosen: self.chosen.view_mut(self.n_boxes),
            places: self.places.view_mut(self.n_sources),
        };
        machine.launch(&PACK_HALO, Grid::over(n, THREADS), args)?;
        slots(machine, tree, needed.read_only(), self.boxes())
    }

    /// Boxes of `tree` by slot, all of them. One launch, for which the host waits.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn of_all(machine: &M, tree: &Tree<M>) -> Result<SlotBoxes, MachineError> {
        slots(machine, tree, View::EMPTY, View::EMPTY)
    }

    /// Records of the boxes, to be sent.
    pub fn records(&self) -> View<BoxWords> {
        self.records.view(self.n_boxes)
    }

    /// Number of each box in the own tree.
    pub fn boxes(&self) -> View<u32> {
        self.chosen.view(self.n_boxes)
    }

    /// Place of each sent source in the order of the own tree.
    pub fn places(&self) -> View<u32> {
        self.places.view(self.n_sources)
    }
}

impl<M: Launcher> Default for Halo<M> {
    fn default() -> Self {
        Self::new()
    }
}

fn slots<M: Launcher>(
    machine: &M,
    tree: &Tree<M>,
    chosen_before: View<u32>,
    chosen: View<u32>,
) -> Result<SlotBoxes, MachineError> {
    if tree.n_boxes() == 0 {
        return Ok(SlotBoxes::default());
    }
    let mut memory = Grown::<M, Vec4<u64>>::new();
    memory.reserve(machine, SLOTS)?;
    let ends = memory.view_mut(SLOTS);
    let (level_start, key) = (tree.level_start(), tree.key());
    let args = SlotEnds { level_start, chosen_before, chosen, key, ends };
    machine.launch(&SLOT_ENDS, Grid::over(SLOTS, THREADS), args)?;
    let mut ends = vec![Vec4::default(); SLOTS];
    memory.download(machine, &mut ends)?;
    Ok(SlotBoxes::new(ends.into_iter().map(|Vec4(ends)| ends).collect()))
}
