//! Particles in the memory of a device, and the launches that move them.

use super::sums::{CONSERVED, Conserved, LARGEST, Largest, SHARED, SUMS, THREADS};
use super::{DRIFT, Drift, KICK, KICK_DRIFT, Kick, KickDrift, PLACE_POINTS, Place};
use crate::device::{Plain, Real, Vec4, View};
use crate::machine::{
    DeviceSlice, DeviceSliceMut, Grid, Launcher, MULTIPROCESSORS, Machine, MachineError, Unchecked,
    read_staged,
};
use crate::memory::Grown;
use crate::transfer::{PUT_CHARGES, PutCharges};
use crate::tree::CubeFinder;
use octree::{Aabb, Error, PointSet};
use std::vec;
use std::vec::Vec;

/// Blocks of a reduction, at most.
const MOST_BLOCKS: usize = 2 * MULTIPROCESSORS;

/// Positions, velocities and masses of n particles in the memory of a device, in f64.
///
/// Fields are (gx, gy, gz, Φ) at each particle, in the order of the positions; accelerations are gradients times a factor.
#[derive(Debug)]
pub struct Particles<M: Machine> {
    machine: Unchecked<M>,
    n: usize,
    positions: Grown<Unchecked<M>, f64>,
    velocities: Grown<Unchecked<M>, f64>,
    masses: Grown<Unchecked<M>, f64>,
    finder: CubeFinder<Unchecked<M>>,
    of_blocks: Grown<Unchecked<M>, f64>,
}

/// Positions and velocities at one moment, a copy in the memory of the device.
#[derive(Debug)]
pub struct Moment<M: Machine> {
    /// An order of launches beside that of the particles.
    machine: Unchecked<M>,
    n: usize,
    positions: Grown<Unchecked<M>, f64>,
    velocities: Grown<Unchecked<M>, f64>,
}

/// Brings vectors of n particles to the host.
fn bring<M: Machine>(
    machine: &Unchecked<M>,
    n: usize,
    (from, to): (&Grown<Unchecked<M>, f64>, &mut Vec<[f64; 3]>),
) -> Result<(), MachineError> {
    to.resize(n, [0.0; 3]);
    read_staged(machine, from.view(3 * n), to.as_flattened_mut())
}

impl<M: Machine> Moment<M> {
    /// Copies positions and velocities to the host: n items each. Particles may move meanwhile.
    ///
    /// # Errors
    /// If the device fails.
    pub fn download(
        &self,
        positions: &mut Vec<[f64; 3]>,
        velocities: &mut Vec<[f64; 3]>,
    ) -> Result<(), MachineError> {
        bring(&self.machine, self.n, (&self.positions, positions))?;
        bring(&self.machine, self.n, (&self.velocities, velocities))
    }
}

impl<M: Machine> Particles<M> {
    /// Copies particles to a device.
    ///
    /// # Errors
    /// If arrays have other lengths than the positions, or the device fails or has not enough memory.
    pub fn new(
        machine: M,
        positions: &[[f64; 3]],
        velocities: &[[f64; 3]],
        masses: &[f64],
    ) -> Result<Self, MachineError> {
        let n = positions.len();
        same_len(velocities.len(), n)?;
        same_len(masses.len(), n)?;
        // SAFETY: views are of the particles' own buffers, or of slices of this order of launches that callers lend for a call.
        // An output is borrowed alone, and lengths are checked before each launch.
        let machine = unsafe { Unchecked::new(machine) };
        let mut particles = Self {
            machine,
            n,
            positions: Grown::new(),
            velocities: Grown::new(),
            masses: Grown::new(),
            finder: CubeFinder::new(),
            of_blocks: Grown::new(),
        };
        let machine = &particles.machine;
        particles.positions.upload(machine, positions.as_flattened())?;
        particles.velocities.upload(machine, velocities.as_flattened())?;
        particles.masses.upload(machine, masses)?;
        Ok(particles)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Copies positions and velocities to the host: n items each.
    ///
    /// # Errors
    /// If the device fails.
    pub fn download(
        &self,
        positions: &mut Vec<[f64; 3]>,
        velocities: &mut Vec<[f64; 3]>,
    ) -> Result<(), MachineError> {
        bring(&self.machine, self.n, (&self.positions, positions))?;
        bring(&self.machine, self.n, (&self.velocities, velocities))
    }

    /// Copies positions and velocities within the memory of the device.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn moment(&self) -> Result<Moment<M>, MachineError> {
        let (machine, len) = (&self.machine, 3 * self.n);
        let mut copies = [Grown::new(), Grown::new()];
        for (from, to) in [&self.positions, &self.velocities].into_iter().zip(&mut copies) {
            to.reserve(machine, len)?;
            machine.copy(from.view(len), machine.home(), to.view_mut(len))?;
        }
        let [positions, velocities] = copies;
        Ok(Moment { machine: machine.fork()?, n: self.n, positions, velocities })
    }

