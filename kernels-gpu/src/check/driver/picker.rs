//! Driver of picks: launches that pick receivers of a field and sum directly at them, and one copy to the host.

use super::super::picks::{
    CUMULATE, Cumulate, LIMITS, Limits, ONE_BLOCK, PICK_RECEIVERS, PICK_SHARED, PickReceivers,
    ROWS, SHARED,
};
use super::super::weights::{
    FIELD_WEIGHTS, FieldWeights, SCATTER_WEIGHED, SUM_ROWS, ScatterWeighed, WeighedField,
    sums_of_rows,
};
use super::super::{CHECK_THREADS, SHARED_BYTES, columns};
use super::{Checkable, DirectSums, FewSum, PairDigits};
use crate::device::{Plain, Real, Vec4, View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use expansions::numerics::importance::{BLOCK, Sums};
use std::vec;
use std::vec::Vec;

/// Field and points of a check; the field has been [weighed](Picker::weigh_field).
#[derive(Clone, Copy, Debug)]
pub struct Picking<T> {
    /// The field and its receivers, which are in the unit of length of the sums.
    pub weighed: WeighedField<T>,
    /// Sources (x, y, z, q) in the unit of length of the sums.
    pub sources: View<Vec4<T>>,
    /// Softening length in the unit of the sums.
    pub softening: f64,
}

/// Receivers that were picked, and norms of the field.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Sums over all receivers.
    pub sums: Sums,
    /// The picks. A receiver may be picked several times.
    pub picks: Vec<Picked>,
    /// The direct sums at them, in the unit of length of the sums.
    pub direct: DirectSums,
}

/// A receiver that was picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Place of the receiver in the tree's order.
    pub place: usize,
    /// Gradient and potential (gx, gy, gz, Φ).
    pub value: [f64; 4],
    /// Factor of the squared error in the sum over all receivers.
    pub factor: f64,
    /// Whether potential and gradient are within the limits.
    pub within: [bool; 2],
}

impl Picked {
    /// Picks from their rows.
    pub(super) fn of_rows(rows: &[Vec4<f64>]) -> Vec<Self> {
        let picked = |[Vec4(value), Vec4([factor, a, b, place])]: &[Vec4<f64>; ROWS]| Self {
            place: *place as usize,
            value: *value,
            factor: *factor,
            within: [*a > 0.0, *b > 0.0],
        };
        rows.as_chunks::<ROWS>().0.iter().map(picked).collect()
    }
}

/// Driver of picks, and their memory.
#[derive(Debug, Default)]
pub struct Picker<M: Launcher> {
    pub(super) limits: Grown<M, f64>,
    sums: Grown<M, Vec4<f64>>,
    starts: Grown<M, f64>,
    /// Receivers that tell the limits.
    limiting: Grown<M, u32>,
    n_limiting: usize,
    /// Number of receivers that they were chosen from.
    chosen_from: Option<usize>,
    /// Cumulated probabilities of the picks, for each number of picks that was asked for.
    targets: Vec<(usize, Grown<M, f64>)>,
    pub(super) at: Grown<M, Vec4<f64>>,
    /// Total, rows of the picks, direct sums.
    pub(super) rows: Grown<M, Vec4<f64>>,
    few: FewSum<M>,
    /// Memory for the picks of one of several devices: limiting receivers, sums of all, cumulated probabilities.
    pub(super) limiting_here: Grown<M, u32>,
    pub(super) of_all: Grown<M, Vec4<f64>>,
    pub(super) targets_here: Grown<M, f64>,
}

/// Receivers of all devices together, of which a device picks some of its own.
pub(super) struct OfAll {
    /// Number of receivers.
    pub(super) n: usize,
    /// Sums over the receivers.
    pub(super) total: View<Vec4<f64>>,
    /// Number of picks.
    pub(super) picks: usize,
}

