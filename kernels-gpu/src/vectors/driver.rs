//! Launches of the algebra of vectors.

use super::{
    COMBINE, Combine, MULTIPLY, Multiply, PRODUCTS, Products, THREADS, TRACE, Trace, WARPS,
};
use crate::device::{Plain, Real, Vec4, block};
use crate::machine::{
    DeviceSlice, DeviceSliceMut, Grid, Launcher, MULTIPROCESSORS, Machine, MachineError, Unchecked,
};
use crate::memory::Grown;
use std::vec;
use std::vec::Vec;

/// Shares of a product, at most.
const MOST_SHARES: usize = 2 * MULTIPROCESSORS;

/// Slices of [`VectorSpace::trace`]: what a boundary condition takes of a field.
#[derive(Debug)]
pub struct FieldTrace<'a, T: Real>
where
    Vec4<T>: Plain,
{
    /// Field (gx, gy, gz, Φ) at the receivers, n.
    pub field: DeviceSlice<'a, Vec4<T>>,
    /// Weights of the four, n: (n, 0) give the derivative along a normal n, (0, 0, 0, 1) the potential.
    pub weights: DeviceSlice<'a, Vec4<T>>,
    /// Diagonal d of a matrix, n.
    pub diagonal: DeviceSlice<'a, T>,
    /// Vector v, n.
    pub vector: DeviceSlice<'a, T>,
    /// Output, n: weights · field + d v.
    pub trace: DeviceSliceMut<'a, T>,
}

/// Vectors of n numbers in the memory of a machine, which launches their algebra. Slices of other lengths are refused.
///
/// ```
/// use kernels_gpu::machine::Emulator;
/// use kernels_gpu::memory::Grown;
/// use kernels_gpu::vectors::VectorSpace;
///
/// let machine = Emulator; // or `Cuda::new(0)?`
/// let mut space = VectorSpace::new(machine, 3);
/// // Two vectors of a basis, and one that is made orthogonal to both.
/// let (mut basis, mut vector) = (Grown::new(), Grown::new());
/// basis.upload(&machine, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0])?;
/// vector.upload(&machine, &[2.0, 3.0, 5.0])?;
/// let products = space.products(basis.slice(6)?, vector.slice(3)?)?;
/// assert_eq!(products, [2.0, 3.0]);
/// let opposite: Vec<f64> = products.iter().map(|h| -h).collect();
/// space.combine(basis.slice(6)?, &opposite, 1.0, vector.slice_mut(3)?)?;
/// let mut host = [0.0; 3];
/// vector.download(&machine, &mut host)?;
/// assert_eq!(host, [0.0, 0.0, 5.0]);
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
///
/// An output is none of the inputs:
///
/// ```compile_fail,E0502
/// # use kernels_gpu::machine::Emulator;
/// # use kernels_gpu::memory::Grown;
/// # use kernels_gpu::vectors::VectorSpace;
/// # let mut space = VectorSpace::new(Emulator, 3);
/// # let mut vector = Grown::<Emulator, f64>::new();
/// space.combine(vector.slice(3)?, &[1.0], 1.0, vector.slice_mut(3)?)?;
/// # Ok::<(), kernels_gpu::machine::MachineError>(())
/// ```
#[derive(Debug)]
pub struct VectorSpace<M: Machine> {
    machine: Unchecked<M>,
    n: usize,
    factors: Grown<Unchecked<M>, f64>,
    shares: Grown<Unchecked<M>, f64>,
}

impl<M: Machine> VectorSpace<M> {
    /// Vectors of `n` numbers.
    pub fn new(machine: M, n: usize) -> Self {
        // SAFETY: views are of the space's own buffers, or of slices of this order of launches that callers lend for a call. An
        // output is borrowed alone, and lengths are checked before each launch.
        let machine = unsafe { Unchecked::new(machine) };
        Self { machine, n, factors: Grown::new(), shares: Grown::new() }
    }

