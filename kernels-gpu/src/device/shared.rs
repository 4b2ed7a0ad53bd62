//! Shared memory: arrays in the bytes that a launch reserves for each block.

use super::{Atomic, Plain, arch};
use core::marker::PhantomData;

/// Allocator of a block's shared memory: arrays one after the other. All threads allocate the same arrays.
#[derive(Debug)]
pub struct Arena {
    used: usize,
}

impl Arena {
    /// Allocator of the block's whole shared memory.
    #[expect(clippy::new_without_default, reason = "a default would hide that it starts anew")]
    #[inline(always)]
    pub const fn new() -> Self {
        Self { used: 0 }
    }

    /// Allocator of the shared memory after the first `bytes` bytes.
    #[inline(always)]
    pub const fn after(bytes: usize) -> Self {
        Self { used: bytes }
    }

    /// Array of the next `len` items, with any content.
    #[inline(always)]
    pub fn array<T: Plain>(&mut self, len: usize) -> Shared<T> {
        let start = self.used.next_multiple_of(align_of::<T>());
        self.used = start + len * size_of::<T>();
        arch::check_shared(self.used);
        Shared { start: start as u32, len: len as u32, item: PhantomData }
    }
}

/// Array in the block's shared memory. Only the emulator checks indices.
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
    /// Subarray of `len` items from item `start` on.
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
    /// Adds `value` to item `i` atomically and returns the old item.
    #[inline(always)]
    pub fn atomic_add(self, i: usize, value: T) -> T {
        // SAFETY: as in `get`.
        unsafe { T::add_shared(self.address(i), value) }
    }
}
