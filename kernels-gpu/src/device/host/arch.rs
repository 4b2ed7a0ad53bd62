//! Primitives of the device for the emulated thread that runs at present.

use super::context::{Wait, Words, current, inside, wait};
pub(in crate::device) use super::fused::{fma_f32, fma_f64};
use crate::device::{Atomic, Plain};

#[inline(always)]
pub(in crate::device) fn thread_idx_x() -> u32 {
    current().thread
}

#[inline(always)]
pub(in crate::device) fn block_idx_x() -> u32 {
    current().block[0]
}

#[inline(always)]
pub(in crate::device) fn block_idx_y() -> u32 {
    current().block[1]
}

#[inline(always)]
pub(in crate::device) fn block_dim_x() -> u32 {
    current().grid.threads
}

#[inline(always)]
pub(in crate::device) fn grid_dim_x() -> u32 {
    current().grid.blocks[0]
}

#[inline(always)]
pub(in crate::device) fn sync_threads() {
    wait(Wait::Block);
}

#[inline(always)]
pub(in crate::device) fn sync_warp() {
    wait(Wait::Warp);
}

/// Exchanges `word` with the warp.
#[inline]
fn exchange(word: u64) -> &'static Words {
    let context = current();
    let number = context.exchanges.get() + 1;
    context.exchanges.set(number);
    // SAFETY: the block's threads take turns on one thread of the host, and the exchange outlives them.
    let words = unsafe { &raw mut (*context.exchange)[(number % 2) as usize] };
    // SAFETY: as above.
    unsafe { (*words).add(number, context.thread % 32, word) };
    wait(Wait::Exchange);
    // SAFETY: as above. The lanes write the other words until all have taken part once more.
    unsafe { &*words }
}

#[inline]
pub(in crate::device) fn ballot(predicate: bool) -> u32 {
    reduce_or(u32::from(predicate) << (current().thread % 32))
}

#[inline]
pub(in crate::device) fn reduce_or(value: u32) -> u32 {
    exchange(u64::from(value)).or as u32
}

#[inline]
pub(in crate::device) fn shuffle(value: u32, source: u32) -> u32 {
    shuffle_pair(u64::from(value), source) as u32
}

/// Both words at once, because a wait costs more than a word.
#[inline]
pub(in crate::device) fn shuffle_pair(value: u64, source: u32) -> u64 {
    exchange(value).of(source).expect("a shuffle reads from a lane that takes part")
}

/// Ends the kernel with an error.
pub fn trap() -> ! {
    panic!("a kernel met what it cannot go on with");
}

#[inline(always)]
pub(in crate::device) fn check(index: usize, len: usize) {
    if index >= len {
        out_of_range(index, len);
    }
}

#[cold]
#[inline(never)]
fn out_of_range(index: usize, len: usize) -> ! {
    panic!("item {index} of {len}, thread {}", current().thread);
}

#[inline(always)]
pub(in crate::device) fn check_shared(bytes: usize) {
    let reserved = current().grid.shared_bytes as usize;
    assert!(
        bytes <= reserved,
        "{bytes} bytes of shared memory, of {reserved} that the launch reserves"
    );
}

/// Address of byte `offset` of the block's shared memory: the offset itself.
#[inline(always)]
pub(in crate::device) fn shared_address(offset: u32) -> u32 {
    offset
}

#[inline(always)]
fn in_shared<T>(address: u32) -> *mut T {
    current().shared.wrapping_add(address as usize).cast()
}

/// Item at an address. Whoever launches the kernel vouches for it, so no one else may read.
///
/// # Safety
/// The address is valid, and aligned for `T`.
#[inline(always)]
pub(in crate::device) unsafe fn load_global<T: Plain>(address: u64) -> T {
    inside();
    // SAFETY: the caller's.
    unsafe { (address as *const T).read() }
}

pub(in crate::device) use load_global as load_constant;

/// Writes an item to an address, as [`load_global`] reads.
///
/// # Safety
/// The address is valid, and aligned for `T`.
#[inline(always)]
pub(in crate::device) unsafe fn store_global<T: Plain>(address: u64, value: T) {
    inside();
    // SAFETY: the caller's.
    unsafe { (address as *mut T).write(value) }
}

/// # Safety
/// The address is valid, and aligned for `T`.
#[inline(always)]
pub(in crate::device) unsafe fn load_shared<T: Plain>(address: u32) -> T {
    // SAFETY: the caller's.
    unsafe { in_shared::<T>(address).read() }
}

/// # Safety
/// The address is valid, and aligned for `T`.
#[inline(always)]
pub(in crate::device) unsafe fn store_shared<T: Plain>(address: u32, value: T) {
    // SAFETY: the caller's.
    unsafe { in_shared::<T>(address).write(value) }
}

macro_rules! atomic {
    ($($type:ty)*) => {$(
        impl Atomic for $type {
            #[inline(always)]
            unsafe fn add_global(address: u64, value: Self) -> Self {
                // SAFETY: the caller vouches for the address, and threads of the emulator take turns.
                unsafe {
                    let old: Self = load_global(address);
                    store_global(address, add(old, value));
                    old
                }
            }

            #[inline(always)]
            unsafe fn add_shared(address: u32, value: Self) -> Self {
                // SAFETY: as above.
                unsafe {
                    let old: Self = load_shared(address);
                    store_shared(address, add(old, value));
                    old
                }
            }

            #[inline(always)]
            unsafe fn load_relaxed(address: u64) -> Self {
                // SAFETY: as above.
                unsafe { load_global(address) }
            }

            #[inline(always)]
            unsafe fn store_relaxed(address: u64, value: Self) {
                // SAFETY: as above.
                unsafe { store_global(address, value) }
            }
        }
    )*};
}
atomic!(u32 u64 f32 f64);

/// Addition of the device: sums of integers wrap around.
trait Wrapping {
    fn plus(self, other: Self) -> Self;
}

macro_rules! wrapping {
    ($($type:ty: $a:ident $b:ident $sum:expr;)*) => {$(
        impl Wrapping for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
        }
    )*};
}
wrapping! {
    u32: a b a.wrapping_add(b);
    u64: a b a.wrapping_add(b);
    f32: a b a + b;
    f64: a b a + b;
}

#[inline(always)]
fn add<T: Wrapping>(a: T, b: T) -> T {
    a.plus(b)
}

/// Reciprocal square root. Subnormal numbers count as 0, as on the device.
#[inline(always)]
pub(in crate::device) fn rsqrt_f32(x: f32) -> f32 {
    if x.is_subnormal() { f32::INFINITY } else { x.sqrt().recip() }
}

/// Reciprocal square root in f64, as [`rsqrt_f32`]: an estimate that takes and gives the upper half of a number's bits.
#[inline(always)]
pub(in crate::device) fn rsqrt_f64(x: f64) -> f64 {
    let upper = |x: f64| f64::from_bits(x.to_bits() >> 32 << 32);
    if x.is_subnormal() { f64::INFINITY } else { upper(upper(x).sqrt().recip()) }
}

#[inline(always)]
pub(in crate::device) fn truncated(x: f64) -> u32 {
    x as u32
}

#[inline(always)]
pub(in crate::device) fn cos_f32(x: f32) -> f32 {
    x.cos()
}

#[inline(always)]
pub(in crate::device) fn sin_f32(x: f32) -> f32 {
    x.sin()
}
