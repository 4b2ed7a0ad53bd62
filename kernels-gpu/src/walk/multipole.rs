//! Traceless Cartesian multipoles of order p = 1, 3, 4 or 5 (degrees 0 … p − 1) about a centre c, and M2P.
//!
//! With d = c − x and ρ = d/d², Φ(x) = H(ρ)/|d|, where H(ρ) = M + S₁·ρ + ½ S₂ρ·ρ + ⅓ S₃ρρ·ρ + ¼ S₄ρρρ·ρ and the S_n are
//! symmetric tensors without trace: S_n = (−1)ⁿ n (2n−1)!!/n! Σ q (s…s − traces), s the positions of the charges
//! relative to c. The gradient G of H is the sum of the vectors S_nρ…ρ, and ∇Φ = (d (H + 2 ρ·G) − G)/|d|³.
//!
//! Because traces vanish, products of coordinates are taken without z² (5 instead of 6 of degree 2, 7 instead of 10 of
//! degree 3), and 5, 7 and 9 numbers of S₂, S₃ and S₄ are stored. Operations of a pair: 32, 61 and 107 for p = 3, 4 and
//! 5, and one reciprocal square root.

use super::raw::{Raw, index};
use crate::device::{Real, Vec4};
use crate::direct::pair::{Pair, Receiver};

/// Number of vectors of a multipole: (c, M), then (xx, xy, xz, yy), (yz, S₁), then (xxx, xxy, xxz, xyy), (xyz, yyy,
/// yyz, xzz), then (xxxx, xxxy, xxxz, xxyy), (xxyz, xyyy, xyyz, yyyy), (yyyz, 0, 0, 0).
pub(super) const fn vectors(order: usize) -> usize {
    match order {
        1 => 1,
        3 => 3,
        4 => 5,
        _ => 8,
    }
}

/// Number of vectors of the largest order.
pub(super) const MAX_VECTORS: usize = 8;

/// Multipole from moments about `center`.
#[inline(always)]
pub(super) fn multipole<T: Real, const P: usize>(
    center: [T; 3],
    raw: &Raw<T, P>,
) -> [Vec4<T>; MAX_VECTORS] {
    let c = |x: f64| T::from_f64(x);
    let m = |x: usize, y: usize, z: usize| raw.moment[index([x, y, z])];
    let mut vectors = [Vec4([T::ZERO; 4]); MAX_VECTORS];
    vectors[0] = Vec4([center[0], center[1], center[2], m(0, 0, 0)]);
    if P >= 3 {
        let three = c(3.0);
        let trace = m(2, 0, 0) + m(0, 2, 0) + m(0, 0, 2);
        let (xx, yy) = (three * m(2, 0, 0) - trace, three * m(0, 2, 0) - trace);
        vectors[1] = Vec4([xx, three * m(1, 1, 0), three * m(1, 0, 1), yy]);
        vectors[2] = Vec4([three * m(0, 1, 1), -m(1, 0, 0), -m(0, 1, 0), -m(0, 0, 1)]);
    }
    if P >= 4 {
        let (a, b) = (c(-7.5), c(1.5));
        let x = b * (m(3, 0, 0) + m(1, 2, 0) + m(1, 0, 2));
        let y = b * (m(2, 1, 0) + m(0, 3, 0) + m(0, 1, 2));
        let z = b * (m(2, 0, 1) + m(0, 2, 1) + m(0, 0, 3));
        let three = c(3.0);
        let xxx = a.mul_add(m(3, 0, 0), three * x);
        let xyy = a.mul_add(m(1, 2, 0), x);
        let (xxy, xxz) = (a.mul_add(m(2, 1, 0), y), a.mul_add(m(2, 0, 1), z));
        vectors[3] = Vec4([xxx, xxy, xxz, xyy]);
        let (yyy, yyz) = (a.mul_add(m(0, 3, 0), three * y), a.mul_add(m(0, 2, 1), z));
        vectors[4] = Vec4([a * m(1, 1, 1), yyy, yyz, -(xxx + xyy)]);
    }
    if P >= 5 {
        let (a, b, e) = (c(17.5), c(-2.5), c(0.5));
        let xx = b * (m(4, 0, 0) + m(2, 2, 0) + m(2, 0, 2));
        let yy = b * (m(2, 2, 0) + m(0, 4, 0) + m(0, 2, 2));
        let zz = b * (m(2, 0, 2) + m(0, 2, 2) + m(0, 0, 4));
        let xy = b * (m(3, 1, 0) + m(1, 3, 0) + m(1, 1, 2));
        let xz = b * (m(3, 0, 1) + m(1, 2, 1) + m(1, 0, 3));
        let yz = b * (m(2, 1, 1) + m(0, 3, 1) + m(0, 1, 3));
        // ½ Σ q s⁴, from the traces, which have the factor −2.5.
        let square = (xx + yy + zz) * (e / b);
        let (three, six) = (c(3.0), c(6.0));
        let xxxx = a.mul_add(m(4, 0, 0), six.mul_add(xx, three * square));
        let yyyy = a.mul_add(m(0, 4, 0), six.mul_add(yy, three * square));
        let xxyy = a.mul_add(m(2, 2, 0), xx + yy + square);
        let xxxy = a.mul_add(m(3, 1, 0), three * xy);
        let xxxz = a.mul_add(m(3, 0, 1), three * xz);
        let xyyy = a.mul_add(m(1, 3, 0), three * xy);
        let yyyz = a.mul_add(m(0, 3, 1), three * yz);
        let (xxyz, xyyz) = (a.mul_add(m(2, 1, 1), yz), a.mul_add(m(1, 2, 1), xz));
        vectors[5] = Vec4([xxxx, xxxy, xxxz, xxyy]);
        vectors[6] = Vec4([xxyz, xyyy, xyyz, yyyy]);
        vectors[7] = Vec4([yyyz, T::ZERO, T::ZERO, T::ZERO]);
    }
    vectors
}

