//! One level of the pyramid: cells of 2^level pixels, with a margin around the picture.

use crate::camera::Size;
use crate::error::Error;
use crate::memory::filled;

/// Cells around the picture whose points reach into it: 1.5 cells of the cloud and 1.5 of the splines.
const MARGIN: i64 = 3;

/// Cells of one level. Cell (0, 0) has the picture's upper left corner.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// Pixels of a cell's side.
    pub(super) side: f64,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Grid {
    pub(super) fn new(size: Size, level: u32) -> Grid {
        let cells = |pixels: usize| pixels.div_ceil(1 << level) + 2 * MARGIN as usize;
        Grid {
            side: f64::from(1u32 << level),
            columns: cells(size.width),
            rows: cells(size.height),
        }
    }

    pub(super) fn cells(self) -> usize {
        self.columns * self.rows
    }

    /// Index of a cell, if it is there.
    pub(super) fn index(self, [column, row]: [i64; 2]) -> Option<usize> {
        let (column, row) = (column.checked_add(MARGIN)?, row.checked_add(MARGIN)?);
        let inside =
            (0..self.columns as i64).contains(&column) && (0..self.rows as i64).contains(&row);
        inside.then(|| row as usize * self.columns + column as usize)
    }

    /// The cell of a place, and the offset from its middle in sides.
    pub(super) fn cell(self, place: [f64; 2]) -> ([i64; 2], [f64; 2]) {
        let scaled = place.map(|x| x / self.side);
        // Far cells are none: the conversion ends at the range of i64.
        let cell = scaled.map(|x| x.floor() as i64);
        (cell, [scaled[0] - scaled[0].floor() - 0.5, scaled[1] - scaled[1].floor() - 0.5])
    }

    /// Adds a coarser level of twice the side, by quadratic B-splines.
    pub(super) fn refine(self, fine: &mut [f64], coarse_grid: Grid, coarse: &[f64]) {
        parallel::for_parts(fine.chunks_mut(self.columns), |row, values| {
            for (y, down) in parents(row) {
                for (column, value) in values.iter_mut().enumerate() {
                    for (x, across) in parents(column) {
                        if let Some(index) = coarse_grid.index([x, y]) {
                            *value += down * across * coarse[index];
                        }
                    }
                }
            }
        });
    }

    /// The cells of the picture alone, row by row.
    pub(super) fn inside(self, values: &[f64], size: Size) -> Result<Vec<f64>, Error> {
        let margin = MARGIN as usize;
        let rows = values.chunks_exact(self.columns).skip(margin).take(size.height);
        let mut inside = rows.flat_map(|row| row[margin..margin + size.width].iter().copied());
        filled(size.pixels(), size, || inside.next().unwrap_or(0.0))
    }
}

/// The two coarse cells that a fine one, counted with its margin, takes from, and the shares.
fn parents(fine: usize) -> [(i64, f64); 2] {
    let fine = fine as i64 - MARGIN;
    let near = fine.div_euclid(2);
    let far = if fine.rem_euclid(2) == 0 { near - 1 } else { near + 1 };
    [(near, 0.375), (far, 0.125)]
}

/// Shares of the cells before, at and after that of a point: a triangular-shaped cloud.
pub(super) fn cloud(offset: f64) -> [f64; 3] {
    [0.5 * (0.5 - offset).powi(2), 0.75 - offset * offset, 0.5 * (0.5 + offset).powi(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_keep_the_mass_of_a_cell() {
        let size = Size { width: 16, height: 12 };
        let (fine_grid, coarse_grid) = (Grid::new(size, 0), Grid::new(size, 1));
        let mut coarse = vec![0.0; coarse_grid.cells()];
        coarse[coarse_grid.index([3, 2]).unwrap()] = 1.0;
        let mut fine = vec![0.0; fine_grid.cells()];
        fine_grid.refine(&mut fine, coarse_grid, &coarse);
        assert_eq!(fine.iter().sum::<f64>(), 1.0);
        // The middle of the coarse cell is the corner of four fine ones.
        for cell in [[6, 4], [7, 4], [6, 5], [7, 5]] {
            assert_eq!(fine[fine_grid.index(cell).unwrap()], 0.140625);
        }
    }

    #[test]
    fn clouds_keep_mass_and_middle() {
        for offset in [-0.5, -0.3, 0.0, 0.25, 0.5] {
            let [before, at, after] = cloud(offset);
            assert!((before + at + after - 1.0).abs() < 4.0 * f64::EPSILON);
            assert!((after - before - offset).abs() < 4.0 * f64::EPSILON);
        }
    }
}
