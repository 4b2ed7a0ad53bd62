//! Several charge vectors at once: 16 densities on the same points.
//!
//! Vectors share the points, so they share the tree, the lists and the distance of every near pair.
//! `Plan::evaluate_many` computes each distance once for up to 16 vectors, and `Fmm::vectors` tells the plan to expect
//! them. Vector problems need this: a Stokes flow takes four vectors, a vortex sheet three, a block Krylov method as many
//! as it has right-hand sides.
//!
//! Run with `cargo run --release -p farfield-fmm --example vectors`.

use std::time::Instant;

use fmm::{Error, Field, Fmm, Workspace};

const POINTS: u32 = 10_000;
const VECTORS: u32 = 16;
const TOLERANCE: f64 = 1e-5;

/// Points of an additive sequence in the unit cube (Roberts 2018), which fills it evenly.
fn points() -> Vec<[f64; 3]> {
    let steps = [0.819_172_513_396, 0.671_043_606_704, 0.549_700_477_902];
    (0..POINTS).map(|i| steps.map(|step| (step * f64::from(i)).fract())).collect()
}

/// ‖a − b‖ / ‖b‖ over all components of two fields' gradients.
fn difference(a: &Field<f64>, b: &Field<f64>) -> f64 {
    let square = |x: f64| x * x;
    let pairs = a.gradient.as_flattened().iter().zip(b.gradient.as_flattened());
    let [error, norm] =
        pairs.fold([0.0; 2], |[error, norm], (a, b)| [error + square(a - b), norm + square(*b)]);
    (error / norm).sqrt()
}

fn main() -> Result<(), Error> {
    let positions = points();
    // Vector k is a wave along x with k + 1 half periods.
    let wave = |k: u32, x: &[f64; 3]| (std::f64::consts::PI * f64::from(k + 1) * x[0]).cos();
    let vectors: Vec<Vec<f64>> =
        (0..VECTORS).map(|k| positions.iter().map(|x| wave(k, x)).collect()).collect();
    let slices: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();

    let request = Fmm::new().tolerance(TOLERANCE);
    let (single, several) =
        (request.plan(&positions)?, request.vectors(vectors.len()).plan(&positions)?);
    let mut workspace = Workspace::new();

    // The first evaluation of each plan allocates, so the second is timed.
    let mut apart = vec![Field::default(); vectors.len()];
    let mut together = Vec::new();
    let mut seconds = [0.0; 2];
    for _warm_up_then_timed in 0..2 {
        let start = Instant::now();
        for (charges, field) in slices.iter().zip(&mut apart) {
            single.evaluate_into(charges, field, &mut workspace)?;
        }
        seconds[0] = start.elapsed().as_secs_f64();
        let start = Instant::now();
        several.evaluate_many_into(&slices, &mut together, &mut workspace)?;
        seconds[1] = start.elapsed().as_secs_f64();
    }
    println!("{VECTORS} vectors one after the other  {:.3} s", seconds[0]);
    println!("{VECTORS} vectors at once              {:.3} s", seconds[1]);

    println!("\nvector  difference   error at once");
    for (k, (apart, together)) in apart.iter().zip(&together).enumerate() {
        let difference = difference(together, apart);
        let error = several.sample_error(&vectors[k], together, 100)?.l2();
        println!("{k:6}  {difference:10.1e}  {error:14.1e}");
        // Two plans with two trees: both keep the tolerance, so they differ by twice as much at most.
        assert!(difference < 2.0 * TOLERANCE, "vector {k} differs by {difference:.1e}");
        assert!(error < TOLERANCE, "vector {k} has an error of {error:.1e}");
    }
    Ok(())
}

#[test]
fn vectors_at_once_are_vectors_one_by_one() -> Result<(), Error> {
    main()
}
