//! The treecode's walks.
//!
//! | here | who walks | a cell is | literature |
//! |---|---|---|---|
//! | [`group`] | a warp for up to 64 receivers that lie together | a multipole of order p = 1, 3, 4 or 5 about its centre of charge | Bédorf, Gaburov and Portegies Zwart (2012) |
//!
//! A cell acts as a whole where l/θ + s < d (Nakasato, eqs 2, 3): l is its side, s the distance between its centre and its
//! centre of charge, d the distance from that to the receivers. [`moments`] makes the centres, the multipoles and (l/θ + s)²
//! for all boxes of a tree; [`groups`] puts receivers into groups. [`relative`] is a criterion that asks for an earlier field.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
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
pub use driver::{
    ORDERS, Opening, Treecode, WalkArrays, WalkError, WalkKernels, WalkOptions, WalkReal,
};
