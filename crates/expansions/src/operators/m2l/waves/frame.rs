//! The frames of the waves: for each axis, coordinates (u, v, w) in which the waves run along w.

use alloc::vec::Vec;

use lanes::Real;

use super::blocks::BlockSparse;
use crate::layout::index;
use crate::numerics::rotation::{quarter_turn_about_z, real_entry};
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
    /// The three axes.
    pub const ALL: [Self; 3] = [Self::Z, Self::Y, Self::X];

    /// Number of the axis among x, y and z.
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

    /// Place of a family among the sources of a receiver that lies `offset` boxes of the parents' level away, each
    /// component in −1 … 1: 0 for waves that go up and 1 for waves that go down, and the place across. `None` if no
    /// pair of their children belongs to the axis.
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

    /// Octant of the frame (bit 0 is u, 1 v, 2 w) that equals an octant (bit 0 is x, 1 y, 2 z).
    pub fn octant(self, octant: usize) -> usize {
        let bits = self.frame().map(|(c, negative)| (octant >> c & 1) ^ usize::from(negative));
        bits[0] | bits[1] << 1 | bits[2] << 2
    }

    /// Number of axes among u and v along which pairs are at most one box apart; a single one is u.
    pub const fn bounded(self) -> usize {
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

/// Wigner's functions of a quarter turn about y, which the axes share.
pub(super) struct QuarterTurn {
    wigner: Wigner,
    table: Vec<f64>,
}

impl QuarterTurn {
    pub(super) fn new(order: usize) -> Self {
        let wigner = Wigner::new(order);
        let table = wigner.table(core::f64::consts::FRAC_PI_2);
        Self { wigner, table }
    }
}

/// The matrices that take expansions into the frame and back; `None` where they are in it already.
///
/// The frame's w axis is found by a quarter turn about y, before which comes, for waves along y, one about z. Half
/// of a quarter turn's entries are zero: cost p³/3.
pub(super) fn rotations<T: Real>(
    order: usize,
    axis: WaveAxis,
    quarter_turn: &QuarterTurn,
) -> Option<[BlockSparse<T>; 2]> {
    if axis == WaveAxis::Z {
        return None;
    }
    let QuarterTurn { wigner, table } = quarter_turn;
    let (mut into, mut back) = (BlockSparse::new(), BlockSparse::new());
    for n in 0..order {
        for sine in [false, true] {
            for parity in 0..2 {
                let block = Block::new(n, sine, parity, axis);
                let entry = |i: usize, j: usize| {
                    let (m1, m2) = (block.rows[i], block.columns[j]);
                    let d = |m2: i64| table[wigner.at(n, m1, m2)];
                    block.signs[j] * real_entry(sine, m1, m2, [d(m2 as i64), d(-(m2 as i64))])
                };
                into.push(&block.to, &block.from, entry);
                back.push(&block.from, &block.to, |i, j| entry(j, i));
            }
        }
    }
    Some([into, back])
}

/// Coupled functions of one degree: rows and columns by m, places of their coefficients after and before the turn, and
/// the signs that the turn about z gives to columns.
struct Block {
    rows: Vec<usize>,
    columns: Vec<usize>,
    to: Vec<u32>,
    from: Vec<u32>,
    signs: Vec<f64>,
}

impl Block {
    /// The sines or cosines of degree n whose rows have m of one parity. Row m1 and column m2 are coupled where
    /// n + m1 + m2 is even, of sines where it is odd.
    fn new(n: usize, sine: bool, parity: usize, axis: WaveAxis) -> Self {
        let members = |parity: usize| -> Vec<usize> {
            (usize::from(sine)..=n).filter(|m| m % 2 == parity).collect()
        };
        let signed = |m: usize| if sine { -(m as isize) } else { m as isize };
        let before = |m: usize| match axis {
            WaveAxis::Y => quarter_turn_about_z(signed(m)),
            WaveAxis::X | WaveAxis::Z => (signed(m), 1.0),
        };
        let (rows, columns) = (members(parity), members((n + parity + usize::from(sine)) % 2));
        Self {
            to: rows.iter().map(|m| index(n, signed(*m)) as u32).collect(),
            from: columns.iter().map(|m| index(n, before(*m).0) as u32).collect(),
            signs: columns.iter().map(|m| before(*m).1).collect(),
            rows,
            columns,
        }
    }
}
