//! Factors of the recurrences of the real, Schmidt semi-normalised solid harmonics R_n^m.

use super::roots::{root, sqrt};

/// Factor of R_{m−1}^{m−1} in R_m^m.
pub const fn sectoral_factor(m: usize) -> f64 {
    if m < 2 { 1.0 } else { sqrt((2 * m - 1) as f64 / (2 * m) as f64) }
}

/// Factors of z R_{n−1}^m and of r² R_{n−2}^m in R_n^m, for m < n; the second is subtracted. It is 0 for m = n − 1,
/// where there is no R_{n−2}^m.
pub const fn degree_factors(n: usize, m: usize) -> [f64; 2] {
    let scale = 1.0 / root(n * n - m * m);
    [(2 * n - 1) as f64 * scale, root((n - 1) * (n - 1) - m * m) * scale]
}

/// Factor of r² Q_{n−1}^m in Q_{n+1}^m, where Q_n^m = z^{n−m} + … is R_n^m without norm and azimuthal factor: see
/// [`Recurrence`](super::recurrence::Recurrence).
pub const fn polynomial_factor(n: usize, m: usize) -> f64 {
    let (n2, m2) = ((n * n) as f64, (m * m) as f64);
    (m2 - n2) / (4.0 * n2 - 1.0)
}

/// The norms R_n^m / (Q_n^m Re (x + iy)^m) of all n and m, by m and then by n = m, m + 1 ….
#[derive(Clone, Copy, Debug)]
pub struct Norms {
    n: usize,
    m: usize,
    sectoral: f64,
    norm: f64,
}

impl Norms {
    /// At n = m = 0.
    pub const FIRST: Self = Self { n: 0, m: 0, sectoral: 1.0, norm: 1.0 };

    /// The norm.
    pub const fn value(self) -> f64 {
        self.norm
    }

    /// Norm of the next degree.
    #[must_use]
    pub const fn next_degree(self) -> Self {
        let n = self.n + 1;
        Self { n, norm: self.norm * degree_factors(n, self.m)[0], ..self }
    }

    /// Norm of n = m for the next m.
    #[must_use]
    pub const fn next_m(self) -> Self {
        let m = self.m + 1;
        let sectoral = self.sectoral * sectoral_factor(m);
        Self { n: m, m, sectoral, norm: sectoral }
    }
}
