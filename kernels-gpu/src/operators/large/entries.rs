//! Entry points, in f64: f32 needs no orders that have no kernels of their own.

use super::blocks::{Apply, Collect, Shift, collect, folded, plain, shift, unfolded};
use super::copies::{Copy, groups_of, rows_of, sum_children};
use super::points::from_points::{FromPoints, p2l, p2m};
use super::points::to_points::{L2p, M2p, l2p, m2p};
use super::waves::families::{NumberFamilies, number_families};
use super::waves::gather::{Gather, gather};
use super::waves::radiate::{Radiate, radiate};
#[cfg(not(target_arch = "nvptx64"))]
use crate::device::Kernel;
use crate::kernel;

/// The kernels in one precision.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
pub struct LargeKernels<T> {
    pub(super) p2m: Kernel<FromPoints<T>>,
    pub(super) p2l: Kernel<FromPoints<T>>,
    pub(super) l2p: Kernel<L2p<T>>,
    pub(super) m2p: Kernel<M2p<T>>,
    pub(super) rows_of: Kernel<Copy<T>>,
    pub(super) groups_of: Kernel<Copy<T>>,
    pub(super) sum_children: Kernel<Copy<T>>,
    pub(super) plain: Kernel<Apply<T>>,
    pub(super) folded: Kernel<Apply<T>>,
    pub(super) unfolded: Kernel<Apply<T>>,
    pub(super) collect: Kernel<Collect<T>>,
    pub(super) shift: Kernel<Shift<T>>,
    pub(super) number_families: Kernel<NumberFamilies>,
    pub(super) radiate: Kernel<Radiate<T>>,
    /// By the number of bounded axes.
    pub(super) gather: [Kernel<Gather<T>>; 3],
}

/// The kernels in f64.
#[cfg(not(target_arch = "nvptx64"))]
pub static LARGE_F64: LargeKernels<f64> = LargeKernels {
    p2m: LARGE_P2M_F64,
    p2l: LARGE_P2L_F64,
    l2p: LARGE_L2P_F64,
    m2p: LARGE_M2P_F64,
    rows_of: ROWS_OF_F64,
    groups_of: GROUPS_OF_F64,
    sum_children: SUM_CHILDREN_F64,
    plain: PLAIN_F64,
    folded: FOLDED_F64,
    unfolded: UNFOLDED_F64,
    collect: COLLECT_F64,
    shift: SHIFT_F64,
    number_families: NUMBER_FAMILIES,
    radiate: RADIATE_F64,
    gather: [GATHER_F64_0, GATHER_F64_1, GATHER_F64_2],
};

kernel! {
    /// P2M.
    pub LARGE_P2M_F64 = p2m::<f64>, (FromPoints<f64>);
    /// P2L.
    pub LARGE_P2L_F64 = p2l::<f64>, (FromPoints<f64>);
    /// L2P.
    pub LARGE_L2P_F64 = l2p::<f64>, (L2p<f64>);
    /// M2P.
    pub LARGE_M2P_F64 = m2p::<f64>, (M2p<f64>);
    /// Rows of expansions.
    pub ROWS_OF_F64 = rows_of::<f64>, (Copy<f64>);
    /// Expansions of rows.
    pub GROUPS_OF_F64 = groups_of::<f64>, (Copy<f64>);
    /// Sums over children.
    pub SUM_CHILDREN_F64 = sum_children::<f64>, (Copy<f64>);
    /// Product.
    pub PLAIN_F64 = plain::<f64>, (Apply<f64>);
    /// Sum and difference of two products.
    pub FOLDED_F64 = folded::<f64>, (Apply<f64>);
    /// Products of a sum and of a difference.
    pub UNFOLDED_F64 = unfolded::<f64>, (Apply<f64>);
    /// Waves of boxes to modes.
    pub COLLECT_F64 = collect::<f64>, (Collect<f64>);
    /// Translation along an axis.
    pub SHIFT_F64 = shift::<f64>, (Shift<f64>);
    /// Numbers of the boxes with children.
    pub NUMBER_FAMILIES = number_families, (NumberFamilies);
    /// Modes to waves of families.
    pub RADIATE_F64 = radiate::<f64>, (Radiate<f64>);
    /// Waves along z of the families around.
    pub GATHER_F64_0 = gather::<f64, 0>, (Gather<f64>);
    /// Waves along y of the families around.
    pub GATHER_F64_1 = gather::<f64, 1>, (Gather<f64>);
    /// Waves along x of the families around.
    pub GATHER_F64_2 = gather::<f64, 2>, (Gather<f64>);
}
