//! Electrostatics of a molecule: the potential at its atoms, its energy, and the potential on a grid around it.
//!
//! Charges are in e and lengths in Å, so that the potential times Coulomb's constant is an energy per charge. The potential
//! is that of the bare charges: a solvent and its ions would screen it.
//!
//! Run with `cargo run --release -p farfield --example molecule [OUTPUT.vtk]`; ParaView draws the grid.

use std::error::Error;

use farfield::formats::{FieldTable, Selection, read_points, write_field};
use farfield::{Fmm, Outputs};

/// Acetylcholine binding protein 1I9B, 16 090 atoms.
const MOLECULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/achbp.pqr.gz");

/// Coulomb's constant N e²/(4π ε₀) in kJ Å/mol (CODATA 2018).
const COULOMB: f64 = 1389.354576;

/// Thermal energy RT in kJ/mol at 298.15 K.
const THERMAL: f64 = 2.478_957;

/// Points of the grid along each axis.
const GRID: usize = 48;

/// Width of the grid around the molecule, in Å.
const MARGIN: f64 = 10.0;

fn main() -> Result<(), Box<dyn Error>> {
    let atoms = read_points(MOLECULE, &Selection::default())?;
    let fmm = Fmm::new().tolerance(1e-6);

    // At the atoms: each without its own charge.
    let plan = fmm.plan(&atoms.positions)?;
    let field = plan.evaluate(&atoms.charges)?;
    let error = plan.sample_error(&atoms.charges, &field, 1000)?;
    let pairs = atoms.charges.iter().zip(&field.potential);
    let energy = 0.5 * COULOMB * pairs.map(|(q, potential)| q * potential).sum::<f64>();
    let charge: f64 = atoms.charges.iter().sum();
    println!("{} atoms, net charge {charge:.2} e", atoms.positions.len());
    println!("energy of all pairs {energy:.1} kJ/mol");
    println!("at the atoms: {}, to {:.1e}", range(&field.potential), error.l2());

    // On a grid around the molecule.
    let grid = grid_around(&atoms.positions);
    let potential_alone = fmm.outputs(Outputs::Potential);
    let plan = potential_alone.plan((&atoms.positions, &grid))?;
    let around = plan.evaluate(&atoms.charges)?;
    let error = plan.sample_error(&atoms.charges, &around, 1000)?;
    println!(
        "at {} points of the grid: {}, to {:.1e}",
        grid.len(),
        range(&around.potential),
        error.l2()
    );
    assert!(error.l2() < 1e-6);

    if let Some(path) = std::env::args().nth(1) {
        let scaled: Vec<f64> = around.potential.iter().map(|x| x * COULOMB / THERMAL).collect();
        let nothing = vec![[0.0; 3]; grid.len()];
        let table =
            FieldTable { positions: &grid, charges: None, potential: &scaled, gradient: &nothing };
        write_field(&path, &table)?;
        println!("wrote {path}, in kT/e");
    }
    Ok(())
}

/// Least and largest potential, per elementary charge.
fn range(potentials: &[f64]) -> String {
    let low = potentials.iter().copied().fold(f64::INFINITY, f64::min) * COULOMB;
    let high = potentials.iter().copied().fold(f64::NEG_INFINITY, f64::max) * COULOMB;
    format!(
        "{:.0} to {:.0} kT/e, which is {low:.0} to {high:.0} kJ/mol",
        low / THERMAL,
        high / THERMAL
    )
}

/// Points of a regular grid over the box of the atoms and a margin.
fn grid_around(atoms: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let end = |pick: fn(f64, f64) -> f64, sign: f64| {
        [0, 1, 2].map(|axis| {
            let coordinates = atoms.iter().map(|atom| atom[axis]);
            coordinates.reduce(pick).unwrap_or_default() + sign * MARGIN
        })
    };
    let (low, high) = (end(f64::min, -1.0), end(f64::max, 1.0));
    let at =
        |axis: usize, k: usize| low[axis] + (high[axis] - low[axis]) * k as f64 / (GRID - 1) as f64;
    let point = |k: usize| [at(0, k % GRID), at(1, k / GRID % GRID), at(2, k / GRID / GRID)];
    (0..GRID.pow(3)).map(point).collect()
}
