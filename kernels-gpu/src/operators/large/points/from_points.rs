//! P2M and P2L of large orders: charges to expansions. A warp is an azimuthal index m of a box, a lane one of the sources.
//!
//! Each lane sums sixteen degrees over its sources, whose m all share. At last lanes trade halves of their sums, so that each
//! ends with one sum over all of them.

use super::constants::Constants;
use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::Boxes;
use crate::operators::geometry::Place;
use crate::operators::harmonics::{Lane, Start};
use crate::operators::large::at;
use crate::operators::options::Accumulation;
use expansions::numerics::recurrence::Recurrence;

/// Degrees that a warp sums at once, as many cosines as sines: one number a lane at last.
const DEGREES: usize = 16;

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
    /// Sources (x, y, z, charge) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Group g of box b at g B + b: P2M writes, P2L adds.
    pub expansions: ViewMut<Vec4<T>>,
}

/// Sums of a lane: the cosines of [`DEGREES`] degrees, then the sines.
type Sums<T> = Array<T, { 2 * DEGREES }>;

/// The degrees of azimuthal index m from `first` on, for the expansion of a box at a place.
#[derive(Clone, Copy)]
struct Degrees<T> {
    place: Place<T>,
    m: usize,
    first: usize,
}

/// M_i = Σ_j q_j R_i(y_j) (Yokota & Barba, eq. 2). Cost: about 5p² operations a point.
#[inline(always)]
pub(crate) fn p2m<T: Real>(args: FromPoints<T>) {
    let (item, m) = warp_of(args.constants.order());
    if item >= args.leaves.len() {
        return;
    }
    let b = args.leaves.get(item) as usize;
    let mut degrees = Degrees { place: args.boxes.place(b), m, first: m };
    while degrees.first < args.constants.order() {
        let mut sums = Sums::filled(T::ZERO);
        degrees.add::<false>(&args, b, &mut sums);
        degrees.put(&args, b, sums, Accumulation::Overwrite);
        degrees.first += DEGREES;
    }
}

/// L_i += Σ_j q_j I_i(y_j) (Yokota & Barba, eq. 3). Cost: about 5p² operations a point.
#[inline(always)]
pub(crate) fn p2l<T: Real>(args: FromPoints<T>) {
    let (b, m) = warp_of(args.constants.order());
    if b >= args.boxes.count as usize {
        return;
    }
    let (begin, end) = (args.offsets.get(b), args.offsets.get(b + 1));
    if begin == end {
        return;
    }
    let mut degrees = Degrees { place: args.boxes.place(b), m, first: m };
    while degrees.first < args.constants.order() {
        let mut sums = Sums::filled(T::ZERO);
        for item in begin..end {
            let leaf = args.leaves.get(item as usize) as usize;
            degrees.add::<true>(&args, leaf, &mut sums);
        }
        degrees.put(&args, b, sums, Accumulation::Add);
        degrees.first += DEGREES;
    }
}

/// The warp's item and its azimuthal index m: neighbours read the same sources.
#[inline(always)]
fn warp_of(order: usize) -> (usize, usize) {
    let warp = thread::index() / warp::SIZE as usize;
    (warp / order, warp % order)
}

impl<T: Real> Degrees<T> {
    /// Adds the lane's sources of a leaf.
    #[inline(always)]
    fn add<const IRREGULAR: bool>(self, args: &FromPoints<T>, leaf: usize, sums: &mut Sums<T>) {
        let (constants, Self { place, m, first }) = (args.constants, self);
        let Vec4([begin, end, _, _]) = args.boxes.range.get(leaf);
        let mut j = begin + warp::lane_id();
        while j < end {
            let Vec4([x, y, z, charge]) = args.sources.get(j as usize);
            let start = Start::of::<IRREGULAR>(place.relative([x, y, z]).map(Lane));
            let (cosine, sine) = azimuthal_factor(start, m, charge);
            let mut recurrence = Recurrence::new(start);
            for n in m..first {
                recurrence.advance(Lane(constants.polynomial(n, m)));
            }
            for k in 0..DEGREES {
                let n = first + k;
                if n < constants.order() {
                    let value = recurrence.value.0;
                    sums[k] = value.mul_add(cosine, sums[k]);
                    sums[DEGREES + k] = value.mul_add(sine, sums[DEGREES + k]);
                    recurrence.advance(Lane(constants.polynomial(n, m)));
                }
            }
            j += warp::SIZE;
        }
    }

    /// Writes the sums over all lanes, times the norms, or adds them.
    #[inline(always)]
    fn put(self, args: &FromPoints<T>, b: usize, sums: Sums<T>, accumulation: Accumulation) {
        let sum = traded(sums);
        let (constants, m, lane) = (args.constants, self.m, warp::lane_id() as usize);
        let (n, is_sine) = (self.first + lane % DEGREES, lane >= DEGREES);
        if n >= constants.order() || is_sine && m == 0 {
            return;
        }
        let c = if is_sine { n * n + n - m } else { n * n + n + m };
        let (to, i) = (args.expansions.numbers(), at(c, b, args.boxes.count as usize));
        let norm = constants.norm(n, m);
        to.set(
            i,
            match accumulation {
                Accumulation::Overwrite => sum * norm,
                Accumulation::Add => sum.mul_add(norm, to.get(i)),
            },
        );
    }
}

/// The sum over all lanes of their number k, for the lane k: in five rounds, lanes give away the half of their numbers that
/// belongs to the other half of the lanes.
#[inline(always)]
fn traded<T: Real>(mut sums: Sums<T>) -> T {
    let lane = warp::lane_id();
    for half in [16, 8, 4, 2, 1] {
        let upper = lane & half as u32 != 0;
        for k in 0..half {
            let (low, high) = (sums[k], sums[k + half]);
            let (kept, given) = if upper { (high, low) } else { (low, high) };
            sums[k] = kept + warp::shuffle_xor(given, half as u32);
        }
    }
    sums[0]
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
