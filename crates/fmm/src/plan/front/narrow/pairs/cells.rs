//! Cells of positions in f32, by their hashes.

use super::super::super::hash::{hash_of, hash_of_bits};
use super::super::super::repeats::may_repeat;
use super::super::super::shuffle::of_all;
use super::super::TASK;
use crate::api::Error;
use crate::ranks::Group;

/// Reach over the mean distance of evenly spread points: 1 in 250,000 of them has another so near. A pair at a distance d whose pull is
/// ten times the field of all others has an error of 10 · 6·10⁻⁸/d · √(2/N) of the norm, in units of the extent: beyond the reach, below
/// 3·10⁻⁵ from 3,000 points on. A stronger pull is an outlier, which the picks of a check find.
const REACH: f64 = 0.01;

/// Side of a cell over the reach: a third of the points is within reach of a wall, and 1 % of evenly spread ones have company.
const CELL: f64 = 20.0;

/// Share of cells whose points are counted before those of all are filed: 2⁻⁴.
const COUNTED: u32 = 4;

/// Factor between reaches that are tried.
pub(super) const SMALLER: f64 = 8.0;

/// Cells of positions in f32, or the positions themselves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cells {
    Sides { side: f64, reach: f64 },
    Positions,
}

impl Cells {
    /// Cells of so many points in a cube of a side.
    pub(super) fn of(n_points: usize, extent: f64) -> Self {
        Self::with_reach(REACH * extent / (n_points.max(1) as f64).cbrt(), 0.0)
    }

    fn with_reach(reach: f64, least: f64) -> Self {
        let side = CELL * reach;
        if reach > least { Self::Sides { side, reach } } else { Self::Positions }
    }

    /// The next smaller cells, positions themselves after some reach; `None` where these are the cells.
    pub(super) fn smaller(self, least: f64) -> Option<Self> {
        match self {
            Self::Sides { reach, .. } => Some(Self::with_reach(reach / SMALLER, least)),
            Self::Positions => None,
        }
    }

    /// Distance up to which the pairs of a cell are wanted.
    pub(super) fn reach(self) -> f64 {
        match self {
            Self::Sides { reach, .. } => reach,
            Self::Positions => 0.0,
        }
    }

    /// The cell that a position is in.
    pub(super) fn own(self, at: [f32; 3]) -> u64 {
        match self {
            Self::Sides { side, .. } => {
                let per_side = side.recip();
                cell(at.map(|x| number(f64::from(x) * per_side)))
            }
            Self::Positions => hash_of(&at.map(f64::from)),
        }
    }

    /// Cells within reach of a position but its own.
    pub(super) fn others(self, at: [f32; 3], mut add: impl FnMut(u64)) {
        const SHARE: f64 = 1.0 / CELL;
        let Self::Sides { side, .. } = self else { return };
        let per_side = side.recip();
        let mut ends = [[0; 2]; 3];
        let mut is_alone = true;
        for (ends, x) in ends.iter_mut().zip(at) {
            let place = f64::from(x) * per_side;
            *ends = [number(place - SHARE), number(place + SHARE)];
            is_alone &= ends[0] == ends[1];
        }
        if is_alone {
            return;
        }
        let own = self.own(at);
        let [x, y, z] = ends.map(|[first, last]| first..=last);
        for i in x {
            for j in y.clone() {
                for k in z.clone() {
                    let other = cell([i, j, k]);
                    if other != own {
                        add(other);
                    }
                }
            }
        }
    }
}

/// Number of a cell by a place in sides: the next smaller integer. Conversions alone, since a baseline of x86-64 has no other
/// rounding in one instruction.
fn number(place: f64) -> i64 {
    let towards_zero = place as i64;
    towards_zero - i64::from(towards_zero as f64 > place)
}

/// Hash of a cell by its numbers along the axes.
fn cell(numbers: [i64; 3]) -> u64 {
    hash_of_bits(&numbers.map(|number| number as u64))
}

/// Cells that sources, and receivers that are not the sources, are in.
pub(super) fn own_cells(cells: Cells, [sources, apart]: [&[[f32; 3]]; 2]) -> Vec<u64> {
    let n_sources = sources.len();
    parallel::collect(n_sources + apart.len(), TASK, |row| {
        let at = row.checked_sub(n_sources).map_or_else(|| sources[row], |row| apart[row]);
        cells.own(at)
    })
}

/// Share of the points of all ranks that may have company in their cells, by a part of the cells. Collective.
pub(super) fn share_in_company(ranks: Option<&Group>, own_cells: &[u64]) -> Result<f64, Error> {
    // Digits that tables do not take; positions that are alike have the same.
    let is_counted = |hash: &&u64| (*hash >> 44).trailing_zeros() >= COUNTED;
    let counted = own_cells.iter().filter(is_counted).copied().collect();
    let repeats = may_repeat(ranks, counted)?;
    let own = [repeats.iter().map(|repeats| u64::from(*repeats)).sum(), repeats.len() as u64];
    let counts = of_all(ranks, own.to_vec())?;
    let sum =
        |of: usize| counts.as_chunks::<2>().0.iter().map(|count| count[of]).sum::<u64>() as f64;
    Ok(sum(0) / sum(1).max(1.0))
}

/// Own points in cells: those that they are in, and further ones of receivers.
pub(super) struct Filed {
    pub(super) hashes: Vec<u64>,
    /// Receiver of each of the further cells.
    pub(super) further: Vec<u32>,
}

impl Filed {
    pub(super) fn new(cells: Cells, mut hashes: Vec<u64>, receivers: &[[f32; 3]]) -> Self {
        let of_parts = parallel::map_parts(receivers.chunks(TASK), |task, part| {
            let (mut cells_of, mut receivers_of) = (Vec::new(), Vec::new());
            for (i, at) in part.iter().enumerate() {
                cells.others(*at, |cell| {
                    cells_of.push(cell);
                    receivers_of.push((task * TASK + i) as u32);
                });
            }
            (cells_of, receivers_of)
        });
        let n_further = of_parts.iter().map(|(_, receivers)| receivers.len()).sum();
        let mut further = Vec::with_capacity(n_further);
        hashes.reserve_exact(n_further);
        for (cells, receivers) in of_parts {
            hashes.extend(cells);
            further.extend(receivers);
        }
        Self { hashes, further }
    }
}