    /// Adds accelerations times a time to the velocities. One launch.
    ///
    /// # Errors
    /// If the field has another length, or the device fails.
    pub fn kick<T: Real>(
        &mut self,
        field: DeviceSlice<'_, Vec4<T>>,
        factor: f64,
        time: f64,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let field = self.of_all(field)?;
        let velocities = self.velocities.view_mut(3 * self.n);
        let kick = Kick { field, factor, time, velocities };
        self.machine.launch(&KICK(), Grid::over(3 * self.n, THREADS), kick)
    }

    /// Adds velocities times a time to the positions. One launch.
    ///
    /// # Errors
    /// If the device fails.
    pub fn drift(&mut self, time: f64) -> Result<(), MachineError> {
        let velocities = self.velocities.view(3 * self.n);
        let drift = Drift { velocities, time, positions: self.positions.view_mut(3 * self.n) };
        self.machine.launch(&DRIFT, Grid::over(3 * self.n, THREADS), drift)
    }

    /// A kick of the first time, then a drift of the second. One launch.
    ///
    /// # Errors
    /// If the field has another length, or the device fails.
    pub fn kick_drift<T: Real>(
        &mut self,
        field: DeviceSlice<'_, Vec4<T>>,
        factor: f64,
        [time, drift]: [f64; 2],
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let field = self.of_all(field)?;
        let velocities = self.velocities.view_mut(3 * self.n);
        let both = KickDrift {
            kick: Kick { field, factor, time, velocities },
            time: drift,
            positions: self.positions.view_mut(3 * self.n),
        };
        self.machine.launch(&KICK_DRIFT(), Grid::over(3 * self.n, THREADS), both)
    }

