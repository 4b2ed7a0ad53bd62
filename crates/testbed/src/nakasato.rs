//! Nakasato (2012): the numbers of Tables 2, 3 and 5, and the arrays that the kernel of the paper's appendix walks.

use std::time::Instant;

use octree::papers::curve::{Curve, permutation};
use octree::papers::walk::Links;
use octree::{Depth, Octree, upward};

use crate::clouds::{self, Cloud};

/// N in K, and the paper's total and construction times: unsorted (Table 2) and Morton (Table 3).
pub const BY_NUMBER: [(usize, [f64; 2], [f64; 2]); 5] = [
    (50, [3.95e-2, 1.1e-3], [3.00e-2, 9.1e-3]),
    (100, [9.65e-2, 2.5e-2], [6.08e-2, 1.8e-2]),
    (200, [0.234, 6.1e-2], [0.127, 3.9e-2]),
    (400, [0.583, 0.15], [0.265, 8.0e-2]),
    (800, [1.36, 0.38], [0.566, 0.16]),
];

/// θ and the paper's total time at 800K (Table 5).
pub const BY_ANGLE: [(f64, f64); 9] = [
    (0.2, 16.5),
    (0.3, 5.24),
    (0.4, 2.24),
    (0.5, 1.14),
    (0.6, 0.682),
    (0.7, 0.492),
    (0.8, 0.398),
    (0.9, 0.343),
    (1.0, 0.310),
];

/// The paper's model: `thousands`·1024 particles, uniform in a sphere, in any order.
pub fn sphere(thousands: usize) -> Cloud {
    clouds::uniform_sphere(1024 * thousands, 1)
}

/// The paper's arrays: n particles, then the cells.
#[derive(Debug)]
pub struct Particles {
    /// Links `next` and `more` of the walk.
    pub links: Links,
    /// Position and mass: shape (n + n_cells).
    pub bodies: Vec<[f32; 4]>,
    /// Sizes (l, s) of cells, from which a θ makes the squared effective size.
    shapes: Vec<[f32; 2]>,
    /// Seconds that tree, moments and links took.
    pub build_seconds: f64,
}

impl Particles {
    /// Arrays of a cloud, in the order of a curve. Times leave sorting out, because the paper's particles come sorted
    /// or unsorted.
    ///
    /// # Errors
    ///
    /// The errors of [`Octree::build`] and [`Links::build`].
    pub fn new(cloud: &Cloud, curve: Curve) -> Result<Self, octree::Error> {
        let Cloud { positions, charges, .. } = cloud;
        let order = permutation(positions, curve)?;
        let clock = Instant::now();
        let tree = Octree::build(positions, Depth::Adaptive { leaf_capacity: 1 })?;
        let links = Links::build(&tree)?.permuted(&order)?;
        let sources = tree.source_permutation();
        let body = |i: u32| {
            let [x, y, z] = positions[i as usize];
            [x, y, z, charges[i as usize]]
        };
        let moments = upward(&tree, |b, below: &[[f64; 4]]| {
            let of_points = if tree.is_leaf(b) { tree.sources(b) } else { 0..0 };
            let of_points =
                of_points.map(|at| body(sources[at])).map(|[x, y, z, m]| [m * x, m * y, m * z, m]);
            of_points
                .chain(below.iter().copied())
                .fold([0.0; 4], |a, b| [0, 1, 2, 3].map(|k| a[k] + b[k]))
        });
        let cells = moments.iter().map(|[x, y, z, m]| [x / m, y / m, z / m, *m]);
        let shape = |(b, [x, y, z, _]): (usize, [f64; 4])| {
            let (cube, key) = (tree.cube(), tree.key(b));
            let middle = cube.center(key);
            let s = (x - middle[0]).hypot(y - middle[1]).hypot(z - middle[2]);
            [cube.side_at(key.level()) as f32, s as f32]
        };
        let shapes = cells.clone().enumerate().map(shape).collect();
        let particles = links.permutation().iter().map(|i| body(*i));
        let bodies = particles.chain(cells).map(|body| body.map(|x| x as f32)).collect();
        Ok(Self { links, bodies, shapes, build_seconds: clock.elapsed().as_secs_f64() })
    }

    /// Number of particles.
    pub fn n(&self) -> usize {
        self.links.n_particles()
    }

    /// The squared effective size (l/θ + s)² of each cell.
    pub fn sizes(&self, theta: f64) -> Vec<f32> {
        let square = |x: f32| x * x;
        self.shapes.iter().map(|[l, s]| square(l / theta as f32 + s)).collect()
    }
}
