//! M2P: multipoles of boxes at the receivers of leaves: those too near for local expansions (list W) and, in a treecode
//! without them, the far boxes (V, the E4 neighbourhood) of the leaf and of all boxes above it. A warp is a leaf.

use super::order::{Degrees, Order};
use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::NONE;
use crate::operators::coefficients::{load, load_groups};
use crate::operators::far::FAR;
use crate::operators::geometry::Boxes;
use crate::operators::harmonics::{Lane, Row, Start, Values};

/// Arguments of M2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2p<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// The leaf of each row of the list.
    pub leaves: View<u32>,
    /// Row r of the list is at `offsets[r] .. offsets[r + 1]` of `items`.
    pub offsets: View<u32>,
    /// Boxes whose multipoles act.
    pub items: View<u32>,
    /// The far boxes of each octant (`far::entry`) where they act too; else empty.
    pub far: View<u32>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub multipole: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver: added to.
    pub field: ViewMut<Vec4<T>>,
}

/// The boxes that act on each leaf: list W and, in a treecode without local expansions, the far boxes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Listed {
    /// The leaf of each row of the list.
    pub leaves: View<u32>,
    /// Row r of the list is at `offsets[r] .. offsets[r + 1]` of `items`.
    pub offsets: View<u32>,
    /// Boxes whose multipoles act.
    pub items: View<u32>,
    /// The far boxes of each octant (`far::entry`) where they act too; else empty.
    pub far: View<u32>,
}

impl<T: Real> M2p<T> {
    #[inline(always)]
    fn listed(&self) -> Listed {
        let Self { leaves, offsets, items, far, .. } = *self;
        Listed { leaves, offsets, items, far }
    }
}

/// Φ = (1/s) Σ M_i I_i(x/s) and ∇Φ (Yokota & Barba, eq. 2). Cost: 13p² operations for a point and a box.
#[inline(always)]
pub(crate) fn m2p<T: Real, const P: usize, const N: usize>(args: M2p<T>) {
    let p = args.order.of::<P>();
    let row = thread::index() / warp::SIZE as usize;
    if row >= args.leaves.len() {
        return;
    }
    let listed = args.listed();
    let acting = Acting::new(listed, row);
    if !acting.any(listed) {
        return;
    }
    let Vec4([_, _, begin, end]) = args.boxes.range.get(args.leaves.get(row) as usize);
    let mut i = begin + warp::lane_id();
    while i < end {
        let Vec4([x, y, z, _]) = args.receivers.get(i as usize);
        let mut sum = Values::ZERO;
        let mut acting = acting;
        while let Some(b) = acting.next(listed, &args.boxes) {
            let place = args.boxes.place(b);
            let at = [b, args.boxes.count as usize];
            let point = place.relative([x, y, z]);
            sum.add(evaluate::<T, P, N>(p, point, args.multipole, at), place.inverse);
        }
        sum.put(T::ONE, true, args.field, i as usize);
        i += warp::SIZE;
    }
}

/// The boxes that act on a leaf, the same for all lanes of its warp.
#[derive(Clone, Copy)]
pub(crate) struct Acting {
    /// From here to `last` in the row's items.
    item: u32,
    last: u32,
    /// Then, from offset `k` on, the far boxes of this one and of those above it.
    of: u32,
    k: usize,
}

impl Acting {
    #[inline(always)]
    pub(crate) fn new(listed: Listed, row: usize) -> Self {
        let (item, last) = (listed.offsets.get(row), listed.offsets.get(row + 1));
        let of = if listed.far.is_empty() { NONE } else { listed.leaves.get(row) };
        Self { item, last, of, k: 0 }
    }

    /// Whether there may be any.
    #[inline(always)]
    pub(crate) fn any(&self, listed: Listed) -> bool {
        self.item != self.last || !listed.far.is_empty()
    }

    #[inline(always)]
    pub(crate) fn next<T: Real>(&mut self, listed: Listed, boxes: &Boxes<T>) -> Option<usize> {
        if self.item < self.last {
            self.item += 1;
            return Some(listed.items.get(self.item as usize - 1) as usize);
        }
        let count = boxes.count as usize;
        // Far boxes exist from level 2 on.
        while self.of != NONE && boxes.level.get(self.of as usize) >= 2 {
            let (parent, octant) =
                (boxes.parent.get(self.of as usize), boxes.key.get(self.of as usize) & 7);
            while self.k < FAR {
                let entry = listed.far.get(octant as usize * FAR + self.k) as usize;
                self.k += 1;
                let near = boxes.colleague.get((entry & 31) * count + parent as usize);
                if near == NONE {
                    continue;
                }
                let source = boxes.child.get((entry >> 5 & 7) * count + near as usize);
                if source != NONE {
                    return Some(source as usize);
                }
            }
            (self.of, self.k) = (parent, 0);
        }
        None
    }
}

/// Bytes of a multipole up to which it is read at once; others, a degree at a time.
const AT_ONCE: usize = 600;

/// The series of box `b` of `count`.
#[inline(always)]
fn evaluate<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    point: [T; 3],
    multipole: View<Vec4<T>>,
    [b, count]: [usize; 2],
) -> Values<T> {
    let mut e = Array::<T, N>::filled(T::ZERO);
    let at_once = N * size_of::<T>() <= AT_ONCE;
    if at_once {
        load(p, multipole, [b, count], &mut e);
    }
    let start = Start::irregular(point.map(Lane));
    let mut values = Values::ZERO;
    let (mut below, mut row) = (Row::zero(), Row::first(start));
    for n in 0..p.count() {
        if !at_once {
            let groups = (n * n).div_ceil(4)..((n + 1) * (n + 1)).div_ceil(4);
            load_groups(p, multipole, [b, count], groups, &mut e);
        }
        let above = Row::next(p, start, n + 1, &row, &below);
        values.add_multipole(p, n, &row, &above, &e);
        (below, row) = (row, above);
    }
    values
}
