//! The operators of the fast multipole method on the device.
//!
//! | kernel | from → to | a lane is | launch |
//! |---|---|---|---|
//! | [`p2m`] | charges → multipoles of leaves | a quarter of a leaf | one |
//! | [`m2m`] | children's multipoles → parent's | a parent | one a level |
//! | [`m2l`] | multipoles → local expansions of far boxes | a box, its sources shared by 4 warps | one |
//! | [`p2l`] | charges of far leaves → local expansions | an eighth of a box | one |
//! | [`l2l`] | parent's local expansion → children's | a child | one a level |
//! | [`l2p`] | local expansions → Φ, ∇Φ | a receiver | one |
//! | [`m2p`] | multipoles → Φ, ∇Φ | a receiver of the warp's leaf | one |
//! | [`expected`] | expansions → errors to expect in leaves | a box | three |
//!
//! Orders above [`MAX_ORDER`], and M2L by plane waves, have kernels of their own in [`large`].
//!
//! Harmonics, normalisation, scaling and order of the coefficients are those of the crate `expansions`, so expansions can
//! be compared number by number. They are stored in groups of four, a structure of arrays: coefficient c of box b of B is
//! number c mod 4 of item ⌊c/4⌋ B + b.

mod accumulation;
#[cfg(not(target_arch = "nvptx64"))]
mod arrays;
pub mod coefficients;
mod constants;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod entries;
pub mod expected;
pub mod far;
mod geometry;
mod harmonics;
pub mod l2l;
pub mod l2p;
pub mod large;
pub mod m2l;
mod m2l_any;
pub mod m2m;
pub mod m2p;
pub(crate) mod order;
pub mod p2l;
pub mod p2m;
#[cfg(not(target_arch = "nvptx64"))]
mod set;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod tables;
mod translate;

#[cfg(not(target_arch = "nvptx64"))]
pub use accumulation::Accumulation;
#[cfg(not(target_arch = "nvptx64"))]
pub use arrays::{ExpectedArrays, FarBoxes, L2pArrays, M2pArrays, Tree};
pub use constants::MAX_ORDER;
#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{Operators, label};
#[cfg(not(target_arch = "nvptx64"))]
pub use entries::Operator;
pub use geometry::{Boxes, Geometry};
#[cfg(not(target_arch = "nvptx64"))]
pub use large::wave_numbers;
pub use order::Order;
#[cfg(not(target_arch = "nvptx64"))]
pub use set::OperatorSet;

pub use crate::tree::NONE;

/// Largest order in f64, by the kernels of [`large`].
#[cfg(not(target_arch = "nvptx64"))]
pub const LARGEST_ORDER: usize = expansions::MAX_ORDER;
