//! The tree: all levels of boxes with the ranges of points that they hold.
//!
//! | file | what |
//! |---|---|
//! | `octree.rs` | the tree, its boxes and permutations |
//! | `build.rs` | from points to a tree |
//! | `points.rs` | points of both sets, and what is refused of them |
//! | `split.rs` | which boxes have children |
//! | `bookmarks.rs` | where the points of each child begin |
//! | `csr.rs` | rows of different lengths in one array |
//! | `upward.rs` | data of boxes, from those of their children |
//! | `bounds.rs` | bounds of the points of each box |

pub(crate) mod bookmarks;
pub(crate) mod bounds;
pub(crate) mod build;
pub(crate) mod csr;
pub(crate) mod octree;
pub(crate) mod points;
pub(crate) mod split;
pub(crate) mod upward;
