//! The upward pass: centre of charge, multipole and opening distance of every box.
//!
//! One launch a level, from the deepest up; eight lanes are a box: they share a leaf's points, or take a child each. Moments
//! are added up about the boxes' centres and then brought to the centre of charge, Σ |q| s / Σ |q|, which for masses is the
//! centre of mass.

use super::multipole::{multipole, vectors};
use super::raw::Raw;
use crate::device::{Real, Vec4, View, ViewMut, thread, warp};
use octree::geometry::{center_in_half_sides, relative_side};
use octree::morton::coordinates_of;
use octree::opening::{HALF_DIAGONAL, enclosing_radius, opening_distance, relative_reach};

/// Threads of a block.
pub const MOMENTS_THREADS: u32 = 128;
/// Lanes of a box.
pub const MOMENTS_LANES: usize = 8;

/// Vectors that a box's sums take in `raw`.
pub const fn raw_vectors(order: usize) -> usize {
    super::raw::vectors(order)
}

/// Vectors of a multipole in `multipole`.
pub const fn multipole_vectors(order: usize) -> usize {
    vectors(order)
}

/// Arguments of the upward pass over one level: eight lanes a box.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Moments<T> {
    /// Lower corner of the cube of level 0.
    pub corner: [T; 3],
    /// Side of that cube.
    pub side: T,
    /// 1/θ.
    pub per_theta: T,
    /// Factor of s in the opening distance: 1, or 0 for Barnes and Hut's l/θ < d.
    pub shift: T,
    /// The smallest opening distance.
    pub least: T,
    /// α^(−1/2) of the relative criterion.
    pub per_root_alpha: T,
    /// First box of the level.
    pub first: u32,
    /// Number of boxes of the level.
    pub count: u32,
    /// Sources (x, y, z, q) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Child in octant o of box b at o B + b.
    pub child: View<u32>,
    /// Bit o of item b is set if box b has a child in octant o.
    pub children: View<u32>,
    /// Level, by box.
    pub level: View<u32>,
    /// Morton index at the box's own level, by box.
    pub key: View<u64>,
    /// Sums about boxes' centres: box b at b [`raw_vectors`].
    pub raw: ViewMut<Vec4<T>>,
    /// Centre of charge and squared opening distance, by box.
    pub cell: ViewMut<Vec4<T>>,
    /// l (Σ |q| / α)^(1/2) by box, for the relative criterion; no items for others.
    pub reach2: ViewMut<T>,
    /// Multipoles: box b at b [`multipole_vectors`].
    pub multipole: ViewMut<Vec4<T>>,
}

impl<T: Real> Moments<T> {
    /// Centre and side of a box.
    #[inline(always)]
    fn place(&self, b: usize) -> ([T; 3], T) {
        let level = self.level.get(b);
        let side = self.side * T::from_f64(relative_side(level));
        let half = side * T::from_f64(0.5);
        let at = center_in_half_sides(coordinates_of(self.key.get(b)));
        let along = |d: usize| half.mul_add(T::from_f64(f64::from(at[d])), self.corner[d]);
        ([along(0), along(1), along(2)], side)
    }
}

#[inline(always)]
pub(super) fn moments<T: Real, const P: usize>(args: Moments<T>) {
    let i = thread::index() / MOMENTS_LANES;
    let lane = thread::index() % MOMENTS_LANES;
    let exists = i < args.count as usize;
    let b = args.first as usize + if exists { i } else { 0 };
    let (center, side) = args.place(b);
    let mut sums = Raw::<T, P>::ZERO;
    let children = args.children.get(b);
    if children == 0 {
        let Vec4([begin, end, ..]) = args.range.get(b);
        let mut at = begin as usize + lane;
        while at < end as usize {
            let Vec4([x, y, z, q]) = args.sources.get(at);
            sums.add([x - center[0], y - center[1], z - center[2]], q);
            at += MOMENTS_LANES;
        }
    } else if children >> lane & 1 == 1 {
        let child = args.child.get(lane * args.range.len() + b) as usize;
        let (from, _) = args.place(child);
        sums = Raw::load(args.raw, child);
        sums.shift([from[0] - center[0], from[1] - center[1], from[2] - center[2]]);
    }
    let mut mask = MOMENTS_LANES as u32 / 2;
    while mask > 0 {
        sums.map(|number| number + warp::shuffle_xor(number, mask));
        mask /= 2;
    }
    if exists && lane == 0 {
        sums.store(args.raw, b);
        finish(args, b, center, side, sums);
    }
}

/// Brings the sums to the centre of charge, and writes what the walks read.
#[inline(always)]
fn finish<T: Real, const P: usize>(
    args: Moments<T>,
    b: usize,
    center: [T; 3],
    side: T,
    mut sums: Raw<T, P>,
) {
    let weight = sums.weight[3];
    let per_weight = if weight > T::ZERO { T::ONE / weight } else { T::ZERO };
    // The centre as T has it, and where the multipole is therefore made.
    let charge = [0, 1, 2].map(|d| center[d] + sums.weight[d] * per_weight);
    let s = [0, 1, 2].map(|d| charge[d] - center[d]);
    sums.shift(s.map(|s| -s));

    let s2 = s[0].mul_add(s[0], s[1].mul_add(s[1], s[2] * s[2]));
    let s = if s2 > T::ZERO { s2 * s2.rsqrt() } else { T::ZERO };
    let opening = opening_distance(side * args.per_theta, s, args.shift);
    let enclosing = enclosing_radius(side, s, T::from_f64(HALF_DIAGONAL));
    let reach = Real::max(Real::max(opening, enclosing), args.least);
    args.cell.set(b, Vec4([charge[0], charge[1], charge[2], reach * reach]));
    if !args.reach2.is_empty() {
        let root = if weight > T::ZERO { weight * weight.rsqrt() } else { T::ZERO };
        args.reach2.set(b, relative_reach(side, args.per_root_alpha * root));
    }
    let multipole = multipole::<T, P>(charge, &sums);
    for (j, vector) in multipole.into_iter().enumerate() {
        if j < vectors(P) {
            args.multipole.set(b * vectors(P) + j, vector);
        }
    }
}
