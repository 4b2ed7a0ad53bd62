//! Separate receivers: the potential of two charged shells, on a plane through both.
//!
//! A plan for `(&sources, &receivers)` takes one charge a source and returns one value a receiver. Here no receiver is a
//! source, and most of the plane is far from the shells: the plan checks itself at a sample of the receivers, and raises
//! its order until the tolerance holds.
//!
//! A uniformly charged shell acts outside like a charge at its centre, and has the potential q/R inside. The charges
//! that stand for it here do the same but for the grain of the points, which fades within a few of their distances.
//!
//! Run with `cargo run --release -p farfield-fmm --example receivers`.

use std::f64::consts::PI;

use fmm::{Error, Fmm, Outputs};

const RADIUS: f64 = 0.6;

/// Charges of the shells with their centres.
const SHELLS: [(f64, [f64; 3]); 2] = [(1.0, [-1.0, 0.0, 0.0]), (-1.0, [1.0, 0.0, 0.0])];

/// Points of a spiral on a sphere, each with the same area.
fn shell(n: u32, center: [f64; 3]) -> impl Iterator<Item = [f64; 3]> {
    (0..n).map(move |i| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(n);
        let azimuth = PI * (3.0 - 5.0_f64.sqrt()) * f64::from(i);
        let s = (1.0 - z * z).sqrt();
        let [x, y, z] = [s * azimuth.cos(), s * azimuth.sin(), z].map(|part| RADIUS * part);
        [center[0] + x, center[1] + y, center[2] + z]
    })
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|axis| (a[axis] - b[axis]).powi(2)).iter().sum::<f64>().sqrt()
}

/// Potential of the shells without grain.
fn exact(x: [f64; 3]) -> f64 {
    SHELLS.iter().map(|(charge, center)| charge / distance(x, *center).max(RADIUS)).sum()
}

/// Distance from the nearest shell's surface.
fn from_surface(x: [f64; 3]) -> f64 {
    let distances = SHELLS.map(|(_, center)| (distance(x, center) - RADIUS).abs());
    distances.into_iter().fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Error> {
    let n: u32 = 10_000;
    let (mut sources, mut charges) = (Vec::new(), Vec::new());
    for (charge, center) in SHELLS {
        sources.extend(shell(n, center));
        charges.extend((0..n).map(|_| charge / f64::from(n)));
    }
    // 81 by 41 receivers on the plane y = 0, in rows of equal z.
    let (columns, rows) = (81, 41);
    let receivers: Vec<[f64; 3]> = (0..rows * columns)
        .map(|k| [f64::from(k % columns) - 40.0, 0.0, 20.0 - f64::from(k / columns)])
        .map(|steps| steps.map(|step| 0.05 * step))
        .collect();

    let plan = Fmm::new().outputs(Outputs::Potential).plan((&sources, &receivers))?;
    let field = plan.evaluate(&charges)?;

    print!("    z \\ x");
    (0..columns).step_by(10).for_each(|column| print!("{:8.2}", receivers[column as usize][0]));
    println!();
    for row in (0..rows as usize).step_by(5) {
        let at = row * columns as usize;
        print!("{:9.2}", receivers[at][2]);
        (at..at + columns as usize).step_by(10).for_each(|k| print!("{:8.4}", field.potential[k]));
        println!();
    }
    println!("\n{}", field.report);

    // The sum against the direct sum, and the shells of points against shells without grain.
    let sampled = plan.sample_error(&charges, &field, 300)?;
    let grain = receivers
        .iter()
        .zip(&field.potential)
        .filter(|(x, _)| from_surface(**x) > 0.1)
        .map(|(x, found)| (found - exact(*x)).abs())
        .fold(0.0, f64::max);
    println!("error of the sum {:.1e}, grain of the shells {grain:.1e}", sampled.l2());
    assert!(sampled.l2() < 1e-6, "the tolerance is not kept: {sampled:?}");
    assert!(grain < 1e-3, "the shells are not uniform: {grain:.1e}");
    Ok(())
}

#[test]
fn shells_act_like_their_centres() -> Result<(), Error> {
    main()
}
