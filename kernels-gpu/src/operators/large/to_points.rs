//! L2P and M2P of large orders: expansions to potential and gradient. A lane is a receiver.
//!
//! Column by column of one m, so that a function is in registers when its coefficients arrive. The gradient is the series
//! whose coefficients are derivatives of the expansion's: three factors bring them from the neighbours in degree and m.

use super::at;
use super::constants::Constants;
use crate::device::{Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::Boxes;
use crate::operators::harmonics::{Lane, Start, Values};
use crate::operators::m2p::{Acting, Listed};
use expansions::numerics::recurrence::{AzimuthalFactor, Recurrence};

/// Arguments of L2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct L2p<T> {
    /// Constants of the order.
    pub constants: Constants<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Leaf of each receiver.
    pub leaf_of: View<u32>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub local: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver.
    pub field: ViewMut<Vec4<T>>,
    /// 1: adds to the field; 0: writes it.
    pub add: u32,
}

/// Arguments of M2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2p<T> {
    /// Constants of the order.
    pub constants: Constants<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// The boxes that act on each leaf.
    pub listed: Listed,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub multipole: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver: added to.
    pub field: ViewMut<Vec4<T>>,
}

/// Φ = (1/s) Σ L_i R_i(x/s) and ∇Φ (Yokota & Barba, eq. 3). Cost: 14p² operations a point.
#[inline(always)]
pub(super) fn l2p<T: Real>(args: L2p<T>) {
    let i = thread::index();
    if i >= args.receivers.len() {
        return;
    }
    let b = args.leaf_of.get(i) as usize;
    let place = args.boxes.place(b);
    let Vec4([x, y, z, _]) = args.receivers.get(i);
    let e = Expansion { numbers: args.local.numbers(), b, count: args.boxes.count as usize };
    let values = e.evaluate::<false>(args.constants, place.relative([x, y, z]));
    values.put(place.inverse, args.add != 0, args.field, i);
}

/// Φ = (1/s) Σ M_i I_i(x/s) and ∇Φ (Yokota & Barba, eq. 2). Cost: 14p² operations for a point and a box.
#[inline(always)]
pub(super) fn m2p<T: Real>(args: M2p<T>) {
    let row = thread::index() / warp::SIZE as usize;
    if row >= args.listed.leaves.len() {
        return;
    }
    let acting = Acting::new(args.listed, row);
    let Vec4([_, _, begin, end]) = args.boxes.range.get(args.listed.leaves.get(row) as usize);
    let count = args.boxes.count as usize;
    let mut i = begin + warp::lane_id();
    while i < end && acting.any(args.listed) {
        let Vec4([x, y, z, _]) = args.receivers.get(i as usize);
        let mut sum = Values::ZERO;
        let mut acting = acting;
        while let Some(b) = acting.next(args.listed, &args.boxes) {
            let place = args.boxes.place(b);
            let e = Expansion { numbers: args.multipole.numbers(), b, count };
            let values = e.evaluate::<true>(args.constants, place.relative([x, y, z]));
            sum.add(values, place.inverse);
        }
        sum.put(T::ONE, true, args.field, i as usize);
        i += warp::SIZE;
    }
}

/// The expansion of box `b` of `count`.
#[derive(Clone, Copy)]
struct Expansion<T> {
    numbers: View<T>,
    b: usize,
    count: usize,
}

impl<T: Real> Expansion<T> {
    /// Coefficients of the cosine and the sine of degree n and order m, zeros where there are none.
    #[inline(always)]
    fn get(self, there: bool, n: usize, m: usize) -> [T; 2] {
        if !there {
            return [T::ZERO; 2];
        }
        let number = |c: usize| self.numbers.get(at(c, self.b, self.count));
        let sine = if m > 0 { number(n * n + n - m) } else { T::ZERO };
        [number(n * n + n + m), sine]
    }

    /// Sums the series and its gradient at a point, in units of the box.
    #[inline(always)]
    fn evaluate<const MULTIPOLE: bool>(self, constants: Constants<T>, point: [T; 3]) -> Values<T> {
        let order = constants.order();
        // The derivatives of R_n have degree n − 1, those of I_n have degree n + 1.
        let end = if MULTIPOLE { order + 1 } else { order };
        let start = Start::of::<MULTIPOLE>(point.map(Lane));
        let mut azimuth = AzimuthalFactor::new(start);
        let mut values = Values::ZERO;
        for m in 0..end {
            let mut recurrence = Recurrence::new(start);
            for k in m..end {
                let value = recurrence.value.0 * constants.norm(k, m);
                let function = [value * azimuth.cosine.0, value * azimuth.sine.0];
                values.potential = dot(self.get(k < order, k, m), function, values.potential);
                self.add_gradient::<MULTIPOLE>(constants, k, m, function, &mut values);
                recurrence.advance(Lane(constants.polynomial(k, m)));
            }
            azimuth.advance(start);
        }
        values
    }

    /// Adds the functions of degree k and order m times their coefficients in the gradient: the table of
    /// `docs/theory/formulas.md`, section 2, by its results.
    #[inline(always)]
    fn add_gradient<const MULTIPOLE: bool>(
        self,
        constants: Constants<T>,
        k: usize,
        m: usize,
        function: [T; 2],
        values: &mut Values<T>,
    ) {
        let before = if m > 0 { m - 1 } else { 0 };
        let (n, there) = match MULTIPOLE {
            true => (if k > 0 { k - 1 } else { 0 }, [m > 0, m < k, m + 1 < k]),
            false => (
                k + 1,
                [
                    m > 0 && k + 1 < constants.order(),
                    k + 1 < constants.order(),
                    k + 1 < constants.order(),
                ],
            ),
        };
        let [ahead, along, back] = match MULTIPOLE {
            true => [
                constants.derivative(0, k, m),
                -constants.derivative(1, k, m),
                constants.derivative(2, k, m),
            ],
            false => [
                constants.derivative(2, k + 1, before),
                constants.derivative(1, k + 1, m),
                constants.derivative(0, k + 1, m + 1),
            ],
        };
        let [c, s] = self.get(there[0], n, before).map(|x| ahead * x);
        let z = self.get(there[1], n, m).map(|x| along * x);
        let [c2, s2] = self.get(there[2], n, m + 1).map(|x| back * x);
        let [gx, gy, gz] = values.gradient;
        values.gradient = [
            dot([c2 - c, s2 - s], function, gx),
            dot([s + s2, -(c + c2)], function, gy),
            dot(z, function, gz),
        ];
    }
}

/// sum + a · b
#[inline(always)]
fn dot<T: Real>(a: [T; 2], b: [T; 2], sum: T) -> T {
    a[0].mul_add(b[0], a[1].mul_add(b[1], sum))
}