    /// Bounds of the positions, or which one is not finite. Two launches; the host waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn bounds(&mut self) -> Result<Result<Aabb, Error>, MachineError> {
        let (machine, positions) = (&self.machine, self.positions.view(3 * self.n));
        self.finder.begin_packed_bounds(machine, positions)?;
        match self.finder.begun_bounds(machine)? {
            Ok(bounds) => Ok(Ok(bounds)),
            Err(index) => {
                let mut position = [0.0; 3];
                machine.read(positions.part(3 * index, 3), &mut position)?;
                Ok(Err(Error::NotFinite { set: PointSet::Sources, index, position }))
            }
        }
    }

    /// Writes the positions as points (x, y, z, 0), relative to a middle and in a unit. One launch.
    ///
    /// # Errors
    /// If a slice has another length, or the device fails.
    pub fn place<T: Real>(
        &self,
        middle: [f64; 3],
        unit: f64,
        mut points: DeviceSliceMut<'_, Vec4<T>>,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        same_len(points.len(), self.n)?;
        let points = points.view_for(&self.machine)?;
        let positions = self.positions.view(3 * self.n);
        let place = Place { positions, middle, inverse: unit.recip(), points };
        self.machine.launch(&PLACE_POINTS(), Grid::over(self.n, THREADS), place)
    }

    /// Writes charges, one a particle, as the last numbers of points. One launch.
    ///
    /// # Errors
    /// If a slice has another length, or the device fails or has not enough memory.
    pub fn put_charges(
        &self,
        charges: DeviceSlice<'_, f64>,
        mut points: DeviceSliceMut<'_, Vec4<f64>>,
    ) -> Result<(), MachineError> {
        let (machine, n) = (&self.machine, self.n);
        let charges = self.of_all(charges)?;
        same_len(points.len(), n)?;
        let points = points.view_for(machine)?;
        let mut order = Grown::new();
        order.upload(machine, &(0..n as u32).collect::<Vec<_>>())?;
        let args = PutCharges { charges, permutation: order.view(n), factor: 1.0, points };
        machine.launch(&PUT_CHARGES::<f64>(), Grid::over(n, THREADS), args)
    }

    /// Conserved quantities: [`SUMS`] sums, where φ is Φ times the factor. One launch; the host waits.
    ///
    /// # Errors
    /// If a slice has another length, or the device fails.
    pub fn conserved<T: Real>(
        &mut self,
        field: DeviceSlice<'_, Vec4<T>>,
        factor: f64,
    ) -> Result<[f64; SUMS], MachineError>
    where
        Vec4<T>: Plain,
    {
        let (field, blocks) = (self.of_all(field)?, self.blocks());
        self.of_blocks.reserve(&self.machine, SUMS * MOST_BLOCKS)?;
        let args = Conserved {
            positions: self.positions.view(3 * self.n),
            velocities: self.velocities.view(3 * self.n),
            masses: self.masses.view(self.n),
            field,
            factor,
            sums: self.of_blocks.view_mut(SUMS * blocks),
        };
        let grid = Grid::of(blocks as u32, THREADS).shared(SHARED);
        self.machine.launch(&CONSERVED(), grid, args)?;
        let mut sums = vec![0.0; SUMS * blocks];
        self.of_blocks.download(&self.machine, &mut sums)?;
        let add =
            |all: [f64; SUMS], block: &[f64; SUMS]| std::array::from_fn(|k| all[k] + block[k]);
        Ok(sums.as_chunks().0.iter().fold([0.0; SUMS], add))
    }

    /// The largest magnitude of an acceleration. One launch; the host waits.
    ///
    /// # Errors
    /// If a slice has another length, or the device fails.
    pub fn largest<T: Real>(
        &mut self,
        field: DeviceSlice<'_, Vec4<T>>,
        factor: f64,
    ) -> Result<f64, MachineError>
    where
        Vec4<T>: Plain,
    {
        let (field, blocks) = (self.of_all(field)?, self.blocks());
        self.of_blocks.reserve(&self.machine, SUMS * MOST_BLOCKS)?;
        let args = Largest { field, factor, squares: self.of_blocks.view_mut(blocks) };
        let grid = Grid::of(blocks as u32, THREADS).shared(SHARED);
        self.machine.launch(&LARGEST(), grid, args)?;
        let mut squares = vec![0.0; blocks];
        self.of_blocks.download(&self.machine, &mut squares)?;
        Ok(squares.into_iter().fold(0.0, f64::max).sqrt())
    }

    /// View of a slice with an item for each particle.
    fn of_all<T: Plain>(&self, items: DeviceSlice<'_, T>) -> Result<View<T>, MachineError> {
        same_len(items.len(), self.n)?;
        items.view_for(&self.machine)
    }

    fn blocks(&self) -> usize {
        self.n.div_ceil(THREADS as usize).clamp(1, MOST_BLOCKS)
    }
}

fn same_len(found: usize, expected: usize) -> Result<(), MachineError> {
    if found == expected { Ok(()) } else { Err(MachineError::Length { found, expected }) }
}
