//! Boundary elements: the capacitance of a sphere and of a protein's surface, by GMRES with one plan.
//!
//! Exterior Dirichlet problem of Laplace's equation: a conductor has the potential 1, and the charge density σ on its
//! surface is wanted. Each triangle has a constant density, and the potential is 1 at each centroid:
//!
//! > Σ_j σ_j ∫_j dS(y) / |x_i − y| = 1.
//!
//! Far triangles act like charges at three quadrature points: a sum of 1/r by the plan, which never changes. Near ones are
//! integrated in closed form (D. R. Wilton et al., IEEE Trans. Antennas Propag. 32, 276, 1984), and the plan's terms are
//! taken out again. The capacitance Σ σ_j A_j of a sphere is its radius, in Gaussian units, and its error falls like the area of the
//! triangles.
//!
//! Run with `cargo run --release -p farfield --example capacitance`.

use std::error::Error;
use std::time::Instant;

use farfield::formats::{Charges, Selection, read_points};
use farfield::octree::neighbors::Neighbors;
use farfield::{Field, Fmm, Outputs, Plan, Workspace};

type Vector = [f64; 3];

/// Molecular surface of lysozyme, in Å.
const VERTICES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/lysozyme-vertices.dat.gz");
const TRIANGLES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/lysozyme-triangles.dat.gz");

/// Radius of near triangles, in sides of an average triangle.
const NEAR: f64 = 3.0;

/// Residual at which GMRES ends.
const RESIDUAL: f64 = 1e-6;

fn main() -> Result<(), Box<dyn Error>> {
    let mut before: Option<(usize, f64)> = None;
    for halvings in 2..=4 {
        let sphere = sphere(halvings);
        let (capacitance, products) = capacitance(&sphere)?;
        let error = (capacitance - 1.0).abs();
        let n = sphere.len();
        println!(
            "sphere, {n:5} triangles: {capacitance:.6}, error {error:.1e}, {products} products"
        );
        if let Some((n_before, error_before)) = before {
            let rate = (error_before / error).ln() / (n as f64 / n_before as f64).ln();
            println!("  the error falls like n^-{rate:.2}");
            assert!((rate - 1.0).abs() < 0.1, "1 is expected");
        }
        before = Some((n, error));
    }

    let protein = mesh_of_files()?;
    let start = Instant::now();
    let (capacitance, products) = capacitance(&protein)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "lysozyme, {} triangles: {capacitance:.3} Å, {products} products in {seconds:.2} s",
        protein.len()
    );
    assert!((15.0..25.0).contains(&capacitance), "between the spheres within and around");
    Ok(())
}

/// Capacitance of a closed surface, and the number of products.
fn capacitance(triangles: &[[Vector; 3]]) -> Result<(f64, usize), Box<dyn Error>> {
    let mut potential = SingleLayer::new(triangles)?;
    let ones = vec![1.0; triangles.len()];
    let (density, products) = gmres(&ones, |density| potential.apply(density))?;
    let charges = density.iter().zip(&potential.areas).map(|(density, area)| density * area);
    Ok((charges.sum(), products))
}

/// The potential of a layer of charge at the centroids.
struct SingleLayer {
    plan: Plan<f64>,
    areas: Vec<f64>,
    /// Near triangles of each centroid, with the integral less the plan's terms.
    near: Vec<Vec<(usize, f64)>>,
    charges: Vec<f64>,
    field: Field<f64>,
    workspace: Workspace,
}

impl SingleLayer {
    fn new(triangles: &[[Vector; 3]]) -> Result<Self, Box<dyn Error>> {
        let third = |[a, b, c]: &[Vector; 3]| [0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3.0);
        let centroids: Vec<Vector> = triangles.iter().map(third).collect();
        let area = |[a, b, c]: &[Vector; 3]| 0.5 * length(cross(minus(*b, *a), minus(*c, *a)));
        let areas: Vec<f64> = triangles.iter().map(area).collect();
        let points: Vec<Vector> = triangles.iter().flat_map(quadrature).collect();
        let fmm = Fmm::new().tolerance(1e-7).outputs(Outputs::Potential);
        let plan = fmm.plan((&points, &centroids))?;
        let side = (areas.iter().sum::<f64>() / areas.len() as f64).sqrt();
        let neighbors = Neighbors::of(&centroids)?.within(NEAR * side)?;
        let correction = |i: usize, j: usize| {
            let term = |y: &Vector| areas[j] / 3.0 / length(minus(centroids[i], *y));
            let of_plan: f64 = points[3 * j..3 * j + 3].iter().map(term).sum();
            (j, integral(centroids[i], &triangles[j]) - of_plan)
        };
        let near = |i: usize| -> Vec<(usize, f64)> {
            let others = neighbors.row(i).iter().map(|j| *j as usize).filter(|j| *j != i);
            std::iter::once(i).chain(others).map(|j| correction(i, j)).collect()
        };
        let near = (0..triangles.len()).map(near).collect();
        let (charges, field, workspace) = (Vec::new(), Field::default(), Workspace::new());
        Ok(Self { plan, areas, near, charges, field, workspace })
    }

    /// The potential at all centroids: one evaluation of the plan.
    fn apply(&mut self, density: &[f64]) -> Result<Vec<f64>, farfield::Error> {
        let pairs = density.iter().zip(&self.areas);
        self.charges = pairs.flat_map(|(density, area)| [density * area / 3.0; 3]).collect();
        self.plan.evaluate_into(&self.charges, &mut self.field, &mut self.workspace)?;
        let corrected = |(potential, near): (&f64, &Vec<(usize, f64)>)| {
            potential + near.iter().map(|(j, weight)| weight * density[*j]).sum::<f64>()
        };
        Ok(self.field.potential.iter().zip(&self.near).map(corrected).collect())
    }
}

