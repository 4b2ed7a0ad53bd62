//! Sums so far below their terms that f64 has too few digits: the tolerance holds, or the report says that it does not.

use fmm::{Device, Method};
use testbed::conformance::{Bed, Oracle, Precision, Problem};
use testbed::reference::twofold;
use testbed::{clouds, norms};

/// Charges of each of two opposite shells around one centre.
const CHARGES: usize = 250;

const TOLERANCE: f64 = 1e-12;

/// Opposite shells, seen from so far that their potentials agree to a millionth or less.
fn opposite_shells_from_afar(bed: Bed) {
    for distance in [1e3, 1e6] {
        let [inner, outer] = [500, 501].map(|seed| clouds::sphere_surface(CHARGES, seed).positions);
        let outer = outer.iter().map(|point| point.map(|x| 1.5 * x));
        let sources: Vec<[f64; 3]> = inner.iter().copied().chain(outer).collect();
        let charges: Vec<f64> =
            (0..2 * CHARGES).map(|k| if k < CHARGES { 1.0 } else { -1.0 }).collect();
        let ball = clouds::uniform_sphere(bed.points(1000), 502).positions;
        let receivers: Vec<_> = ball.iter().map(|[x, y, z]| [x + distance, *y, *z]).collect();
        let problem = Problem::<f64>::new("opposite shells", &sources, &charges).at(&receivers);
        let exact = twofold::direct(&sources, &charges, &receivers, 0.0);
        for engine in bed.engines() {
            let field = engine.field(&problem, engine.fmm().tolerance(TOLERANCE)).unwrap();
            let of_potential = norms::scalar(&field.potential, &exact.0).l2;
            let error = of_potential.max(norms::vector(&field.gradient, &exact.1).l2);
            let case = format!("{} at {distance:e}: {error:e}", engine.method);
            let told = field.report.estimated_error.unwrap() <= TOLERANCE;
            // Devices have no pairs beyond f64.
            assert!(told || bed.device != Device::Cpu, "{case}, and the report gives up");
            assert!(error <= TOLERANCE || !told, "{case}, and the report does not tell");
            assert!(bed.device != Device::Cpu || field.report.method == Method::Direct, "{case}");
        }
    }
}

/// Opposite shells in f32 and softened, with some charges at one place: what f32 does not tell, double-double sums of its positions do.
fn softened_opposite_shells_in_f32(bed: Bed) {
    let [inner, outer] = [503, 504].map(|seed| clouds::sphere_surface(CHARGES, seed).positions);
    let outer = outer.iter().map(|point| point.map(|x| 1.5 * x));
    let mut sources: Vec<[f64; 3]> = inner.iter().copied().chain(outer).collect();
    sources[7] = sources[CHARGES + 7];
    let charges: Vec<f64> =
        (0..2 * CHARGES).map(|k| if k < CHARGES { 1.0 } else { -1.0 }).collect();
    let ball = clouds::uniform_sphere(bed.points(1000), 505).positions;
    let receivers: Vec<_> = ball.iter().map(|[x, y, z]| [x + 300.0, *y, *z]).collect();
    let problem = Problem::<f32>::new("opposite shells", &sources, &charges).at(&receivers);
    for softening in [0.0, 0.1] {
        let oracle = Oracle::softened(&problem, usize::MAX, softening);
        for engine in bed.engines() {
            let fmm = engine.fmm().tolerance(1e-4).softening(softening);
            let field = engine.field(&problem, fmm).unwrap();
            let error = oracle.errors(&field).worse();
            let case = format!("{} with {softening}: {error:e}", engine.method);
            let told = field.report.estimated_error.unwrap() <= 1e-4;
            assert!(error <= 1e-4 || !told, "{case}, and the report does not tell");
            assert!(error <= 1e-4 || bed.device != Device::Cpu, "{case}");
        }
    }
}

/// Ions seen from so far that double-double arithmetic has no digit of their sum, either.
fn ions_beyond_all_digits(bed: Bed) {
    let at = |i: i32| [i / 36, i / 6 % 6, i % 6].map(f64::from);
    let sign = |[x, y, z]: [f64; 3]| if (x + y + z) % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let ions: Vec<[f64; 3]> = (0..216).map(at).collect();
    let charges: Vec<f64> = ions.iter().map(|ion| sign(*ion)).collect();
    let receivers = [[1e13, 3e12, 2e12], [-4e12, 1e13, -7e12], [2e12, 2e12, 9e12]];
    let problem = Problem::<f64>::new("ions", &ions, &charges).at(&receivers);
    let engine = bed.engine(Method::Direct);
    let field = engine.field(&problem, engine.fmm().tolerance(1e-9)).unwrap();
    assert!(field.report.excess().is_some(), "{}", field.report);
}