/// Scalar product a·ρ.
#[inline(always)]
fn dot<T: Real>(a: [T; 3], rho: [T; 3]) -> T {
    a[0].mul_add(rho[0], a[1].mul_add(rho[1], a[2] * rho[2]))
}

#[inline(always)]
fn sum<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Presence of dipoles. Multipoles about the centre of charges of one sign have none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dipole {
    /// Dipoles S₁ are 0.
    Absent,
    /// Dipoles S₁ are added.
    Present,
}

/// Adds the potential and gradient of a multipole of order 3, 4 or 5 at a receiver.
#[inline(always)]
pub(super) fn m2p<T: Pair, const P: usize>(
    receiver: &mut Receiver<T>,
    cell: &[Vec4<T>; MAX_VECTORS],
    dipole: Dipole,
) {
    let Vec4([x, y, z, charge]) = cell[0];
    let d = [x - receiver.at[0], y - receiver.at[1], z - receiver.at[2]];
    let r2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
    let inverse = r2.rsqrt();
    let inverse2 = inverse * inverse;
    let rho = d.map(|d| d * inverse2);
    let [x, y, z] = rho;

    let (Vec4([xx, xy, xz, yy]), Vec4([yz, dx, dy, dz])) = (cell[1], cell[2]);
    let quadrupole = [
        xx.mul_add(x, xy.mul_add(y, xz * z)),
        xy.mul_add(x, yy.mul_add(y, yz * z)),
        xz.mul_add(x, yz.mul_add(y, -((xx + yy) * z))),
    ];
    let along = dot(quadrupole, rho);
    let mut series = Series {
        h: along.mul_add(T::from_f64(0.5), charge),
        k: along.mul_add(T::from_f64(2.5), charge),
        g: quadrupole,
    };
    if P >= 4 {
        let (zz, y2, x2) = (z * z, y + y, x + x);
        let (a, b) = (x.mul_add(x, -zz), y.mul_add(y, -zz));
        let products = [a, b, x2 * y, x2 * z, y2 * z];
        series.add(3, octupole(cell, products), rho);
        if P >= 5 {
            series.add(4, hexadecapole(cell, cubic_products(rho, zz, products)), rho);
        }
    }
    if dipole == Dipole::Present {
        series.add(1, [dx, dy, dz], rho);
    }
    let Series { h, k, g } = series;
    let inverse3 = inverse * inverse2;
    for axis in 0..3 {
        let part = d[axis].mul_add(k, -g[axis]);
        receiver.part[axis] = inverse3.mul_add(part, receiver.part[axis]);
    }
    receiver.part[3] = inverse.mul_add(h, receiver.part[3]);
}

