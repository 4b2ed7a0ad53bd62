//! Primitives of the device as PTX instructions.
//!
//! Warp collectives and barriers are LLVM intrinsics, because LLVM knows not to move these into branches. Loads and stores
//! name their memory, global or shared, because the compiler does not infer it.

use super::{Atomic, Plain};
use core::arch::{asm, global_asm, nvptx};
use core::mem::{align_of, size_of, transmute_copy};

global_asm!(".extern .shared .align 16 .b8 block_memory[];");

const WHOLE_WARP: i32 = -1;

// SAFETY: LLVM's intrinsics have these signatures.
unsafe extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shuffle_index(mask: i32, value: i32, source: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot(mask: i32, predicate: bool) -> i32;
    #[link_name = "llvm.nvvm.redux.sync.or"]
    fn reduce_or_sync(value: i32, mask: i32) -> i32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn warp_barrier(mask: i32);
    #[link_name = "llvm.nvvm.rsqrt.approx.ftz.f"]
    fn rsqrt_approx_f32(x: f32) -> f32;
    #[link_name = "llvm.nvvm.rsqrt.approx.ftz.d"]
    fn rsqrt_approx_f64(x: f64) -> f64;
    #[link_name = "llvm.nvvm.d2ui.rz"]
    fn truncated_f64(x: f64) -> i32;
    #[link_name = "llvm.nvvm.cos.approx.ftz.f"]
    fn cos_approx_f32(x: f32) -> f32;
    #[link_name = "llvm.nvvm.sin.approx.ftz.f"]
    fn sin_approx_f32(x: f32) -> f32;
}

macro_rules! index {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        pub(super) fn $name() -> u32 {
            // SAFETY: reads a register.
            (unsafe { nvptx::$intrinsic() }) as u32
        }
    )*};
}
index! {
    thread_idx_x = _thread_idx_x;
    block_idx_x = _block_idx_x;
    block_idx_y = _block_idx_y;
    block_dim_x = _block_dim_x;
    grid_dim_x = _grid_dim_x;
}

#[inline(always)]
pub(super) fn sync_threads() {
    // SAFETY: the block's barrier.
    unsafe { nvptx::_syncthreads() }
}

#[inline(always)]
pub(super) fn sync_warp() {
    // SAFETY: the warp's barrier.
    unsafe { warp_barrier(WHOLE_WARP) }
}

#[inline(always)]
pub(super) fn ballot(predicate: bool) -> u32 {
    // SAFETY: exchanges registers.
    (unsafe { vote_ballot(WHOLE_WARP, predicate) }) as u32
}

#[inline(always)]
pub(super) fn reduce_or(value: u32) -> u32 {
    // SAFETY: exchanges registers.
    (unsafe { reduce_or_sync(value as i32, WHOLE_WARP) }) as u32
}

#[inline(always)]
pub(super) fn shuffle(value: u32, source: u32) -> u32 {
    // SAFETY: exchanges registers.
    (unsafe { shuffle_index(WHOLE_WARP, value as i32, source as i32, 31) }) as u32
}

/// The two words of a value of 8 bytes, one after the other.
#[inline(always)]
pub(super) fn shuffle_pair(value: u64, source: u32) -> u64 {
    let low = shuffle(value as u32, source);
    let high = shuffle((value >> 32) as u32, source);
    u64::from(high) << 32 | u64::from(low)
}

/// Ends the kernel with an error.
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: does not return.
    unsafe { nvptx::trap() }
}

#[inline(always)]
pub(super) fn check(_: usize, _: usize) {}

#[inline(always)]
pub(super) fn check_shared(_: usize) {}

/// Function `$name(address)`: reads a `T` by its size and alignment.
macro_rules! load {
    ($name:ident, $address:ty, $class:ident, $ld:literal, $option:ident) => {
        /// # Safety
        /// The address is valid, and aligned for `T`.
        #[inline(always)]
        pub(super) unsafe fn $name<T: Plain>(address: $address) -> T {
            let (a, b, c, d): (u32, u32, u32, u32);
            let (x, y, z, w): (u64, u64, u64, u64);
            // SAFETY: the caller's; sizes agree.
            unsafe {
                match (size_of::<T>(), align_of::<T>()) {
                    (4, 4) => {
                        asm!(concat!($ld, ".b32 {}, [{}];"), out(reg32) a, in($class) address, options(pure, nostack, $option));
                        transmute_copy(&a)
                    }
                    (8, 8) if T::PAIR => {
                        asm!(concat!($ld, ".v2.b32 {{{}, {}}}, [{}];"), out(reg32) a, out(reg32) b, in($class) address, options(pure, nostack, $option));
                        transmute_copy(&[a, b])
                    }
                    (8, 8) => {
                        asm!(concat!($ld, ".b64 {}, [{}];"), out(reg64) x, in($class) address, options(pure, nostack, $option));
                        transmute_copy(&x)
                    }
                    (16, 16) => {
                        asm!(concat!($ld, ".v4.b32 {{{}, {}, {}, {}}}, [{}];"), out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in($class) address, options(pure, nostack, $option));
                        transmute_copy(&[a, b, c, d])
                    }
                    (32, 16) => {
                        asm!(concat!($ld, ".v2.b64 {{{}, {}}}, [{}];"), out(reg64) x, out(reg64) y, in($class) address, options(pure, nostack, $option));
                        asm!(concat!($ld, ".v2.b64 {{{}, {}}}, [{}+16];"), out(reg64) z, out(reg64) w, in($class) address, options(pure, nostack, $option));
                        transmute_copy(&[x, y, z, w])
                    }
                    _ => trap(),
                }
            }
        }
    };
}
load!(load_global, u64, reg64, "ld.global", readonly);
load!(load_constant, u64, reg64, "ld.global.nc", nomem);
load!(load_shared, u32, reg32, "ld.shared", readonly);

