//! Views of global memory: arrays in the arguments of kernels.
//!
//! The emulator checks indices. The device does not, as in any CUDA kernel (compute-sanitizer checks them there).

use super::{Atomic, Plain, Vec4, arch};
use core::marker::PhantomData;

macro_rules! view {
    ($(#[$doc:meta])* $name:ident, $pointer:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name<T> {
            start: $pointer,
            len: usize,
            item: PhantomData<T>,
        }

        impl<T> Clone for $name<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        // SAFETY: a view is an address; what it may be used for is the launch's concern, see `from_raw`.
        unsafe impl<T: Send> Send for $name<T> {}
        // SAFETY: as above.
        unsafe impl<T: Sync> Sync for $name<T> {}

        impl<T: Plain> $name<T> {
            /// View of `len` items from `start` on, an address of the device that will run the kernel.
            ///
            /// # Safety
            /// The items stay allocated while a kernel uses the view, and threads that run at the same time do not write
            /// what others read or write, unless atomically.
            pub const unsafe fn from_raw(start: $pointer, len: usize) -> Self {
                Self { start, len, item: PhantomData }
            }

            /// Address of the first item.
            #[inline(always)]
            pub fn start(self) -> u64 {
                self.start as u64
            }

            /// View of no items.
            pub const EMPTY: Self =
                Self { start: core::ptr::null::<T>() as $pointer, len: 0, item: PhantomData };

            /// Number of items.
            #[inline(always)]
            pub fn len(self) -> usize {
                self.len
            }

            /// Whether there are no items.
            #[inline(always)]
            pub fn is_empty(self) -> bool {
                self.len == 0
            }

            /// View of the `len` items from item `start` on.
            #[inline(always)]
            pub fn part(self, start: usize, len: usize) -> Self {
                arch::check(start + len, self.len + 1);
                Self { start: self.start.wrapping_add(start), len, item: PhantomData }
            }

            #[inline(always)]
            fn address(self, i: usize) -> u64 {
                arch::check(i, self.len);
                self.start as u64 + (i * size_of::<T>()) as u64
            }
        }
    };
}

view! {
    /// View of items that a kernel reads.
    View, *const T
}

view! {
    /// View of items that a kernel reads and writes.
    ViewMut, *mut T
}

impl<T: Plain> View<Vec4<T>> {
    /// The numbers of all items, four an item.
    #[inline(always)]
    pub fn numbers(self) -> View<T> {
        View { start: self.start.cast(), len: 4 * self.len, item: PhantomData }
    }
}

impl<T: Plain> ViewMut<Vec4<T>> {
    /// The numbers of all items, four an item.
    #[inline(always)]
    pub fn numbers(self) -> ViewMut<T> {
        ViewMut { start: self.start.cast(), len: 4 * self.len, item: PhantomData }
    }
}

impl<T: Plain> View<T> {
    /// Item `i`.
    #[inline(always)]
    pub fn get(self, i: usize) -> T {
        // SAFETY: `i` is in range; `from_raw` vouches for the memory, which nothing writes meanwhile.
        unsafe { arch::load_constant(self.address(i)) }
    }
}

impl<T: Plain> ViewMut<T> {
    /// Item `i`.
    #[inline(always)]
    pub fn get(self, i: usize) -> T {
        // SAFETY: `i` is in range, and `from_raw` vouches for the memory.
        unsafe { arch::load_global(self.address(i)) }
    }

    /// Makes item `i` equal `value`.
    #[inline(always)]
    pub fn set(self, i: usize, value: T) {
        // SAFETY: `i` is in range, and `from_raw` vouches for the memory.
        unsafe { arch::store_global(self.address(i), value) }
    }

    /// Read-only view of the same items. No thread may write them in the launch that reads them.
    #[inline(always)]
    pub fn read_only(self) -> View<T> {
        View { start: self.start, len: self.len, item: PhantomData }
    }
}

impl<T: Atomic> ViewMut<T> {
    /// Adds `value` to item `i` atomically and returns the old item.
    #[inline(always)]
    pub fn atomic_add(self, i: usize, value: T) -> T {
        // SAFETY: `i` is in range, and `from_raw` vouches for the memory.
        unsafe { T::add_global(self.address(i), value) }
    }

    /// Item `i` as it is now, where other blocks of the launch write it by [`store_relaxed`](Self::store_relaxed).
    ///
    /// Other items that those blocks wrote may not be visible yet.
    #[inline(always)]
    pub fn load_relaxed(self, i: usize) -> T {
        // SAFETY: `i` is in range, and `from_raw` vouches for the memory.
        unsafe { T::load_relaxed(self.address(i)) }
    }

    /// Makes item `i` equal `value` for all blocks of the launch that read it by [`load_relaxed`](Self::load_relaxed).
    #[inline(always)]
    pub fn store_relaxed(self, i: usize, value: T) {
        // SAFETY: `i` is in range, and `from_raw` vouches for the memory.
        unsafe { T::store_relaxed(self.address(i), value) }
    }
}
