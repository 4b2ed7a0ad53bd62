//! Errors to expect of the expansions of a tree: how large their last degrees are, and which of them have the largest errors
//! in a leaf. The formulas are those of [`expected`], which the cores use too.
//!
//! | kernel | from → to | a lane is |
//! |---|---|---|
//! | `expansion_sizes` | expansions → sizes of their last degrees | a box |
//! | `worst_far` | sizes of multipoles → the far box that has the largest error in a box | a child of a box near the parent, a warp is a parent |
//! | `worst_in_leaves` | those of a leaf's ancestors, list W → the largest errors in the leaf | an eighth of a leaf |

use super::NONE;
use super::geometry::Boxes;
use crate::device::{Array, Real, Vec4, View, ViewMut, Word, thread, warp};
use crate::lists::DIRECTIONS;
use expansions::numerics::expected::{self, Sizes};
use octree::geometry::{boxes_along_side, center_in_half_sides};
use octree::morton::coordinates_of;

/// Numbers of a box in [`BoxErrors::sizes`].
pub const SIZES: usize = 3;
/// Boxes of a box in [`BoxErrors::worst`].
pub const WORST: usize = 2;
/// Number of children of a box.
const OCTANTS: usize = 8;
/// Number of lanes of a leaf in `worst_in_leaves`.
pub const LANES: usize = 8;
/// The coarsest level with far boxes.
const COARSEST: u32 = 2;

/// Errors to expect in B boxes, in arrays that kernels read.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BoxErrors {
    /// Centre of each box in sides of the cube, and how many such boxes are along a side of the cube.
    pub frames: View<Vec4<f32>>,
    /// Sizes of the last degrees of box b's multipole at b, of its local expansion at B + b, and of what is left in it of the far
    /// box of its level that has the largest error, at 2B + b.
    pub sizes: View<f32>,
    /// Boxes whose expansions have the largest errors in box b, or `NONE`. In a leaf, the ancestor whose local expansion has, at
    /// b, and the box whose multipole has, of its ancestors' far boxes and list W, at B + b. In others, the far box of its
    /// level, at B + b.
    pub worst: View<u32>,
}

impl BoxErrors {
    /// No errors.
    pub const NONE: Self = Self { frames: View::EMPTY, sizes: View::EMPTY, worst: View::EMPTY };
}

/// Squares of distances of a receiver from the middles of the boxes whose expansions have the largest errors in its leaf, each
/// in sides of that box, and sizes of their last degrees; 1 and 0 where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Others {
    distances2: [f32; 2],
    sizes: [f32; 2],
}

/// Errors to expect at a receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtReceiver {
    of_leaf: [f32; 2],
    others: Others,
}

impl AtReceiver {
    /// None.
    pub(crate) const NONE: Self =
        Self { of_leaf: [0.0; 2], others: Others { distances2: [1.0; 2], sizes: [0.0; 2] } };

    /// Sizes of the last degrees at the receiver.
    #[inline(always)]
    pub(crate) fn sizes(self, order: u32) -> Sizes {
        let ([local, far], Others { distances2, sizes }) = (self.of_leaf, self.others);
        let [a, b] = expected::sizes_at([distances2[0], 1.0 / distances2[1]], order);
        [local, far, (a * sizes[0] + b * sizes[1]).min(f32::MAX)]
    }
}

impl BoxErrors {
    /// Errors to expect at a receiver of a leaf, whose place is in sides of the cube.
    #[inline(always)]
    pub(crate) fn at<T: Real>(self, leaf: usize, in_cube: [T; 3]) -> AtReceiver {
        let count = self.frames.len();
        let mut others = AtReceiver::NONE.others;
        for k in 0..WORST {
            let b = self.worst.get(k * count + leaf);
            if b != NONE {
                let Vec4([x, y, z, boxes]) = self.frames.get(b as usize);
                let centre = [x, y, z].map(|c| T::from_f64(f64::from(c)));
                let axis = |d: usize| (in_cube[d] - centre[d]).to_f32() * boxes;
                let [x, y, z] = [axis(0), axis(1), axis(2)];
                others.distances2[k] = x * x + y * y + z * z;
                // Local expansions are the second, multipoles the first.
                others.sizes[k] = self.sizes.get((1 - k) * count + b as usize);
            }
        }
        let of_leaf = [self.sizes.get(count + leaf), self.sizes.get(2 * count + leaf)];
        AtReceiver { of_leaf, others }
    }
}

/// Arguments of [`EXPANSION_SIZES`](super::entries::EXPANSION_SIZES).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExpansionSizes<T> {
    /// Number of degrees of the expansions.
    pub order: u32,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Multipoles: group g of box b at g B + b.
    pub multipole: View<Vec4<T>>,
    /// Local expansions, likewise.
    pub local: View<Vec4<T>>,
    /// Output: see [`BoxErrors::frames`].
    pub frames: ViewMut<Vec4<f32>>,
    /// Output: the first two of [`BoxErrors::sizes`]; 0 for boxes without far boxes, and local expansions without receivers.
    pub sizes: ViewMut<f32>,
}