/// An orbit of 48 heavy charges amid light ones: sources, charges, and as receivers the light charges and one in the middle, where the
/// pulls cancel.
fn orbit(n: usize, reach: f64, heavy: f64) -> (Vec<[f64; 3]>, Vec<f64>, Vec<[f64; 3]>) {
    let centre = [0.37, 0.58, 0.41];
    let light = clouds::uniform_cube(n, 506).positions;
    let of_orbit = |k: usize| {
        let [i, j] = [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]][k % 6];
        let sides = [0.35, 0.7, 1.0].map(|side| reach * side);
        let side = [sides[i], sides[j], sides[3 - i - j]];
        let sign = |axis: usize| if (k / 6) >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let odd = if [0, 3, 4].contains(&(k % 6)) { 1.0 } else { -1.0 };
        let at = [0, 1, 2].map(|axis| centre[axis] + sign(axis) * side[axis]);
        (at, odd * sign(0) * sign(1) * sign(2))
    };
    let (orbit, signs): (Vec<[f64; 3]>, Vec<f64>) = (0..48).map(of_orbit).unzip();
    let sources = [light.clone(), orbit].concat();
    let charges = light.iter().map(|_| 1.0).chain(signs.iter().map(|sign| heavy * sign)).collect();
    // Distances are alike, and no two the same.
    let middle = [0, 1, 2].map(|axis| centre[axis] + reach * [0.011, 0.023, -0.017][axis]);
    (sources, charges, [light, vec![middle]].concat())
}

/// One receiver of thousands amid heavy charges whose pulls cancel there: nothing but the errors of their pairs tells that receiver from
/// others.
fn receiver_amid_heavy_charges<T: Precision>(bed: Bed) {
    let (sources, charges, receivers) = orbit(bed.points(3000), 2e-3, 1e6);
    let problem = Problem::<T>::new("an orbit of heavy charges", &sources, &charges).at(&receivers);
    let oracle = Oracle::new(&problem, usize::MAX);
    for engine in bed.engines() {
        for tolerance in [1e-3, 1e-5] {
            let field = engine.field(&problem, engine.fmm().tolerance(tolerance)).unwrap();
            let error = oracle.errors(&field).worse();
            let told = field.report.estimated_error.unwrap();
            assert!(error <= tolerance, "{}: {error:e}, told {told:e}", engine.method);
        }
    }
}

/// The same with pulls of which f64 leaves too few digits at that receiver: no sample of receivers has them.
fn pulls_beyond_f64(bed: Bed) {
    let (sources, charges, receivers) = orbit(bed.points(3000), 1e-3, 1e8);
    let problem = Problem::<f64>::new("an orbit", &sources, &charges).at(&receivers);
    let exact = twofold::direct(&sources, &charges, &receivers, 0.0);
    for engine in bed.engines() {
        for tolerance in [1e-9, 1e-11] {
            let field = engine.field(&problem, engine.fmm().tolerance(tolerance)).unwrap();
            let of_potential = norms::scalar(&field.potential, &exact.0).l2;
            let error = of_potential.max(norms::vector(&field.gradient, &exact.1).l2);
            let told = field.report.estimated_error.unwrap();
            assert!(error <= tolerance, "{}: {error:e}, told {told:e}", engine.method);
        }
    }
}

fn receiver_amid_heavy_charges_in_f64(bed: Bed) {
    receiver_amid_heavy_charges::<f64>(bed);
}

/// Devices sum heavy charges in f32 then; cores do so in f64.
fn receiver_amid_heavy_charges_in_f32(bed: Bed) {
    receiver_amid_heavy_charges::<f32>(bed);
}

/// One receiver of thousands within a crystal, and all others outside: its charges outweigh the others together, but none by itself. Pairs
/// of few digits and cells of low order miss the tolerances there.
fn receiver_within_a_crystal(bed: Bed) {
    let centre = [0.37, 0.58, 0.41];
    let light = clouds::uniform_cube(bed.points(3000), 507);
    let light_charges = (0..light.positions.len()).map(|k| 1.0 - 2.0 * (k % 2) as f64);
    for (n, spacing, charge, tolerance) in [(8, 2e-3, 10.0, 1e-3), (10, 0.0125, 433.0, 2e-3)] {
        let at = |i: i32| spacing * (f64::from(i) - 0.5 * f64::from(n - 1));
        let ions = (0..n * n * n).map(|k| [k / (n * n), k / n % n, k % n]);
        let place = |k: [i32; 3]| [0, 1, 2].map(|axis| centre[axis] + at(k[axis]));
        let sign = |k: [i32; 3]| 1.0 - 2.0 * f64::from(k.iter().sum::<i32>() % 2);
        let sources: Vec<[f64; 3]> =
            light.positions.iter().copied().chain(ions.clone().map(place)).collect();
        let charges: Vec<f64> =
            light_charges.clone().chain(ions.map(|ion| charge * sign(ion))).collect();
        let middle = [0, 1, 2].map(|axis| centre[axis] + spacing * [0.011, 0.023, -0.017][axis]);
        let receivers = [light.positions.clone(), vec![middle]].concat();
        let problem = Problem::<f64>::new("a crystal", &sources, &charges).at(&receivers);
        let oracle = Oracle::new(&problem, usize::MAX);
        for engine in bed.engines() {
            let field = engine.field(&problem, engine.fmm().tolerance(tolerance)).unwrap();
            let error = oracle.errors(&field).worse();
            let told = field.report.estimated_error.unwrap();
            assert!(error <= tolerance, "{} by {n}: {error:e}, told {told:e}", engine.method);
        }
    }
}

on_devices_and_ranks! {
    opposite_shells_from_afar,
    receiver_amid_heavy_charges_in_f64,
    receiver_within_a_crystal,
    softened_opposite_shells_in_f32,
}

on_devices! {
    ions_beyond_all_digits: cpu emulated cuda ranks;
    pulls_beyond_f64: cpu ranks;
    receiver_amid_heavy_charges_in_f32: cpu ranks;
}
