//! Picks of one of several devices, which share the receivers: those that one device with all receivers would make. Between
//! the steps devices tell each other limits and sums.

use super::super::picks::ROWS;
use super::super::weights::{
    EXPECTED_ERRORS, ExpectedErrors, Places, SUM_ROWS, WeighedField, rows_of, sums_of_rows,
};
use super::picker::OfAll;
use super::{Checkable, Picked, Picker};
use crate::device::{Vec4, View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use expansions::numerics::importance::{self, Sums};
use std::vec;
use std::vec::Vec;

/// Threads of a block of a kernel of which a thread is a receiver.
const THREADS: u32 = 256;

/// Receivers of a device among those of all, which follow each other in the order of the devices.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Receivers of all devices.
    pub n: usize,
    /// Sums over them.
    pub sums: Sums,
    /// Cumulated probability of the receivers of the devices before.
    pub start: f64,
    /// Picks of all devices.
    pub picks: usize,
}

impl<M: Launcher> Picker<M> {
    /// Limits of potential and gradient as far as receivers `limiting` of this device tell. One launch and two copies.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn limits<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
        limiting: &[u32],
    ) -> Result<importance::Limits, MachineError> {
        self.limiting_here.upload(machine, limiting)?;
        let limiting = self.limiting_here.view(limiting.len());
        self.find_limits(machine, weighed, limiting)?;
        let mut limits = [0.0; 2];
        self.limits.download(machine, &mut limits)?;
        Ok(limits)
    }

    /// Sums over the receivers of this device, by the limits of all. Two launches and two copies.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn sums<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
        limits: importance::Limits,
    ) -> Result<Sums, MachineError> {
        let n = weighed.field.len();
        if n == 0 {
            return Ok([0.0; 6]);
        }
        self.limits.upload(machine, &limits)?;
        self.rows.reserve(machine, SUM_ROWS)?;
        self.weigh(machine, weighed)?;
        self.cumulate(machine, [n; 2], (View::EMPTY, 0.0))?;
        let mut rows = [Vec4([0.0; 4]); SUM_ROWS];
        self.rows.download(machine, &mut rows)?;
        Ok(sums_of_rows(rows))
    }

    /// A pick of this device for each of these cumulated probabilities, ascending, with its place (x, y, z, 0) in the unit of
    /// the receivers, after [`sums`](Self::sums). Two launches and four copies.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn picks<T: Checkable>(
        &mut self,
        machine: &M,
        weighed: WeighedField<T>,
        share: Share,
        targets: &[f64],
    ) -> Result<Vec<(Picked, Vec4<f64>)>, MachineError> {
        let (n, count) = (weighed.field.len(), targets.len());
        if n == 0 || count == 0 {
            return Ok(Vec::new());
        }
        self.of_all.upload(machine, &rows_of(share.sums).map(Vec4))?;
        self.targets_here.upload(machine, targets)?;
        self.at.reserve(machine, count)?;
        self.rows.reserve(machine, SUM_ROWS + ROWS * count)?;
        let (of_all, targets) = (self.of_all.view(SUM_ROWS), self.targets_here.view(count));
        self.cumulate(machine, [n, share.n], (of_all, share.start))?;
        let picked = self.rows.view_mut(SUM_ROWS + ROWS * count).part(SUM_ROWS, ROWS * count);
        let all = OfAll { n: share.n, total: of_all, picks: share.picks };
        self.pick(machine, weighed, all, targets, picked)?;
        let mut rows = vec![Vec4([0.0; 4]); SUM_ROWS + ROWS * count];
        self.rows.download(machine, &mut rows)?;
        let mut at = vec![Vec4([0.0; 4]); count];
        self.at.download(machine, &mut at)?;
        Ok(Picked::of_rows(&rows[SUM_ROWS..]).into_iter().zip(at).collect())
    }
}

/// Writes the squares of the [errors to expect](expansions::numerics::expected) at each receiver, two numbers each as bits of
/// f32, in the order that `permutation` leads to. One launch.
///
/// # Errors
/// If the device refuses the launch.
pub fn expected_errors<M: Launcher, T: Checkable>(
    machine: &M,
    places: Places<T>,
    permutation: View<u32>,
    errors: ViewMut<u32>,
) -> Result<(), MachineError> {
    let args = ExpectedErrors { places, permutation, errors };
    machine.launch(&EXPECTED_ERRORS(), Grid::over(permutation.len(), THREADS), args)
}
