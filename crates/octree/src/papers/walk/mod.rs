//! Nakasato's walk of the tree, one receiver at a time ("Implementation of a parallel tree method on a GPU",
//! 2012, sec. 3).
//!
//! | here | what | paper |
//! |---|---|---|
//! | [`Links::walk`] | the walk without a stack | figs 5, 6; Makino (1990) |
//! | [`walk_recursive`] | the recursive walk: the same visits, the reference | figs 3, 4 |
//! | [`Visitor`] | the caller's test and sums | fig. 4 |
//!
//! Both walks visit in Morton order and hand numbers of particles and cells (boxes) to a [`Visitor`]. Data of
//! cells come from [`upward`](crate::upward()). A cell of one source is never offered as a cell: as in the
//! paper, it is its particle. The walk that this library's treecode runs is [`GroupWalk`](crate::walk::GroupWalk).
//!
//! A sum over all sources within a walk, here with each cell standing for as many points at its centre:
//!
//! ```
//! use octree::papers::walk::{Links, Visitor};
//! use octree::{Depth, Octree};
//!
//! struct Potential<'a> {
//!     tree: &'a Octree,
//!     /// In tree order.
//!     points: &'a [[f64; 3]],
//!     at: [f64; 3],
//!     sum: f64,
//! }
//!
//! fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
//!     (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
//! }
//!
//! impl Visitor for Potential<'_> {
//!     fn opens(&self, cell: usize) -> bool {
//!         let (key, cube) = (self.tree.key(cell), self.tree.cube());
//!         cube.side_at(key.level()) >= 0.5 * distance(cube.center(key), self.at)
//!     }
//!     fn particle(&mut self, i: usize) {
//!         let r = distance(self.points[i], self.at);
//!         self.sum += if r > 0.0 { 1.0 / r } else { 0.0 };
//!     }
//!     fn cell(&mut self, cell: usize) {
//!         let center = self.tree.cube().center(self.tree.key(cell));
//!         self.sum += self.tree.sources(cell).len() as f64 / distance(center, self.at);
//!     }
//! }
//!
//! # fn main() -> Result<(), octree::Error> {
//! let points: Vec<[f64; 3]> = (0..1000).map(|i| [0.31, 0.57, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
//! let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 1 })?;
//! let links = Links::build(&tree)?;
//! let sorted: Vec<[f64; 3]> = tree.source_permutation().iter().map(|&i| points[i as usize]).collect();
//! let mut visitor = Potential { tree: &tree, points: &sorted, at: points[7], sum: 0.0 };
//! links.walk(&mut visitor);
//! let exact: f64 = points.iter().map(|&p| distance(p, points[7])).filter(|&r| r > 0.0).map(|r| 1.0 / r).sum();
//! assert!((visitor.sum - exact).abs() < 0.02 * exact);
//! # Ok(())
//! # }
//! ```

mod links;
mod recursive;
mod visitor;

pub use links::{END, Links};
pub use recursive::walk_recursive;
pub use visitor::Visitor;
