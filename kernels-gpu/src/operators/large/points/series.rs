//! Series of an expansion and of its gradient, of which a block brings the coefficients to shared memory.

use super::constants::Constants;
use crate::device::shared::{Arena, Shared};
use crate::device::{Real, Vec4, View, thread};
use crate::operators::harmonics::{Lane, Start, Values};
use crate::operators::large::at;
use expansions::numerics::recurrence::{AzimuthalFactor, Recurrence};

/// Pairs of degree and azimuthal index m that shared memory holds: 22 KiB in f64, so that ten blocks run at once on a multiprocessor of
/// 228 KiB. The longest column has one a degree.
pub(crate) const PAIRS: usize = 320;

/// Shared memory of a block, in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const fn shared_bytes<T>() -> usize {
    PAIRS * 9 * size_of::<T>()
}

/// Coefficients in shared memory, by pair of degree and m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile<T> {
    /// Coefficients of the cosines in the three parts of the gradient, and in the potential.
    cosines: Shared<Vec4<T>>,
    /// Coefficients of the sines.
    sines: Shared<Vec4<T>>,
    /// Factors of the recurrence.
    factors: Shared<T>,
}

/// The expansion of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series<T> {
    constants: Constants<T>,
    numbers: View<T>,
    b: usize,
    count: usize,
}

/// Sums over the degrees of one m, of the three parts of the gradient and of the potential.
type Sums<T> = [T; 4];

impl<T: Real> Tile<T> {
    /// The shared memory of the block.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        let mut arena = Arena::new();
        let (cosines, sines) = (arena.array(PAIRS), arena.array(PAIRS));
        Self { cosines, sines, factors: arena.array(PAIRS) }
    }
}

impl<T: Real> Series<T> {
    /// The expansion of box `b` of `count`, whose group g is at g `count` + b.
    #[inline(always)]
    pub(crate) fn new(
        constants: Constants<T>,
        expansions: View<Vec4<T>>,
        [b, count]: [usize; 2],
    ) -> Self {
        Self { constants, numbers: expansions.numbers(), b, count }
    }

    /// Sums the series and its gradient at the lane's point, in units of the box. All lanes of the block call this together,
    /// those without a point for the sake of the others.
    #[inline(always)]
    pub(crate) fn sum<const MULTIPOLE: bool>(
        self,
        tile: Tile<T>,
        point: [T; 3],
        there: bool,
    ) -> Values<T> {
        let end = self.degrees::<MULTIPOLE>();
        let start = Start::of::<MULTIPOLE>(point.map(Lane));
        let mut azimuth = AzimuthalFactor::new(start);
        let mut total = [T::ZERO; 4];
        let mut m = 0;
        while m < end {
            let (mut last, mut pairs) = (m, 0);
            while last < end && pairs + end - last <= PAIRS {
                pairs += end - last;
                last += 1;
            }
            thread::sync_threads();
            self.fill::<MULTIPOLE>(tile, m, pairs);
            thread::sync_threads();
            let mut pair = 0;
            while there && m < last {
                let (cosines, sines) = column(tile, pair, end - m, start);
                for k in 0..4 {
                    let cosine = azimuth.cosine.0.mul_add(cosines[k], total[k]);
                    total[k] = azimuth.sine.0.mul_add(sines[k], cosine);
                }
                azimuth.advance(start);
                pair += end - m;
                m += 1;
            }
            m = last;
        }
        let [x, y, z, potential] = total;
        Values { gradient: [x, y, z], potential }
    }

    /// Degrees of the functions: the derivatives of R_n have degree n − 1, those of I_n have degree n + 1.
    #[inline(always)]
    fn degrees<const MULTIPOLE: bool>(self) -> usize {
        self.constants.order() + usize::from(MULTIPOLE)
    }

    /// Brings the coefficients of `pairs` pairs from column `m` on to shared memory.
    #[inline(always)]
    fn fill<const MULTIPOLE: bool>(self, tile: Tile<T>, m: usize, pairs: usize) {
        let end = self.degrees::<MULTIPOLE>();
        let mut pair = thread::thread_idx_x() as usize;
        while pair < pairs {
            let (mut m, mut rest) = (m, pair);
            while rest >= end - m {
                rest -= end - m;
                m += 1;
            }
            let n = m + rest;
            let [cosines, sines] = self.coefficients::<MULTIPOLE>(n, m);
            tile.cosines.set(pair, cosines);
            tile.sines.set(pair, sines);
            tile.factors.set(pair, self.constants.polynomial(n, m));
            pair += thread::block_dim_x() as usize;
        }
    }

    /// Coefficients of the cosine and of the sine of degree n and azimuthal index m of the expansion, zeros where there are none.
    #[inline(always)]
    fn get(self, there: bool, n: usize, m: usize) -> [T; 2] {
        if !there {
            return [T::ZERO; 2];
        }
        let number = |c: usize| self.numbers.get(at(c, self.b, self.count));
        let sine = if m > 0 { number(n * n + n - m) } else { T::ZERO };
        [number(n * n + n + m), sine]
    }

    /// Coefficients of the functions of degree k and azimuthal index m in gradient and potential: the table of
    /// `docs/theory/formulas.md`, section 2, by its results.
    #[inline(always)]
    fn coefficients<const MULTIPOLE: bool>(self, k: usize, m: usize) -> [Vec4<T>; 2] {
        let (constants, order) = (self.constants, self.constants.order());
        let before = if m > 0 { m - 1 } else { 0 };
        let (n, there, [ahead, along, back]) = match MULTIPOLE {
            true => (
                if k > 0 { k - 1 } else { 0 },
                [m > 0, m < k, m + 1 < k],
                [
                    constants.derivative(0, k, m),
                    -constants.derivative(1, k, m),
                    constants.derivative(2, k, m),
                ],
            ),
            false => (
                k + 1,
                [m > 0 && k + 1 < order, k + 1 < order, k + 1 < order],
                [
                    constants.derivative(2, k + 1, before),
                    constants.derivative(1, k + 1, m),
                    constants.derivative(0, k + 1, m + 1),
                ],
            ),
        };
        let norm = constants.norm(k, m);
        let [e, e2] = self.get(k < order, k, m);
        let [c, s] = self.get(there[0], n, before).map(|x| ahead * x);
        let [z, z2] = self.get(there[1], n, m).map(|x| along * x);
        let [c2, s2] = self.get(there[2], n, m + 1).map(|x| back * x);
        let times = |terms: [T; 4]| Vec4(terms.map(|x| x * norm));
        [times([c2 - c, s + s2, z, e]), times([s2 - s, -(c + c2), z2, e2])]
    }
}

/// Sums over a column of `degrees` pairs from `first` on, of the coefficients of cosines and of sines times the polynomials.
#[inline(always)]
fn column<T: Real>(
    tile: Tile<T>,
    first: usize,
    degrees: usize,
    start: Start<T>,
) -> (Sums<T>, Sums<T>) {
    let (mut cosines, mut sines) = ([T::ZERO; 4], [T::ZERO; 4]);
    let mut recurrence = Recurrence::new(start);
    for pair in first..first + degrees {
        let (Vec4(c), Vec4(s)) = (tile.cosines.get(pair), tile.sines.get(pair));
        let value = recurrence.value.0;
        for k in 0..4 {
            cosines[k] = value.mul_add(c[k], cosines[k]);
            sines[k] = value.mul_add(s[k], sines[k]);
        }
        recurrence.advance(Lane(tile.factors.get(pair)));
    }
    (cosines, sines)
}
