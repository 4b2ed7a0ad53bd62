//! Leapfrogging vortex rings: a vortex method with the velocities of three charge vectors.
//!
//! Vortex particles of strength α at y move by the law of Biot and Savart, 4π u(x) = Σ α × (x − y)/r³, which is the curl of
//! the potentials of the three components of α. A softening takes the place of the core of the filament. Two rings of
//! the same sense on one axis draw each other: the one behind shrinks and slips through the other, again and again.
//!
//! Run with `cargo run --release -p farfield --example vortex_rings [FOLDER]`. Snapshots are drawn from the side by
//! `farfield render FOLDER/*.npz --movie rings.gif --view 0,-1,0.3 --size 300x400 --fps 10`.

use std::error::Error;
use std::f64::consts::TAU;
use std::path::PathBuf;

use farfield::formats::{Snapshot, write_snapshot};
use farfield::{Fmm, Outputs};

/// Filaments of a ring, and particles of a filament.
const FILAMENTS: usize = 8;
const PARTICLES: usize = 150;

/// Radius of the rings, distance between them, radius of their cores, softening.
const RADIUS: f64 = 1.0;
const DISTANCE: f64 = 0.6;
const CORE: f64 = 0.1;
const SOFTENING: f64 = 0.1;

const STEP: f64 = 0.04;
const STEPS: usize = 300;
const STEPS_A_SNAPSHOT: usize = 10;

/// Two rings: closed filaments, one after the other.
struct Rings {
    positions: Vec<[f64; 3]>,
    /// Circulation of each filament.
    circulation: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder)?;
    }
    let mut rings = Rings::new();
    let before = rings.impulse();
    let (mut behind_leads, mut passes) = (false, 0);
    for step in 0..=STEPS {
        let [(z0, r0), (z1, r1)] = [rings.place(0), rings.place(1)];
        if (z0 > z1) != behind_leads {
            (behind_leads, passes) = (z0 > z1, passes + 1);
        }
        if step % 50 == 0 {
            let time = step as f64 * STEP;
            println!("t = {time:.1}: z = {z0:.2}, R = {r0:.2} and z = {z1:.2}, R = {r1:.2}");
        }
        if let Some(folder) = folder.as_ref().filter(|_| step % STEPS_A_SNAPSHOT == 0) {
            let path = folder.join(format!("rings-{:03}.npz", step / STEPS_A_SNAPSHOT));
            write_snapshot(path, &rings.snapshot(step))?;
        }
        if step < STEPS {
            rings.advance()?;
        }
    }
    let after = rings.impulse();
    let change = ((after[2] - before[2]) / before[2]).abs();
    println!("the rings passed each other {passes} times; the impulse changed by {change:.1e}");
    assert!(passes >= 1 && change < 1e-3);
    Ok(())
}

impl Rings {
    fn new() -> Self {
        let mut positions = Vec::new();
        for ring in 0..2 {
            for filament in 0..FILAMENTS {
                let turn = TAU * filament as f64 / FILAMENTS as f64;
                let radius = RADIUS + CORE * turn.cos();
                let z = DISTANCE * f64::from(ring) + CORE * turn.sin();
                positions.extend((0..PARTICLES).map(|k| {
                    let angle = TAU * k as f64 / PARTICLES as f64;
                    [radius * angle.cos(), radius * angle.sin(), z]
                }));
            }
        }
        Self { positions, circulation: 1.0 / FILAMENTS as f64 }
    }

    /// Strength of each particle: the circulation along half of the way between its neighbours on the filament.
    fn strengths(&self, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let strength = |i: usize| {
            let (filament, k) = (i / PARTICLES * PARTICLES, i % PARTICLES);
            let next = positions[filament + (k + 1) % PARTICLES];
            let last = positions[filament + (k + PARTICLES - 1) % PARTICLES];
            [0, 1, 2].map(|axis| 0.5 * self.circulation * (next[axis] - last[axis]))
        };
        (0..positions.len()).map(strength).collect()
    }

    /// Velocities of all particles.
    fn velocities(&self, positions: &[[f64; 3]]) -> Result<Vec<[f64; 3]>, farfield::Error> {
        let strengths = self.strengths(positions);
        let component = |axis: usize| -> Vec<f64> { strengths.iter().map(|s| s[axis]).collect() };
        let charges = [component(0), component(1), component(2)];
        let vectors: Vec<&[f64]> = charges.iter().map(Vec::as_slice).collect();
        let fmm = Fmm::new().tolerance(1e-5).softening(SOFTENING).outputs(Outputs::Gradient);
        let fields = fmm.vectors(3).plan(positions)?.evaluate_many(&vectors)?;
        let curl = |i: usize| {
            let [x, y, z] = [0, 1, 2].map(|k| fields[k].gradient[i]);
            [z[1] - y[2], x[2] - z[0], y[0] - x[1]].map(|c| c / (2.0 * TAU))
        };
        Ok((0..positions.len()).map(curl).collect())
    }

    /// One step of the midpoint rule.
    fn advance(&mut self) -> Result<(), farfield::Error> {
        let moved = |velocities: &[[f64; 3]], time: f64| -> Vec<[f64; 3]> {
            let pairs = self.positions.iter().zip(velocities);
            pairs.map(|(x, u)| [0, 1, 2].map(|axis| x[axis] + time * u[axis])).collect()
        };
        let middle = moved(&self.velocities(&self.positions)?, 0.5 * STEP);
        let positions = moved(&self.velocities(&middle)?, STEP);
        self.positions = positions;
        Ok(())
    }

    /// Hydrodynamic impulse ½ Σ y × α, which the flow keeps.
    fn impulse(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for ([x, y, z], [a, b, c]) in self.positions.iter().zip(self.strengths(&self.positions)) {
            let cross = [y * c - z * b, z * a - x * c, x * b - y * a];
            (0..3).for_each(|axis| sum[axis] += 0.5 * cross[axis]);
        }
        sum
    }

    /// Mean height and radius of a ring.
    fn place(&self, ring: usize) -> (f64, f64) {
        let n = FILAMENTS * PARTICLES;
        let of_ring = &self.positions[ring * n..(ring + 1) * n];
        let mean = |value: fn(&[f64; 3]) -> f64| of_ring.iter().map(value).sum::<f64>() / n as f64;
        (mean(|x| x[2]), mean(|x| x[0].hypot(x[1])))
    }

    fn snapshot(&self, step: usize) -> Snapshot {
        let n = self.positions.len();
        Snapshot {
            time: step as f64 * STEP,
            step: step as u64,
            positions: self.positions.clone(),
            velocities: vec![[0.0; 3]; n],
            masses: vec![1.0 / n as f64; n],
            ids: (0..n as u64).collect(),
        }
    }
}
