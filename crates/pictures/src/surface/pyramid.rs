//! The pyramid of grids: counts of points, then their mass.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::grid::{Grid, cloud};
use crate::camera::Size;
use crate::error::Error;
use crate::memory::filled;

/// The mass of all points in units of the sums, which are whole numbers.
pub(super) const WHOLE: f64 = (1u64 << 60) as f64;

/// Points in nine cells around a point, from which on the cells are fine enough.
const NEIGHBOURS: f64 = 32.0;

/// Cells of the coarsest level across the picture, at least: lone points stay spots.
const COARSEST: usize = 24;

/// Points that one task counts or spreads: each in the cells of all levels, 65 ns for five levels and more for larger pictures.
const TASK: usize = parallel::min_length(65.0);

/// Grids of all levels with the number of points in each cell.
pub(super) struct Pyramid {
    size: Size,
    levels: Vec<(Grid, Vec<AtomicU32>)>,
}

impl Pyramid {
    /// Counts points in the cells of all levels.
    pub(super) fn count(places: &[[f64; 2]], size: Size) -> Result<Pyramid, Error> {
        let across = size.width.max(size.height);
        let top = (across / COARSEST).max(1).ilog2();
        let level = |level| {
            let grid = Grid::new(size, level);
            Ok((grid, filled(grid.cells(), size, || AtomicU32::new(0))?))
        };
        let levels = (0..=top).map(level).collect::<Result<Vec<_>, Error>>()?;
        parallel::for_parts(places.chunks(TASK), |_, places| {
            for &place in places {
                for (grid, counts) in &levels {
                    if let Some(index) = grid.index(grid.cell(place).0) {
                        counts[index].fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        Ok(Pyramid { size, levels })
    }

    /// Mass of each pixel in units: points are spread on their levels, and levels are added up from the coarsest.
    pub(super) fn spread(
        &self,
        places: &[[f64; 2]],
        masses: &[f64],
        unit: f64,
    ) -> Result<Vec<f64>, Error> {
        let zeros = |(grid, _): &(Grid, _)| filled(grid.cells(), self.size, || AtomicU64::new(0));
        let sums = self.levels.iter().map(zeros).collect::<Result<Vec<_>, Error>>()?;
        let spread = |place: [f64; 2], mass: f64| {
            let level = self.level(place);
            // A level between two takes from both, so that no border shows.
            let coarser = level.fract();
            let units = mass.abs() / unit;
            for (level, share) in [(level as usize, 1.0 - coarser), (level as usize + 1, coarser)] {
                if share > 0.0 {
                    add(self.levels[level].0, &sums[level], place, share * units);
                }
            }
        };
        parallel::for_parts(places.chunks(TASK).zip(masses.chunks(TASK)), |_, (places, masses)| {
            places.iter().zip(masses).for_each(|(place, mass)| spread(*place, *mass));
        });
        let mut coarse: Option<(Grid, Vec<f64>)> = None;
        for ((grid, _), sums) in self.levels.iter().zip(sums).rev() {
            let mut units = sums.into_iter().map(|sum| sum.into_inner() as f64);
            let mut values = filled(grid.cells(), self.size, || units.next().unwrap_or(0.0))?;
            if let Some((coarse_grid, coarse)) = &coarse {
                grid.refine(&mut values, *coarse_grid, coarse);
            }
            coarse = Some((*grid, values));
        }
        coarse.map_or_else(|| Ok(Vec::new()), |(grid, values)| grid.inside(&values, self.size))
    }

    /// The level whose cells around a place hold the wanted number of points, between two levels as their counts tell.
    fn level(&self, place: [f64; 2]) -> f64 {
        let mut before = 0.0;
        for (level, (grid, counts)) in self.levels.iter().enumerate() {
            let ([column, row], _) = grid.cell(place);
            let around = (0..9).filter_map(|k| {
                grid.index([column.saturating_add(k % 3 - 1), row.saturating_add(k / 3 - 1)])
            });
            let found: u32 = around.map(|index| counts[index].load(Ordering::Relaxed)).sum();
            let found = f64::from(found);
            if found >= NEIGHBOURS {
                if level == 0 {
                    return 0.0;
                }
                let grown = (found / f64::max(before, 1.0)).ln();
                let wanted = (NEIGHBOURS / f64::max(before, 1.0)).ln();
                return (level - 1) as f64 + (wanted / grown).clamp(0.0, 1.0);
            }
            before = found;
        }
        (self.levels.len() - 1) as f64
    }
}

/// Spreads mass over the nine cells around a place.
fn add(grid: Grid, sums: &[AtomicU64], place: [f64; 2], units: f64) {
    let ([column, row], [x, y]) = grid.cell(place);
    for (dy, down) in (-1..).zip(cloud(y)) {
        for (dx, across) in (-1..).zip(cloud(x)) {
            let cell = [column.saturating_add(dx), row.saturating_add(dy)];
            if let Some(index) = grid.index(cell) {
                sums[index].fetch_add((units * down * across).round() as u64, Ordering::Relaxed);
            }
        }
    }
}