/// Three points of a triangle whose mean integrates polynomials of degree 2.
fn quadrature([a, b, c]: &[Vector; 3]) -> [Vector; 3] {
    let near =
        |p: &Vector, q: &Vector, r: &Vector| [0, 1, 2].map(|k| (4.0 * p[k] + q[k] + r[k]) / 6.0);
    [near(a, b, c), near(b, c, a), near(c, a, b)]
}

/// ∫ dS(y) / |x − y| over a triangle (Wilton et al., eq. 5).
fn integral(x: Vector, corners: &[Vector; 3]) -> f64 {
    let [a, b, c] = *corners;
    let normal = unit(cross(minus(b, a), minus(c, a)));
    let height = dot(normal, minus(x, a));
    let mut sum = 0.0;
    for k in 0..3 {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let along = unit(minus(to, from));
        let outward = cross(along, normal);
        let (begin, end) = (dot(minus(from, x), along), dot(minus(to, x), along));
        // Distance from the foot of x to the line of the edge, positive inside, and from x to the line.
        let inside = dot(minus(from, x), outward);
        let r2 = inside * inside + height * height;
        let (r_begin, r_end) = ((r2 + begin * begin).sqrt(), (r2 + end * end).sqrt());
        if r2 < 1e-28 {
            continue;
        }
        sum += inside * ((r_end + end) / (r_begin + begin)).ln();
        let angle = |at: f64, r: f64| (inside * at).atan2(r2 + height.abs() * r);
        sum -= height.abs() * (angle(end, r_end) - angle(begin, r_begin));
    }
    sum
}

/// GMRES without restarts (Saad and Schultz 1986): x with ‖b − A x‖ ≤ [`RESIDUAL`] ‖b‖, and the number of products.
fn gmres<E>(
    b: &[f64],
    mut apply: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
) -> Result<(Vec<f64>, usize), E> {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let inner = |v: &[f64], w: &[f64]| v.iter().zip(w).map(|(a, b)| a * b).sum::<f64>();
    let size = norm(b);
    let mut basis = vec![b.iter().map(|x| x / size).collect::<Vec<f64>>()];
    let (mut columns, mut rotations, mut g) = (Vec::<Vec<f64>>::new(), Vec::new(), vec![size]);
    while g[g.len() - 1].abs() > RESIDUAL * size && columns.len() < 200 {
        let mut w = apply(&basis[basis.len() - 1])?;
        let mut column = Vec::new();
        for v in &basis {
            let h = inner(&w, v);
            w.iter_mut().zip(v).for_each(|(w, v)| *w -= h * v);
            column.push(h);
        }
        let rest = norm(&w);
        // Rotations keep the columns triangular, and the last entry of g the norm of the residual.
        for (k, (c, s)) in rotations.iter().enumerate() {
            let (above, below): (f64, f64) = (column[k], column[k + 1]);
            (column[k], column[k + 1]) = (c * above + s * below, c * below - s * above);
        }
        let last = column.len() - 1;
        let r = column[last].hypot(rest);
        let (c, s) = (column[last] / r, rest / r);
        column[last] = r;
        rotations.push((c, s));
        g.push(-s * g[last]);
        g[last] *= c;
        columns.push(column);
        basis.push(w.iter().map(|x| x / rest).collect());
    }
    let n = columns.len();
    let mut factors = vec![0.0; n];
    for k in (0..n).rev() {
        let above: f64 = (k + 1..n).map(|l| columns[l][k] * factors[l]).sum();
        factors[k] = (g[k] - above) / columns[k][k];
    }
    let at = |i: usize| (0..n).map(|k| factors[k] * basis[k][i]).sum();
    Ok(((0..b.len()).map(at).collect(), n))
}

/// An octahedron whose triangles are halved on each side some times, on the unit sphere.
fn sphere(halvings: u32) -> Vec<[Vector; 3]> {
    let axis = |k: usize, sign: f64| {
        let mut point = [0.0; 3];
        point[k] = sign;
        point
    };
    let mut triangles = Vec::new();
    for octant in 0..8 {
        let sign = |k: usize| if octant >> k & 1 == 0 { 1.0 } else { -1.0 };
        triangles.push([0, 1, 2].map(|k| axis(k, sign(k))));
    }
    for _ in 0..=halvings {
        let halved = |[a, b, c]: &[Vector; 3]| {
            let middle = |p: Vector, q: Vector| unit([0, 1, 2].map(|k| p[k] + q[k]));
            let (ab, bc, ca) = (middle(*a, *b), middle(*b, *c), middle(*c, *a));
            [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
        };
        triangles = triangles.iter().flat_map(halved).collect();
    }
    triangles
}

/// The mesh of the files: places of vertices, and the numbers of three of them from 1 on.
fn mesh_of_files() -> Result<Vec<[Vector; 3]>, Box<dyn Error>> {
    let table = Selection { charges: Charges::Ignored, ..Selection::default() };
    let vertices = read_points(VERTICES, &table)?.positions;
    let numbers = read_points(TRIANGLES, &table)?.positions;
    Ok(numbers.iter().map(|corners| corners.map(|number| vertices[number as usize - 1])).collect())
}

fn minus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross([a, b, c]: Vector, [x, y, z]: Vector) -> Vector {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

fn unit(a: Vector) -> Vector {
    a.map(|c| c / length(a))
}
