//! Units: results scale with the unit of length and of charge, exactly so for powers of two.

use testbed::conformance::{Bed, Oracle, Precision, Problem};
use testbed::{charges, clouds};

const POINTS: usize = 3000;
const TOLERANCE: f64 = 1e-4;

fn problem<T: Precision>(bed: Bed, length: f64, charge: f64) -> Problem<T> {
    let n = bed.points(POINTS);
    let positions = clouds::plummer(n, 1).positions;
    let positions: Vec<[f64; 3]> = positions.iter().map(|p| p.map(|x| x * length)).collect();
    let charges: Vec<f64> = charges::mixed(n, 2).iter().map(|q| q * charge).collect();
    Problem::new(format!("lengths {length:e}, charges {charge:e}"), &positions, &charges)
}

/// A unit of length of 2^`length` divides potentials by 2^`length` and gradients by its square.
fn powers_of_two<T: Precision>(bed: Bed, scales: &[(i32, i32)]) {
    for engine in bed.engines() {
        let fmm = engine.fmm().tolerance(TOLERANCE);
        let one = problem::<T>(bed, 1.0, 1.0).field(fmm).unwrap();
        for (length, charge) in scales {
            let unit = 2f64.powi(*length);
            let problem = problem::<T>(bed, unit, 2f64.powi(*charge));
            let field = problem.field(fmm).unwrap();
            let scaled =
                |x: T, power: i32| T::narrow(x.widen() * 2f64.powi(charge - power * length));
            for i in 0..bed.points(POINTS) {
                assert_eq!(field.potential[i], scaled(one.potential[i], 1), "{}", problem.name);
                let gradient = one.gradient[i].map(|x| scaled(x, 2));
                assert_eq!(field.gradient[i], gradient, "{}", problem.name);
            }
        }
    }
}

fn powers_of_two_in_f64(bed: Bed) {
    powers_of_two::<f64>(
        bed,
        &[(100, 0), (-100, 0), (0, 100), (0, -100), (100, 100), (-300, -300)],
    );
}

fn powers_of_two_in_f32(bed: Bed) {
    powers_of_two::<f32>(bed, &[(40, 0), (-40, 0), (0, 60), (0, -60), (40, 100), (-40, -100)]);
}

fn powers_of_ten<T: Precision>(bed: Bed, scales: &[(f64, f64)]) {
    for (length, charge) in scales {
        let problem = problem::<T>(bed, *length, *charge);
        let oracle = Oracle::new(&problem, 1000);
        for engine in bed.engines() {
            let field = problem.field(engine.fmm().tolerance(TOLERANCE)).unwrap();
            let error = oracle.errors(&field).worse();
            assert!(error <= TOLERANCE, "{}, {}: {error:e}", problem.name, engine.method);
        }
    }
}

fn powers_of_ten_in_f64(bed: Bed) {
    powers_of_ten::<f64>(
        bed,
        &[(1e30, 1.0), (1e-30, 1.0), (1.0, 1e30), (1.0, 1e-30), (1e17, 2e30)],
    );
}

/// The last is a star cluster in metres and kilograms.
fn powers_of_ten_in_f32(bed: Bed) {
    powers_of_ten::<f32>(
        bed,
        &[(1e12, 1.0), (1e-12, 1.0), (1.0, 1e30), (1.0, 1e-30), (1e17, 2e30)],
    );
}

on_every_device! {
    powers_of_two_in_f32,
    powers_of_ten_in_f32,
}

on_devices! {
    powers_of_two_in_f64: cpu emulated_hybrid cuda hybrid;
    powers_of_ten_in_f64: cpu emulated_hybrid cuda hybrid;
}