/// Cost: 4p numbers a box.
#[inline(always)]
pub(super) fn expansion_sizes<T: Real>(args: ExpansionSizes<T>) {
    let (b, count) = (thread::index(), args.boxes.count as usize);
    if b >= count {
        return;
    }
    let order = args.order as usize;
    let (first, end) = (expected::first_of_last_degrees(order), order * order);
    let side = (T::ONE / args.boxes.place(b).inverse).to_f64();
    let size = |expansions: View<Vec4<T>>| {
        let mut squares = 0.0f64;
        for group in first / 4..end.div_ceil(4) {
            let numbers = Array::of(expansions.get(group * count + b).0);
            for k in 0..4 {
                let number = numbers[k].to_f64();
                if (first..end).contains(&(4 * group + k)) {
                    squares += number * number;
                }
            }
        }
        root(expected::last_degrees(squares, side))
    };
    let level = args.boxes.level.get(b);
    let boxes = boxes_along_side(level);
    let at = center_in_half_sides(coordinates_of(args.boxes.key.get(b)));
    let [x, y, z] = at.map(|c| (f64::from(c) / (2.0 * boxes)) as f32);
    args.frames.set(b, Vec4([x, y, z, boxes as f32]));
    let acts = level >= COARSEST;
    let Vec4([.., begin, end]) = args.boxes.range.get(b);
    args.sizes.set(b, if acts { size(args.multipole) } else { 0.0 });
    args.sizes.set(count + b, if acts && begin < end { size(args.local) } else { 0.0 });
}

/// Square root of a number that is not negative, at most the largest of f32.
#[inline(always)]
fn root(x: f64) -> f32 {
    let x = x.min(f64::from(f32::MAX) * f64::from(f32::MAX));
    if x > f64::MIN_POSITIVE { (x * Real::rsqrt(x)) as f32 } else { 0.0 }
}

/// Arguments of [`WORST_FAR`](super::entries::WORST_FAR).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WorstFar<T> {
    /// The tree.
    pub boxes: Boxes<T>,
    /// Share of the size of a multipole's last degrees that is left in the nearest corner of a child of a box, or 0 where the
    /// two touch: that of the child in octant o of the box in direction d, in the child in octant c, at 64d + 8o + c.
    pub left: View<f32>,
    /// In: sizes of multipoles. Output: the last of [`BoxErrors::sizes`].
    pub sizes: ViewMut<f32>,
    /// Output: the far box that has this error at B + b, and `NONE` at b. See [`BoxErrors::worst`].
    pub worst: ViewMut<u32>,
}

/// The far boxes of eight children are children of the boxes around their parent. Cost: 216 numbers a parent.
#[inline(always)]
pub(super) fn worst_far<T: Real>(args: WorstFar<T>) {
    let (boxes, count) = (args.boxes, args.boxes.count as usize);
    let (parent, lane) = (thread::index() / warp::SIZE as usize, warp::lane_id() as usize);
    if parent >= count {
        return;
    }
    if parent == 0 && lane == 0 {
        put(&args, 0, (0.0, NONE));
    }
    let own = if lane < OCTANTS { boxes.child.get(lane * count + parent) } else { NONE };
    if !warp::any(own != NONE) {
        return;
    }
    let mut worst = [(0.0f32, NONE); OCTANTS];
    let mut k = lane;
    while k < DIRECTIONS * OCTANTS {
        let near = boxes.colleague.get(k / OCTANTS * count + parent);
        if near != NONE {
            let source = boxes.child.get(k % OCTANTS * count + near as usize);
            if source != NONE {
                let size = args.sizes.get(source as usize);
                for (octant, worst) in worst.iter_mut().enumerate() {
                    let error = size * args.left.get(OCTANTS * k + octant);
                    *worst = larger(*worst, (error, source));
                }
            }
        }
        k += warp::SIZE as usize;
    }
    let mut of_own = (0.0f32, NONE);
    for (octant, worst) in worst.into_iter().enumerate() {
        let worst = largest(worst, warp::SIZE);
        of_own = if octant == lane { worst } else { of_own };
    }
    if own != NONE {
        let Vec4([.., begin, end]) = boxes.range.get(own as usize);
        put(&args, own as usize, if begin < end { of_own } else { (0.0, NONE) });
    }
}

/// Writes the far box with the largest error in box `b`.
#[inline(always)]
fn put<T: Real>(args: &WorstFar<T>, b: usize, (error, source): (f32, u32)) {
    let count = args.boxes.count as usize;
    args.sizes.set(2 * count + b, error);
    args.worst.set(b, NONE);
    args.worst.set(count + b, source);
}

