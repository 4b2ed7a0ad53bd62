//! The frames of the waves: for each axis, coordinates (u, v, w) in which the waves run along w.

use alloc::vec::Vec;

use lanes::Real;

use super::blocks::BlockSparse;
use crate::layout::index;
use crate::rotation::Wigner;

/// The axis along which waves run, both ways.
///
/// A far pair belongs to z if it is two boxes or more apart along z; if not, to y if it is so along y; if not, to x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaveAxis {
    /// Pairs at any place across.
    Z,
    /// Pairs at most one box apart along z.
    Y,
    /// Pairs at most one box apart along y and z.
    X,
}

impl WaveAxis {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Z, Self::Y, Self::X];

    /// Its place among x, y and z.
    pub const fn coordinate(self) -> usize {
        match self {
            Self::Z => 2,
            Self::Y => 1,
            Self::X => 0,
        }
    }

    /// u, v and w as coordinates x, y, z; negative where true.
    const fn frame(self) -> [(usize, bool); 3] {
        match self {
            Self::Z => [(0, false), (1, false), (2, false)],
            Self::Y => [(2, true), (0, true), (1, false)],
            Self::X => [(2, true), (1, false), (0, false)],
        }
    }

    /// Which of a receiver's sources a family is that lies `offset` boxes of the parents' level away, each component
    /// in −1 … 1: 0 for waves that go up and 1 for those that go down, and its place across. `None` if no pair of
    /// their children belongs to the axis.
    pub fn slot(self, offset: [i32; 3]) -> Option<(usize, usize)> {
        let component =
            |(c, negative): (usize, bool)| if negative { -offset[c] } else { offset[c] };
        let [u, v, w] = self.frame().map(component);
        let across = ((u + 1) + 3 * (v + 1)) as usize;
        match w {
            // Waves go up from what lies below.
            -1 => Some((0, across)),
            1 => Some((1, across)),
            _ => None,
        }
    }

    /// Which octant of the frame (bit 0 is u, 1 v, 2 w) an octant is (bit 0 is x, 1 y, 2 z).
    pub(crate) fn octant(self, octant: usize) -> usize {
        let bits = self.frame().map(|(c, negative)| (octant >> c & 1) ^ usize::from(negative));
        bits[0] | bits[1] << 1 | bits[2] << 2
    }

    /// How many of u and v are bounded to one box apart. Where one is, it is u.
    pub(crate) const fn bounded(self) -> usize {
        match self {
            Self::Z => 0,
            Self::Y => 1,
            Self::X => 2,
        }
    }

    /// The square of the largest distance across the waves between points of a far pair.
    pub(crate) const fn reach2(self) -> usize {
        match self {
            Self::Z => 32,
            Self::Y => 20,
            Self::X => 8,
        }
    }
}

/// The matrices that take expansions into the frame and back; `None` where they are in it already.
///
/// The frame's w axis is found by a quarter turn about y, before which comes, for waves along y, one about z. Half
/// of a quarter turn's entries are zero: cost p³/3.
pub(super) fn turns<T: Real>(order: usize, axis: WaveAxis) -> Option<[BlockSparse<T>; 2]> {
    if axis == WaveAxis::Z {
        return None;
    }
    let wigner = Wigner::new(order);
    let table = wigner.table(core::f64::consts::FRAC_PI_2);
    let d = |n: usize, m1: usize, m2: i64| table[wigner.at(n, m1, m2)];
    let sign = |m: usize| if m.is_multiple_of(2) { 1.0 } else { -1.0 };
    let (mut into, mut back) = (BlockSparse::new(), BlockSparse::new());
    for n in 0..order {
        for sine in [false, true] {
            for parity in 0..2 {
                // Row m1 and column m2 are coupled where n + m1 + m2 is even, of sines where it is odd.
                let other = (n + parity + usize::from(sine)) % 2;
                let orders = |parity: usize| -> Vec<usize> {
                    (usize::from(sine)..=n).filter(|m| m % 2 == parity).collect()
                };
                let (m1, m2) = (orders(parity), orders(other));
                let entry = |i: usize, j: usize| match (sine, m1[i], m2[j]) {
                    (true, m1, m2) => d(n, m1, m2 as i64) - sign(m2) * d(n, m1, -(m2 as i64)),
                    (false, 0, 0) => d(n, 0, 0),
                    (false, m1, m2) if m1 == 0 || m2 == 0 => {
                        core::f64::consts::SQRT_2 * d(n, m1, m2 as i64)
                    }
                    (false, m1, m2) => d(n, m1, m2 as i64) + sign(m2) * d(n, m1, -(m2 as i64)),
                };
                let at = |m: usize, sine: bool| {
                    index(n, if sine { -(m as isize) } else { m as isize }) as u32
                };
                let rows: Vec<u32> = m1.iter().map(|m| at(*m, sine)).collect();
                // A quarter turn about z exchanges the sines and cosines of odd m.
                let before = |m: usize| match (axis, m % 4) {
                    (WaveAxis::Y, 1) => (at(m, !sine), if sine { -1.0 } else { 1.0 }),
                    (WaveAxis::Y, 2) => (at(m, sine), -1.0),
                    (WaveAxis::Y, 3) => (at(m, !sine), if sine { 1.0 } else { -1.0 }),
                    _ => (at(m, sine), 1.0),
                };
                let columns: Vec<(u32, f64)> = m2.iter().map(|m| before(*m)).collect();
                let places: Vec<u32> = columns.iter().map(|(place, _)| *place).collect();
                into.push(&rows, &places, |i, j| columns[j].1 * entry(i, j));
                back.push(&places, &rows, |i, j| columns[i].1 * entry(j, i));
            }
        }
    }
    Some([into, back])
}
