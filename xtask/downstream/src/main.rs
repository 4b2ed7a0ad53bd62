//! Sums the gravity of a file of stars through the facade and compares some of it with a direct sum of its own.

use std::error::Error;
use std::path::Path;

use farfield::Fmm;
use farfield::formats::{PointTable, Selection, read_points};

/// The relative L2 error asked for.
const TOLERANCE: f64 = 1e-6;
/// An error below this would be that of rounding alone: expansions took no part.
const ROUNDING: f64 = 1e-13;
/// Receivers compared.
const COMPARED: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a file of points")?;
    let stars = read_points(Path::new(&path), &Selection::default())?;
    let plan = Fmm::new().tolerance(TOLERANCE).plan(&stars.positions)?;
    let field = plan.evaluate(&stars.charges)?;
    println!("{}", field.report);

    let n = stars.positions.len();
    let (mut errors, mut squares) = ([0.0; 2], [0.0; 2]);
    for i in (0..n).step_by(n.div_ceil(COMPARED)) {
        let (potential, gradient) = direct_sum(&stars, i);
        errors[0] += (field.potential[i] - potential).powi(2);
        squares[0] += potential.powi(2);
        for (found, expected) in field.gradient[i].iter().zip(gradient) {
            errors[1] += (found - expected).powi(2);
            squares[1] += expected.powi(2);
        }
    }
    for (name, error, square) in
        [("potential", errors[0], squares[0]), ("gradient", errors[1], squares[1])]
    {
        let error = (error / square).sqrt();
        println!("relative L2 error of the {name}: {error:.1e}");
        assert!(error < TOLERANCE, "the {name} misses the tolerance {TOLERANCE:e}");
        assert!(error > ROUNDING, "the {name} is a direct sum");
    }
    Ok(())
}

/// Potential and gradient at star `i`, term by term.
fn direct_sum(stars: &PointTable, i: usize) -> (f64, [f64; 3]) {
    let (mut potential, mut gradient) = (0.0, [0.0; 3]);
    for (y, charge) in stars.positions.iter().zip(&stars.charges) {
        let d: [f64; 3] = std::array::from_fn(|axis| y[axis] - stars.positions[i][axis]);
        let distance = d.iter().map(|d| d * d).sum::<f64>().sqrt();
        if distance > 0.0 {
            potential += charge / distance;
            for (sum, d) in gradient.iter_mut().zip(d) {
                *sum += charge * d / distance.powi(3);
            }
        }
    }
    (potential, gradient)
}
