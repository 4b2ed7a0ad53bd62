//! Points and charges on their way to a device.

use rayon::prelude::*;

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Machine, MachineError, StagingBuffer, items_of_staging};
use kernels_gpu::memory::Grown;
use kernels_gpu::transfer::Unpack;
use octree::{Aabb, Cube};

use super::super::Number;
use super::super::launches::THREADS;
use super::{chunk, staging};
use crate::api::Error;
use crate::engine::{PointSets, Scalar, all_finite, bounds};

/// Copies points to a device, sources first, three numbers a point, and bounds them. Positions that are not finite are refused.
pub(in crate::gpu) fn send_points<M: Machine, T: Scalar + Number>(
    machine: &M,
    points: &PointSets<'_, T>,
    packed: ViewMut<T>,
) -> Result<Aabb, Error> {
    let mut first = 0;
    bounded(points, |positions| {
        let to = packed.part(first, 3 * positions.len());
        first += 3 * positions.len();
        Ok(send(machine, positions, to, look)?)
    })
}

/// Bounds of points. Positions that are not finite are refused.
pub(in crate::gpu) fn inspect<T: Scalar + Number>(
    points: &PointSets<'_, T>,
) -> Result<Aabb, Error> {
    let chunk = items_of_staging::<T>() / 3;
    bounded(points, |positions| {
        let chunks = positions.par_chunks(chunk).enumerate();
        Ok(chunks.map(|(k, rows)| look(k * chunk, rows)).collect())
    })
}

/// The smallest cube around `n` points of these bounds.
pub(in crate::gpu) fn cube_around(Aabb { min, max }: Aabb, n: usize) -> Result<Cube, Error> {
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

/// Bounds of points, of which `find` gives what is found of each set's chunks.
fn bounded<T: Scalar>(
    points: &PointSets<'_, T>,
    mut find: impl FnMut(&[[T; 3]]) -> Result<Vec<Found>, Error>,
) -> Result<Aabb, Error> {
    let sets = [
        (octree::PointSet::Sources, points.sources),
        (octree::PointSet::Receivers, points.receivers.unwrap_or_default()),
    ];
    let mut all = Aabb::EMPTY;
    for (set, positions) in sets {
        let found = find(positions)?;
        all = found.iter().fold(all, |all, (_, bounds)| all.union(*bounds));
        if let Some(index) = found.into_iter().find_map(|(bad, _)| bad) {
            let position = positions[index].map(T::widen);
            return Err(octree::Error::NotFinite { set, index, position }.into());
        }
    }
    Ok(all)
}

/// Copies rows of numbers to a device, and gives each chunk of rows, with the index of its first, to `look`. Later launches of
/// the machine find them there; what `look` found is in the order of the rows. The rows have been read when this returns.
///
/// Cores fill half of the buffers, while one thread starts the copies of the other half.
fn send<M: Machine, T: Scalar + Number, R: Send, const N: usize>(
    machine: &M,
    rows: &[[T; N]],
    to: ViewMut<T>,
    look: impl Fn(usize, &[[T; N]]) -> R + Sync,
) -> Result<Vec<R>, MachineError> {
    let side = machine.fork()?;
    let mut staging = staging::<M, T>(&side, N * rows.len())?;
    let chunk = chunk::<[T; N]>(rows.len(), staging.len());
    let half = staging.len().div_ceil(2);
    let (mut now, mut before) = staging.split_at_mut(half);
    let group = now.len() * chunk;
    let mut found = Vec::new();
    let mut filled = 0..0;
    for (k, rows) in rows.chunks(group).enumerate() {
        let first = k * group;
        let start = || dispatch(before, N * chunk, to.part(N * filled.start, N * filled.len()));
        let fill = || {
            let chunks = now.par_iter_mut().with_max_len(1).zip(rows.par_chunks(chunk)).enumerate();
            let looks = chunks.map(|(k, (buffer, rows))| {
                let numbers = rows.as_flattened();
                buffer.fill(numbers.len(), |room: &mut [T]| room.copy_from_slice(numbers))?;
                Ok(look(first + k * chunk, rows))
            });
            looks.collect::<Result<Vec<R>, MachineError>>()
        };
        let (started, looks) = rayon::join(start, fill);
        started?;
        found.extend(looks?);
        filled = first..first + rows.len();
        (now, before) = (before, now);
    }
    dispatch(before, N * chunk, to.part(N * filled.start, N * filled.len()))?;
    machine.join(&side)?;
    Ok(found)
}

/// Starts the copies of filled buffers, `chunk` numbers each.
fn dispatch<S: StagingBuffer, T: Number>(
    buffers: &mut [S],
    chunk: usize,
    to: ViewMut<T>,
) -> Result<(), MachineError> {
    let starts = (0..to.len()).step_by(chunk.max(1));
    for (buffer, start) in buffers.iter_mut().zip(starts) {
        buffer.send(to.part(start, chunk.min(to.len() - start)))?;
    }
    Ok(())
}

/// Copies rows of numbers to memory of a device.
pub(in crate::gpu) fn send_rows<M: Machine, T: Scalar + Number, const N: usize>(
    machine: &M,
    rows: &[[T; N]],
    memory: &mut Grown<M, T>,
) -> Result<(), MachineError> {
    let n = N * rows.len();
    memory.reserve(machine, n)?;
    send(machine, rows, memory.view_mut(n), |_, _| ()).map(drop)
}

/// Memory of a field at the receivers, for points of three numbers on their way into the tree: fields are written later.
pub(in crate::gpu) fn packed<M: Machine, T: Scalar + Number>(
    machine: &M,
    field: &mut Grown<M, Vec4<T>>,
    points: &PointSets<'_, T>,
) -> Result<ViewMut<T>, MachineError> {
    let n = points.n_points();
    let len = packed_len(n).max(points.n_receivers());
    field.reserve(machine, len)?;
    Ok(field.view_mut(len).numbers().part(0, 3 * n))
}

/// Vectors of four numbers that have room for `n` of three.
pub(in crate::gpu) const fn packed_len(n: usize) -> usize {
    n - n / 4
}

/// Vectors (x, y, z, 0) of packed ones.
pub(in crate::gpu) fn unpack<M: Machine, T: Number>(
    machine: &M,
    packed: View<T>,
    vectors: ViewMut<Vec4<T>>,
) -> Result<(), MachineError> {
    if vectors.is_empty() {
        return Ok(());
    }
    let grid = Grid::over(vectors.len(), THREADS);
    machine.launch(&T::UNPACK, grid, Unpack { packed, vectors })
}
