//! Launches that move rows of expansions.

use super::THREADS;
use crate::device::{Vec4, View, ViewMut};
use crate::machine::{Grid, Machine, MachineError};
use crate::partition::rows::{AddRows, PackRows, Travelling};

/// Takes the rows of some boxes out of those of `n_boxes`: group g of row k goes to g K + k.
///
/// # Errors
/// If the device fails.
pub fn pack_rows<M: Machine, T: Travelling>(
    machine: &M,
    boxes: View<u32>,
    from: View<Vec4<T>>,
    n_boxes: usize,
    rows: ViewMut<Vec4<T>>,
) -> Result<(), MachineError> {
    let args = PackRows { boxes, from, n_boxes: n_boxes as u32, rows };
    machine.launch(&T::PACK_ROWS, Grid::over(rows.len(), THREADS), args)
}

/// Adds rows to those of some of `n_boxes` boxes.
///
/// # Errors
/// If the device fails.
pub fn add_rows<M: Machine, T: Travelling>(
    machine: &M,
    boxes: View<u32>,
    rows: View<Vec4<T>>,
    n_boxes: usize,
    to: ViewMut<Vec4<T>>,
) -> Result<(), MachineError> {
    let args = AddRows { boxes, rows, n_boxes: n_boxes as u32, to };
    machine.launch(&T::ADD_ROWS, Grid::over(rows.len(), THREADS), args)
}
