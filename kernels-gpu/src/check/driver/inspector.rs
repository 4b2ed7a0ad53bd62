//! Driver of looks at charges and at results in the memory of a device.

use super::super::CHECK_THREADS;
use super::super::charges::{
    CHARGE_KINDS, CHARGE_SHARES, ChargeKinds, ChargeShares, KINDS, SHARED, SHARES,
};
use super::super::results::{self, FORCES, NUMBERS, RESULTS, Results};
use super::{BLOCKS, Checkable};
use crate::device::{Plain, Vec4, View};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use std::vec;

/// Results that a block looks at, at least: more blocks than this gain nothing and are more for the host to add.
const OF_BLOCK: usize = 1024;

/// Facts about charges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChargeFacts {
    /// The largest magnitude.
    pub largest: f64,
    /// Whether there are charges above 0, and below 0.
    pub signs: [bool; 2],
    /// The first charge that is not finite.
    pub not_finite: Option<usize>,
    /// Σ|q| and Σq² of finite charges, in a unit in which squares neither over- nor underflow.
    pub shares: [f64; SHARES],
    /// Unit of charge of the shares.
    pub unit: f64,
}

/// Facts about results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultFacts {
    /// The parts of Σ q ∇Φ, and Σ |q ∇Φ|, in the unit of the sources' charges.
    pub forces: [f64; FORCES],
    /// The first gradient that is not finite.
    pub bad_gradient: Option<usize>,
    /// The first potential that is not finite.
    pub bad_potential: Option<usize>,
}

/// Driver of looks at charges and results, and their memory.
#[derive(Debug, Default)]
pub struct Inspector<M: Launcher> {
    of_blocks: Grown<M, f64>,
}

impl<M: Launcher> Inspector<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { of_blocks: Grown::new() }
    }

    /// Facts about `charges`. Two launches; the host waits, twice for charges of f64 whose squares f64 does not hold.
    ///
    /// # Errors
    /// If the device fails.
    pub fn facts<T: Checkable>(
        &mut self,
        machine: &M,
        charges: View<T>,
    ) -> Result<ChargeFacts, MachineError> {
        let (grid, blocks) = grid(charges.len());
        self.of_blocks.reserve(machine, (KINDS + SHARES) * BLOCKS)?;
        let of_blocks = self.of_blocks.view_mut((KINDS + SHARES) * blocks);
        let kinds = of_blocks.part(0, KINDS * blocks);
        let shares = of_blocks.part(KINDS * blocks, SHARES * blocks);
        machine.launch(&CHARGE_KINDS(), grid, ChargeKinds { charges, kinds })?;
        let mut numbers = vec![0.0; of_blocks.len()];
        let mut look = |unit| {
            machine.launch(&CHARGE_SHARES(), grid, ChargeShares { charges, unit, shares })?;
            machine.read(of_blocks.read_only(), &mut numbers)?;
            Ok::<_, MachineError>(facts_of(&numbers, blocks, unit))
        };
        let facts = look(1.0)?;
        let [_, squares] = facts.shares;
        let fits = facts.largest == 0.0 || (1e-280..1e300).contains(&squares);
        if fits || facts.not_finite.is_some() { Ok(facts) } else { look(facts.largest) }
    }

    /// Facts about results: those of all receivers, and of the forces if these are the `sources`. One launch; the host waits.
    ///
    /// # Errors
    /// If the device fails.
    pub fn results<T: Checkable>(
        &mut self,
        machine: &M,
        field: View<Vec4<T>>,
        permutation: View<u32>,
        sources: View<Vec4<T>>,
    ) -> Result<ResultFacts, MachineError>
    where
        Vec4<T>: Plain,
    {
        let blocks = field.len().div_ceil(OF_BLOCK).clamp(1, BLOCKS);
        self.of_blocks.reserve(machine, (KINDS + SHARES) * BLOCKS)?;
        let of_blocks = self.of_blocks.view_mut(NUMBERS * blocks);
        let args = Results { field, permutation, sources, results: of_blocks };
        let grid = Grid::of(blocks as u32, CHECK_THREADS).shared(results::SHARED);
        machine.launch(&RESULTS(), grid, args)?;
        let mut numbers = vec![0.0; NUMBERS * blocks];
        machine.read(of_blocks.read_only(), &mut numbers)?;
        let mut forces = [0.0; FORCES];
        let mut firsts = [f64::NEG_INFINITY; 2];
        for block in numbers.as_chunks::<NUMBERS>().0 {
            forces = std::array::from_fn(|k| forces[k] + block[k]);
            firsts = std::array::from_fn(|k| f64::max(firsts[k], block[FORCES + k]));
        }
        let [bad_gradient, bad_potential] = firsts.map(index_of);
        Ok(ResultFacts { forces, bad_gradient, bad_potential })
    }
}

/// Index that a block gave: minus the index, or −∞ for none.
fn index_of(number: f64) -> Option<usize> {
    number.is_finite().then_some(-number as usize)
}

/// Facts about charges from the numbers of all blocks, kinds first.
fn facts_of(numbers: &[f64], blocks: usize, unit: f64) -> ChargeFacts {
    let (kinds, shares) = numbers.split_at(KINDS * blocks);
    let none = [0.0, 0.0, 0.0, f64::NEG_INFINITY];
    let kinds = kinds.as_chunks::<KINDS>().0.iter();
    let [largest, positive, negative, bad] =
        kinds.fold(none, |a, b| std::array::from_fn(|k| f64::max(a[k], b[k])));
    let shares = shares.as_chunks::<SHARES>().0.iter();
    ChargeFacts {
        largest,
        signs: [positive > 0.0, negative > 0.0],
        not_finite: index_of(bad),
        shares: shares.fold([0.0; SHARES], |a, b| [a[0] + b[0], a[1] + b[1]]),
        unit,
    }
}

/// Grid for so many charges, and its blocks.
fn grid(n: usize) -> (Grid, usize) {
    let blocks = n.div_ceil(CHECK_THREADS as usize).clamp(1, BLOCKS);
    (Grid::of(blocks as u32, CHECK_THREADS).shared(SHARED), blocks)
}
