//! GMRES whose vectors stay in the memory of a device: the boundary-element problem of the example `gmres`.
//!
//! GMRES (Saad and Schultz 1986) is written once, over a [`Memory`] of vectors: products of matrix and vector, dot products,
//! combinations. One memory is that of the host; the other is that of a GPU, where a `DevicePlan` keeps tree and lists for
//! the whole solve and takes charges from device memory. A step sends the shares of dot products over the bus, and what the
//! plan's check looks at; right-hand side and solution cross once.
//!
//! Run with `cargo run --release -p farfield-fmm --features cuda --example gmres_device -- cuda 1000000`, or without a GPU
//! with `--features emulator` and `-- emulated 3000`.

mod ellipsoid;

use std::f64::consts::PI;
use std::ops::Range;

use ellipsoid::{OUTSIDE, Surface, dot, known, norm};
use fmm::device::{
    DevicePlan, DeviceSlice, DeviceSliceMut, FieldTrace, Grown, Machine, MachineError, SetSizes,
    Vec4, VectorSpace,
};
use fmm::{Error, Field, Fmm, Method, Outputs, Plan, Workspace};
use kernels_gpu::machine::Emulator;

/// Tolerance of the sums, and of the residual.
const TOLERANCE: f64 = 1e-6;
/// Vectors of the Krylov space before GMRES starts again.
const RESTART: usize = 5;
/// Number of the solution among the vectors: behind the basis.
const SOLUTION: usize = RESTART + 1;
/// Number of the right-hand side.
const RIGHT: usize = RESTART + 2;
/// Number of vectors.
const VECTORS: usize = RESTART + 3;

/// Vectors by their numbers, and the matrix that acts on them.
trait Memory {
    /// Makes a vector the product of the matrix and another.
    fn apply(&mut self, from: usize, to: usize) -> Result<(), Error>;
    /// Dot products of vectors with one.
    fn products(&mut self, vectors: Range<usize>, with: usize) -> Result<Vec<f64>, Error>;
    /// Makes a vector `scale` times itself plus other vectors times factors.
    fn combine(
        &mut self,
        vectors: Range<usize>,
        factors: &[f64],
        scale: f64,
        to: usize,
    ) -> Result<(), Error>;

    fn norm(&mut self, vector: usize) -> Result<f64, Error> {
        Ok(self.products(vector..vector + 1, vector)?[0].sqrt())
    }
}

/// Solves for [`SOLUTION`] until ‖b − A x‖ ≤ [`TOLERANCE`] ‖b‖. Gives the number of products and the relative residual,
/// which is computed anew.
fn gmres(memory: &mut impl Memory) -> Result<(usize, f64), Error> {
    let size = memory.norm(RIGHT)?;
    memory.combine(0..0, &[], 0.0, SOLUTION)?;
    let mut products = 0;
    loop {
        memory.apply(SOLUTION, 0)?;
        memory.combine(RIGHT..RIGHT + 1, &[1.0], -1.0, 0)?;
        products += 1;
        let beta = memory.norm(0)?;
        println!("product {products:2}  residual {:.1e}, computed anew", beta / size);
        if beta <= TOLERANCE * size || products > 100 {
            return Ok((products, beta / size));
        }
        memory.combine(0..0, &[], beta.recip(), 0)?;
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut rotations: Vec<[f64; 2]> = Vec::new();
        let mut g = vec![beta];
        while columns.len() < RESTART && g[g.len() - 1].abs() > 0.5 * TOLERANCE * size {
            let k = columns.len();
            memory.apply(k, k + 1)?;
            products += 1;
            let mut column = orthogonalize(memory, k + 1)?;
            rotate(&mut column, &mut rotations, &mut g);
            println!("product {products:2}  residual {:.1e}", g[k + 1].abs() / size);
            columns.push(column);
        }
        // Back substitution: the combination of the basis with the smallest residual.
        for k in (0..columns.len()).rev() {
            g[k] /= columns[k][k];
            let weight = g[k];
            g.iter_mut().zip(&columns[k][..k]).for_each(|(g, h)| *g -= weight * h);
        }
        memory.combine(0..columns.len(), &g[..columns.len()], 1.0, SOLUTION)?;
    }
}

