//! Errors to expect of a walk's cells. With an opening angle set by hand, one receiver of thousands may have most of the error,
//! that for which one cell is just far enough.

use expansions::numerics::expected::{self, left_at};
use expansions::operators::Cells;
use octree::Aabb;

use super::{Expected, TASK};
use crate::cpu::cells::CellShape;
use crate::engine::Scalar;

/// Cells of a group that are looked at receiver by receiver.
const FOREMOST: usize = 8;

/// Cells as sources of errors.
#[derive(Clone, Debug)]
pub(crate) struct CellErrors {
    order: u32,
    /// Square of the last degrees of each cell, in the unit that all share, and its side.
    last_degrees: Vec<[f64; 2]>,
}

impl CellErrors {
    /// The cells of a walk, if they have last degrees.
    pub(crate) fn new<F: Scalar>(shapes: &[CellShape], cells: &Cells<F>) -> Option<Self> {
        let of_cell = |b: usize| {
            let last_degrees = shapes[b].acts().then(|| cells.last_degrees(b)).flatten();
            last_degrees
                .map_or([0.0; 2], |[squares, side]| [expected::last_degrees(squares, side), side])
        };
        if shapes.is_empty() {
            return None;
        }
        cells.last_degrees(0)?;
        let last_degrees = parallel::collect(shapes.len(), TASK, of_cell);
        Some(Self { order: cells.order() as u32, last_degrees })
    }

    /// Writes the error to expect at each receiver of a group, on which `cells` act.
    pub(crate) fn write<T: Scalar>(
        &self,
        (shapes, cells): (&[CellShape], &[u32]),
        group: &Aabb,
        [x, y, z]: [&[T]; 3],
        expected: &mut [Expected],
    ) {
        let mut foremost = [(0.0, 0); FOREMOST];
        for cell in cells.iter().map(|cell| *cell as usize) {
            let error = self.squared_error(cell, group.squared_distance_to(&shapes[cell].center));
            insert(&mut foremost, (error, cell));
        }
        let foremost = foremost.iter().filter(|(error, _)| *error > 0.0);
        for (((x, y), z), expected) in x.iter().zip(y).zip(z).zip(expected) {
            let at = [x, y, z].map(|axis| axis.widen());
            let squares = foremost.clone().map(|(_, cell)| {
                let center = shapes[*cell].center;
                let distance2 = (0..3).map(|axis| (at[axis] - center[axis]).powi(2)).sum();
                self.squared_error(*cell, distance2)
            });
            *expected = [0.0, squares.sum::<f64>().sqrt().min(f64::from(f32::MAX)) as f32];
        }
    }

    /// Square of the error of a cell to expect at a squared distance.
    fn squared_error(&self, cell: usize, distance2: f64) -> f64 {
        let [square, side] = self.last_degrees[cell];
        square * left_at(distance2 / (side * side), self.order)
    }
}

/// Puts an error with its cell among the largest, which fall.
fn insert(largest: &mut [(f64, usize); FOREMOST], new: (f64, usize)) {
    let mut place = FOREMOST;
    while place > 0 && new.0 > largest[place - 1].0 {
        if place < FOREMOST {
            largest[place] = largest[place - 1];
        }
        place -= 1;
    }
    if place < FOREMOST {
        largest[place] = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_errors_are_kept() {
        let mut largest = [(0.0, 0); FOREMOST];
        for cell in 1..=100 {
            insert(&mut largest, (((cell * 37) % 101) as f64, cell));
        }
        let errors = largest.map(|(error, _)| error as usize);
        assert_eq!(errors, [100, 99, 98, 97, 96, 95, 94, 93]);
        assert!(largest.iter().all(|(error, cell)| (cell * 37) % 101 == *error as usize));
    }

    #[test]
    fn the_nearest_receiver_has_the_largest_error_by_the_power_of_the_order() {
        let sources = CellErrors { order: 7, last_degrees: vec![[9.0 / 4.0, 2.0], [0.0, 2.0]] };
        let shapes = [CellShape::at([0.0; 3]), CellShape::at([3.9, 0.0, 0.0])];
        let group = Aabb { min: [4.0, 0.0, 0.0], max: [8.0, 0.0, 0.0] };
        let mut sizes = [[0.0; 2]; 2];
        let receivers = [[4.0, 8.0].as_slice(), &[0.0; 2], &[0.0; 2]];
        sources.write((&shapes, &[1, 0]), &group, receivers, &mut sizes);
        let sizes = sizes.map(|[_, other]| other);
        // 3/2 (2/4)⁸
        assert!((sizes[0] * 256.0 / 1.5 - 1.0).abs() < 1e-6, "{sizes:?}");
        assert!((sizes[0] / sizes[1] / 2.0_f32.powi(8) - 1.0).abs() < 1e-6, "{sizes:?}");
    }
}
