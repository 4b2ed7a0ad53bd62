//! Stokes flow of many point forces by four sums of 1/r.
//!
//! A force f at y moves a fluid of viscosity μ by 1/(8πμ) S f, with the Stokeslet S = 1/r + (x − y)(x − y)ᵀ/r³. Because
//! (x − y)/r³ is −∇ 1/r, the sum over all forces follows from the potentials of four charge vectors (A.-K. Tornberg and
//! L. Greengard, J. Comput. Phys. 227, 1613, 2008): the three components of the forces, Φ₁, Φ₂, Φ₃, and y·f, Φ₄:
//!
//! > 8πμ u = (Φ₁, Φ₂, Φ₃) − Σ_k x_k ∇Φ_k + ∇Φ₄.
//!
//! One plan serves all four vectors, which share its tree, lists and distances.
//!
//! Run with `cargo run --release -p farfield --example stokes`.

use std::error::Error;
use std::time::Instant;

use farfield::nbody::initial_conditions::{sphere_surface, uniform_cube};
use farfield::{Field, Fmm};

const POINTS: usize = 20_000;

/// Points at which the flow is compared with the direct sum of Stokeslets.
const COMPARED: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    // Forces of all directions on points in a cube around the origin, whose distance from it the method should not see.
    let centred = |x: [f64; 3]| x.map(|c| c - 0.5);
    let points: Vec<[f64; 3]> =
        uniform_cube(POINTS, 1).positions.into_iter().map(centred).collect();
    let forces = sphere_surface(POINTS, 2).positions;

    let start = Instant::now();
    let flow = stokes(&points, &forces, 1e-7)?;
    let seconds = start.elapsed().as_secs_f64();

    let (mut error, mut size) = (0.0, 0.0);
    for i in (0..POINTS).step_by(POINTS / COMPARED) {
        let direct = stokeslets(points[i], &points, &forces);
        for axis in 0..3 {
            error += (flow[i][axis] - direct[axis]).powi(2);
            size += direct[axis].powi(2);
        }
    }
    let error = (error / size).sqrt();
    println!("{POINTS} forces in {seconds:.2} s, relative error {error:.1e}");
    assert!(error < 1e-6);
    Ok(())
}

/// The flow 8πμ u at all points due to forces there.
fn stokes(
    points: &[[f64; 3]],
    forces: &[[f64; 3]],
    tolerance: f64,
) -> Result<Vec<[f64; 3]>, farfield::Error> {
    let component = |axis: usize| -> Vec<f64> { forces.iter().map(|f| f[axis]).collect() };
    let moments: Vec<f64> = points.iter().zip(forces).map(|(y, f)| dot(*y, *f)).collect();
    let charges = [component(0), component(1), component(2), moments];
    let vectors: Vec<&[f64]> = charges.iter().map(Vec::as_slice).collect();
    let plan = Fmm::new().tolerance(tolerance).vectors(vectors.len()).plan(points)?;
    let fields: Vec<Field<f64>> = plan.evaluate_many(&vectors)?;
    let at = |(i, x): (usize, &[f64; 3])| {
        [0, 1, 2].map(|axis| {
            let moved: f64 = (0..3).map(|k| x[k] * fields[k].gradient[i][axis]).sum();
            fields[axis].potential[i] - moved + fields[3].gradient[i][axis]
        })
    };
    Ok(points.iter().enumerate().map(at).collect())
}

/// The direct sum of Stokeslets at one point, without its own force.
fn stokeslets(x: [f64; 3], points: &[[f64; 3]], forces: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (y, f) in points.iter().zip(forces) {
        let d = [0, 1, 2].map(|axis| x[axis] - y[axis]);
        let r2 = dot(d, d);
        if r2 > 0.0 {
            let (inverse, along) = (r2.sqrt().recip(), dot(d, *f) / r2);
            (0..3).for_each(|axis| sum[axis] += inverse * (f[axis] + along * d[axis]));
        }
    }
    sum
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}
