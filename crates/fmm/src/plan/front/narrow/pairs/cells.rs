//! Cells of positions in f32, by their hashes.

use std::ops::RangeInclusive;

use super::super::super::hash::{hash_of, hash_of_bits};
use super::super::TASK;

/// Reach over the mean distance of evenly spread points: 1 in 30,000 of them has another so near. One weak pair of more than a million
/// points, as strong as the field of all others, has an error above 10⁻⁵ of it within that.
const REACH: f64 = 0.02;

/// Side of a cell over the reach: a third of the points is within reach of a wall, and 6 % of evenly spread ones have company.
const CELL: f64 = 20.0;

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
            Self::Sides { side, .. } => cell(at.map(|x| (f64::from(x) / side).floor() as i64)),
            Self::Positions => hash_of(&at.map(f64::from)),
        }
    }

    /// Cells within reach of a position but its own.
    pub(super) fn others(self, at: [f32; 3], mut add: impl FnMut(u64)) {
        let Self::Sides { side, reach } = self else { return };
        let numbers = |x: f32| -> RangeInclusive<i64> {
            let number = |x: f64| (x / side).floor() as i64;
            number(f64::from(x) - reach)..=number(f64::from(x) + reach)
        };
        let [x, y, z] = at.map(numbers);
        if [&x, &y, &z].into_iter().all(|range| range.start() == range.end()) {
            return;
        }
        let own = self.own(at);
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

/// Hash of a cell by its numbers along the axes.
fn cell(numbers: [i64; 3]) -> u64 {
    hash_of_bits(&numbers.map(|number| number as u64))
}

/// Own points in cells: hashes of the cells of all sources, of all receivers that are not the sources, and of further cells.
pub(super) struct Filed {
    pub(super) hashes: Vec<u64>,
    /// Receiver of each of the further cells.
    pub(super) further: Vec<u32>,
}

impl Filed {
    pub(super) fn new(cells: Cells, sources: &[[f32; 3]], receivers: Option<&[[f32; 3]]>) -> Self {
        let apart = receivers.unwrap_or_default();
        let n_sources = sources.len();
        let mut hashes = parallel::collect(n_sources + apart.len(), TASK, |row| {
            let at = row.checked_sub(n_sources).map_or_else(|| sources[row], |row| apart[row]);
            cells.own(at)
        });
        let receivers = receivers.unwrap_or(sources);
        let of_parts = parallel::map_parts(receivers.chunks(TASK), |task, part| {
            let mut further = Vec::new();
            for (i, at) in part.iter().enumerate() {
                cells.others(*at, |cell| further.push((cell, (task * TASK + i) as u32)));
            }
            further
        });
        let further = of_parts.concat();
        hashes.extend(further.iter().map(|(cell, _)| *cell));
        Self { hashes, further: further.into_iter().map(|(_, receiver)| receiver).collect() }
    }
}
