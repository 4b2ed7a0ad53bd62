//! M2M: multipoles of boxes from those of their children. A lane is a parent, a warp an octant.

use super::order::{Order, room};
use super::translate::{ToParent, Way, record_length, translate};
use crate::device::{Array, Real, Vec4, View, ViewMut, shared::Arena, thread, warp};
use crate::operators::NONE;
use crate::operators::coefficients::{group_of, groups, load, scale, sum};
use crate::operators::geometry::Boxes;

/// Warps of a block: one for each octant.
pub(crate) const WARPS: usize = 8;

/// Groups of coefficients that are summed over the octants at a time.
const AT_ONCE: usize = 4;

/// Shared memory of a block, in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const fn shared_bytes<T>() -> usize {
    WARPS * AT_ONCE * warp::SIZE as usize * size_of::<Vec4<T>>()
}

/// Arguments of M2M.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2m<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// First box of the parents' level.
    pub first: u32,
    /// End of the boxes of that level.
    pub end: u32,
    /// Records of the ways to the eight children.
    pub ways: View<Vec4<T>>,
    /// Group g of box b at g B + b: read of children, written of parents.
    pub multipole: ViewMut<Vec4<T>>,
}

/// One level's multipoles. Cost: 5/3 p³ + 8p² multiply-adds a child.
///
/// Yokota & Barba, sec. 9.3.1. The sum over children has the order of the octants.
#[inline(always)]
pub(crate) fn m2m<T: Real, const P: usize, const N: usize>(args: M2m<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let (octant, lane) = (thread::thread_idx_x() / warp::SIZE, warp::lane_id());
    let b = args.first + thread::block_idx_x() * warp::SIZE + lane;
    let there = b < args.end;
    let b = if there { b as usize } else { args.first as usize };
    let stride = args.boxes.count as usize;
    let child_of = |octant: u32| args.boxes.child.get(octant as usize * stride + b);
    let is_parent = there && (0..8).any(|octant| child_of(octant) != NONE);
    let child = if there { child_of(octant) } else { NONE };
    let mut e = Array::<T, N>::filled(T::ZERO);
    if warp::any(child != NONE) {
        let way = Way { records: args.ways, start: octant as usize * record_length(p.count()) };
        if child != NONE {
            load(p, args.multipole, [child as usize, stride], &mut e);
        }
        scale(p, &way.before(p), &mut e);
        translate::<ToParent, T, P, N>(p, way, &mut e);
        scale(p, &way.after(p), &mut e);
    }
    let parts = Arena::new().array::<Vec4<T>>(WARPS * AT_ONCE * warp::SIZE as usize);
    let at = |warp: usize, k: usize| (warp * AT_ONCE + k) * warp::SIZE as usize + lane as usize;
    for chunk in 0..groups(p.count()).div_ceil(AT_ONCE) {
        for group in chunk * AT_ONCE..groups(p.count()).min((chunk + 1) * AT_ONCE) {
            parts.set(at(octant as usize, group % AT_ONCE), group_of(p, &e, group));
        }
        thread::sync_threads();
        let (k, group) = (octant as usize, chunk * AT_ONCE + octant as usize);
        if k < AT_ONCE && group < groups(p.count()) && is_parent {
            let mut total = parts.get(at(0, k));
            for warp in 1..WARPS {
                total = sum(total, parts.get(at(warp, k)));
            }
            args.multipole.set(group * stride + b, total);
        }
        thread::sync_threads();
    }
}
