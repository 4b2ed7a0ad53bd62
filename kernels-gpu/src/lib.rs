//! Device code of Farfield.
//!
//! Every kernel is an ordinary Rust function written against [`device`], which has two implementations: PTX instructions
//! for NVIDIA GPUs, and an emulator that runs blocks of threads with real barriers on the host. `cargo xtask ptx` compiles
//! the first; tests and machines without a GPU use the second.

#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, stdarch_nvptx, asm_experimental_arch, core_float_math, link_llvm_intrinsics)
)]
#![cfg_attr(target_arch = "nvptx64", allow(improper_ctypes_definitions, internal_features))]

#[cfg(not(target_arch = "nvptx64"))]
extern crate std;

pub mod device;
pub mod direct;
pub mod grid;
pub mod lists;
#[cfg(not(target_arch = "nvptx64"))]
pub mod machine;
#[cfg(not(target_arch = "nvptx64"))]
pub mod memory;
pub mod near;
pub mod operators;
pub mod probe;
pub mod scan;
pub mod sort;
pub mod transfer;
pub mod tree;
pub mod walk;

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    device::trap()
}