/// Sums over the degrees n of a multipole.
struct Series<T> {
    /// Function H = M + Σ ρ·S_nρ…ρ / n.
    h: T,
    /// Number H + 2 ρ·G.
    k: T,
    /// Gradient G = Σ S_nρ…ρ.
    g: [T; 3],
}

impl<T: Real> Series<T> {
    /// Adds the term S_nρ…ρ of a degree n.
    #[inline(always)]
    fn add(&mut self, degree: u32, term: [T; 3], rho: [T; 3]) {
        let (n, along) = (f64::from(degree), dot(term, rho));
        self.h = along.mul_add(T::from_f64(n.recip()), self.h);
        self.k = along.mul_add(T::from_f64((2.0 * n + 1.0) / n), self.k);
        self.g = sum(self.g, term);
    }
}

/// Sums of products that [`hexadecapole`] takes, from z² and the products that [`octupole`] takes.
#[inline(always)]
fn cubic_products<T: Real>([x, y, z]: [T; 3], zz: T, [a, b, xy2, ..]: [T; 5]) -> [T; 7] {
    let three = T::from_f64(3.0);
    let (zz2, a3, b3) = (zz + zz, a * three, b * three);
    [
        x * (a - zz2),
        y * a3,
        x * b3,
        y * (b - zz2),
        z * (a3 + zz2),
        (z * three) * xy2,
        z * (b3 + zz2),
    ]
}

/// Octupole term S₃ρρ from x² − z², y² − z², 2xy, 2xz, 2yz.
#[inline(always)]
fn octupole<T: Real>(cell: &[Vec4<T>; MAX_VECTORS], [a, b, xy, xz, yz]: [T; 5]) -> [T; 3] {
    let Vec4([xxx, xxy, xxz, xyy]) = cell[3];
    let Vec4([xyz, yyy, yyz, xzz]) = cell[4];
    let yzz = -(xxy + yyy);
    let row = |s: [T; 5]| {
        let tail = s[3].mul_add(xz, s[4] * yz);
        s[0].mul_add(a, s[1].mul_add(b, s[2].mul_add(xy, tail)))
    };
    [row([xxx, xyy, xxy, xxz, xyz]), row([xxy, yyy, xyy, xyz, yyz]), row([xxz, yyz, xyz, xzz, yzz])]
}

/// Hexadecapole term S₄ρρρ from the sums of products that go with xxx, xxy, xyy, yyy, xxz, xyz, yyz.
#[inline(always)]
fn hexadecapole<T: Real>(cell: &[Vec4<T>; MAX_VECTORS], products: [T; 7]) -> [T; 3] {
    let Vec4([xxxx, xxxy, xxxz, xxyy]) = cell[5];
    let (Vec4([xxyz, xyyy, xyyz, yyyy]), Vec4([yyyz, ..])) = (cell[6], cell[7]);
    let (xxzz, xyzz, yyzz) = (-(xxxx + xxyy), -(xxxy + xyyy), -(xxyy + yyyy));
    let row = |s: [T; 7]| {
        let mut sum = s[0] * products[0];
        for i in 1..7 {
            sum = s[i].mul_add(products[i], sum);
        }
        sum
    };
    [
        row([xxxx, xxxy, xxyy, xyyy, xxxz, xxyz, xyyz]),
        row([xxxy, xxyy, xyyy, yyyy, xxyz, xyyz, yyyz]),
        row([xxxz, xxyz, xyyz, yyyz, xxzz, xyzz, yyzz]),
    ]
}