/// Function `$name(address, value)`: writes a `T` by its size and alignment.
macro_rules! store {
    ($name:ident, $address:ty, $class:ident, $st:literal) => {
        /// # Safety
        /// The address is valid, and aligned for `T`.
        #[inline(always)]
        pub(super) unsafe fn $name<T: Plain>(address: $address, value: T) {
            // SAFETY: the caller's; sizes agree.
            unsafe {
                match (size_of::<T>(), align_of::<T>()) {
                    (4, 4) => {
                        let a: u32 = transmute_copy(&value);
                        asm!(concat!($st, ".b32 [{}], {};"), in($class) address, in(reg32) a, options(nostack));
                    }
                    (8, 8) if T::PAIR => {
                        let [a, b]: [u32; 2] = transmute_copy(&value);
                        asm!(concat!($st, ".v2.b32 [{}], {{{}, {}}};"), in($class) address, in(reg32) a, in(reg32) b, options(nostack));
                    }
                    (8, 8) => {
                        let x: u64 = transmute_copy(&value);
                        asm!(concat!($st, ".b64 [{}], {};"), in($class) address, in(reg64) x, options(nostack));
                    }
                    (16, 16) => {
                        let [a, b, c, d]: [u32; 4] = transmute_copy(&value);
                        asm!(concat!($st, ".v4.b32 [{}], {{{}, {}, {}, {}}};"), in($class) address, in(reg32) a, in(reg32) b, in(reg32) c, in(reg32) d, options(nostack));
                    }
                    (32, 16) => {
                        let [x, y, z, w]: [u64; 4] = transmute_copy(&value);
                        asm!(concat!($st, ".v2.b64 [{}], {{{}, {}}};"), in($class) address, in(reg64) x, in(reg64) y, options(nostack));
                        asm!(concat!($st, ".v2.b64 [{}+16], {{{}, {}}};"), in($class) address, in(reg64) z, in(reg64) w, options(nostack));
                    }
                    _ => trap(),
                }
            }
        }
    };
}
store!(store_global, u64, reg64, "st.global");
store!(store_shared, u32, reg32, "st.shared");

/// Address of byte `offset` of the block's shared memory.
#[inline(always)]
pub(super) fn shared_address(offset: u32) -> u32 {
    let base: u32;
    // SAFETY: takes an address.
    unsafe { asm!("mov.u32 {}, block_memory;", out(reg32) base, options(pure, nomem, nostack)) };
    base + offset
}

macro_rules! atomic {
    ($($type:ty, $class:ident, $op:literal;)*) => {$(
        impl Atomic for $type {
            #[inline(always)]
            unsafe fn add_global(address: u64, value: Self) -> Self {
                let old: $type;
                // SAFETY: the caller vouches for the address.
                unsafe {
                    asm!(concat!("atom.global.add.", $op, " {0}, [{1}], {2};"), out($class) old, in(reg64) address, in($class) value, options(nostack));
                }
                old
            }

            #[inline(always)]
            unsafe fn add_shared(address: u32, value: Self) -> Self {
                let old: $type;
                // SAFETY: the caller vouches for the address.
                unsafe {
                    asm!(concat!("atom.shared.add.", $op, " {0}, [{1}], {2};"), out($class) old, in(reg32) address, in($class) value, options(nostack));
                }
                old
            }

            #[inline(always)]
            unsafe fn load_relaxed(address: u64) -> Self {
                let value: $type;
                // SAFETY: the caller vouches for the address.
                unsafe {
                    asm!(concat!("ld.relaxed.gpu.global.", $op, " {}, [{}];"), out($class) value, in(reg64) address, options(nostack));
                }
                value
            }

            #[inline(always)]
            unsafe fn store_relaxed(address: u64, value: Self) {
                // SAFETY: the caller vouches for the address.
                unsafe {
                    asm!(concat!("st.relaxed.gpu.global.", $op, " [{}], {};"), in(reg64) address, in($class) value, options(nostack));
                }
            }
        }
    )*};
}
atomic! {
    u32, reg32, "u32";
    u64, reg64, "u64";
    f32, reg32, "f32";
    f64, reg64, "f64";
}

#[inline(always)]
pub(super) fn rsqrt_f32(x: f32) -> f32 {
    // SAFETY: arithmetic.
    unsafe { rsqrt_approx_f32(x) }
}

#[inline(always)]
pub(super) fn rsqrt_f64(x: f64) -> f64 {
    // SAFETY: arithmetic.
    unsafe { rsqrt_approx_f64(x) }
}

#[inline(always)]
pub(super) fn truncated(x: f64) -> u32 {
    // SAFETY: arithmetic.
    (unsafe { truncated_f64(x) }) as u32
}

#[inline(always)]
pub(super) fn cos_f32(x: f32) -> f32 {
    // SAFETY: arithmetic.
    unsafe { cos_approx_f32(x) }
}

#[inline(always)]
pub(super) fn sin_f32(x: f32) -> f32 {
    // SAFETY: arithmetic.
    unsafe { sin_approx_f32(x) }
}

#[inline(always)]
pub(super) fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    core::f32::math::mul_add(a, b, c)
}

#[inline(always)]
pub(super) fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
    core::f64::math::mul_add(a, b, c)
}
