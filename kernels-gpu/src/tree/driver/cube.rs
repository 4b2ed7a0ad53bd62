//! Cube around points in device memory.

use super::Tree;
use crate::device::{Real, Vec4, View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::transfer::{PICK, Pick};
use crate::tree::TreeError;
use crate::tree::bounds::{
    BOUNDS, BOUNDS_OF_BLOCKS, Bounds, BoundsOfBlocks, MAX_BLOCKS, PACKED_BOUNDS, PackedBounds,
    RESULT, SHARED, THREADS,
};
use octree::{Aabb, Cube, Error, PointSet};

/// Number of points that are worth another block.
const POINTS_PER_BLOCK: usize = 1024;

/// Driver that finds cubes, and its memory.
#[derive(Debug)]
pub(crate) struct CubeFinder<M: Launcher> {
    of_blocks: Grown<M, f64>,
    of_all: Grown<M, f64>,
    /// Number of points whose bounds are on their way.
    begun: usize,
}

impl<M: Launcher> CubeFinder<M> {
    pub(crate) const fn new() -> Self {
        Self { of_blocks: Grown::new(), of_all: Grown::new(), begun: 0 }
    }

    /// Cube that `octree` puts around `points`; errors call the first `n_sources` points sources. The host waits.
    pub(crate) fn find<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        n_sources: usize,
    ) -> Result<Cube, TreeError> {
        let Aabb { min, max } = self.bounds(machine, points, n_sources)?;
        let corners = if points.is_empty() { None } else { Some([min, max]) };
        Ok(Cube::bounding(corners.into_iter().flatten())?)
    }

    /// Bounds of `points`; errors call the first `n_sources` points sources. The host waits.
    pub(crate) fn bounds<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        n_sources: usize,
    ) -> Result<Aabb, TreeError> {
        let of_blocks = |grid, results| machine.launch(&BOUNDS(), grid, Bounds { points, results });
        self.reduce(machine, points.len(), of_blocks)?;
        match self.begun_bounds(machine)? {
            Ok(bounds) => Ok(bounds),
            Err(bad) => Err(not_finite(machine, points, n_sources, bad)?.into()),
        }
    }

    /// Begins to find the bounds of points of three numbers, one after the other: two launches.
    pub(crate) fn begin_packed_bounds<T: Real>(
        &mut self,
        machine: &M,
        packed: View<T>,
    ) -> Result<(), MachineError> {
        let of_blocks = |grid, results| {
            machine.launch(&PACKED_BOUNDS(), grid, PackedBounds { packed, results })
        };
        self.reduce(machine, packed.len() / 3, of_blocks)
    }

    /// The bounds that were begun last; or the first point that is not finite. The host waits.
    pub(crate) fn begun_bounds(
        &mut self,
        machine: &M,
    ) -> Result<Result<Aabb, usize>, MachineError> {
        if self.begun == 0 {
            return Ok(Ok(Aabb::EMPTY));
        }
        let mut result = [0.0; RESULT];
        self.of_all.download(machine, &mut result)?;
        let [x, y, z, u, v, w, bad] = result;
        let bounds = Aabb { min: [x, y, z], max: [u, v, w] };
        Ok(if bad.is_finite() { Err(bad as usize) } else { Ok(bounds) })
    }

    /// Begins to find the bounds of `n` points from those that a launch finds for each block.
    fn reduce(
        &mut self,
        machine: &M,
        n: usize,
        of_blocks: impl FnOnce(Grid, ViewMut<f64>) -> Result<(), MachineError>,
    ) -> Result<(), MachineError> {
        self.begun = n;
        if n == 0 {
            return Ok(());
        }
        let blocks = n.div_ceil(POINTS_PER_BLOCK).min(MAX_BLOCKS as usize);
        self.of_blocks.reserve(machine, RESULT * blocks)?;
        self.of_all.reserve(machine, RESULT)?;
        let results = self.of_blocks.view_mut(RESULT * blocks);
        of_blocks(Grid::of(blocks as u32, THREADS).shared(SHARED), results)?;
        let result = self.of_all.view_mut(RESULT);
        let args = BoundsOfBlocks { results: results.read_only(), result };
        machine.launch(&BOUNDS_OF_BLOCKS, Grid::of(1, THREADS).shared(SHARED), args)
    }
}

impl<M: Launcher> Tree<M> {
    /// Finds the bounds of `points`, of which the first `n_sources` are sources. The host waits.
    ///
    /// # Errors
    /// If a coordinate is not finite, or the device fails or has not enough memory.
    pub fn bounds<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        n_sources: usize,
    ) -> Result<Aabb, TreeError> {
        self.cube_finder.bounds(machine, points, n_sources)
    }

    /// Begins to find the bounds of points (x, y, z), three numbers each. The device may not be done when this returns.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn begin_packed_bounds<T: Real>(
        &mut self,
        machine: &M,
        packed: View<T>,
    ) -> Result<(), MachineError> {
        self.cube_finder.begin_packed_bounds(machine, packed)
    }

    /// The bounds that were [begun](Self::begin_packed_bounds) last, or the first point that is not finite. The host waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn begun_bounds(&mut self, machine: &M) -> Result<Result<Aabb, usize>, MachineError> {
        self.cube_finder.begun_bounds(machine)
    }
}

/// Error that names point `index`.
fn not_finite<M: Launcher, T: Real>(
    machine: &M,
    points: View<Vec4<T>>,
    n_sources: usize,
    index: usize,
) -> Result<Error, MachineError> {
    let mut point = Grown::<M, Vec4<f64>>::new();
    point.reserve(machine, 1)?;
    let (points, picked) = (points.part(index, 1), point.view_mut(1));
    let pick = Pick { points, which: View::EMPTY, factor: 1.0, picked };
    machine.launch(&PICK(), Grid::of(1, 32), pick)?;
    let mut at = [Vec4::default()];
    point.download(machine, &mut at)?;
    let [Vec4([x, y, z, _])] = at;
    let position = [x, y, z];
    Ok(match index.checked_sub(n_sources) {
        Some(index) => Error::NotFinite { set: PointSet::Receivers, index, position },
        None => Error::NotFinite { set: PointSet::Sources, index, position },
    })
}
