//! Driver of picks: launches that pick receivers of a field and sum directly at them, and one copy to the host.

use super::super::picks::{
    CUMULATE, Cumulate, Limits, PICKS_OF_BLOCK, PickReceivers, ROWS, SHARED,
};
use super::super::{CHECK_THREADS, FieldSquares, SHARED_BYTES, SQUARES};
use super::{Checkable, FewSum};
use crate::device::{Plain, Vec4, View};
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use std::vec;
use std::vec::Vec;

/// Field and points of a check.
#[derive(Clone, Copy, Debug)]
pub struct Picking<T> {
    /// Field (gx, gy, gz, Φ) of each receiver.
    pub field: View<Vec4<T>>,
    /// Receivers in the order of the field.
    pub receivers: View<Vec4<T>>,
    /// Sources (x, y, z, q) in the unit of length of the sums.
    pub sources: View<Vec4<T>>,
    /// Factor from the receivers' coordinates to the unit of the sums.
    pub length_factor: f64,
    /// Factors of gradient and potential that keep squares in range; 0 for an output that does not count.
    pub factors: [f64; 2],
    /// Softening length in the unit of the sums.
    pub softening: T,
}

/// Receivers that were picked, and norms of the field.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Sums over all receivers of the squares of potential and gradient, and the same without outliers.
    pub squares: [f64; 4],
    /// The picks. A receiver may be picked several times.
    pub picks: Vec<Picked>,
}

/// A receiver that was picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Gradient and potential (gx, gy, gz, Φ).
    pub value: [f64; 4],
    /// The direct sum there, in the unit of length of the sums.
    pub sum: [f64; 4],
    /// Factor of the squared error in the sum over all receivers.
    pub factor: f64,
    /// Whether potential and gradient are within the limits.
    pub within: [bool; 2],
}

/// Driver of picks, and their memory.
#[derive(Debug, Default)]
pub struct Picker<M: Machine> {
    limits: Grown<M, f64>,
    squares: Grown<M, Vec4<f64>>,
    starts: Grown<M, f64>,
    /// Receivers that tell the limits.
    limiting: Grown<M, u32>,
    n_limiting: usize,
    /// Number of receivers that they were chosen from.
    chosen_from: Option<usize>,
    /// Cumulated probabilities of the picks, for each number of picks that was asked for.
    targets: Vec<(usize, Grown<M, f64>)>,
    at: Grown<M, Vec4<f64>>,
    /// Total, rows of the picks, sums.
    rows: Grown<M, Vec4<f64>>,
    few: FewSum<M>,
}

impl<M: Machine> Picker<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self {
            limits: Grown::new(),
            squares: Grown::new(),
            starts: Grown::new(),
            limiting: Grown::new(),
            n_limiting: 0,
            chosen_from: None,
            targets: Vec::new(),
            at: Grown::new(),
            rows: Grown::new(),
            few: FewSum::new(),
        }
    }

    /// Copies what the picks of a field need, where it is not there yet: receivers of `n` that tell the limits of outliers,
    /// and cumulated probabilities of `count` picks, ascending from 0 to 1.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn prepare(
        &mut self,
        machine: &M,
        [n, count]: [usize; 2],
        limiting: impl FnOnce() -> Vec<u32>,
        targets: impl FnOnce() -> Vec<f64>,
    ) -> Result<(), MachineError> {
        if self.chosen_from != Some(n) {
            let places = limiting();
            self.limiting.upload(machine, &places)?;
            (self.n_limiting, self.chosen_from) = (places.len(), Some(n));
        }
        if self.targets.iter().all(|(of, _)| *of != count) {
            let mut memory = Grown::new();
            memory.upload(machine, &targets())?;
            self.targets.push((count, memory));
        }
        Ok(())
    }

    /// Picks `count` receivers, for which [`prepare`](Self::prepare) was called, and sums directly there. Six launches and
    /// one copy; the host waits.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn check<T: Checkable>(
        &mut self,
        machine: &M,
        picking: Picking<T>,
        count: usize,
    ) -> Result<Checked, MachineError>
    where
        Vec4<T>: Plain,
    {
        let prepared = self.targets.iter().find(|(of, _)| *of == count);
        let Some((_, targets)) = prepared.filter(|_| count > 0 && !picking.field.is_empty()) else {
            return Ok(Checked { squares: [0.0; 4], picks: Vec::new() });
        };
        let targets = targets.view(count);
        self.at.reserve(machine, count)?;
        self.rows.reserve(machine, 1 + (ROWS + 1) * count)?;
        self.cumulate(machine, picking)?;
        let rows = self.rows.view_mut(1 + (ROWS + 1) * count);
        let pick = PickReceivers {
            field: picking.field,
            receivers: picking.receivers,
            length_factor: picking.length_factor,
            gradient_factor: picking.factors[0],
            potential_factor: picking.factors[1],
            limits: self.limits.view(2),
            starts: self.starts.view(picking.field.len().div_ceil(SQUARES)),
            total: rows.part(0, 1).read_only(),
            targets,
            at: self.at.view_mut(count),
            picked: rows.part(1, ROWS * count),
        };
        let grid = Grid::of(count.div_ceil(PICKS_OF_BLOCK) as u32, CHECK_THREADS);
        machine.launch(&T::PICK_RECEIVERS, grid, pick)?;
        let (at, sums) = (self.at.view(count), rows.part(1 + ROWS * count, count));
        self.few.sum(machine, picking.sources, at, picking.softening, sums)?;
        let mut rows: Vec<Vec4<f64>> = vec![Vec4([0.0; 4]); 1 + (ROWS + 1) * count];
        self.rows.download(machine, &mut rows)?;
        let (picked, sums) = rows[1..].split_at(ROWS * count);
        let picked = picked.as_chunks::<ROWS>().0.iter().zip(sums);
        let picked = picked.map(|([Vec4(value), Vec4([factor, a, b, _])], Vec4(sum))| Picked {
            value: *value,
            sum: *sum,
            factor: *factor,
            within: [*a > 0.0, *b > 0.0],
        });
        Ok(Checked { squares: rows[0].0, picks: picked.collect() })
    }

    /// Limits, squares of blocks of receivers, and their cumulated probabilities.
    fn cumulate<T: Checkable>(
        &mut self,
        machine: &M,
        Picking { field, factors: [gradient_factor, potential_factor], .. }: Picking<T>,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let blocks = field.len().div_ceil(SQUARES);
        self.limits.reserve(machine, 2)?;
        self.squares.reserve(machine, blocks)?;
        self.starts.reserve(machine, blocks)?;
        let places = self.limiting.view(self.n_limiting);
        let limits = self.limits.view_mut(2);
        let args = Limits { field, places, gradient_factor, potential_factor, limits };
        machine.launch(&T::LIMITS, Grid::of(1, CHECK_THREADS).shared(SHARED), args)?;
        let (limits, squares) = (self.limits.view(2), self.squares.view_mut(blocks));
        let grid = Grid::of(blocks as u32, CHECK_THREADS).shared(SHARED_BYTES);
        let args = FieldSquares { field, gradient_factor, potential_factor, limits, squares };
        machine.launch(&T::FIELD_SQUARES, grid, args)?;
        let args = Cumulate {
            squares: self.squares.view(blocks),
            n: field.len() as u32,
            starts: self.starts.view_mut(blocks),
            total: self.rows.view_mut(1),
        };
        machine.launch(&CUMULATE, Grid::of(1, CHECK_THREADS).shared(SHARED), args)
    }
}
