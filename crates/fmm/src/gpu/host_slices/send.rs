//! Points and charges on their way to a device.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Launcher, MachineError, items_of_staging};
use kernels_gpu::memory::Grown;
use kernels_gpu::transfer::{UNPACK, Unpack};
use kernels_gpu::tree::Tree;
use octree::{Aabb, Cube, PointSet};

use super::filling;
use crate::api::Error;
use crate::engine::{PointSets, Scalar, all_finite, bounds};
use crate::gpu::Number;
use crate::gpu::launches::THREADS;

/// Copies points to a device, sources first, three numbers a point. They have been read when this returns.
pub(crate) fn send_points<M: Launcher, T: Scalar + Number>(
    machine: &M,
    points: &PointSets<'_, T>,
    packed: ViewMut<T>,
) -> Result<(), MachineError> {
    let mut first = 0;
    for positions in [points.sources, points.receivers.unwrap_or_default()] {
        let to = packed.part(first, 3 * positions.len());
        first += to.len();
        send(machine, positions, to)?;
    }
    Ok(())
}

/// Bounds of points that were sent, which the tree [has begun](Tree::begin_packed_bounds) to find; the host waits. Positions that
/// are not finite are refused.
pub(crate) fn bounds_of_sent<M: Launcher, T: Scalar + Number>(
    machine: &M,
    tree: &mut Tree<M>,
    points: &PointSets<'_, T>,
) -> Result<Aabb, Error> {
    tree.begun_bounds(machine)?.map_err(|index| {
        let n_sources = points.sources.len();
        match (index.checked_sub(n_sources), points.receivers) {
            (Some(index), Some(receivers)) => not_finite(PointSet::Receivers, receivers, index),
            _ => not_finite(PointSet::Sources, points.sources, index),
        }
    })
}

/// Refusal of a position.
fn not_finite<T: Scalar>(set: PointSet, positions: &[[T; 3]], index: usize) -> Error {
    octree::Error::NotFinite { set, index, position: positions[index].map(T::widen) }.into()
}

/// Bounds of points, which the cores find. Positions that are not finite are refused.
pub(crate) fn inspect<T: Scalar + Number>(points: &PointSets<'_, T>) -> Result<Aabb, Error> {
    let chunk = items_of_staging::<T>() / 3;
    let receivers = points.receivers.unwrap_or_default();
    let sets = [(PointSet::Sources, points.sources), (PointSet::Receivers, receivers)];
    let mut all = Aabb::EMPTY;
    for (set, positions) in sets {
        let of_chunk = |k: usize, rows: &[[T; 3]]| look(k * chunk, rows);
        let found: Vec<Found> = parallel::map_parts(positions.chunks(chunk), of_chunk);
        all = found.iter().fold(all, |all, (_, bounds)| all.union(*bounds));
        if let Some(index) = found.into_iter().find_map(|(bad, _)| bad) {
            return Err(not_finite(set, positions, index));
        }
    }
    Ok(all)
}

/// The smallest cube around `n` points of these bounds.
pub(crate) fn cube_around(Aabb { min, max }: Aabb, n: usize) -> Result<Cube, Error> {
    Ok(Cube::bounding([min, max].into_iter().take(2 * n.min(1)))?)
}

/// Outcome of a look at a chunk of positions: the first that is not finite, or bounds.
type Found = (Option<usize>, Aabb);

/// Looks at a chunk of positions, of which the first has an index.
fn look<T: Scalar>(start: usize, rows: &[[T; 3]]) -> Found {
    let is_bad = |position: &[T; 3]| !all_finite(position);
    match all_finite(rows.as_flattened()) {
        true => (None, bounds(rows)),
        false => (rows.iter().position(is_bad).map(|at| start + at), Aabb::EMPTY),
    }
}

/// Copies rows of numbers to a device, on a stream of their own. Later launches of the machine find them there; the rows have
/// been read when this returns.
fn send<M: Launcher, T: Scalar + Number, const N: usize>(
    machine: &M,
    rows: &[[T; N]],
    to: ViewMut<T>,
) -> Result<(), MachineError> {
    let side = machine.fork()?;
    let sent = filling::send(&side, rows.as_flattened(), to);
    // Memory that is given back after a failure follows the copies so far.
    machine.join(&side)?;
    sent
}

/// Copies rows of numbers to memory of a device.
pub(crate) fn send_rows<M: Launcher, T: Scalar + Number, const N: usize>(
    machine: &M,
    rows: &[[T; N]],
    memory: &mut Grown<M, T>,
) -> Result<(), MachineError> {
    let n = N * rows.len();
    memory.reserve(machine, n)?;
    send(machine, rows, memory.view_mut(n))
}

/// Memory of a field at the receivers, for points of three numbers on their way into the tree: fields are written later.
pub(crate) fn packed<M: Launcher, T: Scalar + Number>(
    machine: &M,
    field: &mut Grown<M, Vec4<T>>,
    points: &PointSets<'_, T>,
) -> Result<ViewMut<T>, MachineError> {
    let n = points.counts().n_points();
    let len = packed_len(n).max(points.n_receivers());
    field.reserve(machine, len)?;
    Ok(field.view_mut(len).numbers().part(0, 3 * n))
}

/// Vectors of four numbers that have room for `n` of three.
pub(crate) const fn packed_len(n: usize) -> usize {
    n - n / 4
}

/// Vectors (x, y, z, 0) of packed ones.
pub(crate) fn unpack<M: Launcher, T: Number>(
    machine: &M,
    packed: View<T>,
    vectors: ViewMut<Vec4<T>>,
) -> Result<(), MachineError> {
    if vectors.is_empty() {
        return Ok(());
    }
    let grid = Grid::over(vectors.len(), THREADS);
    machine.launch(&UNPACK(), grid, Unpack { packed, vectors })
}
