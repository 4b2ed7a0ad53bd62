//! Arrays of a thread, which become registers where all indices are constants after unrolling.

use super::arch;
use core::ops::{Index, IndexMut};

/// Array of N items. Only the emulator checks indices, because checks on the device would slow the unrolling of loops.
#[derive(Clone, Copy, Debug)]
pub struct Array<T, const N: usize>([T; N]);

impl<T: Copy, const N: usize> Array<T, N> {
    /// Array of `items`.
    #[inline(always)]
    pub const fn of(items: [T; N]) -> Self {
        Self(items)
    }

    /// Array of N copies of `item`.
    #[inline(always)]
    pub const fn filled(item: T) -> Self {
        Self([item; N])
    }

    /// Slice of all items.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T, const N: usize> Index<usize> for Array<T, N> {
    type Output = T;

    #[inline(always)]
    fn index(&self, i: usize) -> &T {
        arch::check(i, N);
        // SAFETY: the emulator has checked that kernels stay in range.
        unsafe { self.0.get_unchecked(i) }
    }
}

impl<T, const N: usize> IndexMut<usize> for Array<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, i: usize) -> &mut T {
        arch::check(i, N);
        // SAFETY: as above.
        unsafe { self.0.get_unchecked_mut(i) }
    }
}
