//! Velocities in shells of equal counts, against the dispersion of a theory.

use crate::statistics::radius;
use nbody::{Diagnostics, DirectSum, Force, System};

/// Asserts that in each of `parts` shells the mean of `values`, whose theory is 1, is 1 within 5 of its deviations, to which
/// `bias` is added.
pub(crate) fn assert_unit_means(what: &str, values: Vec<(f64, f64)>, parts: usize, bias: f64) {
    let mut sorted = values;
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (part, shell) in sorted.chunks(sorted.len().div_ceil(parts)).enumerate() {
        let n = shell.len() as f64;
        let mean = shell.iter().map(|(_, value)| value).sum::<f64>() / n;
        let variance = shell.iter().map(|(_, value)| (value - mean).powi(2)).sum::<f64>() / n;
        let limit = 5.0 * (variance / n).sqrt() + bias;
        assert!((mean - 1.0).abs() < limit, "{what}, shell {part}: {mean} ± {limit}");
    }
}

/// Asserts that radial and total velocities have the isotropic dispersion `sigma2` of one component, by radius.
pub(crate) fn assert_dispersion(what: &str, system: &System, sigma2: impl Fn(f64) -> f64) {
    let each = system.positions.iter().zip(&system.velocities);
    let along = |x: &[f64; 3], v: &[f64; 3]| {
        let product: f64 = x.iter().zip(v).map(|(x, v)| x * v).sum();
        (product / radius(x)).powi(2)
    };
    let rows: Vec<_> = each.map(|(x, v)| (radius(x), along(x, v), radius(v).powi(2))).collect();
    let radial = rows.iter().map(|&(r, v2, _)| (r, v2 / sigma2(r))).collect();
    assert_unit_means(&format!("{what}, radial"), radial, 6, 0.0);
    let total = rows.iter().map(|&(r, _, v2)| (r, v2 / (3.0 * sigma2(r)))).collect();
    assert_unit_means(&format!("{what}, total"), total, 6, 0.0);
}

/// Diagnostics by the direct sum.
pub(crate) fn diagnostics(system: &System) -> Diagnostics {
    let mut force = DirectSum::new(&system.masses);
    let (mut accelerations, mut potentials) = (Vec::new(), Vec::new());
    let Ok(()) = force.potentials(&system.positions, &mut accelerations, &mut potentials);
    Diagnostics::new(system, &potentials)
}

/// Asserts the energies T and U of a model, to within 5 deviations of n points, which are of the size of the values.
pub(crate) fn assert_energies(what: &str, system: &System, kinetic: f64, potential: f64) {
    let limit = 5.0 / (system.len() as f64).sqrt();
    let found = diagnostics(system);
    for (found, expected) in [(found.kinetic, kinetic), (found.potential, potential)] {
        assert!((found / expected - 1.0).abs() < limit, "{what}: {found}, not {expected}");
    }
    assert!((found.virial_ratio() - 1.0).abs() < limit, "{what}: {}", found.virial_ratio());
}
