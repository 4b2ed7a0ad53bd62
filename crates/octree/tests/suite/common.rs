//! Point clouds for the tests: the shapes that break trees.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::ops::Range;

use octree::{Depth, Octree};
use proptest::prelude::*;

/// The shape of a cloud.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Cube,
    Cluster,
    Line,
    Plane,
    /// Few distinct points, each many times.
    Lattice,
    Coincident,
    /// The surface of a sphere.
    Sphere,
    /// Two clusters far from each other.
    Pair,
}

/// A reproducible stream of numbers in [0, 1) (SplitMix64).
pub(crate) struct Stream(pub(crate) u64);

impl Stream {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub(crate) fn cloud(shape: Shape, n: usize, seed: u64) -> Vec<[f64; 3]> {
    let mut stream = Stream(seed);
    let mut next = move || stream.next();
    (0..n)
        .map(|_| {
            let [x, y, z] = [next(), next(), next()];
            match shape {
                Shape::Cube => [x, y, z],
                Shape::Cluster => {
                    // Density ~ r^-2.7 around two centres of different weight.
                    let r = 0.5 * next().powi(10);
                    let centre = if next() < 0.8 { 0.3 } else { 0.9 };
                    [centre + r * (x - 0.5), centre + r * (y - 0.5), 0.5 + r * (z - 0.5)]
                }
                Shape::Line => [x, 2.0 * x, -x],
                Shape::Plane => [x, y, 0.25],
                Shape::Lattice => [x, y, z].map(|c| (3.0 * c).floor()),
                Shape::Coincident => [0.1, -7.0, 1e-3],
                Shape::Sphere => {
                    let (height, angle) = (2.0 * x - 1.0, std::f64::consts::TAU * y);
                    let radius = (1.0 - height * height).sqrt();
                    [radius * angle.cos(), radius * angle.sin(), height]
                }
                Shape::Pair => {
                    let centre = if next() < 0.4 { 0.0 } else { 1000.0 };
                    [x, y, z].map(|c| centre + c)
                }
            }
        })
        .collect()
}

/// A cloud by its shape, number of points and seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cloud {
    pub(crate) shape: Shape,
    pub(crate) n: usize,
    pub(crate) seed: u64,
}

impl Cloud {
    pub(crate) fn points(self) -> Vec<[f64; 3]> {
        cloud(self.shape, self.n, self.seed)
    }
}

/// Clouds of these shapes and sizes.
pub(crate) fn clouds_of(
    shapes: impl Strategy<Value = Shape>,
    sizes: Range<usize>,
) -> impl Strategy<Value = Cloud> {
    (shapes, sizes, any::<u64>()).prop_map(|(shape, n, seed)| Cloud { shape, n, seed })
}

pub(crate) fn shapes() -> impl Strategy<Value = Shape> {
    use Shape::{Cluster, Coincident, Cube, Lattice, Line, Plane};
    prop_oneof![
        4 => Just(Cube), 5 => Just(Cluster), 2 => Just(Line), 2 => Just(Plane),
        1 => Just(Lattice), 1 => Just(Coincident),
    ]
}

pub(crate) fn depths() -> impl Strategy<Value = Depth> {
    prop_oneof![
        1 => (0u8..5).prop_map(Depth::Uniform),
        3 => (1usize..40).prop_map(|leaf_capacity| Depth::Adaptive { leaf_capacity }),
    ]
}

/// A tree over random sets: the same or separate, of any shapes, small sizes and empty ones included.
pub(crate) fn trees(max_points: usize) -> impl Strategy<Value = Octree> {
    let set = move || clouds_of(shapes(), 0..max_points);
    (set(), prop::option::of(set()), depths()).prop_map(|(sources, receivers, depth)| {
        let sources = sources.points();
        match receivers {
            None => Octree::build(&sources, depth).unwrap(),
            Some(receivers) => Octree::build_between(&sources, &receivers.points(), depth).unwrap(),
        }
    })
}
