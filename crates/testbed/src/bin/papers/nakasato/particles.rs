//! The paper's model, and the arrays that the kernel of its appendix walks.

use std::time::Instant;

use octree::papers::curve::{Curve, permutation};
use octree::papers::walk::Links;
use octree::{Depth, Octree, upward};

use testbed::clouds::{self, Cloud};

/// The paper's model: `thousands`·1024 particles, uniform in a sphere, in any order.
pub(crate) fn sphere(thousands: usize) -> Cloud {
    clouds::uniform_sphere(1024 * thousands, 1)
}

/// The paper's arrays: n particles, then the cells.
#[derive(Debug)]
pub(crate) struct Particles {
    /// Links `next` and `more` of the walk.
    pub(crate) links: Links,
    /// Position and mass: shape (n + n_cells).
    pub(crate) bodies: Vec<[f32; 4]>,
    /// Sizes (l, s) of cells, from which a θ makes the squared effective size.
    shapes: Vec<[f32; 2]>,
    /// Seconds that tree, moments and links took.
    pub(crate) build_seconds: f64,
}

impl Particles {
    /// Arrays of a cloud, in the order of a curve. Times leave sorting out, because the paper's particles come sorted
    /// or unsorted.
    ///
    /// # Errors
    ///
    /// The errors of [`Octree::build`] and [`Links::build`].
    pub(crate) fn new(cloud: &Cloud, curve: Curve) -> Result<Self, octree::Error> {
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
    pub(crate) fn n(&self) -> usize {
        self.links.n_particles()
    }

    /// The squared effective size (l/θ + s)² of each cell.
    pub(crate) fn sizes(&self, theta: f64) -> Vec<f32> {
        let square = |x: f32| x * x;
        self.shapes.iter().map(|[l, s]| square(l / theta as f32 + s)).collect()
    }
}