/// Makes a vector orthogonal to all before it, and of length 1. Gives the projections, then the length.
///
/// Classical Gram–Schmidt, twice, is as good as the modified one (L. Giraud et al., Numer. Math. 101, 87, 2005), and takes
/// all products in one launch.
fn orthogonalize(memory: &mut impl Memory, vector: usize) -> Result<Vec<f64>, Error> {
    let mut column = vec![0.0; vector];
    for _ in 0..2 {
        let projections = memory.products(0..vector, vector)?;
        let factors: Vec<f64> = projections.iter().map(|h| -h).collect();
        memory.combine(0..vector, &factors, 1.0, vector)?;
        column.iter_mut().zip(projections).for_each(|(all, h)| *all += h);
    }
    let length = memory.norm(vector)?;
    memory.combine(0..0, &[], length.recip(), vector)?;
    column.push(length);
    Ok(column)
}

/// Givens rotations, which keep the columns triangular and the last entry of g the norm of the residual.
fn rotate(column: &mut Vec<f64>, rotations: &mut Vec<[f64; 2]>, g: &mut Vec<f64>) {
    for (k, [c, s]) in rotations.iter().enumerate() {
        let [above, below] = [column[k], column[k + 1]];
        [column[k], column[k + 1]] = [c * above + s * below, c * below - s * above];
    }
    let k = rotations.len();
    let length = column.pop().unwrap_or_default();
    let diagonal = column[k].hypot(length);
    let [c, s] = [column[k] / diagonal, length / diagonal];
    column[k] = diagonal;
    g.push(-s * g[k]);
    g[k] *= c;
    rotations.push([c, s]);
}

/// Charge vectors whose gradients have the divergence that Gauss's law asks for at each point: w n_x, w n_y, w n_z. The
/// share of a point's own surface element, which sums leave out, is −4π plus that divergence.
fn weighted_normals(surface: &Surface) -> [Vec<f64>; 3] {
    let each = || surface.normals.iter().zip(&surface.areas);
    [0, 1, 2].map(|axis| each().map(|(n, w)| n[axis] * w).collect())
}

/// Vectors of the host.
struct Host<'a> {
    surface: &'a Surface,
    plan: Plan<f64>,
    diagonal: Vec<f64>,
    vectors: Vec<Vec<f64>>,
    field: Field<f64>,
    workspace: Workspace,
}

impl<'a> Host<'a> {
    fn new(surface: &'a Surface) -> Result<Self, Error> {
        let n = surface.points.len();
        let plan =
            Fmm::new().tolerance(TOLERANCE).outputs(Outputs::Gradient).plan(&surface.points)?;
        let [x, y, z] = weighted_normals(surface);
        let fields = plan.evaluate_many(&[&x, &y, &z])?;
        let divergence = |j: usize| (0..3).map(|a| fields[a].gradient[j][a]).sum::<f64>();
        let diagonal = (0..n).map(|j| -4.0 * PI + divergence(j)).collect();
        let mut vectors = vec![vec![0.0; n]; VECTORS];
        vectors[RIGHT] = surface.flux();
        let (field, workspace) = (Field::default(), Workspace::new());
        Ok(Self { surface, plan, diagonal, vectors, field, workspace })
    }
}

impl Memory for Host<'_> {
    fn apply(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let (surface, density) = (self.surface, &self.vectors[from]);
        let charges: Vec<f64> = surface.areas.iter().zip(density).map(|(w, s)| w * s).collect();
        self.plan.evaluate_into(&charges, &mut self.field, &mut self.workspace)?;
        let flux = |i: usize| {
            self.diagonal[i] * density[i] + dot(&surface.normals[i], &self.field.gradient[i])
        };
        self.vectors[to] = (0..density.len()).map(flux).collect();
        Ok(())
    }

    fn products(&mut self, vectors: Range<usize>, with: usize) -> Result<Vec<f64>, Error> {
        Ok(self.vectors[vectors].iter().map(|vector| dot(vector, &self.vectors[with])).collect())
    }

    fn combine(
        &mut self,
        vectors: Range<usize>,
        factors: &[f64],
        scale: f64,
        to: usize,
    ) -> Result<(), Error> {
        let mut sum: Vec<f64> = self.vectors[to].iter().map(|x| scale * x).collect();
        for (vector, factor) in self.vectors[vectors].iter().zip(factors) {
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += factor * x);
        }
        self.vectors[to] = sum;
        Ok(())
    }
}

