//! Moves an expansion from one centre to another in registers: one thread, one expansion.
//!
//! M2M, M2L and L2L are one algorithm (Cheng, Greengard & Rokhlin 1999): rotate so that the way between the centres is the
//! z axis, translate along it, rotate back. The rotation by θ about y is a quarter turn about x, the rotation by θ about
//! z, and the turn back: the turn has no parameter, and half the non-zero entries of a general rotation, so that all its
//! factors are constants of the code. So are those of the coaxial translation once the powers of the distance are taken out
//! of it. What is left to load is a [`Record`](Way) of about 5p numbers for each way.
//!
//! Cost: 2p³ + 8p² multiply-adds for M2L, with no loads beside the coefficients and the record.

use super::constants::{MAX_ORDER, far_at, quarter_turn_at, shift_at};
use super::order::Degrees;
use crate::device::{Array, Real, Vec4, View};
use core::ops::Range;

/// A way between two centres, in units of a box side: what a translation loads.
///
/// Numbers in groups of four: (cos mφ, sin mφ) of the azimuth for m = 1 … p − 1, (cos mθ, sin mθ) of the polar angle, the
/// factors of degree n = 0 … p − 1 before the coaxial translation, and those after it; each part begins a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way<T> {
    pub(crate) records: View<Vec4<T>>,
    pub(crate) start: usize,
}

/// Groups of four that p − 1 pairs take.
#[inline(always)]
pub(crate) const fn phase_groups(order: usize) -> usize {
    order / 2
}

/// Groups of four that p factors take.
#[inline(always)]
pub(crate) const fn scale_groups(order: usize) -> usize {
    order.div_ceil(4)
}

/// Length of the record of a way, in groups of four.
#[inline(always)]
pub(crate) const fn record_length(order: usize) -> usize {
    2 * (phase_groups(order) + scale_groups(order))
}

/// Kind of a translation.
pub(crate) trait Translation {
    /// Whether every degree goes to every degree; else to itself with factor 1, and to [`Self::rows`].
    const FULL: bool;

    /// The degrees j ≥ m to which degree n goes.
    fn rows(m: usize, n: usize, p: usize) -> Range<usize>;

    /// Place of the factor of M_n^m in L_j^m over a distance of 1.
    fn place(m: usize, j: usize, n: usize) -> usize;
}

/// Multipole of a child to its parent's.
pub(crate) struct ToParent;
/// Multipole to local expansion.
pub(crate) struct ToLocal;
/// Local expansion of a parent to its child's.
pub(crate) struct ToChild;

impl Translation for ToParent {
    const FULL: bool = false;

    #[inline(always)]
    fn rows(_: usize, n: usize, p: usize) -> Range<usize> {
        n + 1..p
    }

    #[inline(always)]
    fn place(m: usize, j: usize, n: usize) -> usize {
        shift_at(m, j, n)
    }
}

impl Translation for ToLocal {
    const FULL: bool = true;

    #[inline(always)]
    fn rows(m: usize, _: usize, p: usize) -> Range<usize> {
        m..p
    }

    #[inline(always)]
    fn place(m: usize, j: usize, n: usize) -> usize {
        far_at(m, j, n)
    }
}

impl Translation for ToChild {
    const FULL: bool = false;

    #[inline(always)]
    fn rows(m: usize, n: usize, _: usize) -> Range<usize> {
        m..n
    }

    #[inline(always)]
    fn place(m: usize, j: usize, n: usize) -> usize {
        shift_at(m, n, j)
    }
}

/// Translates `e`, up to the factors by degree that [`Way::after`] has.
#[inline(always)]
pub(crate) fn translate<K: Translation, T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    way: Way<T>,
    e: &mut Array<T, N>,
) {
    let (azimuth, polar) = (0, phase_groups(p.count()));
    way.turn::<P, N, false>(p, azimuth, e);
    quarter::<T, P, N, false>(p, e);
    way.turn::<P, N, false>(p, polar, e);
    quarter::<T, P, N, true>(p, e);
    along_z::<K, T, P, N>(p, e);
    quarter::<T, P, N, false>(p, e);
    way.turn::<P, N, true>(p, polar, e);
    quarter::<T, P, N, true>(p, e);
    way.turn::<P, N, true>(p, azimuth, e);
}

impl<T: Real> Way<T> {
    /// The factors of the degrees before the coaxial translation, to be applied by the one who loads the expansion.
    #[inline(always)]
    pub(crate) fn before<const P: usize>(self, p: Degrees<T, P>) -> Array<T, MAX_ORDER> {
        self.scales(p, 2 * phase_groups(p.count()))
    }

    /// The factors of the degrees after the coaxial translation, to be applied by the one who takes the result.
    #[inline(always)]
    pub(crate) fn after<const P: usize>(self, p: Degrees<T, P>) -> Array<T, MAX_ORDER> {
        self.scales(p, 2 * phase_groups(p.count()) + scale_groups(p.count()))
    }

    #[inline(always)]
    fn scales<const P: usize>(self, p: Degrees<T, P>, part: usize) -> Array<T, MAX_ORDER> {
        let mut scales = Array::filled(T::ZERO);
        for group in 0..scale_groups(p.count()) {
            let Vec4(numbers) = self.records.get(self.start + part + group);
            scales[4 * group] = numbers[0];
            scales[4 * group + 1] = numbers[1];
            scales[4 * group + 2] = numbers[2];
            scales[4 * group + 3] = numbers[3];
        }
        scales
    }

