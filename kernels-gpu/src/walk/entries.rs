//! Entry points of the kernels that have an order, in f32 and f64.

use super::group::{GroupWalk, group_walk};
use super::moments::{Moments, moments};
#[cfg(not(target_arch = "nvptx64"))]
use crate::device::Real;
#[cfg(not(target_arch = "nvptx64"))]
use crate::direct::pair::Pair;
use crate::float_kernels;

float_kernels! {
    /// Orders of the cells' multipoles: monopoles, quadrupoles, octupoles and hexadecapoles.
    pub ORDERS = [1, 3, 4, 5];

    /// The upward pass over one level.
    pub MOMENTS<T: Real> = moments, Moments;
    /// The group walk.
    pub GROUP_WALK<T: Pair> = group_walk, GroupWalk;
}
