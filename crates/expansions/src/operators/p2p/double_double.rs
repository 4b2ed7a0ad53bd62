//! P2P in double-double arithmetic: for sums so far below their terms that f64 leaves too few digits of them.
//!
//! A number is an unevaluated sum of two f64 with 106 bits (Dekker, Numer. Math. 18, 1971). Receivers are lanes and sources are
//! broadcast.

use lanes::{Kernel, Lanes};

use super::pair::two_sum;
use crate::dispatch::run_widest;
use crate::operators::point_lanes::load_padded;

/// Adds to `sums` (gx, gy, gz, Φ), whose high parts come first and low parts second, the potential Φ_i = Σ_j q_j / √(r_ij² + ε²)
/// and its gradient at the receivers i over the sources j, each to 106 bits.
///
/// Shapes: `receivers` and each of `sums` (N), `sources` and `charges` (M). Pairs with r_ij = 0 are left out. `softening` is
/// ε. Cost: some 200 vector operations for each source and vector of receivers, 500 where no product is fused with a sum.
pub fn p2p_double_double(
    (sources, charges): ([&[f64]; 3], &[f64]),
    receivers: [&[f64]; 3],
    softening: f64,
    sums: [[&mut [f64]; 4]; 2],
) {
    run_widest(DoubleDouble { sources, charges, receivers, softening, sums });
}

/// Arguments of [`p2p_double_double`].
struct DoubleDouble<'a> {
    sources: [&'a [f64]; 3],
    charges: &'a [f64],
    receivers: [&'a [f64]; 3],
    softening: f64,
    sums: [[&'a mut [f64]; 4]; 2],
}

impl Kernel<f64> for DoubleDouble<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        let Self { sources, charges, receivers, softening, sums: [high, low] } = self;
        let softening = V::splat(softening);
        let softening2 = two_product(softening, softening);
        for start in (0..receivers[0].len()).step_by(V::WIDTH) {
            let [x, y, z] = receivers;
            let receiver = [
                load_padded::<V>(&x[start..]),
                load_padded::<V>(&y[start..]),
                load_padded::<V>(&z[start..]),
            ];
            let mut totals = [[V::zero(); 2]; 4];
            for k in 0..4 {
                totals[k] = [load_padded(&high[k][start..]), load_padded(&low[k][start..])];
            }
            sum(sources, charges, receiver, softening2, &mut totals);
            for k in 0..4 {
                put(&mut high[k][start..], totals[k][0]);
                put(&mut low[k][start..], totals[k][1]);
            }
        }
    }
}

/// A number of 106 bits in each lane: high and low part.
type Double<V> = [V; 2];

/// Adds the sums over all sources at one vector of receivers.
#[inline(always)]
fn sum<V: Lanes<Scalar = f64>>(
    [x, y, z]: [&[f64]; 3],
    charges: &[f64],
    [rx, ry, rz]: [V; 3],
    softening2: Double<V>,
    totals: &mut [Double<V>; 4],
) {
    for (((x, y), z), charge) in x.iter().zip(y).zip(z).zip(charges) {
        let distance =
            [between(V::splat(*x), rx), between(V::splat(*y), ry), between(V::splat(*z), rz)];
        let [x, y, z] = distance;
        let square = add(add(multiply(x, x), multiply(y, y)), multiply(z, z));
        let inverse = inverse_root(add(square, softening2), square[0]);
        let potential = multiply([V::splat(*charge), V::zero()], inverse);
        let pull = multiply(potential, multiply(inverse, inverse));
        totals[0] = add(totals[0], multiply(pull, x));
        totals[1] = add(totals[1], multiply(pull, y));
        totals[2] = add(totals[2], multiply(pull, z));
        totals[3] = add(totals[3], potential);
    }
}

/// The difference of two numbers of f64.
#[inline(always)]
fn between<V: Lanes>(to: V, from: V) -> Double<V> {
    let (sum, rest) = two_sum(to, -from);
    [sum, rest]
}

/// The sum, and what rounding lost of it, for |a| ≥ |b|.
#[inline(always)]
fn quick_two_sum<V: Lanes>(a: V, b: V) -> Double<V> {
    let sum = a + b;
    [sum, b - (sum - a)]
}

/// The product, and what rounding lost of it.
#[inline(always)]
fn two_product<V: Lanes<Scalar = f64>>(a: V, b: V) -> Double<V> {
    let product = a * b;
    if V::FUSED {
        return [product, a.mul_add(b, -product)];
    }
    let ([a_high, a_low], [b_high, b_low]) = (split(a), split(b));
    let rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    [product, rest]
}

/// High and low half of the bits.
#[inline(always)]
fn split<V: Lanes<Scalar = f64>>(a: V) -> Double<V> {
    let shifted = V::splat(134_217_729.0) * a;
    let high = shifted - (shifted - a);
    [high, a - high]
}

/// The sum of two numbers of 106 bits, each a high and a low part.
pub fn add_double_doubles(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    add(a, b)
}

#[inline(always)]
fn add<V: Lanes>([a, a_low]: Double<V>, [b, b_low]: Double<V>) -> Double<V> {
    let (sum, rest) = two_sum(a, b);
    quick_two_sum(sum, rest + (a_low + b_low))
}

#[inline(always)]
fn multiply<V: Lanes<Scalar = f64>>([a, a_low]: Double<V>, [b, b_low]: Double<V>) -> Double<V> {
    let [product, rest] = two_product(a, b);
    quick_two_sum(product, rest + (a * b_low + a_low * b))
}

/// 1/√x where `guard` > 0, and 0 elsewhere, by one step of Newton's method, which doubles the 53 bits of the start.
#[inline(always)]
fn inverse_root<V: Lanes<Scalar = f64>>(x: Double<V>, guard: V) -> Double<V> {
    let scale = V::splat(num_traits::Float::recip(V::rsqrt_scale::<64>()));
    let start = scale * x[0].scaled_rsqrt::<64>(guard, V::zero());
    let square = multiply(x, two_product(start, start));
    let residual = add([V::splat(1.0), V::zero()], [-square[0], -square[1]]);
    quick_two_sum(start, V::splat(0.5) * start * residual[0])
}

/// Writes a vector, or as many of its lanes as there are numbers left.
#[inline(always)]
fn put<V: Lanes>(to: &mut [V::Scalar], v: V) {
    if to.len() >= V::WIDTH { v.store(to) } else { v.store_part(to) }
}