/// Arguments of [`WORST_IN_LEAVES`](super::entries::WORST_IN_LEAVES).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WorstInLeaves<T> {
    /// Number of degrees of the expansions.
    pub order: u32,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Leaves: their rows of list W are in `offsets` and `items`.
    pub leaves: View<u32>,
    /// Rows of list W.
    pub offsets: View<u32>,
    /// Boxes of all rows.
    pub items: View<u32>,
    /// See [`BoxErrors::frames`].
    pub frames: View<Vec4<f32>>,
    /// See [`BoxErrors::sizes`].
    pub sizes: View<f32>,
    /// In: the far box of each box that has the largest error in it. Output: the boxes whose expansions have the largest errors
    /// in each leaf.
    pub worst: ViewMut<u32>,
}

impl<T> WorstInLeaves<T> {
    /// Square of the distance, in sides of box `b`, of its centre from the point of a leaf for which each axis is `end` sides of
    /// the leaf from the leaf's centre.
    #[inline(always)]
    fn distance2(&self, b: u32, Vec4(leaf): Vec4<f32>, end: f32) -> f64 {
        let Vec4(own) = self.frames.get(b as usize);
        let reach = end / leaf[3];
        let axis = |d: usize| {
            let between = own[d] - leaf[d];
            let distance = (between.max(-between) + reach).max(0.0) * own[3];
            distance * distance
        };
        f64::from(axis(0) + axis(1) + axis(2))
    }

    /// Square of the size of a box's multipole, k = 0, or local expansion, k = 1.
    #[inline(always)]
    fn square(&self, k: usize, b: u32) -> f64 {
        let size = f64::from(self.sizes.get(k * self.frames.len() + b as usize));
        size * size
    }

    /// Error of a box's multipole where a leaf is nearest to it.
    #[inline(always)]
    fn of_multipole(&self, b: u32, leaf: Vec4<f32>) -> (f64, u32) {
        let distance2 = self.distance2(b, leaf, -0.5);
        (self.square(0, b) * expected::left_at(distance2, self.order), b)
    }

    /// Error of an ancestor's local expansion where a leaf is farthest from its centre.
    #[inline(always)]
    fn of_local(&self, b: u32, leaf: Vec4<f32>) -> (f64, u32) {
        let distance2 = self.distance2(b, leaf, 0.5);
        (self.square(1, b) * expected::grown_to(distance2, self.order), b)
    }
}

/// Cost: the tree's depth, and the length of the row.
#[inline(always)]
pub(super) fn worst_in_leaves<T: Real>(args: WorstInLeaves<T>) {
    let (item, lane) = (thread::index() / LANES, thread::index() % LANES);
    let leaf = if item < args.leaves.len() { args.leaves.get(item) } else { NONE };
    let mut worst = [(0.0f64, NONE); WORST];
    // Lanes without a leaf take part in the exchange below.
    if leaf != NONE {
        worst = worst_of_lane(&args, leaf, args.frames.get(leaf as usize), [item, lane]);
    }
    let [local, multipole] = worst.map(|worst| largest(worst, LANES as u32).1);
    if leaf != NONE && lane == 0 {
        args.worst.set(leaf as usize, local);
        args.worst.set(args.frames.len() + leaf as usize, multipole);
    }
}

/// The largest errors, with their boxes, of the local expansions and of the multipoles that a lane of a leaf looks at.
#[inline(always)]
fn worst_of_lane<T: Real>(
    args: &WorstInLeaves<T>,
    leaf: u32,
    frame: Vec4<f32>,
    [item, lane]: [usize; 2],
) -> [(f64, u32); WORST] {
    let (mut local, mut multipole) = ((0.0f64, NONE), (0.0f64, NONE));
    let mut ancestor = args.boxes.parent.get(leaf as usize);
    while ancestor != NONE {
        let mut own = NONE;
        for k in 0..LANES {
            if ancestor != NONE {
                own = if k == lane { ancestor } else { own };
                ancestor = args.boxes.parent.get(ancestor as usize);
            }
        }
        if own != NONE {
            local = larger(local, args.of_local(own, frame));
            let far = args.worst.get(args.frames.len() + own as usize);
            if far != NONE {
                multipole = larger(multipole, args.of_multipole(far, frame));
            }
        }
    }
    let mut k = args.offsets.get(item) as usize + lane;
    while k < args.offsets.get(item + 1) as usize {
        multipole = larger(multipole, args.of_multipole(args.items.get(k), frame));
        k += LANES;
    }
    [local, multipole]
}

/// The larger of two errors, each with its box.
#[inline(always)]
fn larger<E: PartialOrd>(a: (E, u32), b: (E, u32)) -> (E, u32) {
    if b.0 > a.0 { b } else { a }
}

/// The largest error, with its box, of groups of so many lanes; of equal ones, that of the box of the smallest number.
#[inline(always)]
fn largest<E: Word + PartialOrd>(mut own: (E, u32), lanes: u32) -> (E, u32) {
    let mut mask = lanes / 2;
    while mask > 0 {
        let other = (warp::shuffle_xor(own.0, mask), warp::shuffle_xor(own.1, mask));
        let first = other.0 == own.0 && other.1 < own.1;
        own = if first { other } else { larger(own, other) };
        mask /= 2;
    }
    own
}
