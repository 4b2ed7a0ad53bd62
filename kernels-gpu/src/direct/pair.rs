//! One receiver in a thread's registers and the contribution of one source, shared by all sums over pairs.
//!
//! A pair costs 13 floating-point instructions and one reciprocal square root for potential and gradient in f32: 8 for the
//! distance, and 6 for the charge. Several vectors of charges share the 8. A pair that may coincide costs a comparison and a
//! selection more.

use crate::device::shared::{Arena, Shared};
use crate::device::{Real, Vec4, View, warp};
#[cfg(not(target_arch = "nvptx64"))]
use expansions::operators::PairAccuracy;

/// Bits of 1/r in f64 for which sums over pairs have kernels, see [`Real::rsqrt_to`]; f32 has all of its own.
pub const BITS: [u32; 3] = [20, 40, FULL];
/// All bits.
pub(crate) const FULL: u32 = f64::MANTISSA_DIGITS;

/// The kernels for the fewest of [`BITS`] that an accuracy asks for, of a list by these; the last serve those that it leaves out.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn of_accuracy<K>(kernels: &[K], accuracy: PairAccuracy) -> &K {
    let enough = |bits: &u32| 0.5f64.powi(*bits as i32) <= accuracy.relative_error();
    let place = BITS.iter().position(enough).unwrap_or(BITS.len() - 1);
    &kernels[place.min(kernels.len() - 1)]
}

/// Number types of pairs.
pub trait Pair: Real {
    /// Smallest normal number. Smaller squared distances count as 0, because reciprocal square roots flush them to 0.
    const TINY: Self;
    /// Coordinate far from all points, whose square is finite. Sources without charge that fill up a tile lie there.
    const FAR: Self;
    /// Small distance whose square is normal.
    const CLOSE: Self;

    /// Whether a square is a normal number.
    fn is_normal_square(self) -> bool;

    /// Whether the number is neither infinite nor NaN.
    #[inline(always)]
    fn is_finite(self) -> bool {
        Real::max(self, -self) < Self::from_f64(f64::INFINITY)
    }
}

impl Pair for f32 {
    const TINY: Self = Self::MIN_POSITIVE;
    const FAR: Self = 1e18;
    const CLOSE: Self = 2e-19;

    #[inline(always)]
    fn is_normal_square(self) -> bool {
        self >= Self::TINY
    }
}

impl Pair for f64 {
    const TINY: Self = Self::MIN_POSITIVE;
    const FAR: Self = 1e18;
    const CLOSE: Self = 2e-154;

    /// By the exponent, since units for integers have less to do.
    #[inline(always)]
    fn is_normal_square(self) -> bool {
        (self.to_bits() >> 32) as u32 >= (Self::TINY.to_bits() >> 32) as u32
    }
}

/// Source without charge, far from all points.
#[inline(always)]
pub(crate) fn nothing<T: Pair>() -> Vec4<T> {
    Vec4([T::FAR, T::FAR, T::FAR, T::ZERO])
}

/// One receiver: its position, and its sums of gradient and potential (gx, gy, gz, Φ) for one vector of charges.
#[derive(Clone, Copy)]
pub(crate) struct Receiver<T> {
    pub(crate) at: [T; 3],
    pub(crate) part: [T; 4],
}

impl<T: Pair> Receiver<T> {
    /// Receiver with sums of 0.
    #[inline(always)]
    pub(crate) fn new(Vec4([x, y, z, _]): Vec4<T>) -> Self {
        Self { at: [x, y, z], part: [T::ZERO; 4] }
    }

    /// Adds a source; see [`VectorReceiver::add`].
    #[inline(always)]
    pub(crate) fn add<const MASKED: bool>(&mut self, source: Vec4<T>, softening2: T) -> T {
        let Vec4([.., q]) = source;
        let between = Between::new::<MASKED, FULL>(source, self.at, softening2);
        between.add_to(&mut self.part, q);
        between.r2
    }

    /// Adds a source, and the magnitudes of what it adds; see [`VectorReceiver::add`].
    #[inline(always)]
    pub(crate) fn add_with_magnitudes(
        &mut self,
        source: Vec4<T>,
        softening2: T,
        magnitudes: &mut Magnitudes<T>,
    ) {
        let Vec4([.., q]) = source;
        let between = Between::new::<true, FULL>(source, self.at, softening2);
        between.add_to(&mut self.part, q);
        magnitudes.add(between, q);
    }

    /// Moves the sums to a `total`; see [`carried`].
    #[inline(always)]
    pub(crate) fn carry(&mut self, total: [T; 4]) -> [T; 4] {
        let (total, rest) = carried(total, self.part);
        self.part = rest;
        total
    }
}