/// Vectors of a device, one after the other.
struct OnDevice<M: Machine> {
    machine: M,
    plan: DevicePlan<M, f64>,
    space: VectorSpace<M>,
    areas: Grown<M, f64>,
    /// (n_x, n_y, n_z, 0) at each point.
    normals: Grown<M, Vec4<f64>>,
    diagonal: Grown<M, f64>,
    charges: Grown<M, f64>,
    vectors: Grown<M, f64>,
}

impl<M: Machine + Clone> OnDevice<M> {
    fn new(machine: M, surface: &Surface, method: Method) -> Result<Self, Error> {
        let n = surface.points.len();
        let request = Fmm::new().method(method).tolerance(TOLERANCE).outputs(Outputs::Gradient);
        let mut memory = Self {
            plan: DevicePlan::new(machine.clone(), request)?,
            space: VectorSpace::new(machine.clone(), n),
            areas: Grown::new(),
            normals: Grown::new(),
            diagonal: Grown::new(),
            charges: Grown::new(),
            vectors: Grown::new(),
            machine,
        };
        let machine = &memory.machine;
        let four = |vectors: &[[f64; 3]]| -> Vec<Vec4<f64>> {
            vectors.iter().map(|[x, y, z]| Vec4([*x, *y, *z, 0.0])).collect()
        };
        let mut points = memory.plan.points_mut(SetSizes::Both(n))?;
        points.upload(machine, &four(&surface.points))?;
        memory.plan.build()?;
        memory.areas.upload(machine, &surface.areas)?;
        memory.normals.upload(machine, &four(&surface.normals))?;
        memory.charges.reserve(machine, n)?;
        memory.vectors.reserve(machine, VECTORS * n)?;
        memory.find_diagonal(surface)?;
        memory.upload(RIGHT, &surface.flux())?;
        Ok(memory)
    }

    /// The diagonal of the matrix: −4π, then the divergence, axis by axis.
    fn find_diagonal(&mut self, surface: &Surface) -> Result<(), Error> {
        let n = self.space.len();
        self.diagonal.upload(&self.machine, &vec![1.0; n])?;
        self.upload(0, &vec![-4.0 * PI; n])?;
        let mut axes = Grown::new();
        for (axis, charges) in weighted_normals(surface).iter().enumerate() {
            let unit = std::array::from_fn(|k| if k == axis { 1.0 } else { 0.0 });
            axes.upload(&self.machine, &vec![Vec4(unit); n])?;
            self.charges.upload(&self.machine, charges)?;
            self.plan.set_charges(self.charges.slice(n)?)?;
            let (field, weights) = (self.plan.evaluate()?, axes.slice(n)?);
            let (vector, trace) = apart(&mut self.vectors, n, axis..axis + 1, axis + 1)?;
            let diagonal = self.diagonal.slice(n)?;
            self.space.trace(FieldTrace { field, weights, diagonal, vector, trace })?;
        }
        let divergence = some(&self.vectors, n, 3..4)?;
        Ok(self.space.combine(divergence, &[1.0], 0.0, self.diagonal.slice_mut(n)?)?)
    }

    fn upload(&mut self, k: usize, items: &[f64]) -> Result<(), MachineError> {
        let n = self.space.len();
        let vectors = self.vectors.slice_mut(VECTORS * n)?;
        vectors.part(k * n..(k + 1) * n)?.upload(&self.machine, items)
    }

    fn download(&self, k: usize) -> Result<Vec<f64>, MachineError> {
        let n = self.space.len();
        let mut vector = vec![0.0; n];
        some(&self.vectors, n, k..k + 1)?.download(&self.machine, &mut vector)?;
        Ok(vector)
    }
}

/// Vectors to be read.
fn some<M: Machine>(
    memory: &Grown<M, f64>,
    n: usize,
    vectors: Range<usize>,
) -> Result<DeviceSlice<'_, f64>, MachineError> {
    memory.slice(VECTORS * n)?.part(vectors.start * n..vectors.end * n)
}

