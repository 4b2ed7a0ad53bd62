//! Launches that move rows of expansions.

use super::THREADS;
use crate::device::{Kernel, Real, Vec4, View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::partition::rows::{ADD_ROWS, PACK_ROWS, PUT_ROWS, PackRows, RowsTo};

/// Takes the rows of some boxes out of those of `n_boxes`: group g of row k goes to g K + k.
///
/// # Errors
/// If the device fails.
pub fn pack_rows<M: Launcher, T: Real>(
    machine: &M,
    boxes: View<u32>,
    from: View<Vec4<T>>,
    n_boxes: usize,
    rows: ViewMut<Vec4<T>>,
) -> Result<(), MachineError> {
    let Some(grid) = grid(boxes.len(), rows.len()) else { return Ok(()) };
    let args = PackRows { boxes, from, n_boxes: n_boxes as u32, rows };
    machine.launch(&PACK_ROWS(), grid, args)
}

/// Puts rows instead of those of some boxes; zeros, if there are no rows.
///
/// # Errors
/// If the device fails.
pub fn put_rows<M: Launcher, T: Real>(machine: &M, rows: RowsTo<T>) -> Result<(), MachineError> {
    launch(machine, &PUT_ROWS(), rows)
}

/// Adds rows to those of some boxes.
///
/// # Errors
/// If the device fails.
pub fn add_rows<M: Launcher, T: Real>(machine: &M, rows: RowsTo<T>) -> Result<(), MachineError> {
    launch(machine, &ADD_ROWS(), rows)
}

fn launch<M: Launcher, T: Real>(
    machine: &M,
    kernel: &Kernel<RowsTo<T>>,
    args: RowsTo<T>,
) -> Result<(), MachineError> {
    // As many groups a row as a box of the output.
    let items = args.to.len() / args.n_boxes.max(1) as usize * args.boxes.len();
    grid(args.boxes.len(), items).map_or(Ok(()), |grid| machine.launch(kernel, grid, args))
}

/// Grid of one thread a box, and one row of blocks a group of these items; `None` for no items.
fn grid(n_boxes: usize, items: usize) -> Option<Grid> {
    let groups = items.checked_div(n_boxes).filter(|groups| *groups > 0)?;
    let Grid { blocks: [blocks, _], .. } = Grid::over(n_boxes, THREADS);
    Some(Grid { blocks: [blocks, groups as u32], ..Grid::over(n_boxes, THREADS) })
}
