//! Device code of Farfield.
//!
//! Every kernel is an ordinary Rust function written against [`device`], which has two implementations: PTX instructions
//! for NVIDIA GPUs, and an emulator that runs blocks of threads with real barriers on the host. `cargo xtask ptx` compiles
//! the first; tests and machines without a GPU use the second.
//!
//! A kernel and the driver that launches it stand in one folder; kernels compile for the device and for the host, drivers
//! for the host alone.
//!
//! | where | what | paper |
//! |---|---|---|
//! | [`device`] | functions and types that kernels are written with: `thread` (indices, barriers), `warp` (shuffles, votes, sums), `block` (reductions), `shared` (memory of a block), `view` (arrays in device memory), `real` (f32, f64), `plain` (types without padding), `array` (arrays in registers), `kernel` (entry points); implemented by `ptx` and by `host/` | – |
//! | [`machine`] | launches: trait `Machine` and launch grids (`mod`), `emulator`, `ptx` (embedded PTX), `cuda/` (NVIDIA GPUs through their driver), `error` | – |
//! | [`memory`] | device arrays that grow and are reused | – |
//! | [`scan`] | prefix sums in one pass | Merrill and Garland (2016), decoupled look-back |
//! | [`sort`] | radix sort of keys and values: `histogram`, `pass`, `driver` | Adinets and Merrill (2022), Onesweep |
//! | [`tree`] | octree: `points` (keys), `morton`, `bounds` (cube), `starts` and `boxes` (construction), `family` (parents, children), `driver/` | Hu, Gumerov and Duraiswami (2012) |
//! | [`lists`] | interaction lists: `near` (U and W), `p2l` (X), `colleagues`, `census` (numbers of pairs), `driver` | Cheng, Greengard and Rokhlin (1999) |
//! | [`direct`] | direct sum: `pair` (one receiver, one source), `driver` | Nyland, Harris and Prins (2007) |
//! | [`check`] | the norm of a field, `picks` of receivers, direct sums at a few of them; `charges` before a sum | – |
//! | [`near`] | P2P over list U: `tasks` (division among warps), `runs` (sources of several boxes as one sequence), `driver` | Yokota and Barba (2011) |
//! | [`operators`] | P2M, M2M, M2L, P2L, L2L, L2P, M2P of solid harmonics | Yokota and Barba (2011); Cheng, Greengard and Rokhlin (1999) |
//! | [`walk`] | treecode: `moments` (upward pass), `groups` (receivers that walk together), `group` (the walk, with its phases in `traversal` and `sums`), `warp_memory`, `raw` and `multipole` (moments, M2P), `relative` (criterion by an earlier gradient), `driver` | Nakasato (2012); Bédorf, Gaburov and Portegies Zwart (2012) |
//! | [`partition`] | trees over several devices: `owners`, `cuts`, `halo` (boxes for another device), `merge` (boxes of several devices in one tree), `rows` (multipoles on their way), `driver/` | Hu, Gumerov and Duraiswami (2011), section 3 |
//! | [`transfer`] | points and results in and out: gathers, charges, scatters | – |
//! | [`motion`] | particles of a simulation: kicks, drifts, points of a sum (`mod`), `sums` (what a system conserves), `driver` | – |
//! | [`vectors`] | algebra of vectors for solvers: products, combinations, traces of a field (`mod`), `driver` | Saad and Schultz (1986), GMRES |
//! | [`papers`] | the papers' own kernels and data structures, for tests and tables | see there |
//!
//! # Views and slices
//!
//! A [view](device::View) is an address and a length without a lifetime, as a kernel takes it. Views are made by safe code, and
//! read inside a kernel only. Launches and copies over views are `unsafe` on every [`Machine`](machine::Machine). Drivers of
//! kernels take an [`Unchecked`](machine::Unchecked) machine, whose maker has taken the duties of all of them in one `unsafe`
//! call.
//!
//! A [slice](machine::DeviceSlice) is a view that borrows its buffer. [`vectors::VectorSpace`] and [`motion::Particles`] take
//! slices and any machine, and need no unsafe code.

#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, stdarch_nvptx, asm_experimental_arch, core_float_math, link_llvm_intrinsics)
)]
#![cfg_attr(target_arch = "nvptx64", allow(improper_ctypes_definitions, internal_features))]

#[cfg(not(target_arch = "nvptx64"))]
extern crate std;

pub mod check;
pub mod device;
pub mod direct;
pub mod lists;
#[cfg(not(target_arch = "nvptx64"))]
pub mod machine;
#[cfg(not(target_arch = "nvptx64"))]
pub mod memory;
pub mod motion;
pub mod near;
pub mod operators;
pub mod papers;
pub mod partition;
pub mod scan;
pub mod sort;
pub mod transfer;
pub mod tree;
pub mod vectors;
pub mod walk;

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    device::trap()
}
