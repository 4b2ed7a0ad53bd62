//! Trees over several devices: who owns which points, which boxes another device needs, and the tree with theirs.
//!
//! Devices own consecutive intervals of the Morton curve, as in `octree::partition`. A device builds the tree of its own
//! points; a box with a cut strictly inside, which several devices share, is split there whatever it holds. Each device
//! tells every other one of the boxes whose parents touch the other's interval, and adds the boxes that it is told of to its
//! own: the merged tree has all boxes of the lists of its own receivers (Salmon and Warren's essential tree; Hu, Gumerov and
//! Duraiswami, section 3).
//!
//! | kernels | what |
//! |---|---|
//! | [`sample`] | keys of some points, to choose cuts; points beside cuts |
//! | [`owners`] | points by owner |
//! | [`halo`] | boxes that another device needs, and the sources of those that it needs point by point |
//! | [`merge`] | boxes of several devices in one tree |
//! | [`rows`] | multipoles of boxes, to be sent, put and added |
//! | [`cuts`] | cuts at which boxes are split |

pub mod cuts;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod halo;
pub mod merge;
pub mod owners;
pub mod rows;
pub mod sample;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{
    BoxNumbers, CutFinder, Halo, OwnerOrder, Part, PointsInCube, SlotBoxes, add_rows, count_beside,
    pack_rows, put_rows,
};
