//! Numbers that the paper prints.

/// Opening angle of Tables 2 to 4.
pub(crate) const THETA: f64 = 0.6;

/// N in K, and the total and construction times in seconds: unsorted (Table 2) and in Morton order (Table 3).
pub(crate) const BY_NUMBER: [(usize, [f64; 2], [f64; 2]); 5] = [
    (50, [3.95e-2, 1.1e-3], [3.00e-2, 9.1e-3]),
    (100, [9.65e-2, 2.5e-2], [6.08e-2, 1.8e-2]),
    (200, [0.234, 6.1e-2], [0.127, 3.9e-2]),
    (400, [0.583, 0.15], [0.265, 8.0e-2]),
    (800, [1.36, 0.38], [0.566, 0.16]),
];

/// N in K, and hit rates of the cache in %: unsorted and in Morton order (Table 4).
pub(crate) const HITS: [(usize, f64, f64); 5] =
    [(50, 75.0, 93.0), (100, 63.0, 91.0), (200, 55.0, 87.0), (400, 48.0, 85.0), (800, 43.0, 80.0)];

/// θ, the total time in seconds and the hit rate in % at 800K (Table 5).
pub(crate) const BY_ANGLE: [(f64, f64, f64); 9] = [
    (0.2, 16.5, 23.0),
    (0.3, 5.24, 36.0),
    (0.4, 2.24, 48.0),
    (0.5, 1.14, 59.0),
    (0.6, 0.682, 68.0),
    (0.7, 0.492, 75.0),
    (0.8, 0.398, 80.0),
    (0.9, 0.343, 80.0),
    (1.0, 0.310, 82.0),
];

/// N in K of Tables 6 and 7.
pub(crate) const NUMBERS: [usize; 5] = [10, 50, 100, 200, 500];

/// θ and the mean relative errors of the acceleration by N (Table 6).
pub(crate) const ACCELERATION: [(f64, [f64; 5]); 9] = [
    (0.2, [2.93e-4, 1.69e-4, 1.48e-4, 2.24e-4, 5.73e-3]),
    (0.3, [6.37e-4, 4.42e-4, 3.98e-4, 4.52e-4, 5.90e-3]),
    (0.4, [1.23e-3, 8.86e-4, 8.16e-4, 8.27e-4, 6.20e-3]),
    (0.5, [2.04e-3, 1.50e-3, 1.41e-3, 1.36e-3, 6.64e-3]),
    (0.6, [3.15e-3, 2.31e-3, 2.20e-3, 2.06e-3, 7.20e-3]),
    (0.7, [4.39e-3, 3.35e-3, 3.18e-3, 2.94e-3, 7.91e-3]),
    (0.8, [5.94e-3, 4.51e-3, 4.33e-3, 3.98e-3, 8.77e-3]),
    (0.9, [7.85e-3, 5.95e-3, 5.69e-3, 5.22e-3, 9.86e-3]),
    (1.0, [9.95e-3, 7.69e-3, 7.34e-3, 6.81e-3, 1.13e-2]),
];

/// θ and the mean relative errors of the potential by N (Table 7).
pub(crate) const POTENTIAL: [(f64, [f64; 5]); 9] = [
    (0.2, [4.46e-5, 4.39e-5, 5.37e-5, 5.52e-5, 4.64e-5]),
    (0.3, [9.87e-5, 1.07e-4, 1.41e-4, 1.42e-4, 1.02e-4]),
    (0.4, [1.84e-4, 1.90e-4, 2.70e-4, 2.66e-4, 1.80e-4]),
    (0.5, [2.98e-4, 2.96e-4, 4.30e-4, 4.23e-4, 2.88e-4]),
    (0.6, [4.42e-4, 4.34e-4, 6.23e-4, 6.10e-4, 4.28e-4]),
    (0.7, [6.05e-4, 5.82e-4, 8.26e-4, 8.12e-4, 5.79e-4]),
    (0.8, [7.71e-4, 7.29e-4, 1.04e-3, 1.02e-3, 7.29e-4]),
    (0.9, [9.57e-4, 8.99e-4, 1.27e-3, 1.24e-3, 8.99e-4]),
    (1.0, [1.15e-3, 1.09e-3, 1.51e-3, 1.47e-3, 1.10e-3]),
];

/// Figure 2: particles and Tflop/s of the direct sum on a Radeon HD 5870, with 38 operations a pair.
pub(crate) const DIRECT: (f64, f64) = (195_584.0, 2.6);

/// Operations of a pair by convention, and as counted.
pub(crate) const FLOPS: [f64; 2] = [38.0, 22.0];

/// Figure 9: particles from which on the treecode is faster than the direct sum.
pub(crate) const CROSSOVER: f64 = 30_000.0;

/// Section 6.3: particles, seconds of the FMM of Gumerov and Duraiswami with p = 4, and of the treecode with θ = 0.6.
pub(crate) const FMM: (f64, f64, f64) = (1_048_576.0, 0.68, 0.65);

/// Section 6.3: mean relative error of the potential of that FMM.
pub(crate) const FMM_ERROR: f64 = 2e-4;

/// Section 6.3: hit rate of the cache in % of that treecode.
pub(crate) const FMM_HITS: f64 = 81.0;

/// Section 6.2: Gflop/s of walks with lists (Gaburov et al.) and on the fly.
pub(crate) const RATES: [f64; 2] = [100.0, 30.0];