/// Vectors to be read, and another one to be written.
fn apart<M: Machine>(
    memory: &mut Grown<M, f64>,
    n: usize,
    vectors: Range<usize>,
    to: usize,
) -> Result<(DeviceSlice<'_, f64>, DeviceSliceMut<'_, f64>), MachineError> {
    let [before, rest] = memory.slice_mut(VECTORS * n)?.split_at(to * n)?;
    let [to_slice, after] = rest.split_at(n)?;
    let (others, first) = if vectors.end <= to { (before, 0) } else { (after, to + 1) };
    let start = vectors.start.saturating_sub(first) * n;
    Ok((others.into_slice().part(start..start + vectors.len() * n)?, to_slice))
}

impl<M: Machine + Clone> Memory for OnDevice<M> {
    fn apply(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let n = self.space.len();
        let vector = some(&self.vectors, n, from..from + 1)?;
        self.space.multiply(self.areas.slice(n)?, vector, self.charges.slice_mut(n)?)?;
        self.plan.set_charges(self.charges.slice(n)?)?;
        let (field, weights) = (self.plan.evaluate()?, self.normals.slice(n)?);
        let (vector, trace) = apart(&mut self.vectors, n, from..from + 1, to)?;
        let diagonal = self.diagonal.slice(n)?;
        Ok(self.space.trace(FieldTrace { field, weights, diagonal, vector, trace })?)
    }

    fn products(&mut self, vectors: Range<usize>, with: usize) -> Result<Vec<f64>, Error> {
        let n = self.space.len();
        let vectors = some(&self.vectors, n, vectors)?;
        let with = some(&self.vectors, n, with..with + 1)?;
        Ok(self.space.products(vectors, with)?)
    }

    fn combine(
        &mut self,
        vectors: Range<usize>,
        factors: &[f64],
        scale: f64,
        to: usize,
    ) -> Result<(), Error> {
        let (vectors, to) = apart(&mut self.vectors, self.space.len(), vectors, to)?;
        Ok(self.space.combine(vectors, factors, scale, to)?)
    }
}

/// Solves in both memories, and compares the solutions with each other and with the known potential.
fn solve<M: Machine + Clone>(machine: M, n: u32, method: Method) -> Result<(), Error> {
    let surface = Surface::new(n);
    let mut device = OnDevice::new(machine, &surface, method)?;
    let (products, residual) = gmres(&mut device)?;
    println!("{}", device.plan.report());
    println!("device: {products} products, residual {residual:.1e}");
    assert!(method != Method::Fmm || device.plan.report().m2l_pairs > 0, "no expansions");
    assert!(products < 30, "an equation of the second kind takes few steps, not {products}");
    let density = device.download(SOLUTION)?;

    let mut host = Host::new(&surface)?;
    let (products, residual) = gmres(&mut host)?;
    println!("host: {products} products, residual {residual:.1e}");
    let expected = &host.vectors[SOLUTION];
    let difference: Vec<f64> = density.iter().zip(expected).map(|(a, b)| a - b).collect();
    let difference = norm(&difference) / norm(expected);
    println!("solutions differ by {difference:.1e}");
    // Each sum and each residual is off by the tolerance, and the matrix is well conditioned.
    assert!(difference < 10.0 * TOLERANCE, "the solutions differ");

    let charges: Vec<f64> = density.iter().zip(&surface.areas).map(|(s, w)| s * w).collect();
    let found = Fmm::new().plan((&surface.points, &OUTSIDE))?.evaluate(&charges)?.potential;
    let errors = OUTSIDE.iter().zip(found).map(|(x, found)| (found / known(x).0 - 1.0).abs());
    let error = errors.fold(0.0, f64::max);
    println!("error of the potential outside: {error:.1e}");
    // The points of a surface carry it to the order of their distance squared, 1/n.
    assert!(error < 2.0 / f64::from(n), "the layer does not solve the problem");
    Ok(())
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let device = arguments.next().unwrap_or_else(|| "emulated".to_owned());
    let n = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(3000);
    match device.as_str() {
        #[cfg(feature = "cuda")]
        "cuda" => solve(fmm::device::Cuda::new(0)?, n, Method::Auto),
        "emulated" => solve(Emulator, n, Method::Auto),
        _ => {
            eprintln!(
                "usage: gmres_device [emulated|cuda] [POINTS]; cuda asks for the feature cuda"
            );
            std::process::exit(2)
        }
    }
}

#[test]
fn solutions_of_device_and_host_agree() -> Result<(), Error> {
    solve(Emulator, 1600, Method::Fmm)
}
