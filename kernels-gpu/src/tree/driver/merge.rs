//! The merged tree: own boxes and those that other devices sent, with the receivers of this device alone.

use super::{THREADS, Tree};
use crate::device::View;
use crate::machine::{Grid, Launcher, MachineError};
use crate::partition::BoxNumbers;
use crate::partition::halo::{BoxWords, TreeBoxes};
use crate::partition::merge::{
    MARK_CHILDREN, MarkChildren, MergedBoxes, NUMBER_LEAVES, NumberLeaves, PLACE_OWN,
    PLACE_RECORDS, PlaceOwn, PlaceRecords,
};
use crate::tree::TreeError;
use crate::tree::boxes::STARTS;
use crate::tree::morton::SLOTS;

impl<M: Launcher> Tree<M> {
    /// Tree without points, to be merged.
    ///
    /// # Errors
    /// None.
    pub fn empty() -> Result<Self, TreeError> {
        Ok(Self::of_no_points(octree::Cube::bounding([])?))
    }

    /// Arrays of the boxes.
    pub fn boxes(&self) -> TreeBoxes {
        TreeBoxes {
            range: self.range(),
            parent: self.parent(),
            children: self.children(),
            level: self.level(),
            key: self.key(),
        }
    }

    /// Makes this the tree of the boxes of `own` and of `records`, which other devices sent, the own ones at place `rank`.
    /// Leaves are the own ones, and receivers. The sources of other devices follow the own ones, device by device; of those
    /// that are not sent, only the number is known.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn merge(
        &mut self,
        machine: &M,
        own: &Self,
        numbers: &mut BoxNumbers<M>,
        records: &[View<BoxWords>],
        n_ghosts: &[usize],
    ) -> Result<(), MachineError> {
        (self.cube, self.deepest, self.one_set) = (own.cube, own.deepest, own.one_set);
        self.n_sources = own.n_sources + n_ghosts.iter().sum::<usize>();
        self.n_receivers = own.n_receivers;
        let n_own_leaves = own.n_leaves();
        self.starts = [0; STARTS];
        self.starts[..=SLOTS].copy_from_slice(numbers.starts());
        let n_boxes = self.starts[SLOTS] as usize;
        self.starts[SLOTS + 1] = (n_boxes + n_own_leaves) as u32;
        self.level_start.upload(machine, &self.starts)?;
        self.reserve_boxes(machine, n_boxes, n_own_leaves)?;
        self.range.fill(machine, 0)?;
        if n_boxes == 0 {
            return Ok(());
        }

        let boxes = own.boxes();
        let (shift, of_own) = numbers.own_mut();
        let args = PlaceOwn { boxes, merged: self.merged_boxes(shift), numbers: of_own };
        machine.launch(&PLACE_OWN, Grid::over(own.n_boxes(), THREADS), args)?;
        let mut first_source = own.n_sources;
        for (other, (records, n_ghosts)) in records.iter().zip(n_ghosts).enumerate() {
            let (shift, of_records) = numbers.of_other_mut(other);
            let args = PlaceRecords {
                records: *records,
                merged: self.merged_boxes(shift),
                first_source: first_source as u32,
                numbers: of_records,
            };
            machine.launch(&PLACE_RECORDS, Grid::over(records.len(), THREADS), args)?;
            first_source += n_ghosts;
        }
        let child = self.child.view(8 * n_boxes);
        let args = MarkChildren { child, children: self.children.view_mut(n_boxes) };
        machine.launch(&MARK_CHILDREN, Grid::over(n_boxes, THREADS), args)?;
        let leaves = self.leaves.view_mut(n_own_leaves);
        let args = NumberLeaves { own: own.leaves(), numbers: numbers.own(), leaves };
        machine.launch(&NUMBER_LEAVES, Grid::over(n_own_leaves, THREADS), args)
    }

    fn merged_boxes(&mut self, shift: View<u32>) -> MergedBoxes {
        let n_boxes = self.n_boxes();
        MergedBoxes {
            level: self.level.view_mut(n_boxes),
            key: self.key.view_mut(n_boxes),
            range: self.range.view_mut(n_boxes),
            parent: self.parent.view_mut(n_boxes),
            child: self.child.view_mut(8 * n_boxes),
            shift,
        }
    }
}
