//! Launches of a sort, and its memory.

use super::histogram::{self, HISTOGRAM_U32, HISTOGRAM_U64, Histogram};
use super::pass::{self, MAX_KEYS, Pass, SORT_PASS_U32, SORT_PASS_U64};
use super::{DIGIT_BITS, DIGITS, Key};
use crate::device::{Kernel, View};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use std::mem::swap;

/// Error of a sort.
#[derive(Debug, thiserror::Error)]
pub enum SortError {
    /// Too many keys.
    #[error("{count} keys are more than can be sorted at once; give at most {MAX_KEYS}")]
    TooManyKeys {
        /// Number of keys.
        count: usize,
    },
    /// Error of the device.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// Key types with kernels.
pub trait Sortable: Key {
    /// Kernel that counts the digits.
    const HISTOGRAM: Kernel<Histogram<Self>>;
    /// Kernel that sorts by one digit.
    const PASS: Kernel<Pass<Self>>;

    /// Bytes of memory of a [`Sorter`] of `n` keys that are sorted by `bits` bits.
    fn sorter_bytes(n: usize, bits: u32) -> usize {
        let passes = (bits.div_ceil(DIGIT_BITS) as usize).clamp(1, Self::PASSES);
        n.saturating_mul(size_of::<Self>() + size_of::<u32>())
            .saturating_add(size_of::<u32>() * control_words(n, passes))
    }
}

/// Words of counts and tickets of a sort.
fn control_words(n: usize, passes: usize) -> usize {
    passes * (1 + DIGITS + n.div_ceil(pass::TILE).max(1) * DIGITS)
}

impl Sortable for u32 {
    const HISTOGRAM: Kernel<Histogram<Self>> = HISTOGRAM_U32;
    const PASS: Kernel<Pass<Self>> = SORT_PASS_U32;
}

impl Sortable for u64 {
    const HISTOGRAM: Kernel<Histogram<Self>> = HISTOGRAM_U64;
    const PASS: Kernel<Pass<Self>> = SORT_PASS_U64;
}

/// Keys and values in device memory, the first `n` of each.
struct KeyValues<'a, M: Launcher, K: Sortable> {
    keys: &'a mut Grown<M, K>,
    values: &'a mut Grown<M, u32>,
    n: usize,
}

/// Values that are sorted with the keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    /// The index of each key.
    Indices,
    /// The values that memory holds.
    Given,
}

/// Driver of sorts, and the memory that they share: as much as keys and values take, and 2 bytes a key more.
#[derive(Debug)]
pub struct Sorter<M: Launcher, K: Sortable> {
    keys: Grown<M, K>,
    values: Grown<M, u32>,
    /// Tickets, one a pass; counts, 256 a pass; then 256 words for each tile of each pass.
    control: Grown<M, u32>,
}

impl<M: Launcher, K: Sortable> Sorter<M, K> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { keys: Grown::new(), values: Grown::new(), control: Grown::new() }
    }

    /// Sorts the first `n` of `keys` by their lowest `bits` bits; equal keys keep their order. Writes the former index of each
    /// key to `permutation`. Two launches and one for each 8 bits.
    ///
    /// # Errors
    /// If there are too many keys, or the device fails or has not enough memory.
    pub fn sort(
        &mut self,
        machine: &M,
        keys: &mut Grown<M, K>,
        permutation: &mut Grown<M, u32>,
        n: usize,
        bits: u32,
    ) -> Result<(), SortError> {
        self.run(machine, KeyValues { keys, values: permutation, n }, bits, Values::Indices)
    }

    /// Sorts keys as [`sort`](Self::sort) does, and moves the first `n` of `values` with their keys.
    ///
    /// # Errors
    /// As [`sort`](Self::sort).
    pub fn sort_pairs(
        &mut self,
        machine: &M,
        keys: &mut Grown<M, K>,
        values: &mut Grown<M, u32>,
        n: usize,
        bits: u32,
    ) -> Result<(), SortError> {
        self.run(machine, KeyValues { keys, values, n }, bits, Values::Given)
    }

    /// Gives the memory back.
    pub fn release(&mut self) {
        *self = Self::new();
    }

    fn run(
        &mut self,
        machine: &M,
        KeyValues { keys, values, n }: KeyValues<'_, M, K>,
        bits: u32,
        initial: Values,
    ) -> Result<(), SortError> {
        if n > MAX_KEYS {
            return Err(SortError::TooManyKeys { count: n });
        }
        // One pass at least, since it makes the indices.
        let passes = (bits.div_ceil(DIGIT_BITS) as usize).clamp(1, K::PASSES);
        let tiles = n.div_ceil(pass::TILE).max(1);
        let len = control_words(n, passes);
        self.keys.reserve(machine, n)?;
        self.values.reserve(machine, n)?;
        values.reserve(machine, n)?;
        self.control.reserve(machine, len)?;
        self.control.fill(machine, 0)?;
        let control = self.control.view_mut(len);

        let counts = control.part(passes, passes * DIGITS);
        let blocks = n.div_ceil(histogram::KEYS_PER_BLOCK).clamp(1, 512);
        let grid = Grid::of(blocks as u32, histogram::THREADS)
            .shared(histogram::shared_bytes(passes as u32));
        let args = Histogram { keys: keys.view(n), counts, passes: passes as u32 };
        machine.launch(&K::HISTOGRAM, grid, args)?;

        let grid = Grid::of(tiles as u32, pass::THREADS).shared(pass::shared_bytes(size_of::<K>()));
        for p in 0..passes {
            let status = passes * (1 + DIGITS) + p * tiles * DIGITS;
            let args = Pass {
                keys: keys.view(n),
                values: if p == 0 && initial == Values::Indices {
                    View::EMPTY
                } else {
                    values.view(n)
                },
                sorted_keys: self.keys.view_mut(n),
                sorted_values: self.values.view_mut(n),
                counts: counts.part(p * DIGITS, DIGITS).read_only(),
                status: control.part(status, tiles * DIGITS),
                ticket: control.part(p, 1),
                shift: DIGIT_BITS * p as u32,
            };
            machine.launch(&K::PASS, grid, args)?;
            swap(keys, &mut self.keys);
            swap(values, &mut self.values);
        }
        Ok(())
    }
}

impl<M: Launcher, K: Sortable> Default for Sorter<M, K> {
    fn default() -> Self {
        Self::new()
    }
}
