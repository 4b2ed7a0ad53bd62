//! Positions as `nalgebra::Point3`, gradients as `nalgebra::Vector3`, without a copy.
//!
//! Two charged bodies act on each other with forces and torques. Newton's third law holds for the sums, so it is a check
//! of both plans: the forces are opposite, and so are the torques about one origin.
//!
//! Run with `cargo run --release -p farfield-fmm --features nalgebra --example nalgebra`.

use fmm::{Error, Fmm, Method};
use nalgebra::{Point3, Rotation3, Vector3};

/// Charges in a body.
const CHARGES: u32 = 4000;

const TOLERANCE: f64 = 1e-6;

/// Points of an additive sequence (Roberts 2018) in a turned brick about `center`.
fn body(center: Point3<f64>, turn: Vector3<f64>) -> Vec<Point3<f64>> {
    let (sides, rotation) = (Vector3::new(2.0, 1.0, 0.5), Rotation3::new(turn));
    let steps = Vector3::new(0.819_172_513_396, 0.671_043_606_704, 0.549_700_477_902);
    let place = |i: u32| (steps * f64::from(i)).map(|x| x.fract() - 0.5).component_mul(&sides);
    (0..CHARGES).map(|i| center + rotation * place(i)).collect()
}

/// Force and torque about the origin on charges at `points`, from those at `sources`.
fn force_and_torque(
    sources: (&[Point3<f64>], &[f64]),
    points: (&[Point3<f64>], &[f64]),
) -> Result<[Vector3<f64>; 2], Error> {
    let plan = Fmm::new().method(Method::Fmm).tolerance(TOLERANCE).plan((sources.0, points.0))?;
    let field = plan.evaluate(sources.1)?;
    let gradient = field.gradient_as::<Vector3<f64>>();
    let mut sums = [Vector3::zeros(); 2];
    for ((x, q), gradient) in points.0.iter().zip(points.1).zip(gradient) {
        let force = -*q * gradient;
        sums[0] += force;
        sums[1] += x.coords.cross(&force);
    }
    Ok(sums)
}

fn main() -> Result<(), Error> {
    let a = body(Point3::origin(), Vector3::new(0.3, 0.0, 0.0));
    let b = body(Point3::new(1.5, 1.0, 0.5), Vector3::new(0.0, 0.5, 0.8));
    // Body a is charged evenly; body b has more charge at one end than at the other.
    let charge_a = vec![1.0 / f64::from(CHARGES); a.len()];
    let charge_b: Vec<f64> = b.iter().map(|x| -x.x / f64::from(CHARGES)).collect();

    let [force_a, torque_a] = force_and_torque((&b, &charge_b), (&a, &charge_a))?;
    let [force_b, torque_b] = force_and_torque((&a, &charge_a), (&b, &charge_b))?;
    println!("         {:>10} {:>10} {:>10}", "x", "y", "z");
    for (name, v) in [
        ("force a ", force_a),
        ("force b ", force_b),
        ("torque a", torque_a),
        ("torque b", torque_b),
    ] {
        println!("{name} {:10.6} {:10.6} {:10.6}", v.x, v.y, v.z);
    }
    let balance = |a: Vector3<f64>, b: Vector3<f64>| (a + b).norm() / a.norm();
    let [force, torque] = [balance(force_a, force_b), balance(torque_a, torque_b)];
    println!("forces balance to {force:.0e}, torques to {torque:.0e}");
    // The sums add up gradients with errors of up to the tolerance each, on both sides.
    assert!(force < 10.0 * TOLERANCE, "the forces do not balance: {force:.1e}");
    assert!(torque < 10.0 * TOLERANCE, "the torques do not balance: {torque:.1e}");
    Ok(())
}

#[test]
fn actions_are_reactions() -> Result<(), Error> {
    main()
}
