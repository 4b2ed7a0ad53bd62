//! The operators of large orders, for which registers and shared memory have no room, and M2L by plane waves.
//!
//! | file | kernels | a lane is |
//! |---|---|---|
//! | `from_points.rs` | P2M, P2L | a source; a warp is an azimuthal index m of a box |
//! | `to_points.rs` | L2P, M2P | a receiver; a block is a leaf |
//! | `series.rs` | coefficients of these in shared memory | a receiver |
//! | `families.rs` | numbers of the boxes with children | a box |
//! | `copies.rs` | groups of four coefficients to rows of one, and back; the sum over children | a box |
//! | `blocks.rs` | products with block-sparse matrices: rotations, shifts, modes of waves | a box; a warp is a block |
//! | `radiate.rs` | modes to waves, merged in families | a family, four directions |
//! | `gather.rs` | waves of the families around to the children of a box | a family, eight waves |
//!
//! The products have neither barriers nor shared memory: what neighbouring lanes read is one stretch of memory, or the same
//! number.
//! Matrices, quadratures and numbers of waves are those of the crate `expansions`, which the host uploads once an order.
//! M2M and L2L are shifts along z, y and x, one after the other; the quarter turns between them are those of the waves.

pub mod blocks;
pub mod constants;
pub mod copies;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod entries;
pub mod families;
pub mod from_points;
pub mod gather;
#[cfg(not(target_arch = "nvptx64"))]
mod grids;
#[cfg(not(target_arch = "nvptx64"))]
mod parts;
pub mod radiate;
mod series;
#[cfg(not(target_arch = "nvptx64"))]
mod tables;
pub mod to_points;
#[cfg(not(target_arch = "nvptx64"))]
mod translations;
#[cfg(not(target_arch = "nvptx64"))]
mod waves;

#[cfg(not(target_arch = "nvptx64"))]
pub(super) use driver::Large;
#[cfg(not(target_arch = "nvptx64"))]
pub use driver::wave_numbers;
#[cfg(not(target_arch = "nvptx64"))]
pub(super) use entries::{LARGE_F64, LargeKernels};

/// Place of coefficient `c` of box `b` of `count` among the numbers of expansions in groups of four.
#[inline(always)]
fn at(c: usize, b: usize, count: usize) -> usize {
    4 * ((c / 4) * count + b) + c % 4
}
