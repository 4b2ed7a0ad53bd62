//! Random choices, by seed or by bytes.

use std::collections::VecDeque;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A source of random choices.
#[derive(Debug)]
pub struct Dice {
    /// Bytes of a fuzzer, which are taken first.
    bytes: VecDeque<u8>,
    random: ChaCha8Rng,
}

impl Dice {
    /// Choices of an iteration, the same on every platform.
    pub fn new(seed: u64, iteration: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(iteration);
        Self { bytes: VecDeque::new(), random }
    }

    /// Choices by bytes, and by a fixed seed when they are used up.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.iter().copied().collect(), ..Self::new(0, 0) }
    }

    /// A number of so many bytes.
    fn word(&mut self, bytes: usize) -> u64 {
        let next = |_| self.bytes.pop_front().unwrap_or_else(|| self.random.random());
        (0..bytes).map(next).fold(0, |word, byte| word << 8 | u64::from(byte))
    }

    /// A number below `n`, which is 1 or more.
    pub fn below(&mut self, n: usize) -> usize {
        let bytes = if n <= 1 << 8 { 2 } else { 5 };
        (self.word(bytes) % n.max(1) as u64) as usize
    }

    /// True in so many of a hundred throws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.word(6) as f64 * 0.5_f64.powi(48)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A power of ten whose exponent is uniform.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low, high))
    }

    /// Random choice among some values.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_differ_and_repeat() {
        let throw = |seed, iteration| Dice::new(seed, iteration).unit();
        assert_eq!(throw(1, 2), throw(1, 2));
        assert!(throw(1, 2) != throw(1, 3) && throw(1, 2) != throw(2, 2));
    }

    #[test]
    fn bytes_come_first() {
        let mut dice = Dice::from_bytes(&[0, 7, 0, 3]);
        assert_eq!([dice.below(100), dice.below(100)], [7, 3]);
        assert!(dice.between(2.0, 3.0) < 3.0);
    }
}