/// One receiver: its position, and its sums of gradient and potential (gx, gy, gz, Φ) for each of V vectors of charges.
#[derive(Clone, Copy)]
pub(crate) struct VectorReceiver<T, const V: usize> {
    at: [T; 3],
    pub(crate) parts: [[T; 4]; V],
}

impl<T: Pair, const V: usize> VectorReceiver<T, V> {
    /// Receiver with sums of 0.
    #[inline(always)]
    pub(crate) fn new(Vec4([x, y, z, _]): Vec4<T>) -> Self {
        Self { at: [x, y, z], parts: [[T::ZERO; 4]; V] }
    }

    /// Adds q/√(r² + ε²) and its gradient (Yokota & Barba, Listing 1, with the sign of ∇Φ) for a source of V charges; returns
    /// r² + ε². With `MASKED`, a pair with r = 0 adds nothing; otherwise such a pair makes the sums infinite or NaN, or counts
    /// if ε > 0. 1/r has so many bits, or all of f32.
    #[inline(always)]
    pub(crate) fn add<const MASKED: bool, const BITS: u32>(
        &mut self,
        source: VectorSource<T>,
        softening2: T,
    ) -> T {
        let between = Between::new::<MASKED, BITS>(source.first, self.at, softening2);
        for (v, part) in self.parts.iter_mut().enumerate() {
            between.add_to(part, source.charge(v));
        }
        between.r2
    }
}

/// Source (x, y, z, q₀), and the charges (q₁, q₂, q₃, 0) of further vectors.
#[derive(Clone, Copy)]
pub(crate) struct VectorSource<T> {
    pub(crate) first: Vec4<T>,
    pub(crate) further: Vec4<T>,
}

impl<T: Pair> VectorSource<T> {
    /// Source without charges, far from all points.
    #[inline(always)]
    pub(crate) fn nothing() -> Self {
        Self { first: nothing(), further: Vec4([T::ZERO; 4]) }
    }

    /// Source `i` of several vectors of charges: source i of vector v is at v N + i of `sources`, for N sources.
    #[inline(always)]
    pub(crate) fn load<const V: usize>(sources: View<Vec4<T>>, i: usize) -> Self {
        let first = sources.get(i);
        let mut further = Vec4([T::ZERO; 4]);
        for v in 1..V {
            further.0[v - 1] = sources.numbers().get(4 * (v * (sources.len() / V) + i) + 3);
        }
        Self { first, further }
    }

    /// Charge of vector `v`.
    #[inline(always)]
    fn charge(self, v: usize) -> T {
        if v == 0 { self.first.0[3] } else { self.further.0[v - 1] }
    }
}

/// Staged sources: their first vectors of four, and the further charges if there are several vectors of charges.
#[derive(Clone, Copy)]
pub(crate) struct Tile<T, const V: usize> {
    first: Shared<Vec4<T>>,
    further: Shared<Vec4<T>>,
}

impl<T: Pair, const V: usize> Tile<T, V> {
    /// Bytes of a source.
    pub(crate) const BYTES: usize = if V == 1 { 1 } else { 2 } * size_of::<Vec4<T>>();

    /// Tile of `len` sources.
    #[inline(always)]
    pub(crate) fn new(arena: &mut Arena, len: usize) -> Self {
        let first = arena.array(len);
        Self { first, further: if V == 1 { first } else { arena.array(len) } }
    }

    /// Source `i`.
    #[inline(always)]
    pub(crate) fn get(self, i: usize) -> VectorSource<T> {
        let first = self.first.get(i);
        let further = if V == 1 { Vec4([T::ZERO; 4]) } else { self.further.get(i) };
        VectorSource { first, further }
    }

    /// Makes source `i` equal `source`.
    #[inline(always)]
    pub(crate) fn set(self, i: usize, source: VectorSource<T>) {
        self.first.set(i, source.first);
        if V > 1 {
            self.further.set(i, source.further);
        }
    }
}

/// Sums over sources of the magnitudes of their terms, to few digits.
#[derive(Clone, Copy)]
pub(crate) struct Magnitudes<T> {
    /// Σ |q| / √(r² + ε²)
    pub(crate) potential: T,
    /// Σ |q| (|Δx| + |Δy| + |Δz|) / (r² + ε²)^(3/2): the lengths of the pulls, and up to √3 times as much, one and a half
    /// times over all directions. Lengths themselves would cost a root each.
    pub(crate) pull: T,
}

impl<T: Pair> Magnitudes<T> {
    pub(crate) const NONE: Self = Self { potential: T::ZERO, pull: T::ZERO };

