//! Driver of looks at charges in the memory of a device.

use super::super::CHECK_THREADS;
use super::super::charges::{ChargeKinds, ChargeShares, KINDS, SHARED, SHARES};
use super::{BLOCKS, Checkable};
use crate::device::View;
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use std::vec;

/// Facts about charges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChargeFacts {
    /// The largest magnitude.
    pub largest: f64,
    /// Whether there are charges above 0, and below 0.
    pub signs: [bool; 2],
    /// The first charge that is not finite.
    pub not_finite: Option<usize>,
}

/// Driver of looks at charges, and their memory.
#[derive(Debug, Default)]
pub struct Inspector<M: Machine> {
    of_blocks: Grown<M, f64>,
}

impl<M: Machine> Inspector<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { of_blocks: Grown::new() }
    }

    /// Facts about `charges`. One launch; the host waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn facts<T: Checkable>(
        &mut self,
        machine: &M,
        charges: View<T>,
    ) -> Result<ChargeFacts, MachineError> {
        let (grid, blocks) = grid(charges.len());
        self.of_blocks.reserve(machine, KINDS * BLOCKS)?;
        let kinds = self.of_blocks.view_mut(KINDS * blocks);
        machine.launch(&T::CHARGE_KINDS, grid, ChargeKinds { charges, kinds })?;
        let mut numbers = vec![0.0; KINDS * blocks];
        self.of_blocks.download(machine, &mut numbers)?;
        let none = [0.0, 0.0, 0.0, f64::NEG_INFINITY];
        let [largest, positive, negative, bad] = numbers
            .as_chunks::<KINDS>()
            .0
            .iter()
            .fold(none, |a, b| std::array::from_fn(|k| f64::max(a[k], b[k])));
        Ok(ChargeFacts {
            largest,
            signs: [positive > 0.0, negative > 0.0],
            not_finite: bad.is_finite().then_some(-bad as usize),
        })
    }

    /// Sums of |q| and of q² in a unit. One launch; the host waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn shares<T: Checkable>(
        &mut self,
        machine: &M,
        charges: View<T>,
        unit: f64,
    ) -> Result<[f64; SHARES], MachineError> {
        let (grid, blocks) = grid(charges.len());
        self.of_blocks.reserve(machine, KINDS * BLOCKS)?;
        let shares = self.of_blocks.view_mut(SHARES * blocks);
        machine.launch(&T::CHARGE_SHARES, grid, ChargeShares { charges, unit, shares })?;
        let mut numbers = vec![0.0; SHARES * blocks];
        self.of_blocks.download(machine, &mut numbers)?;
        let sums = numbers.as_chunks::<SHARES>().0.iter();
        Ok(sums.fold([0.0; SHARES], |a, b| [a[0] + b[0], a[1] + b[1]]))
    }
}

/// Grid for so many charges, and its blocks.
fn grid(n: usize) -> (Grid, usize) {
    let blocks = n.div_ceil(CHECK_THREADS as usize).clamp(1, BLOCKS);
    (Grid::of(blocks as u32, CHECK_THREADS).shared(SHARED), blocks)
}
