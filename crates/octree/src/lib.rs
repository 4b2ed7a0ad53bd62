//! Linear octrees for N-body methods: Morton keys, interaction lists, group walks and neighbour searches.
//!
//! The crate is about space only. It knows points and boxes, but no charge, kernel or expansion, so that fast
//! multipole methods, treecodes, smoothed particles and contact searches stand on the same tree.
//!
//! # When to use this crate
//!
//! | purpose | start with | example |
//! |---|---|---|
//! | sums of 1/r and their gradients, complete | the crate `fmm` | |
//! | FMM or treecode with kernels and expansions of one's own | [`Octree`], [`InteractionLists`] | below |
//! | treecode with an opening test of one's own | [`walk::GroupWalk`] | `examples/own_pair_sum.rs` |
//! | points within a radius, k nearest points | [`neighbors::Neighbors`] | `examples/contacts.rs`, `examples/nearest.rs` |
//! | sums over the reach of a short-range kernel | both | `sph_density` of the package `farfield` |
//!
//! `cargo run --release -p farfield-octree --example own_pair_sum` runs an example; each has a test against all
//! pairs.
//!
//! # Trees and lists
//!
//! An [`Octree`] sorts sources and receivers by boxes without moving the caller's arrays: a box holds a range of
//! tree positions, and a permutation leads from tree positions to the caller's indices. Sources and receivers may
//! be the same points or two sets.
//!
//! ```
//! use octree::{Depth, InteractionLists, ListOptions, Octree};
//!
//! # fn main() -> Result<(), octree::Error> {
//! let points: Vec<[f64; 3]> = (0..1000).map(|i| [0.31, 0.57, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
//! let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 20 })?;
//! let lists = InteractionLists::build(&tree, ListOptions::default());
//!
//! for b in tree.leaves().iter().map(|&b| b as usize) {
//!     for &i in &tree.receiver_permutation()[tree.receivers(b)] {
//!         let receiver = points[i as usize];
//!         for &s in lists.near().row(b) {
//!             for &j in &tree.source_permutation()[tree.sources(s as usize)] {
//!                 let source = points[j as usize];
//!                 // ... sum the pair directly
//! #               assert!((0..3).all(|d| (source[d] - receiver[d]).abs() <= 2.0 * tree.cube().side()));
//!             }
//!         }
//!     }
//! }
//! for b in 0..tree.n_boxes() {
//!     for (s, offset) in lists.far_pairs(b) {
//!         // Box s acts on box b of the same level, `offset` box sides away.
//! #       let [from, to] = [b, s].map(|b| tree.key(b).coordinates());
//! #       assert!((0..3).all(|d| from[d].wrapping_add_signed(offset[d].into()) == to[d]));
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Neighbours
//!
//! ```
//! use octree::neighbors::Neighbors;
//!
//! # fn main() -> Result<(), octree::Error> {
//! let points: Vec<[f64; 3]> = (0..1000).map(|i| [0.31, 0.57, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
//! let nearest = Neighbors::of(&points)?.nearest(8);
//! // Each point is the nearest to itself, at distance 0.
//! assert_eq!((nearest.indices(42)[0], nearest.distances(42)[0]), (42, 0.0));
//! # Ok(())
//! # }
//! ```
//!
//! # Many processes
//!
//! [`partition`] cuts the Morton curve into an interval for each rank. Ranks build their parts of the one tree, tell
//! each other of boxes near their borders, and find their lists, the data they import and, without a request, those
//! they export. Everything equals what one process finds for all points. The module knows no communication library: the
//! caller adds arrays over processes ([`partition::Totals`]) and carries records, coefficients and points.
//!
//! | step | here | the caller carries |
//! |--:|---|---|
//! | 1 | [`partition::point_bounds`], [`partition::global_bounds`], [`SplitRule::new`] | a maximum |
//! | 2 | [`partition::Partition::balanced`], [`partition::Partition::owners_of`] | sums and maxima, a few for each level; points to their owners |
//! | 3 | [`Octree::build_part`], [`partition::SharedBoxes::collect`] | a sum |
//! | 4 | [`partition::halo`], [`partition::EssentialTree::assemble`] | records to each rank |
//! | 5 | [`partition::EssentialTree::exchange`], [`partition::EssentialTree::fill`] | points of exports, once; multipoles, and sums of those of shared boxes, at each evaluation |
//!
//! # What is where
//!
//! N points, B boxes. Papers: HU is Hu, Gumerov and Duraiswami (2012); CGR is Carrier, Greengard and
//! Rokhlin (1988); NK is Nakasato (2012).
//!
//! | here | what | paper | cost |
//! |---|---|---|---|
//! | [`Key`], [`Cube`] | boxes as integers, exact centres | Warren and Salmon (1993) | O(1) |
//! | [`morton`], [`geometry`], [`opening`] | codes, sides and centres, opening criteria, shared with device code | Nakasato sec. 3.2 | O(1) |
//! | [`neighborhood`] | E1 to E4 of a box | HU sec. 1.4 | 27, 216 steps |
//! | [`sort`] | pseudo-sort of Morton codes | HU Alg. 1 | O(N) |
//! | [`Octree`] | all levels, uniform or adaptive | – | O(N + B log N) |
//! | [`InteractionLists`] | near (U), far (V, E4), m2p (W), p2l (X) | CGR; HU sec. 1.4 | O(B), at most 189 far boxes each |
//! | [`upward()`], [`source_bounds`] | data of boxes from their points or children; tight bounds | – | O(B), O(N) |
//! | [`walk`] | groups of receivers and the walk of a group | Barnes (1990) | O(log N) a group at a fixed opening angle |
//! | [`partition`], [`SplitRule`] | one tree over many processes: cuts, halos, local essential trees | HU sec. 3.2, Alg. 6 | O(B) a rank, and its halo |
//! | [`neighbors`] | all points within a radius, the k nearest | NK sec. 4.3 | O(N) pairs, O(N log N) boxes |
//! | [`papers`] | grid, links and curves as the papers have them | HU Alg. 2–5, NK figs 3–6 | – |
//!
//! # Guarantees
//!
//! - Integers decide the geometry: floats choose the key of a point, and nothing else.
//! - Results have the same bits for any number of threads. All work runs in the caller's rayon pool.
//! - Input with NaN, coincident points or no points gives an [`Error`] or a valid tree, never a panic or a hang.
//!
//! Without the feature `host`, which is on by default, the crate is [`morton`], [`geometry`] and [`opening`]: they
//! need no standard library, so that `kernels-gpu` compiles them for devices.

#![cfg_attr(not(feature = "host"), no_std)]

#[cfg(feature = "host")]
mod boxes;
#[cfg(feature = "host")]
mod error;
pub mod geometry;
#[cfg(feature = "host")]
mod lists;
pub mod morton;
#[cfg(feature = "host")]
pub mod neighbors;
pub mod opening;
#[cfg(feature = "host")]
pub mod papers;
#[cfg(feature = "host")]
pub mod partition;
#[cfg(feature = "host")]
pub mod sort;
#[cfg(feature = "host")]
mod tree;
#[cfg(feature = "host")]
pub mod walk;

pub use morton::MAX_LEVEL;

#[cfg(feature = "host")]
pub use self::{
    boxes::{
        aabb::Aabb,
        coordinate::Coordinate,
        cube::Cube,
        key::Key,
        neighborhood,
        offsets::{FAR_OFFSETS, far_offset, far_offset_index},
    },
    error::{Error, PointSet},
    lists::{InteractionLists, ListOptions},
    tree::{
        bounds::{receiver_bounds, source_bounds},
        csr::Csr,
        octree::{BuildSeconds, Depth, Octree},
        split::SplitRule,
        upward::upward,
    },
};