    /// Turns `e` about the z axis by the angle of `part`, backwards or not.
    #[inline(always)]
    fn turn<const P: usize, const N: usize, const BACK: bool>(
        self,
        p: Degrees<T, P>,
        part: usize,
        e: &mut Array<T, N>,
    ) {
        for group in 0..phase_groups(p.count()) {
            let Vec4([c1, s1, c2, s2]) = self.records.get(self.start + part + group);
            turn_order::<T, P, N, BACK>(p, 2 * group + 1, c1, s1, e);
            turn_order::<T, P, N, BACK>(p, 2 * group + 2, c2, s2, e);
        }
    }
}

/// Turns the functions of azimuthal index m by the angle whose cosine and sine are given.
#[inline(always)]
fn turn_order<T: Real, const P: usize, const N: usize, const BACK: bool>(
    p: Degrees<T, P>,
    m: usize,
    cosine: T,
    sine: T,
    e: &mut Array<T, N>,
) {
    let sine = if BACK { -sine } else { sine };
    for n in m..p.count() {
        let (at_c, at_s) = (n * n + n + m, n * n + n - m);
        let (c, s) = (e[at_c], e[at_s]);
        e[at_c] = c.mul_add(cosine, s * sine);
        e[at_s] = s.mul_add(cosine, -(c * sine));
    }
}

/// The quarter turn about x that takes the y axis to the z axis, or back.
///
/// A function that is even or odd under x → −x stays so, and one that was even or odd under y → −y becomes so under
/// z → −z. So the cosines or sines of m of one parity come from one such class: (n² + n + 1)/(2n + 1)² of the matrix is
/// not zero.
#[inline(always)]
fn quarter<T: Real, const P: usize, const N: usize, const BACK: bool>(
    p: Degrees<T, P>,
    e: &mut Array<T, N>,
) {
    // In parts, none too long to be unrolled.
    quarter_degrees::<T, P, N, BACK>(p, 1..p.count().min(9), e);
    quarter_degrees::<T, P, N, BACK>(p, 9..p.count().min(11), e);
    quarter_degrees::<T, P, N, BACK>(p, 11..p.count(), e);
}

#[inline(always)]
fn quarter_degrees<T: Real, const P: usize, const N: usize, const BACK: bool>(
    p: Degrees<T, P>,
    degrees: Range<usize>,
    e: &mut Array<T, N>,
) {
    for n in degrees {
        let mut out = Array::<T, { 2 * MAX_ORDER - 1 }>::filled(T::ZERO);
        for class in 0..4 {
            let (cosine, odd) = (class < 2, class % 2);
            let (to, rows) = members(n, cosine, odd);
            let (from_cosine, from_odd) = inputs(n, cosine, odd, BACK);
            let (from, columns) = members(n, from_cosine, from_odd);
            let (to_step, from_step) =
                (if cosine { 2 } else { -2 }, if from_cosine { 2 } else { -2 });
            // Column by column, so that sums do not wait for themselves.
            let factor = |row: usize, column: usize| {
                let to = to.wrapping_add_signed(to_step * row as isize);
                let from = from.wrapping_add_signed(from_step * column as isize);
                let place =
                    if BACK { quarter_turn_at(n, from, to) } else { quarter_turn_at(n, to, from) };
                (to, from, p.constant(place))
            };
            for row in 0..rows {
                let (to, from, factor) = factor(row, 0);
                out[to] = factor * e[n * n + from];
            }
            for column in 1..columns {
                for row in 0..rows {
                    let (to, from, factor) = factor(row, column);
                    out[to] = factor.mul_add(e[n * n + from], out[to]);
                }
            }
        }
        for to in 0..2 * n + 1 {
            e[n * n + to] = out[to];
        }
    }
}

/// The first place, n ± m, of the cosines or sines of even or odd m, and their number.
#[inline(always)]
pub(crate) const fn members(n: usize, cosine: bool, odd: usize) -> (usize, usize) {
    if odd == 1 {
        (if cosine { n + 1 } else { n - 1 }, n.div_ceil(2))
    } else if cosine {
        (n, n / 2 + 1)
    } else {
        (n.wrapping_sub(2), n / 2)
    }
}

/// Whether the rows of a class take cosines, and the parity of m that they take.
#[inline(always)]
pub(crate) const fn inputs(n: usize, cosine: bool, odd: usize, back: bool) -> (bool, usize) {
    let even_in_x = cosine == (odd == 0);
    if back {
        // Rows even in y come from those even in z.
        let odd = (n + !cosine as usize) % 2;
        (even_in_x == (odd == 0), odd)
    } else {
        let cosine = n % 2 == odd;
        (cosine, (cosine != even_in_x) as usize)
    }
}

/// The translation by 1 along z, which mixes the degrees of one m.
#[inline(always)]
fn along_z<K: Translation, T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    e: &mut Array<T, N>,
) {
    for m in 0..p.count() {
        mix_degrees::<K, T, P, N>(p, m, m as isize, e);
    }
    for m in 1..p.count() {
        mix_degrees::<K, T, P, N>(p, m, -(m as isize), e);
    }
}

#[inline(always)]
fn mix_degrees<K: Translation, T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    m: usize,
    signed: isize,
    e: &mut Array<T, N>,
) {
    let at = |n: usize| (n * n + n).wrapping_add_signed(signed);
    let mut out = Array::<T, MAX_ORDER>::filled(T::ZERO);
    for j in m..p.count() {
        out[j] = if K::FULL { p.constant(K::place(m, j, m)) * e[at(m)] } else { e[at(j)] };
    }
    for n in m + K::FULL as usize..p.count() {
        for j in K::rows(m, n, p.count()) {
            out[j] = p.constant(K::place(m, j, n)).mul_add(e[at(n)], out[j]);
        }
    }
    for j in m..p.count() {
        e[at(j)] = out[j];
    }
}
