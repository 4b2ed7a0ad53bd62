//! Treecode: a walk of the tree by groups of receivers.
//!
//! | module | unit of work | a cell is | literature |
//! |---|---|---|---|
//! | [`group`] | a warp walks for up to 64 receivers that lie together | a multipole of order p = 1, 3, 4 or 5 about its centre of charge | Bédorf, Gaburov and Portegies Zwart (2012) |
//!
//! A cell acts as a whole where l/θ + s < d (Nakasato, eqs 2, 3): l is the side of the cell, s the distance between its
//! centre and its centre of charge, d the distance from its centre of charge to the receivers. [`moments`] computes the
//! centres, the multipoles and (l/θ + s)² of all boxes of a tree; [`groups`] divides the receivers into groups;
//! [`relative`] is a criterion by the gradient of an earlier field. Walks of single particles are in
//! [`papers`](crate::papers).

mod arguments;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod entries;
pub mod group;
pub mod groups;
pub mod moments;
mod multipole;
mod raw;
pub mod relative;
mod sums;
mod traversal;
mod warp_memory;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{Treecode, WalkArrays, WalkError, WalkKernels, WalkOptions};
#[cfg(not(target_arch = "nvptx64"))]
pub use entries::ORDERS;
