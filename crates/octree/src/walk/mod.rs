//! Walks of the tree: which boxes act as a whole, and which are opened.
//!
//! | here | walks for | order of visits | literature |
//! |---|---|---|---|
//! | [`Links::walk`] | one receiver, without a stack | Morton | Nakasato, figs 5, 6; Makino (1990) |
//! | [`walk_recursive`] | one receiver, the reference | Morton | Nakasato, figs 3, 4 |
//! | [`Interactions::gather`] | a group of receivers at once | Morton | Barnes (1990) |
//!
//! Nakasato is "Implementation of a parallel tree method on a GPU" (2012). What acts, and how, is the
//! caller's: a walk hands numbers of particles and cells (boxes) to a [`Visitor`], or lists them. Data of
//! cells come from [`upward`](crate::upward). A cell of one source is never offered as a cell: as in the
//! paper, it is its particle.
//!
//! A sum over all sources within a walk, here with each cell standing for as many points at its centre:
//!
//! ```
//! use octree::walk::{Links, Visitor};
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
//! let sorted: Vec<[f64; 3]> = tree.source_order().iter().map(|&i| points[i as usize]).collect();
//! let mut visitor = Potential { tree: &tree, points: &sorted, at: points[7], sum: 0.0 };
//! links.walk(&mut visitor);
//! let exact: f64 = points.iter().map(|&p| distance(p, points[7])).filter(|&r| r > 0.0).map(|r| 1.0 / r).sum();
//! assert!((visitor.sum - exact).abs() < 0.02 * exact);
//! # Ok(())
//! # }
//! ```

mod group;
mod links;
mod recursive;

pub use group::{Interactions, OpeningTest, groups};
pub use links::{END, Links};
pub use recursive::walk_recursive;

/// What a walk for one receiver calls: Nakasato's three procedures (fig. 4).
///
/// The receiver, and what becomes of the visits, is the visitor's own affair. One visitor may walk many times.
pub trait Visitor {
    /// Whether `cell` is too near to act as a whole; the paper's `distance_test`, negated. `cell` is a box
    /// number; it holds two sources at least.
    fn opens(&self, cell: usize) -> bool;

    /// Source `i` acts by itself; the paper's `proc_particle`. `i` is the source's number in the walk:
    /// its position in tree order, unless [`Links::in_order`] numbered it otherwise. The receiver itself,
    /// if it is a source too, is not left out.
    fn particle(&mut self, i: usize);

    /// All sources in `cell` act together; the paper's `proc_cell`.
    fn cell(&mut self, cell: usize);
}
