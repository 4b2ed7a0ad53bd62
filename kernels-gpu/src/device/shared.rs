//! Shared memory: arrays cut from what the launch reserves for each block.

use super::{Atomic, Plain, arch};
use core::marker::PhantomData;

/// Cuts a block's shared memory into arrays, one after the other. All threads cut alike.
#[derive(Debug)]
pub struct Arena {
    used: usize,
}

impl Arena {
    /// All of the block's shared memory.
    #[expect(clippy::new_without_default, reason = "a default would hide that it starts anew")]
    #[inline(always)]
    pub const fn new() -> Self {
        Self { used: 0 }
    }

    /// What comes after so many bytes.
    #[inline(always)]
    pub const fn after(bytes: usize) -> Self {
        Self { used: bytes }
    }

    /// The next `len` items, with any content.
    #[inline(always)]
    pub fn array<T: Plain>(&mut self, len: usize) -> Shared<T> {
        let start = self.used.next_multiple_of(align_of::<T>());
        self.used = start + len * size_of::<T>();
        arch::check_shared(self.used);
        Shared { start: start as u32, len: len as u32, item: PhantomData }
    }
}

/// Items in the block's shared memory. Indices are checked by the emulator only.
#[derive(Debug)]
pub struct Shared<T> {
    start: u32,
    len: u32,
    item: PhantomData<T>,
}

impl<T> Clone for Shared<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

impl<T: Plain> Shared<T> {
    /// The `len` items from item `start` on.
    #[inline(always)]
    pub fn part(self, start: usize, len: usize) -> Self {
        arch::check(start + len, self.len as usize + 1);
        Self { start: self.start + (start * size_of::<T>()) as u32, len: len as u32, ..self }
    }

    #[inline(always)]
    fn address(self, i: usize) -> u32 {
        arch::check(i, self.len as usize);
        arch::shared_address(self.start + (i * size_of::<T>()) as u32)
    }

    /// Item `i`.
    #[inline(always)]
    pub fn get(self, i: usize) -> T {
        // SAFETY: the address is in the block's shared memory, and aligned by `Arena::array`.
        unsafe { arch::load_shared(self.address(i)) }
    }

    /// Makes item `i` equal `value`.
    #[inline(always)]
    pub fn set(self, i: usize, value: T) {
        // SAFETY: as in `get`.
        unsafe { arch::store_shared(self.address(i), value) }
    }
}

impl<T: Atomic> Shared<T> {
    /// Adds `value` to item `i` atomically and returns what it was before.
    #[inline(always)]
    pub fn atomic_add(self, i: usize, value: T) -> T {
        // SAFETY: as in `get`.
        unsafe { T::add_shared(self.address(i), value) }
    }
}
