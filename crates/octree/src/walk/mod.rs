//! The walk of the tree by groups of receivers, which treecodes and neighbour searches run.
//!
//! Receivers that lie together share one walk (Barnes 1990): cells that are far enough from all of them act as
//! a whole, and the sources of opened leaves act one by one. The caller brings the opening test and, if the walk
//! is to be fast, its own cell type ([`WalkCell`]) with everything that the test reads in one cache line.
//!
//! | here | what | cost |
//! |---|---|---|
//! | [`receiver_groups`] | compact groups of receivers of a bounded size | O(boxes) |
//! | [`part_receiver_groups`] | the same groups where several processes have parts of the tree | O(boxes) |
//! | [`GroupWalk`] | accepted cells and opened leaves of one group | O(log N) a group at a fixed opening angle |
//! | [`Criterion`] | condition under which a cell acts as a whole | |
//! | [`tree_cells`] | cells for callers whose test looks data up by box number | O(boxes) |
//!
//! Sums of 1/r over groups, here with each cell standing for as many points at its centre:
//!
//! ```
//! use octree::walk::{GroupWalk, receiver_groups, tree_cells};
//! use octree::{Aabb, Depth, Octree};
//!
//! fn inverse(a: [f64; 3], b: [f64; 3]) -> f64 {
//!     let r = (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt();
//!     if r > 0.0 { 1.0 / r } else { 0.0 }
//! }
//!
//! # fn main() -> Result<(), octree::Error> {
//! let points: Vec<[f64; 3]> = (0..1000).map(|i| [0.31, 0.57, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
//! let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 8 })?;
//! let sorted: Vec<[f64; 3]> = tree.source_permutation().iter().map(|&i| points[i as usize]).collect();
//! let center = |b: usize| tree.cube().center(tree.key(b));
//!
//! let cells = tree_cells(&tree);
//! let mut sums = vec![0.0; points.len()];
//! let mut walk = GroupWalk::default();
//! for group in receiver_groups(&tree, 32) {
//!     let bounds = Aabb::around(&sorted[group.receivers.clone()]);
//!     walk.walk(&cells, |b, cell| {
//!         let side = tree.cube().side_at(tree.key(b).level());
//!         cell.n_sources() < 2 || side >= 0.5 * bounds.squared_distance_to(&center(b)).sqrt()
//!     });
//!     for i in group.receivers {
//!         let far = walk.cells().iter().map(|&b| b as usize);
//!         let far: f64 = far.map(|b| cells[b].n_sources() as f64 * inverse(center(b), sorted[i])).sum();
//!         let near: f64 = walk.sources().map(|j| inverse(sorted[j], sorted[i])).sum();
//!         sums[i] = far + near;
//!     }
//! }
//! let exact: f64 = sorted.iter().map(|&source| inverse(source, sorted[7])).sum();
//! assert!((sums[7] - exact).abs() < 0.02 * exact);
//! # Ok(())
//! # }
//! ```
//!
//! The walk of a single receiver along links (Nakasato) is in [`papers::walk`](crate::papers::walk).

mod criterion;
mod group;
mod groups;

pub use criterion::Criterion;
pub use group::{GroupWalk, TreeCell, WalkCell, tree_cells};
pub use groups::{CutGroup, ReceiverGroup, part_receiver_groups, receiver_groups};
