//! Memory whose rows begin at cache lines, so that vectors do not cross them.

use alloc::vec;
use alloc::vec::Vec;

use lanes::Real;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Reused array of numbers that begins at a cache line.
#[derive(Clone, Debug, Default)]
pub struct WaveBuffer<T> {
    numbers: Vec<T>,
}

impl<T: Real> WaveBuffer<T> {
    /// First `n` numbers, of any values. Who writes to new ones is the first to touch their memory.
    pub fn room(&mut self, n: usize) -> &mut [T] {
        let room = n + LINE / size_of::<T>();
        if self.numbers.len() < room {
            self.numbers = vec![T::ZERO; room];
        }
        let start = self.start();
        &mut self.numbers[start..start + n]
    }

    /// All numbers.
    pub fn numbers(&self) -> &[T] {
        &self.numbers[self.start()..]
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<T>()
    }

    fn start(&self) -> usize {
        self.numbers.as_ptr().align_offset(LINE).min(self.numbers.len().min(LINE / size_of::<T>()))
    }
}
