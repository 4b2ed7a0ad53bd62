//! The operators of the fast multipole method on the device.
//!
//! | kernel | from → to | a lane is | launch |
//! |---|---|---|---|
//! | [`p2m`](small::p2m) | charges → multipoles of leaves | a quarter of a leaf | one |
//! | [`m2m`](small::m2m) | children's multipoles → parent's | a parent | one a level |
//! | [`m2l`](small::m2l) | multipoles → local expansions of far boxes | a box, its sources shared by 4 warps | one |
//! | [`p2l`](small::p2l) | charges of far leaves → local expansions | an eighth of a box | one |
//! | [`l2l`](small::l2l) | parent's local expansion → children's | a child | one a level |
//! | [`l2p`](small::l2p) | local expansions → Φ, ∇Φ | a receiver | one |
//! | [`m2p`](small::m2p) | multipoles → Φ, ∇Φ | a receiver of the warp's leaf | one |
//! | [`expected`] | expansions → errors to expect in leaves | a box | three |
//!
//! Orders above [`MAX_ORDER`], and M2L by plane waves, have kernels of their own in [`large`].
//!
//! Harmonics, normalisation, scaling and order of the coefficients are those of the crate `expansions`, so expansions can
//! be compared number by number. They are stored in groups of four, a structure of arrays: coefficient c of box b of B is
//! number c mod 4 of item ⌊c/4⌋ B + b.
//!
//! | where | content |
//! |---|---|
//! | `driver.rs`, `entries.rs` | launches of the operators; kernels of each order and precision |
//! | `set.rs`, `options.rs`, `arrays.rs` | what a launch is asked for: the set of kernels, choices, trees and arrays |
//! | [`small`] | the kernels of orders up to [`MAX_ORDER`], with M2L by rotations |
//! | [`large`] | the kernels of any order, with M2L by plane waves |
//! | [`expected`] | errors to expect, of either set |
//! | `geometry.rs`, [`far`], `far_tables.rs` | boxes, their far boxes, and the host's tables of these |
//! | [`coefficients`], `harmonics.rs` | expansions in a thread's registers; functions of a point |

#[cfg(not(target_arch = "nvptx64"))]
mod arrays;
pub mod coefficients;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod entries;
pub mod expected;
pub mod far;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod far_tables;
mod geometry;
mod harmonics;
pub mod large;
mod options;
#[cfg(not(target_arch = "nvptx64"))]
mod set;
pub mod small;

#[cfg(not(target_arch = "nvptx64"))]
pub use arrays::{ExpectedArrays, L2pArrays, M2pArrays, Tree};
#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{Operators, label};
#[cfg(not(target_arch = "nvptx64"))]
pub use entries::Operator;
pub use geometry::{Boxes, Geometry};
#[cfg(not(target_arch = "nvptx64"))]
pub use large::wave_numbers;
pub use options::Accumulation;
#[cfg(not(target_arch = "nvptx64"))]
pub use options::FarBoxes;
#[cfg(not(target_arch = "nvptx64"))]
pub use set::OperatorSet;
pub use small::{MAX_ORDER, Order};

pub use crate::tree::NONE;

/// Largest order in f64, by the kernels of [`large`].
#[cfg(not(target_arch = "nvptx64"))]
pub const LARGEST_ORDER: usize = expansions::MAX_ORDER;
