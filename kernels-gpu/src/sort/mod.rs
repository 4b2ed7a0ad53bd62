//! Stable radix sort of keys and values: 8 bits a pass, one read and one write of the data a pass (Adinets and Merrill,
//! "Onesweep", 2022).
//!
//! One kernel counts all digits in one read of the keys ([`histogram`]). Each pass then ranks the keys of a tile, finds the
//! destination of each digit by look-back over the tiles before, and scatters ([`pass`]).

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod histogram;
pub mod pass;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{SortError, Sortable, Sorter};
#[cfg(not(target_arch = "nvptx64"))]
pub use pass::MAX_KEYS;

use crate::device::Plain;

/// Number of bits of a digit.
pub const DIGIT_BITS: u32 = 8;
/// Number of values of a digit.
pub const DIGITS: usize = 1 << DIGIT_BITS;

/// Types of keys.
pub trait Key: Plain {
    /// Largest key, which fills up tiles.
    const LAST: Self;
    /// Largest number of passes.
    const PASSES: usize;

    /// Digit from bit `shift` on.
    fn digit(self, shift: u32) -> u32;
}

macro_rules! key {
    ($($type:ty)*) => {$(
        impl Key for $type {
            const LAST: Self = Self::MAX;
            const PASSES: usize = (Self::BITS / DIGIT_BITS) as usize;

            #[inline(always)]
            fn digit(self, shift: u32) -> u32 {
                (self >> shift) as u32 % DIGITS as u32
            }
        }
    )*};
}
key!(u32 u64);
