//! Numbers that the paper prints.

/// lmax; milliseconds of the CPU (Xeon X5560, one core), of the improved CPU, and of the GPU (GTX 480): Table 3.
pub(crate) const BY_LEVEL: [(u8, [f64; 3]); 6] = [
    (3, [1293.0, 223.0, 7.7]),
    (4, [1387.0, 272.0, 13.9]),
    (5, [2137.0, 431.0, 13.0]),
    (6, [8973.0, 1808.0, 34.6]),
    (7, [30652.0, 6789.0, 70.8]),
    (8, [58773.0, 7783.0, 124.9]),
];

/// Speed-ups of the GPU over the CPU: Table 3, and Figure 5.
pub(crate) const SPEED_UPS: [[f64; 2]; 2] = [[20.0, 100.0], [15.0, 20.0]];

/// Share of the exchange in the total time, %: Figure 8.
pub(crate) const EXCHANGE: [f64; 2] = [1.0, 15.0];
