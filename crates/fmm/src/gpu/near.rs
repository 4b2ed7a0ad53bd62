//! P2P of the FMM and of the direct sum on a device.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::near::Near;

use super::Number;
use super::launches::Sums;
use super::pipeline::Pipeline;

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// P2P over the near lists; between all points in a tree of one box, where no sums are begun.
    pub(super) fn near_field(&mut self, softening: f64, sums: Sums) -> Result<(), MachineError> {
        let field = self.sums.view_mut(self.tree.n_receivers());
        if self.list_tree().n_boxes() <= 1 {
            return self.all_pairs(self.all_sources(), softening, field);
        }
        if self.near_together(softening)? {
            return Ok(());
        }
        let lists = self.near_lists(self.all_sources(), softening, field);
        self.near.sum(&self.machine, Near { add: u32::from(sums == Sums::Begun), ..lists })
    }

    /// P2P over the near lists: sums of sources in the tree's units, which replace the content of `field`.
    pub(super) fn near_lists(
        &self,
        sources: View<Vec4<T>>,
        softening: f64,
        field: ViewMut<Vec4<T>>,
    ) -> Near<T> {
        let (tree, rows) = (self.list_tree(), self.lists.near());
        let softening = self.unit.shrink(softening);
        Near {
            sources,
            receivers: self.sorted_receivers(),
            range: tree.range(),
            leaves: tree.leaves(),
            offsets: rows.offsets,
            items: rows.items,
            later: View::EMPTY,
            sorted_tasks: View::EMPTY,
            softening2: T::from_f64(softening * softening),
            add: 0,
            field,
        }
    }

    /// P2P between sources in the tree's units and all receivers; of several vectors, if they are summed together.
    pub(super) fn all_pairs(
        &mut self,
        sources: View<Vec4<T>>,
        softening: f64,
        field: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        if self.all_together(softening)? {
            return Ok(());
        }
        let softening = T::from_f64(self.unit.shrink(softening));
        let receivers = self.sorted_receivers();
        self.direct.sum(&self.machine, sources, receivers, softening, field)
    }
}
