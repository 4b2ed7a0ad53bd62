//! Launches dense M2L, and makes its matrices.

use super::{DenseReal, MAX_DENSE_ORDER};
use crate::device::{Real, Vec4, View, ViewMut, warp};
use crate::machine::{Buffer, Grid, Launcher, MachineError};
use crate::operators::far_tables::far_entries;
use crate::operators::small::m2l::{M2l, WARPS, shared_bytes};
use crate::operators::{Order, Tree};
use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{FarOffset, M2l as HostM2l, M2lForm};
use octree::{FAR_OFFSETS, far_offset};
use std::vec::Vec;

/// Dense M2L of one order, with its matrices on the device.
#[derive(Debug)]
pub struct DenseM2l<M: Launcher, T: Real> {
    order: usize,
    matrices: M::Buffer<Vec4<T>>,
    far: M::Buffer<u32>,
}

impl<M: Launcher, T: DenseReal> DenseM2l<M, T> {
    /// Matrices for expansions of `order` degrees, 1 … [`MAX_DENSE_ORDER`]; other orders are brought into this range.
    ///
    /// # Errors
    /// If the device has no memory for them: p⁴ numbers an offset.
    pub fn new(machine: &M, order: usize) -> Result<Self, MachineError> {
        let order = order.clamp(1, MAX_DENSE_ORDER);
        Ok(Self {
            order,
            matrices: machine.buffer_of(&matrices(order))?,
            far: machine.buffer_of(&far_entries())?,
        })
    }

    /// Local expansions of all boxes due to their far boxes, as [`Operators::m2l`](crate::operators::Operators::m2l) has them.
    ///
    /// # Errors
    /// If the device refuses the launch.
    pub fn m2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        multipole: View<Vec4<T>>,
        local: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        let blocks = tree.blocks_by_slot();
        if blocks == 0 {
            return Ok(());
        }
        let args = M2l {
            order: Order { degrees: self.order as u32, constants: View::EMPTY },
            boxes: tree.boxes,
            far: self.far.view(),
            factors: View::EMPTY,
            ways: self.matrices.view(),
            multipole,
            local,
        };
        let grid =
            Grid::of(blocks, WARPS as u32 * warp::SIZE).shared(shared_bytes::<T>(self.order));
        machine.launch(&T::DENSE[self.order - 1], grid, args)
    }
}

/// The matrices of all far offsets, in the order of [`far_offset`], as [`M2l::ways`] has them.
fn matrices<T: Real>(order: usize) -> Vec<Vec4<T>> {
    let (columns, length) = (n_coefficients(order), row_length(order));
    let m2l = HostM2l::<f64>::new(order, M2lForm::Dense);
    let mut unit = std::vec![0.0; columns * length];
    for c in 0..columns {
        unit[c * length + c] = 1.0;
    }
    let pairs: Vec<_> = (0..columns as u32).map(|c| [c, c]).collect();
    let mut items = Vec::new();
    for offset in (0..FAR_OFFSETS).map(far_offset) {
        let mut images = std::vec![0.0; columns * length];
        if let Some(offset) = FarOffset::new(offset) {
            m2l.apply([(offset, &pairs[..])].into_iter(), &unit, &mut images);
        }
        for image in images.chunks_exact(length) {
            items.extend(image[..columns].chunks(4).map(|rows| {
                let mut group = [T::ZERO; 4];
                for (to, from) in group.iter_mut().zip(rows) {
                    *to = T::from_f64(*from);
                }
                Vec4(group)
            }));
        }
    }
    items
}
