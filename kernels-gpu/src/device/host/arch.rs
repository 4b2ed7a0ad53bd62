//! Primitives of the device for the emulated thread that runs at present.

use super::context::{Exchange, Wait, current, wait};
use crate::device::{Atomic, Plain};

pub(in crate::device) fn thread_idx_x() -> u32 {
    current().thread
}

pub(in crate::device) fn block_idx_x() -> u32 {
    current().block[0]
}

pub(in crate::device) fn block_idx_y() -> u32 {
    current().block[1]
}

pub(in crate::device) fn block_dim_x() -> u32 {
    current().grid.threads
}

pub(in crate::device) fn grid_dim_x() -> u32 {
    current().grid.blocks[0]
}

pub(in crate::device) fn sync_threads() {
    wait(Wait::Block);
}

pub(in crate::device) fn sync_warp() {
    wait(Wait::Warp);
}

/// Exchanges `word` with the warp. The returned function gives the word of each lane, or `None` if the lane has ended.
#[inline]
fn exchange(word: u32) -> impl Fn(u32) -> Option<u32> {
    let context = current();
    let lane = (context.thread % 32) as usize;
    let slots: *mut Exchange = context.exchange;
    // SAFETY: the block's threads take turns on one thread of the host, and the exchange outlives them.
    let (turn, count) = unsafe {
        let slots = &mut *slots;
        slots.count[lane] += 1;
        let count = slots.count[lane];
        let turn = (count % 2) as usize;
        slots.words[turn][lane] = (count, word);
        (turn, count)
    };
    wait(Wait::Warp);
    move |source| {
        // SAFETY: as above.
        let (number, word) = unsafe { (&(*slots).words)[turn][source as usize] };
        (number == count).then_some(word)
    }
}

#[inline]
pub(in crate::device) fn ballot(predicate: bool) -> u32 {
    let shown = exchange(u32::from(predicate));
    (0..32).fold(0, |bits, lane| bits | u32::from(shown(lane) == Some(1)) << lane)
}

#[inline]
pub(in crate::device) fn reduce_or(value: u32) -> u32 {
    let shown = exchange(value);
    (0..32).fold(0, |bits, lane| bits | shown(lane).unwrap_or(0))
}

#[inline]
pub(in crate::device) fn shuffle(value: u32, source: u32) -> u32 {
    exchange(value)(source).expect("a shuffle reads from a lane that takes part")
}

/// Ends the kernel with an error.
pub fn trap() -> ! {
    panic!("a kernel met what it cannot go on with");
}

pub(in crate::device) fn check(index: usize, len: usize) {
    assert!(index < len, "item {index} of {len}, thread {}", current().thread);
}

pub(in crate::device) fn check_shared(bytes: usize) {
    let reserved = current().grid.shared_bytes as usize;
    assert!(
        bytes <= reserved,
        "{bytes} bytes of shared memory, of {reserved} that the launch reserves"
    );
}

/// Address of byte `offset` of the block's shared memory: the offset itself.
pub(in crate::device) fn shared_address(offset: u32) -> u32 {
    offset
}

fn in_shared<T>(address: u32) -> *mut T {
    current().shared.wrapping_add(address as usize).cast()
}

/// # Safety
/// The address is valid, and aligned for `T`.
pub(in crate::device) unsafe fn load_global<T: Plain>(address: u64) -> T {
    // SAFETY: the caller's.
    unsafe { (address as *const T).read() }
}

pub(in crate::device) use load_global as load_constant;

/// # Safety
/// The address is valid, and aligned for `T`.
pub(in crate::device) unsafe fn store_global<T: Plain>(address: u64, value: T) {
    // SAFETY: the caller's.
    unsafe { (address as *mut T).write(value) }
}

/// # Safety
/// The address is valid, and aligned for `T`.
pub(in crate::device) unsafe fn load_shared<T: Plain>(address: u32) -> T {
    // SAFETY: the caller's.
    unsafe { in_shared::<T>(address).read() }
}

/// # Safety
/// The address is valid, and aligned for `T`.
pub(in crate::device) unsafe fn store_shared<T: Plain>(address: u32, value: T) {
    // SAFETY: the caller's.
    unsafe { in_shared::<T>(address).write(value) }
}

macro_rules! atomic {
    ($($type:ty)*) => {$(
        impl Atomic for $type {
            unsafe fn add_global(address: u64, value: Self) -> Self {
                // SAFETY: the caller vouches for the address, and threads of the emulator take turns.
                unsafe {
                    let old: Self = load_global(address);
                    store_global(address, add(old, value));
                    old
                }
            }

            unsafe fn add_shared(address: u32, value: Self) -> Self {
                // SAFETY: as above.
                unsafe {
                    let old: Self = load_shared(address);
                    store_shared(address, add(old, value));
                    old
                }
            }

            unsafe fn load_relaxed(address: u64) -> Self {
                // SAFETY: as above.
                unsafe { load_global(address) }
            }

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

fn add<T: Wrapping>(a: T, b: T) -> T {
    a.plus(b)
}

/// Reciprocal square root. Subnormal numbers count as 0, as on the device.
pub(in crate::device) fn rsqrt_f32(x: f32) -> f32 {
    if x.is_subnormal() { f32::INFINITY } else { x.sqrt().recip() }
}

/// Reciprocal square root in f64, as [`rsqrt_f32`].
pub(in crate::device) fn rsqrt_f64(x: f64) -> f64 {
    if x.is_subnormal() { f64::INFINITY } else { x.sqrt().recip() }
}

pub(in crate::device) fn cos_f32(x: f32) -> f32 {
    x.cos()
}

pub(in crate::device) fn sin_f32(x: f32) -> f32 {
    x.sin()
}

pub(in crate::device) fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

pub(in crate::device) fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}