    /// Number of numbers of a vector.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether vectors have no numbers.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Products of vectors, which follow each other in memory, with one of n numbers. One launch; the host waits.
    ///
    /// # Errors
    /// If a length is wrong, or the device fails.
    pub fn products<T: Real>(
        &mut self,
        vectors: DeviceSlice<'_, T>,
        with: DeviceSlice<'_, T>,
    ) -> Result<Vec<f64>, MachineError> {
        let count = self.count(vectors.len())?;
        self.check(with.len(), 1)?;
        let (vectors, with) = (vectors.view_for(&self.machine)?, with.view_for(&self.machine)?);
        if count == 0 || self.n == 0 {
            return Ok(vec![0.0; count]);
        }
        let each = self.n.div_ceil(THREADS as usize).min(MOST_SHARES);
        let (machine, all) = (&self.machine, count * each);
        self.shares.reserve(machine, all)?;
        let args = Products { vectors, with, shares: self.shares.view_mut(all) };
        let grid = Grid { blocks: [each as u32, count as u32], ..Grid::of(1, THREADS) };
        machine.launch(&PRODUCTS(), grid.shared(block::shared_bytes(1, WARPS)), args)?;
        let mut shares = vec![0.0; all];
        self.shares.download(machine, &mut shares)?;
        Ok(shares.chunks_exact(each).map(|shares| shares.iter().sum()).collect())
    }

    /// Makes `vector` the sum of `scale` times itself and of vectors, which follow each other in memory, times factors. With
    /// the scale 0, the vector may have any content. One launch.
    ///
    /// # Errors
    /// If a length is wrong, or the device fails.
    pub fn combine<T: Real>(
        &mut self,
        vectors: DeviceSlice<'_, T>,
        factors: &[f64],
        scale: f64,
        mut vector: DeviceSliceMut<'_, T>,
    ) -> Result<(), MachineError> {
        self.check(vectors.len(), factors.len())?;
        self.check(vector.len(), 1)?;
        let (vectors, vector) = (vectors.view_for(&self.machine)?, vector.view_for(&self.machine)?);
        self.factors.upload(&self.machine, factors)?;
        let factors = self.factors.view(factors.len());
        let args = Combine { vectors, factors, scale, vector };
        self.machine.launch(&COMBINE(), Grid::over(self.n, THREADS), args)
    }

    /// Writes the products of the numbers of two vectors. One launch.
    ///
    /// # Errors
    /// If a length is wrong, or the device fails.
    pub fn multiply<T: Real>(
        &self,
        factors: DeviceSlice<'_, T>,
        vector: DeviceSlice<'_, T>,
        mut product: DeviceSliceMut<'_, T>,
    ) -> Result<(), MachineError> {
        for len in [factors.len(), vector.len(), product.len()] {
            self.check(len, 1)?;
        }
        let args = Multiply {
            factors: factors.view_for(&self.machine)?,
            vector: vector.view_for(&self.machine)?,
            product: product.view_for(&self.machine)?,
        };
        self.machine.launch(&MULTIPLY(), Grid::over(self.n, THREADS), args)
    }

    /// Writes the trace of a field, plus the product of a diagonal matrix and a vector. One launch.
    ///
    /// # Errors
    /// If a length is wrong, or the device fails.
    pub fn trace<T: Real>(&self, slices: FieldTrace<'_, T>) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let FieldTrace { field, weights, diagonal, vector, mut trace } = slices;
        let lens = [field.len(), weights.len(), diagonal.len(), vector.len(), trace.len()];
        for len in lens {
            self.check(len, 1)?;
        }
        let args = Trace {
            field: field.view_for(&self.machine)?,
            weights: weights.view_for(&self.machine)?,
            diagonal: diagonal.view_for(&self.machine)?,
            vector: vector.view_for(&self.machine)?,
            trace: trace.view_for(&self.machine)?,
        };
        self.machine.launch(&TRACE(), Grid::over(self.n, THREADS), args)
    }

    /// Number of vectors of so many numbers.
    fn count(&self, len: usize) -> Result<usize, MachineError> {
        let count = len.checked_div(self.n).unwrap_or(0);
        self.check(len, count)?;
        Ok(count)
    }

    /// Refuses a length that is not that of so many vectors.
    fn check(&self, found: usize, count: usize) -> Result<(), MachineError> {
        match self.n * count {
            expected if expected == found => Ok(()),
            expected => Err(MachineError::Length { found, expected }),
        }
    }
}
