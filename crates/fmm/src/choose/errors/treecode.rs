//! Measured errors of the treecode's walks, by criterion, order and signs of the charges.
//! `cargo xtask calibrate errors` writes this file anew.
//!
//! Each number is the largest relative L2 error of the worse of potential and gradient over uniform cube and sphere,
//! sphere surface, Plummer model, two clusters and disk galaxy of 2·10⁴ and 5·10⁴ points, walked by
//! groups of the default size. The uniform sphere, where forces cancel, is the hardest for monopoles.

/// Errors with a row for each of [`ORDERS`].
pub(super) type Table<const N: usize> = [[f64; N]; 9];

/// Orders of the rows.
pub(super) const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 14];

/// Number of points for which [`INTERACTIONS`] was counted.
pub(super) const TABLED_POINTS: f64 = 5e4;

/// Opening angles of l/θ + s < d.
pub(super) const THETAS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Errors by θ, for charges of one sign.
pub(super) const SAME: Table<8> = [
    [7.4e-4, 1.7e-3, 3.1e-3, 4.6e-3, 6.1e-3, 7.9e-3, 1.0e-2, 1.3e-2],
    [7.4e-4, 1.7e-3, 3.1e-3, 4.6e-3, 6.1e-3, 7.9e-3, 1.0e-2, 1.3e-2],
    [4.1e-5, 1.2e-4, 2.8e-4, 5.5e-4, 1.2e-3, 2.4e-3, 4.4e-3, 7.6e-3],
    [1.1e-5, 4.8e-5, 1.5e-4, 3.0e-4, 8.5e-4, 2.1e-3, 4.1e-3, 7.3e-3],
    [1.2e-6, 5.9e-6, 1.8e-5, 4.8e-5, 1.2e-4, 2.8e-4, 6.5e-4, 1.4e-3],
    [2.4e-7, 1.6e-6, 7.4e-6, 3.0e-5, 8.9e-5, 2.3e-4, 5.7e-4, 1.3e-3],
    [8.9e-9, 1.2e-7, 7.5e-7, 4.7e-6, 2.2e-5, 8.1e-5, 2.1e-4, 4.9e-4],
    [4.4e-10, 8.5e-9, 9.0e-8, 7.2e-7, 4.3e-6, 2.0e-5, 7.1e-5, 2.2e-4],
    [1.7e-12, 6.9e-11, 1.4e-9, 1.8e-8, 2.0e-7, 1.6e-6, 9.0e-6, 4.2e-5],
];

/// Errors by θ, for charges of both signs.
pub(super) const MIXED: Table<8> = [
    [8.6e-2, 1.1e-1, 1.4e-1, 1.4e-1, 1.8e-1, 2.2e-1, 2.4e-1, 2.6e-1],
    [5.6e-3, 1.1e-2, 2.1e-2, 2.8e-2, 5.0e-2, 6.3e-2, 7.9e-2, 9.3e-2],
    [7.0e-4, 1.9e-3, 3.6e-3, 5.1e-3, 1.1e-2, 1.6e-2, 2.3e-2, 3.3e-2],
    [9.4e-5, 2.9e-4, 7.1e-4, 1.4e-3, 3.5e-3, 6.6e-3, 1.0e-2, 1.5e-2],
    [1.4e-5, 6.2e-5, 1.8e-4, 3.9e-4, 1.1e-3, 2.3e-3, 4.1e-3, 6.8e-3],
    [2.2e-6, 1.4e-5, 5.4e-5, 1.3e-4, 4.5e-4, 9.7e-4, 1.9e-3, 3.5e-3],
    [6.7e-8, 7.0e-7, 4.0e-6, 1.4e-5, 6.9e-5, 1.9e-4, 4.8e-4, 1.1e-3],
    [2.3e-9, 4.5e-8, 3.6e-7, 1.7e-6, 1.2e-5, 4.6e-5, 1.3e-4, 3.4e-4],
    [4.5e-12, 2.0e-10, 4.4e-9, 4.3e-8, 9.1e-7, 3.3e-6, 1.6e-5, 6.7e-5],
];

/// Numbers of cells and of sources that act on a receiver of the uniform cube, by θ.
pub(super) const INTERACTIONS: [[f64; 2]; 8] = [
    [1121.0, 3413.0],
    [676.0, 2107.0],
    [473.0, 1363.0],
    [370.0, 1209.0],
    [232.0, 733.0],
    [214.0, 539.0],
    [171.0, 501.0],
    [136.0, 493.0],
];

/// Growth of the number of cells for eight times as many points.
pub(super) const GROWTH: f64 = 0.45;

/// α of the relative criterion.
pub(super) const ALPHAS: [f64; 5] = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2];

/// Errors by α, for charges of one sign.
pub(super) const RELATIVE_SAME: Table<5> = [
    [3.5e-4, 6.6e-4, 1.3e-3, 2.6e-3, 4.9e-3],
    [3.5e-4, 6.6e-4, 1.3e-3, 2.6e-3, 4.9e-3],
    [1.7e-5, 4.5e-5, 1.4e-4, 2.6e-4, 6.7e-4],
    [5.3e-6, 1.4e-5, 4.1e-5, 1.1e-4, 2.6e-4],
    [2.6e-6, 7.4e-6, 1.6e-5, 6.4e-5, 1.3e-4],
    [1.4e-6, 4.7e-6, 7.8e-6, 3.1e-5, 7.3e-5],
    [4.3e-7, 2.6e-6, 3.6e-6, 1.4e-5, 3.7e-5],
    [2.4e-7, 1.6e-6, 2.2e-6, 4.5e-6, 2.1e-5],
    [5.4e-8, 7.3e-7, 9.5e-7, 1.7e-6, 8.4e-6],
];

/// Errors by α, for charges of both signs.
pub(super) const RELATIVE_MIXED: Table<5> = [
    [1.0e-2, 1.7e-2, 3.6e-2, 5.2e-2, 7.1e-2],
    [4.5e-4, 1.4e-3, 2.5e-3, 3.9e-3, 7.6e-3],
    [1.5e-4, 3.3e-4, 6.9e-4, 1.1e-3, 2.2e-3],
    [2.2e-5, 5.6e-5, 1.4e-4, 3.4e-4, 5.6e-4],
    [2.1e-5, 4.3e-5, 7.3e-5, 1.7e-4, 6.1e-4],
    [4.4e-6, 1.1e-5, 3.1e-5, 1.3e-4, 3.0e-4],
    [1.1e-6, 1.7e-6, 6.5e-6, 4.4e-5, 1.0e-4],
    [7.3e-7, 1.2e-6, 2.6e-6, 2.4e-5, 5.9e-5],
    [9.2e-8, 2.4e-7, 4.8e-7, 5.8e-6, 1.7e-5],
];

/// Factor by which the errors of walks are larger for receivers away from the sources, at most, of those measured.
pub(super) const REMOTE: f64 = 30.0;

/// Errors of receivers that walk one by one, with leaves of one point, over those of groups: value at order 0, and
/// growth an order. A group opens the cells that its neediest receiver opens; higher orders gain more by it.
pub(super) const ALONE: [f64; 2] = [2.3, 0.2];