    #[inline(always)]
    fn add(&mut self, Between { d, inverse, .. }: Between<T>, q: T) {
        let size = |x: T| Real::max(x, -x);
        let potential = size(q) * inverse;
        let [dx, dy, dz] = d.map(size);
        self.potential += potential;
        self.pull = (potential * (inverse * inverse)).mul_add(dx + dy + dz, self.pull);
    }
}

/// Distance of a pair, which all charges of the source share.
#[derive(Clone, Copy)]
struct Between<T> {
    /// Vector from the receiver to the source.
    d: [T; 3],
    /// Number r² + ε².
    r2: T,
    /// Number 1/√(r² + ε²), or 0 for a pair that does not count.
    inverse: T,
}

impl<T: Pair> Between<T> {
    #[inline(always)]
    fn new<const MASKED: bool, const BITS: u32>(
        source: Vec4<T>,
        at: [T; 3],
        softening2: T,
    ) -> Self {
        let Vec4([x, y, z, _]) = source;
        let [dx, dy, dz] = [x - at[0], y - at[1], z - at[2]];
        let (r2, inverse);
        if MASKED {
            let bare = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
            r2 = bare + softening2;
            let any = r2.rsqrt_to::<BITS>();
            inverse = if bare.is_normal_square() { any } else { T::ZERO };
        } else {
            r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, softening2)));
            inverse = r2.rsqrt_to::<BITS>();
        }
        Self { d: [dx, dy, dz], r2, inverse }
    }

    /// Adds what a charge gives to sums of gradient and potential.
    #[inline(always)]
    fn add_to(self, part: &mut [T; 4], q: T) {
        let Self { d: [dx, dy, dz], inverse, .. } = self;
        let potential = q * inverse;
        let strength = potential * (inverse * inverse);
        part[0] = dx.mul_add(strength, part[0]);
        part[1] = dy.mul_add(strength, part[1]);
        part[2] = dz.mul_add(strength, part[2]);
        part[3] += potential;
    }
}

/// A total to which the sums of a part are moved, and the rounding error, which stays as the first term of the next part.
/// Carries every few terms keep the error from growing with the number of sources, and total and part together have more digits
/// than T. Cost: 24 additions.
#[inline(always)]
pub(crate) fn carried<T: Real>(total: [T; 4], part: [T; 4]) -> ([T; 4], [T; 4]) {
    let sums = [0, 1, 2, 3].map(|k| two_sum(total[k], part[k]));
    (sums.map(|(sum, _)| sum), sums.map(|(_, rest)| rest))
}

/// Rounded sum a + b and its rounding error (Knuth).
#[inline(always)]
fn two_sum<T: Real>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Box around receivers, slightly enlarged: points outside coincide with no receiver, and their squared distances to
/// receivers are normal numbers.
#[derive(Clone, Copy)]
pub(crate) struct ReceiverBounds<T> {
    pub(crate) low: [T; 3],
    pub(crate) high: [T; 3],
}

impl<T: Pair> ReceiverBounds<T> {
    /// Box around one point.
    #[inline(always)]
    pub(crate) fn around(at: [T; 3]) -> Self {
        Self { low: at.map(|x| x - T::CLOSE), high: at.map(|x| x + T::CLOSE) }
    }

    /// Box around this box and a point.
    #[inline(always)]
    pub(crate) fn with(self, at: [T; 3]) -> Self {
        self.union(Self::around(at))
    }

    #[inline(always)]
    fn union(self, other: Self) -> Self {
        Self {
            low: [0, 1, 2].map(|k| self.low[k].min(other.low[k])),
            high: [0, 1, 2].map(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Box around the boxes of all lanes whose indices differ in bits below `lanes`, a power of two.
    #[inline(always)]
    pub(crate) fn over_lanes(mut self, lanes: u32) -> Self {
        let mut mask = lanes / 2;
        while mask > 0 {
            self = self.union(Self {
                low: self.low.map(|x| warp::shuffle_xor(x, mask)),
                high: self.high.map(|x| warp::shuffle_xor(x, mask)),
            });
            mask /= 2;
        }
        self
    }

    /// Whether a point lies inside.
    #[inline(always)]
    pub(crate) fn holds(&self, Vec4(at): Vec4<T>) -> bool {
        (at[0] >= self.low[0])
            & (at[0] <= self.high[0])
            & (at[1] >= self.low[1])
            & (at[1] <= self.high[1])
            & (at[2] >= self.low[2])
            & (at[2] <= self.high[2])
    }

    /// Squared distance of a point from the box; 0 inside.
    #[inline(always)]
    pub(crate) fn distance2(&self, Vec4(at): Vec4<T>) -> T {
        let [x, y, z] = [0, 1, 2]
            .map(|k| Real::max(Real::max(self.low[k] - at[k], at[k] - self.high[k]), T::ZERO));
        x.mul_add(x, y.mul_add(y, z * z))
    }
}