impl<M: Launcher> Picker<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self {
            limits: Grown::new(),
            sums: Grown::new(),
            starts: Grown::new(),
            limiting: Grown::new(),
            n_limiting: 0,
            chosen_from: None,
            targets: Vec::new(),
            at: Grown::new(),
            rows: Grown::new(),
            few: FewSum::new(),
            limiting_here: Grown::new(),
            of_all: Grown::new(),
            targets_here: Grown::new(),
        }
    }

    /// Copies receivers of `n` that tell the limits of outliers, where they are not there yet.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn prepare_limits(
        &mut self,
        machine: &M,
        n: usize,
        limiting: impl FnOnce() -> Vec<u32>,
    ) -> Result<(), MachineError> {
        if self.chosen_from != Some(n) {
            let places = limiting();
            self.limiting.upload(machine, &places)?;
            (self.n_limiting, self.chosen_from) = (places.len(), Some(n));
        }
        Ok(())
    }

    /// Copies cumulated probabilities of `count` picks, ascending from 0 to 1, where they are not there yet.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn prepare_targets(
        &mut self,
        machine: &M,
        count: usize,
        targets: impl FnOnce() -> Vec<f64>,
    ) -> Result<(), MachineError> {
        if self.targets.iter().all(|(of, _)| *of != count) {
            let mut memory = Grown::new();
            memory.upload(machine, &targets())?;
            self.targets.push((count, memory));
        }
        Ok(())
    }

    /// Sums what the receivers of a field weigh, for which [`prepare_limits`](Self::prepare_limits) was called. Two launches.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn weigh_field<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
    ) -> Result<(), MachineError> {
        if weighed.field.is_empty() {
            return Ok(());
        }
        self.find_limits(machine, weighed, self.limiting.view(self.n_limiting))?;
        self.weigh(machine, weighed)
    }

    /// The same for a field in the tree's order, which is brought to `output` in the order to which `permutation` leads: the
    /// pass over the field hides that of the weights.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn weigh_and_scatter<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
        permutation: View<u32>,
        output: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        if weighed.field.is_empty() {
            return Ok(());
        }
        self.find_limits(machine, weighed, self.limiting.view(self.n_limiting))?;
        let (weights, grid) = self.weights(machine, weighed)?;
        machine.launch(&SCATTER_WEIGHED(), grid, ScatterWeighed { weights, permutation, output })
    }

    /// Picks `count` receivers of a field, for which [`prepare_targets`](Self::prepare_targets) was called, and sums directly
    /// there. Four launches and one copy, for which the host waits; `meanwhile` is what it does before.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn check<T: Checkable>(
        &mut self,
        machine: &M,
        picking: Picking<T>,
        count: usize,
        meanwhile: impl FnOnce() -> Result<(), MachineError>,
    ) -> Result<Checked, MachineError>
    where
        Vec4<T>: Plain,
    {
        let prepared = self.targets.iter().find(|(of, _)| *of == count);
        let n = picking.weighed.field.len();
        let Some((_, targets)) = prepared.filter(|_| count > 0 && n > 0) else {
            meanwhile()?;
            return Ok(Checked { sums: [0.0; 6], picks: Vec::new(), direct: DirectSums::zeros(0) });
        };
        let (weighed, targets) = (picking.weighed, targets.view(count));
        self.at.reserve(machine, count)?;
        let length = SUM_ROWS + ROWS * count + columns(count);
        self.rows.reserve(machine, length)?;
        self.cumulate(machine, [n; 2], (View::EMPTY, 0.0))?;
        let rows = self.rows.view_mut(length);
        let total = rows.part(0, SUM_ROWS).read_only();
        let picked = rows.part(SUM_ROWS, ROWS * count);
        self.pick(machine, weighed, OfAll { n, total, picks: count }, targets, picked)?;
        let sums = rows.part(SUM_ROWS + ROWS * count, columns(count));
        let (at, digits) = (self.at.view(count), PairDigits::Own);
        self.few.sum(machine, picking.sources, at, picking.softening, digits, sums)?;
        meanwhile()?;
        let mut rows: Vec<Vec4<f64>> = vec![Vec4([0.0; 4]); length];
        self.rows.download(machine, &mut rows)?;
        let (total, rows) = rows.split_at(SUM_ROWS);
        let (picked, sums) = rows.split_at(ROWS * count);
        Ok(Checked {
            sums: sums_of_rows([total[0], total[1]]),
            picks: Picked::of_rows(picked),
            direct: DirectSums::of_columns(count, sums),
        })
    }

    /// Limits of potential and gradient, as far as some receivers tell.
    pub(super) fn find_limits<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
        limiting: View<u32>,
    ) -> Result<(), MachineError> {
        self.limits.reserve(machine, 2)?;
        let args = Limits { weighed, limiting, limits: self.limits.view_mut(2) };
        machine.launch(&LIMITS(), Grid::of(1, ONE_BLOCK).shared(SHARED), args)
    }

    /// Sums of the weights of each block of receivers.
    pub(super) fn weigh<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
    ) -> Result<(), MachineError> {
        let (args, grid) = self.weights(machine, weighed)?;
        machine.launch(&FIELD_WEIGHTS(), grid, args)
    }

    /// Arguments and grid of a launch that sums weights.
    fn weights<T: Real>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
    ) -> Result<(FieldWeights<T>, Grid), MachineError> {
        let blocks = weighed.field.len().div_ceil(BLOCK);
        self.sums.reserve(machine, SUM_ROWS * blocks)?;
        let sums = self.sums.view_mut(SUM_ROWS * blocks);
        let grid = Grid::of(blocks as u32, CHECK_THREADS).shared(SHARED_BYTES);
        Ok((FieldWeights { weighed, limits: self.limits.view(2), sums }, grid))
    }

    /// Cumulated probabilities of the blocks of receivers, of which there are so many here and on all devices, and the sums
    /// over those here, to the first rows. Sums over all devices are given where there are several, and the cumulated
    /// probability of the receivers before.
    pub(super) fn cumulate(
        &mut self,
        machine: &M,
        n: [usize; 2],
        (of_all, start): (View<Vec4<f64>>, f64),
    ) -> Result<(), MachineError> {
        let blocks = n[0].div_ceil(BLOCK);
        self.starts.reserve(machine, blocks)?;
        let args = Cumulate {
            sums: self.sums.view(SUM_ROWS * blocks),
            n: n.map(|n| n as u64),
            of_all,
            start,
            starts: self.starts.view_mut(blocks),
            total: self.rows.view_mut(SUM_ROWS),
        };
        machine.launch(&CUMULATE, Grid::of(1, ONE_BLOCK).shared(SHARED), args)
    }

    /// A pick for each target, to rows, and their places.
    pub(super) fn pick<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
        OfAll { n, total, picks }: OfAll,
        targets: View<f64>,
        picked: ViewMut<Vec4<f64>>,
    ) -> Result<(), MachineError> {
        let count = targets.len();
        let pick = PickReceivers {
            weighed,
            limits: self.limits.view(2),
            starts: self.starts.view(weighed.field.len().div_ceil(BLOCK)),
            n: n as u64,
            total,
            picks: picks as u32,
            targets,
            at: self.at.view_mut(count),
            picked,
        };
        let grid = Grid::of(count as u32, CHECK_THREADS).shared(PICK_SHARED);
        machine.launch(&PICK_RECEIVERS(), grid, pick)
    }
}
