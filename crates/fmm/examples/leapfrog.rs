//! Star cluster by leapfrog: kick, drift, kick, with `update_positions` between the steps.
//!
//! The plan outlives the steps: moving its points builds a new tree, but keeps settings and tables. Field and workspace
//! are used again, so that no step allocates large memory. Softening tames close encounters, which a fixed step cannot
//! follow. Leapfrog is symplectic, so the energy wavers, and drifts away only if the forces are wrong.
//!
//! Far pairs are not softened. The plan keeps boxes much larger than the softening length instead, so a large softening
//! at a small tolerance leaves little to expansions.
//!
//! Units: G = 1, mass of the cluster 1, Plummer's scale length 1.
//!
//! Run with `cargo run --release -p farfield-fmm --example leapfrog`.

use fmm::{Error, Field, Fmm, Plan, Workspace};

const STARS: usize = 10_000;
const STEP: f64 = 0.02;
const STEPS: usize = 50;
const SOFTENING: f64 = 0.005;

/// Numbers in [0, 1) of a linear congruential generator (Knuth's MMIX constants).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// A vector of this length in a random direction.
fn random_direction(length: f64, state: &mut u64) -> [f64; 3] {
    let z = 2.0 * random(state) - 1.0;
    let (sine, cosine) = (std::f64::consts::TAU * random(state)).sin_cos();
    let s = (1.0 - z * z).sqrt();
    [s * cosine, s * sine, z].map(|part| length * part)
}

/// Positions and velocities of a Plummer sphere in equilibrium, without the outermost hundredth of the mass.
///
/// The mass within r is r³ (1 + r²)^(-3/2). All stars at one radius have the root mean square of the speeds there.
fn plummer(n: usize) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
    let mut state = 1;
    let mut star = |_| {
        let mass_within = 0.99 * random(&mut state);
        let r = (mass_within.powf(-2.0 / 3.0) - 1.0).sqrt().recip();
        let speed = (0.5 / (1.0 + r * r).sqrt()).sqrt();
        (random_direction(r, &mut state), random_direction(speed, &mut state))
    };
    (0..n).map(&mut star).unzip()
}

/// Cluster between two steps.
struct Cluster {
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    masses: Vec<f64>,
    plan: Plan<f64>,
    field: Field<f64>,
    workspace: Workspace,
}

impl Cluster {
    fn new(n: usize) -> Result<Self, Error> {
        let (positions, velocities) = plummer(n);
        let masses = vec![1.0 / n as f64; n];
        let plan = Fmm::new().tolerance(1e-3).softening(SOFTENING).plan(&positions)?;
        let field = plan.evaluate(&masses)?;
        Ok(Self { positions, velocities, masses, plan, field, workspace: Workspace::new() })
    }

    /// One step of length `dt`. The field at the end of a step serves the beginning of the next.
    fn step(&mut self, dt: f64) -> Result<(), Error> {
        self.kick(0.5 * dt);
        for (x, v) in self.positions.iter_mut().zip(&self.velocities) {
            *x = [0, 1, 2].map(|axis| x[axis] + dt * v[axis]);
        }
        self.plan.update_positions(&self.positions)?;
        self.plan.evaluate_into(&self.masses, &mut self.field, &mut self.workspace)?;
        if let Some(excess) = self.field.report.excess() {
            eprintln!(
                "the tolerance is not reached: the error is about {excess:.1} times as large"
            );
        }
        self.kick(0.5 * dt);
        Ok(())
    }

    /// Velocities change by the acceleration G ∇Φ.
    fn kick(&mut self, dt: f64) {
        for (v, acceleration) in self.velocities.iter_mut().zip(&self.field.gradient) {
            *v = [0, 1, 2].map(|axis| v[axis] + dt * acceleration[axis]);
        }
    }

    /// Kinetic and potential energy. The sum over stars counts each pair twice, so the potential takes a half.
    fn energies(&self) -> [f64; 2] {
        let speed_squared = |v: &[f64; 3]| v.iter().map(|part| part * part).sum::<f64>();
        let kinetic = self.masses.iter().zip(&self.velocities).map(|(m, v)| m * speed_squared(v));
        let potential = self.masses.iter().zip(&self.field.potential).map(|(m, phi)| -m * phi);
        [0.5 * kinetic.sum::<f64>(), 0.5 * potential.sum::<f64>()]
    }
}

fn main() -> Result<(), Error> {
    let mut cluster = Cluster::new(STARS)?;
    let energy = |cluster: &Cluster| cluster.energies().iter().sum::<f64>();
    let start = energy(&cluster);
    let mut worst = 0.0_f64;
    println!(" time   kinetic  potential    energy   drift");
    for step in 0..=STEPS {
        if step > 0 {
            cluster.step(STEP)?;
        }
        let ([kinetic, potential], now) = (cluster.energies(), energy(&cluster));
        let drift = (now - start) / start.abs();
        worst = worst.max(drift.abs());
        if step % 10 == 0 {
            let time = STEP * step as f64;
            println!("{time:5.2}  {kinetic:8.5}  {potential:9.5}  {now:8.5}  {drift:6.0e}");
        }
    }
    println!("{}", cluster.field.report);
    assert!(worst < 1e-3, "the energy drifts by {worst:.1e}");
    Ok(())
}

#[test]
fn the_energy_is_kept() -> Result<(), Error> {
    main()
}
