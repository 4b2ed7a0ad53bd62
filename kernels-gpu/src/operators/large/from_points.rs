//! P2M and P2L of large orders: charges to expansions. A lane is an order m and eight degrees of one box.
//!
//! The sums of a lane are in registers, and neighbouring lanes read the same points, so nothing is shared but loads.

use super::at;
use super::constants::Constants;
use crate::device::{Array, Real, Vec4, View, ViewMut, thread};
use crate::operators::Boxes;
use crate::operators::geometry::Place;
use crate::operators::harmonics::{Lane, Start};
use expansions::numerics::recurrence::Recurrence;

/// Degrees of a lane.
pub(super) const DEGREES: usize = 8;

/// Arguments of P2M and P2L.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FromPoints<T> {
    /// Constants of the order.
    pub constants: Constants<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// P2M: the leaves; P2L: leaves whose charges act.
    pub leaves: View<u32>,
    /// P2L: row b is at `offsets[b] .. offsets[b + 1]` of `leaves`.
    pub offsets: View<u32>,
    /// The lanes of a box: m, and first degree.
    pub lanes: View<Vec4<u32>>,
    /// Sources (x, y, z, charge) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Group g of box b at g B + b: P2M writes, P2L adds.
    pub expansions: ViewMut<Vec4<T>>,
}

/// Sums of a lane, by degree.
#[derive(Clone, Copy, Debug)]
struct Sums<T> {
    m: usize,
    first: usize,
    cosines: Array<T, DEGREES>,
    sines: Array<T, DEGREES>,
}

/// M_i = Σ_j q_j R_i(y_j) (Yokota & Barba, eq. 2). Cost: about 6p² operations a point.
#[inline(always)]
pub(super) fn p2m<T: Real>(args: FromPoints<T>) {
    let (item, lane) = (thread::index() / args.lanes.len(), thread::index() % args.lanes.len());
    if item >= args.leaves.len() {
        return;
    }
    let b = args.leaves.get(item) as usize;
    let mut sums = Sums::new(args.lanes.get(lane));
    sums.add::<false>(&args, args.boxes.place(b), b);
    sums.put(&args, b, false);
}

/// L_i += Σ_j q_j I_i(y_j) (Yokota & Barba, eq. 3). Cost: about 6p² operations a point.
#[inline(always)]
pub(super) fn p2l<T: Real>(args: FromPoints<T>) {
    let (b, lane) = (thread::index() / args.lanes.len(), thread::index() % args.lanes.len());
    if b >= args.boxes.count as usize {
        return;
    }
    let (begin, end) = (args.offsets.get(b), args.offsets.get(b + 1));
    if begin == end {
        return;
    }
    let mut sums = Sums::new(args.lanes.get(lane));
    for item in begin..end {
        let leaf = args.leaves.get(item as usize) as usize;
        sums.add::<true>(&args, args.boxes.place(b), leaf);
    }
    sums.put(&args, b, true);
}

impl<T: Real> Sums<T> {
    #[inline(always)]
    fn new(Vec4([m, first, ..]): Vec4<u32>) -> Self {
        let zero = Array::filled(T::ZERO);
        Self { m: m as usize, first: first as usize, cosines: zero, sines: zero }
    }

    /// Adds the sources of a leaf.
    #[inline(always)]
    fn add<const IRREGULAR: bool>(&mut self, args: &FromPoints<T>, place: Place<T>, leaf: usize) {
        let (constants, m) = (args.constants, self.m);
        let Vec4([begin, end, _, _]) = args.boxes.range.get(leaf);
        for j in begin as usize..end as usize {
            let Vec4([x, y, z, charge]) = args.sources.get(j);
            let start = Start::of::<IRREGULAR>(place.relative([x, y, z]).map(Lane));
            let (cosine, sine) = azimuthal_factor(start, m, charge);
            let mut recurrence = Recurrence::new(start);
            for n in m..self.first {
                recurrence.advance(Lane(constants.polynomial(n, m)));
            }
            for k in 0..DEGREES {
                let n = self.first + k;
                if n >= m && n < constants.order() {
                    let value = recurrence.value.0;
                    self.cosines[k] = value.mul_add(cosine, self.cosines[k]);
                    self.sines[k] = value.mul_add(sine, self.sines[k]);
                    recurrence.advance(Lane(constants.polynomial(n, m)));
                }
            }
        }
    }

    /// Writes the sums, times the norms, or adds them.
    #[inline(always)]
    fn put(self, args: &FromPoints<T>, b: usize, add: bool) {
        let (constants, m, count) = (args.constants, self.m, args.boxes.count as usize);
        let to = args.expansions.numbers();
        for k in 0..DEGREES {
            let n = self.first + k;
            if n >= m && n < constants.order() {
                let norm = constants.norm(n, m);
                let put = |c: usize, sum: T| {
                    let i = at(c, b, count);
                    to.set(i, if add { sum.mul_add(norm, to.get(i)) } else { sum * norm });
                };
                put(n * n + n + m, self.cosines[k]);
                if m > 0 {
                    put(n * n + n - m, self.sines[k]);
                }
            }
        }
    }
}

/// A charge times the first function times the real and the imaginary part of (x + iy)^m, by squaring.
#[inline(always)]
fn azimuthal_factor<T: Real>(start: Start<T>, m: usize, charge: T) -> (T, T) {
    let (mut cosine, mut sine) = (charge * start.first.0, T::ZERO);
    let (mut x, mut y) = (start.x.0, start.y.0);
    let mut bits = m;
    while bits > 0 {
        if bits & 1 == 1 {
            (cosine, sine) = (x.mul_add(cosine, -(y * sine)), x.mul_add(sine, y * cosine));
        }
        (x, y) = (x.mul_add(x, -(y * y)), (x + x) * y);
        bits >>= 1;
    }
    (cosine, sine)
}
