//! Boundary-element solve by GMRES with one plan for all matrix-vector products.
//!
//! Exterior Neumann problem of Laplace's equation outside an ellipsoid: the flux ∂Φ/∂n = g is given on the surface,
//! Φ is wanted outside. With a layer of charge σ on the surface, Φ = ∫ σ(y) / |x − y| dS, and the flux is
//!
//! > −2π σ(x) + ∫ σ(y) n(x)·∇ₓ 1/|x − y| dS = g(x),
//!
//! an integral equation of the second kind, so that GMRES needs few steps at any number of points. Nyström's method
//! replaces the integral by a sum over surface points y_j with charges w_j σ_j, which is the gradient of a plan. The
//! points never move: tree and lists are built once, and each product costs one evaluation.
//!
//! The flux comes from two charges inside, so the solution outside is known.
//!
//! Run with `cargo run --release -p farfield-fmm --example gmres`.

mod ellipsoid;

use std::f64::consts::PI;

use ellipsoid::{OUTSIDE, Surface, dot, known, norm};
use fmm::{Error, Field, Fmm, Outputs, Plan, Workspace};

/// The matrix of the integral equation, as a function from σ to the flux.
struct Operator<'a> {
    surface: &'a Surface,
    plan: Plan<f64>,
    diagonal: Vec<f64>,
    charges: Vec<f64>,
    field: Field<f64>,
    workspace: Workspace,
}

impl<'a> Operator<'a> {
    /// Plan of the sums, and the share of each point's own surface element, which the sums leave out.
    ///
    /// Gauss's law fixes the share: the flux of a charge on the outside of the surface is −4π in all. Its flux through
    /// the other elements is the divergence, at the charge, of the gradients of three charge vectors: w n_x, w n_y, w n_z.
    fn new(surface: &'a Surface, tolerance: f64) -> Result<Self, Error> {
        let n = surface.points.len();
        let request = Fmm::new().tolerance(tolerance).outputs(Outputs::Gradient);
        let plan = request.plan(&surface.points)?;
        let weighted = |axis: usize| -> Vec<f64> {
            surface.normals.iter().zip(&surface.areas).map(|(n, w)| n[axis] * w).collect()
        };
        let [x, y, z] = [0, 1, 2].map(weighted);
        let fields = plan.evaluate_many(&[&x, &y, &z])?;
        let divergence = |j: usize| (0..3).map(|a| fields[a].gradient[j][a]).sum::<f64>();
        let diagonal = (0..n).map(|j| -4.0 * PI + divergence(j)).collect();
        let (charges, field, workspace) = (vec![0.0; n], Field::default(), Workspace::new());
        Ok(Self { surface, plan, diagonal, charges, field, workspace })
    }

    /// The flux of σ on the outside of the surface: one evaluation of the plan.
    fn apply(&mut self, density: &[f64]) -> Result<Vec<f64>, Error> {
        for ((charge, area), sigma) in self.charges.iter_mut().zip(&self.surface.areas).zip(density)
        {
            *charge = area * sigma;
        }
        self.plan.evaluate_into(&self.charges, &mut self.field, &mut self.workspace)?;
        let flux = |i: usize| {
            self.diagonal[i] * density[i] + dot(&self.surface.normals[i], &self.field.gradient[i])
        };
        Ok((0..density.len()).map(flux).collect())
    }
}

/// Restarted GMRES (Saad and Schultz 1986): x with ‖b − A x‖ ≤ `tolerance` ‖b‖, and the number of products.
fn gmres(
    operator: &mut Operator<'_>,
    b: &[f64],
    tolerance: f64,
    restart: usize,
) -> Result<(Vec<f64>, usize), Error> {
    let mut x = vec![0.0; b.len()];
    let mut products = 0;
    loop {
        let product = operator.apply(&x)?;
        products += 1;
        let residual: Vec<f64> = b.iter().zip(&product).map(|(b, p)| b - p).collect();
        let beta = norm(&residual);
        println!("product {products:2}  residual {:.1e}, computed anew", beta / norm(b));
        if beta <= tolerance * norm(b) || products > 100 {
            return Ok((x, products));
        }
        // Arnoldi: an orthonormal basis of the Krylov space; column k of H holds the products with it.
        let mut basis = vec![residual.iter().map(|r| r / beta).collect::<Vec<f64>>()];
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut rotations: Vec<[f64; 2]> = Vec::new();
        let mut g = vec![beta];
        while columns.len() < restart && g[g.len() - 1].abs() > 0.5 * tolerance * norm(b) {
            let mut w = operator.apply(&basis[basis.len() - 1])?;
            products += 1;
            let mut column = Vec::new();
            for v in &basis {
                let h = dot(&w, v);
                w.iter_mut().zip(v).for_each(|(w, v)| *w -= h * v);
                column.push(h);
            }
            let length = norm(&w);
            // Givens rotations keep H triangular, and the last entry of g the norm of the residual.
            for (k, [c, s]) in rotations.iter().enumerate() {
                let [above, below] = [column[k], column[k + 1]];
                [column[k], column[k + 1]] = [c * above + s * below, c * below - s * above];
            }
            let k = columns.len();
            let diagonal = column[k].hypot(length);
            let [c, s] = [column[k] / diagonal, length / diagonal];
            column[k] = diagonal;
            g.push(-s * g[k]);
            g[k] *= c;
            println!("product {products:2}  residual {:.1e}", g[k + 1].abs() / norm(b));
            rotations.push([c, s]);
            columns.push(column);
            basis.push(w.iter().map(|w| w / length).collect());
        }
        // Back substitution: the combination of the basis with the smallest residual.
        for k in (0..columns.len()).rev() {
            let weight = g[k] / columns[k][k];
            g.iter_mut().zip(&columns[k][..k]).for_each(|(g, h)| *g -= weight * h);
            x.iter_mut().zip(&basis[k]).for_each(|(x, v)| *x += weight * v);
        }
    }
}

fn main() -> Result<(), Error> {
    let surface = Surface::new(20_000);
    let g = surface.flux();

    let mut operator = Operator::new(&surface, 1e-6)?;
    println!("{}", operator.plan.report());
    let (density, products) = gmres(&mut operator, &g, 1e-6, 5)?;

    // The potential of the layer at points outside, against the known one.
    let charges: Vec<f64> = density.iter().zip(&surface.areas).map(|(s, w)| s * w).collect();
    let found = Fmm::new().plan((&surface.points, &OUTSIDE))?.evaluate(&charges)?.potential;
    println!("potential   known");
    for (x, found) in OUTSIDE.iter().zip(found) {
        let (known, _) = known(x);
        println!("{found:9.6}   {known:9.6}");
        assert!((found - known).abs() < 1e-4 * known.abs(), "the layer does not solve the problem");
    }
    assert!(products < 30, "an equation of the second kind takes few steps, not {products}");
    Ok(())
}

#[test]
fn the_layer_solves_the_problem() -> Result<(), Error> {
    main()
}
