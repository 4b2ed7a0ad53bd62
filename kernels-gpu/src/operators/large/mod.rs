//! The operators of large orders, for which registers and shared memory have no room, and M2L by plane waves.
//!
//! | where | content | a lane is |
//! |---|---|---|
//! | [`points`] | P2M, P2L, L2P, M2P | a source or a receiver |
//! | [`waves`] | M2L by plane waves | a family |
//! | [`copies`] | groups of four coefficients to rows of one, and back; the sum over children | a box |
//! | [`blocks`] | products with block-sparse matrices: rotations, shifts, modes of waves | a box; a warp is a block |
//! | `translations.rs` | launches of M2M and L2L | – |
//! | `driver.rs`, [`entries`] | tables on the device, launches of the operators at points; kernels | – |
//! | `tables.rs`, `parts.rs`, `grids.rs` | the host's matrices, their places, and grids of launches | – |
//!
//! The products have neither barriers nor shared memory: what neighbouring lanes read is one stretch of memory, or the same
//! number.
//! Matrices, quadratures and numbers of waves are those of the crate `expansions`, which the host uploads once an order.
//! M2M and L2L are shifts along z, y and x, one after the other; the quarter turns between them are those of the waves.

pub mod blocks;
pub mod copies;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod entries;
#[cfg(not(target_arch = "nvptx64"))]
mod grids;
#[cfg(not(target_arch = "nvptx64"))]
mod parts;
pub mod points;
#[cfg(not(target_arch = "nvptx64"))]
mod tables;
#[cfg(not(target_arch = "nvptx64"))]
mod translations;
pub mod waves;

#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use driver::Large;
#[cfg(not(target_arch = "nvptx64"))]
pub use driver::wave_numbers;
#[cfg(not(target_arch = "nvptx64"))]
pub(super) use entries::{LARGE_F64, LargeKernels};

/// Place of coefficient `c` of box `b` of `count` among the numbers of expansions in groups of four.
#[inline(always)]
fn at(c: usize, b: usize, count: usize) -> usize {
    4 * ((c / 4) * count + b) + c % 4
}
