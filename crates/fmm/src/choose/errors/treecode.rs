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
pub(super) const TABLED_POINTS: f64 = 5.0e4;

/// Opening angles of l/θ + s < d.
pub(super) const THETAS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// Errors by θ, for charges of one sign.
pub(super) const ALIKE: Table<8> = [
    [6.3e-4, 1.4e-3, 2.8e-3, 4.1e-3, 5.9e-3, 7.4e-3, 9.0e-3, 1.2e-2],
    [6.3e-4, 1.4e-3, 2.8e-3, 4.1e-3, 5.9e-3, 7.4e-3, 9.0e-3, 1.2e-2],
    [3.8e-5, 1.1e-4, 2.4e-4, 4.4e-4, 8.6e-4, 1.9e-3, 3.1e-3, 6.0e-3],
    [9.1e-6, 4.1e-5, 1.1e-4, 2.3e-4, 5.8e-4, 1.8e-3, 3.0e-3, 5.9e-3],
    [9.6e-7, 4.3e-6, 1.4e-5, 3.0e-5, 1.3e-4, 2.2e-4, 4.1e-4, 1.0e-3],
    [1.9e-7, 1.2e-6, 5.0e-6, 1.9e-5, 6.9e-5, 1.8e-4, 3.7e-4, 9.5e-4],
    [7.2e-9, 8.6e-8, 5.2e-7, 2.8e-6, 1.6e-5, 6.1e-5, 1.5e-4, 3.8e-4],
    [3.2e-10, 6.1e-9, 6.2e-8, 4.4e-7, 2.9e-6, 1.5e-5, 4.9e-5, 1.7e-4],
    [1.1e-12, 4.9e-11, 1.3e-9, 9.8e-9, 1.6e-7, 1.1e-6, 5.2e-6, 2.6e-5],
];

/// Errors by θ, for charges of both signs.
pub(super) const UNLIKE: Table<8> = [
    [6.4e-2, 9.2e-2, 1.2e-1, 1.3e-1, 1.6e-1, 1.7e-1, 1.9e-1, 2.1e-1],
    [5.3e-3, 9.5e-3, 1.5e-2, 2.2e-2, 3.3e-2, 4.1e-2, 5.1e-2, 6.2e-2],
    [7.1e-4, 1.6e-3, 2.9e-3, 4.5e-3, 7.8e-3, 1.2e-2, 1.6e-2, 2.3e-2],
    [7.9e-5, 2.5e-4, 6.1e-4, 1.2e-3, 2.4e-3, 4.1e-3, 6.1e-3, 9.9e-3],
    [1.2e-5, 5.1e-5, 1.6e-4, 3.2e-4, 8.4e-4, 1.6e-3, 2.7e-3, 4.7e-3],
    [1.9e-6, 9.5e-6, 3.6e-5, 1.1e-4, 3.2e-4, 8.1e-4, 1.5e-3, 2.7e-3],
    [6.0e-8, 5.0e-7, 2.7e-6, 1.2e-5, 4.6e-5, 1.5e-4, 3.3e-4, 8.0e-4],
    [1.9e-9, 3.5e-8, 2.5e-7, 2.2e-6, 8.8e-6, 3.7e-5, 1.1e-4, 3.3e-4],
    [4.1e-12, 4.0e-10, 3.3e-9, 8.9e-8, 5.1e-7, 2.8e-6, 1.4e-5, 6.7e-5],
];

/// Numbers of cells and of sources that act on a receiver of the uniform cube, by θ.
pub(super) const INTERACTIONS: [[f64; 2]; 8] = [
    [1121.5, 3412.9],
    [673.9, 2106.2],
    [473.6, 1365.0],
    [368.9, 1209.2],
    [231.9, 733.3],
    [214.5, 539.3],
    [170.5, 501.7],
    [136.3, 493.7],
];

/// Growth of the number of cells for eight times as many points.
pub(super) const GROWTH: f64 = 0.56;

/// α of the relative criterion.
pub(super) const ALPHAS: [f64; 5] = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2];

/// Errors by α, for charges of one sign.
pub(super) const RELATIVE_ALIKE: Table<5> = [
    [2.8e-4, 5.4e-4, 1.1e-3, 2.2e-3, 4.2e-3],
    [2.8e-4, 5.4e-4, 1.1e-3, 2.2e-3, 4.2e-3],
    [1.4e-5, 3.5e-5, 8.7e-5, 2.2e-4, 5.4e-4],
    [3.7e-6, 9.8e-6, 2.9e-5, 7.5e-5, 2.5e-4],
    [1.7e-6, 4.2e-6, 1.4e-5, 2.9e-5, 1.1e-4],
    [1.4e-6, 2.9e-6, 6.6e-6, 1.5e-5, 6.7e-5],
    [3.2e-7, 6.6e-7, 2.3e-6, 5.6e-6, 3.1e-5],
    [1.3e-7, 2.7e-7, 9.6e-7, 2.5e-6, 1.6e-5],
    [3.7e-8, 6.1e-8, 2.7e-7, 1.1e-6, 5.2e-6],
];

/// Errors by α, for charges of both signs.
pub(super) const RELATIVE_UNLIKE: Table<5> = [
    [1.1e-2, 1.6e-2, 2.2e-2, 2.9e-2, 4.6e-2],
    [1.5e-3, 2.1e-3, 3.4e-3, 6.1e-3, 9.7e-3],
    [1.7e-4, 2.5e-4, 4.1e-4, 6.8e-4, 3.8e-3],
    [4.7e-5, 1.6e-4, 2.1e-4, 6.7e-4, 1.7e-3],
    [1.3e-5, 2.5e-5, 5.0e-5, 1.3e-4, 3.9e-4],
    [1.1e-5, 1.9e-5, 3.2e-5, 4.1e-5, 1.1e-4],
    [3.5e-6, 5.6e-6, 9.3e-6, 1.4e-5, 9.4e-5],
    [1.4e-6, 2.3e-6, 4.3e-6, 6.2e-6, 6.6e-5],
    [1.7e-7, 2.7e-7, 7.1e-7, 1.1e-6, 6.3e-6],
];

/// Factor by which the errors of walks are larger for receivers away from the sources, at most, of those measured.
pub(super) const REMOTE: f64 = 30.9;

/// Errors of receivers that walk one by one, with leaves of one point, over those of groups: value at order 0, and
/// growth an order. A group opens the cells that its neediest receiver opens; higher orders gain more by it.
pub(super) const ALONE: [f64; 2] = [3.11, 0.72];
