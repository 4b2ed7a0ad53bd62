//! Bulge and halo: isotropic dispersions of Jeans' equation, and the escape speed.

use super::masses::{bulge_density, disk_within, halo_density, spheroids_within};
use crate::initial_conditions::galaxy::HALO_EDGE;

/// Smallest radius of the table.
const INNERMOST: f64 = 1e-4;
/// Ratio of neighbouring radii.
const RATIO: f64 = 1.02;

/// Speeds by radius.
pub(super) struct Spheroids {
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    r: f64,
    /// Dispersion of one component of the velocity: of the bulge, and of the halo.
    dispersions: [f64; 2],
    escape: f64,
}

impl Spheroids {
    /// Integrates ρσ² = ∫ ρ M/r² dr and the potential from the edge inwards, by the trapezoidal rule.
    pub(super) fn new() -> Self {
        let mass = |r: f64| spheroids_within(r) + disk_within(r);
        let densities = |r: f64| [bulge_density(r), halo_density(r)];
        let (mut r, mut pressures) = (HALO_EDGE, [0.0; 2]);
        let mut depth = mass(r) / r;
        let mut rows = vec![Row { r, dispersions: [0.0; 2], escape: (2.0 * depth).sqrt() }];
        while r > INNERMOST {
            let inner = r / RATIO;
            let (here, there) = (mass(inner) / (inner * inner), mass(r) / (r * r));
            let half = 0.5 * (r - inner);
            let (dense, sparse) = (densities(inner), densities(r));
            let mut dispersions = [0.0; 2];
            for i in 0..2 {
                pressures[i] += half * (dense[i] * here + sparse[i] * there);
                if dense[i] > 0.0 {
                    dispersions[i] = (pressures[i] / dense[i]).sqrt();
                }
            }
            depth += half * (here + there);
            r = inner;
            rows.push(Row { r, dispersions, escape: (2.0 * depth).sqrt() });
        }
        rows.reverse();
        Self { rows }
    }

    /// Dispersion and escape speed at a radius, of the bulge or else of the halo: by linear interpolation.
    pub(super) fn speeds(&self, r: f64, of_bulge: bool) -> (f64, f64) {
        let next = self.rows.partition_point(|row| row.r < r).clamp(1, self.rows.len() - 1);
        let (a, b) = (&self.rows[next - 1], &self.rows[next]);
        let share = ((r - a.r) / (b.r - a.r)).clamp(0.0, 1.0);
        let between = |from: f64, to: f64| from + share * (to - from);
        let component = usize::from(!of_bulge);
        (between(a.dispersions[component], b.dispersions[component]), between(a.escape, b.escape))
    }
}
