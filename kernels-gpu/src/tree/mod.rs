//! Adaptive and uniform octrees of sources and receivers, built from points in device memory.
//!
//! | stage | kernels | launches |
//! |---|---|---|
//! | bounds of all points, to the host for the cube | [`bounds`] | 2 |
//! | Morton keys | [`points`] | 1 |
//! | sort of keys and indices | [`crate::sort`] | 2 and one for each 8 bits |
//! | sets apart, if there are two | [`points`] | 4 |
//! | boxes that start at each point; counts by level and octant, to the host | [`starts`], [`boxes`] | 4 |
//! | numbered boxes; points, parents and children of each | [`boxes`], [`family`] | 3 |
//!
//! The host waits twice: for the bounds and for the number of boxes. Keys have no more levels than most sets of points
//! need, so that the sort takes few passes. If a box of the last of these levels holds too many points, keys, sort and
//! count are repeated with all levels.
//!
//! Boxes and ranges are those of `octree::Octree`, in another order: by level, octant in the parent, Morton order. So
//! the boxes of a level are consecutive, as are those of one octant within a level: [`Tree::slot`]. Points of one leaf
//! may come in another order than on the host; the order depends on the points alone.

pub mod bounds;
pub mod boxes;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
#[cfg(not(target_arch = "nvptx64"))]
mod error;
pub mod family;
pub mod morton;
pub mod points;
pub mod starts;

#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use driver::{CubeFinder, items_of};
#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{HostTree, Sets, Tree};
#[cfg(not(target_arch = "nvptx64"))]
pub use error::TreeError;

/// Number that stands for no box.
pub const NONE: u32 = u32::MAX;
