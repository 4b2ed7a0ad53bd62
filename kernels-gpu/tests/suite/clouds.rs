//! Sets of points that trees and lists are tested with.

use crate::random::random;
use kernels_gpu::device::Vec4;

/// Points, and receivers if they are another set.
#[derive(Debug)]
pub(crate) struct Cloud {
    pub(crate) name: &'static str,
    pub(crate) sources: Vec<[f64; 3]>,
    pub(crate) receivers: Option<Vec<[f64; 3]>>,
}

pub(crate) fn cube(n: u64, seed: u64) -> Vec<[f64; 3]> {
    (0..n).map(|i| [0, 1, 2].map(|d| random(1_000_000 * seed + 3 * i + d))).collect()
}

fn sphere(n: u64, seed: u64) -> Vec<[f64; 3]> {
    let points = cube(n, seed).into_iter().map(|[u, v, _]| {
        let (z, angle) = (2.0 * u - 1.0, std::f64::consts::TAU * v);
        let r = (1.0 - z * z).sqrt();
        [r * angle.cos(), r * angle.sin(), z]
    });
    points.collect()
}

/// Points ever denser towards a corner, over many orders of magnitude.
fn clustered(n: u64, seed: u64) -> Vec<[f64; 3]> {
    let points = cube(n, seed).into_iter().enumerate();
    points.map(|(i, p)| p.map(|c| c * 0.5f64.powi((i % 24) as i32))).collect()
}

/// All the sets.
pub(crate) fn clouds() -> Vec<Cloud> {
    let one = |name, sources| Cloud { name, sources, receivers: None };
    let two = |name, sources, receivers| Cloud { name, sources, receivers: Some(receivers) };
    let mut half = cube(300, 5);
    half.extend(vec![[0.25, 0.5, 0.75]; 100]);
    half.extend(vec![[0.25, 0.5, 0.75 + 1e-9]; 3]);
    let line = (0..333).map(|i| [0.1 * random(i), 2.0, -1.0]).collect();
    vec![
        one("cube", cube(777, 1)),
        one("sphere", sphere(1003, 2)),
        one("clustered", clustered(601, 3)),
        one("coincident", vec![[3.0, -1.0, 2.0]; 90]),
        one("half coincident", half.clone()),
        one("one point", vec![[0.3, 0.1, 0.2]]),
        one("no point", Vec::new()),
        one("line", line),
        two("cube and sphere", cube(501, 4), sphere(350, 5)),
        two("clusters", clustered(300, 6), clustered(411, 7)),
        two("coincident sets", half, vec![[0.25, 0.5, 0.75]; 60]),
        two("no sources", Vec::new(), sphere(100, 8)),
        two("no receivers", cube(200, 9), Vec::new()),
    ]
}

/// Sources, then receivers, as devices take them.
pub(crate) fn device_points(
    sources: &[[f64; 3]],
    receivers: Option<&[[f64; 3]]>,
) -> Vec<Vec4<f64>> {
    let all = sources.iter().chain(receivers.unwrap_or_default());
    all.enumerate().map(|(i, &[x, y, z])| Vec4([x, y, z, i as f64])).collect()
}
