//! The electrostatic potential of a protein in the plane through its middle, as bands of equal potential.

use fmm::{Fmm, Outputs};
use formats::{Selection, read_points};

use super::Outcome;
use super::drawing::{Anchor, Drawing, ORANGE};

/// Acetylcholine binding protein 1I9B.
const MOLECULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/achbp.pqr.gz");

/// Coulomb's constant over the thermal energy at 298.15 K, in Å: N e²/(4π ε₀ RT), as in the example `molecule`.
const COULOMB: f64 = 1389.354576 / 2.478_957;

/// Half the width of the square that is drawn, in Å.
const HALF: f64 = 60.0;

/// Atoms this far from the plane are drawn, in Å.
const SLAB: f64 = 1.0;

/// Cells of the picture along each axis, and their side in pixels.
const CELLS: usize = 150;
const SIDE: f64 = 4.0;

/// Width of a band and lower end of the first, in kT/e. The band at each end holds all that is beyond.
const BAND: f64 = 75.0;
const FIRST: f64 = -1050.0;
const BANDS: usize = 10;

/// Bands of the potential at the middles of the cells, atoms near the plane, and a bar of the bands.
pub(crate) fn draw() -> Outcome {
    let atoms = read_points(MOLECULE, &Selection::default())?;
    let n = atoms.positions.len() as f64;
    let middle = [0, 1, 2].map(|d| atoms.positions.iter().map(|atom| atom[d]).sum::<f64>() / n);
    let at = |k: usize| HALF * (2.0 * (k as f64 + 0.5) / CELLS as f64 - 1.0);
    let cell = |k: usize| [middle[0] + at(k % CELLS), middle[1] - at(k / CELLS), middle[2]];
    let grid: Vec<[f64; 3]> = (0..CELLS * CELLS).map(cell).collect();
    let plan =
        Fmm::new().tolerance(1e-6).outputs(Outputs::Potential).plan((&atoms.positions, &grid))?;
    let field = plan.evaluate(&atoms.charges)?;
    let bands: Vec<usize> = field.potential.iter().map(|x| band(COULOMB * x)).collect();

    let size = CELLS as f64 * SIDE;
    let mut drawing = Drawing::new([size, size + 64.0]);
    for band in 0..BANDS {
        drawing.rows(&runs(&bands, band), SIDE, &colour(band));
    }
    let place = |c: f64| 0.5 * size * (1.0 + c / HALF);
    let near = atoms.positions.iter().filter(|atom| (atom[2] - middle[2]).abs() < SLAB);
    let dots: Vec<[f64; 2]> =
        near.map(|[x, y, _]| [place(x - middle[0]), place(middle[1] - y)]).collect();
    drawing.dots(&dots, ORANGE, 2.6);
    bar(&mut drawing, size);
    Ok(drawing.finish("Potential of the acetylcholine binding protein in a plane, in kT/e"))
}

fn band(potential: f64) -> usize {
    let number = ((potential - FIRST) / BAND).floor();
    number.clamp(0.0, (BANDS - 1) as f64) as usize
}

/// Colour of a band, from dark blue at the lowest to nearly white.
fn colour(band: usize) -> String {
    let (low, high) = ([8.0, 48.0, 107.0], [240.0, 246.0, 252.0]);
    let share = band as f64 / (BANDS - 1) as f64;
    let [r, g, b] = [0, 1, 2].map(|k| (low[k] + share * (high[k] - low[k])).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Stretches of the rows of cells that are in a band: corner and length in pixels.
fn runs(bands: &[usize], band: usize) -> Vec<([f64; 2], f64)> {
    let mut runs = Vec::new();
    for (row, cells) in bands.chunks(CELLS).enumerate() {
        let mut column = 0;
        for run in cells.chunk_by(|a, b| a == b) {
            if run[0] == band {
                let corner = [column as f64 * SIDE, row as f64 * SIDE];
                runs.push((corner, run.len() as f64 * SIDE));
            }
            column += run.len();
        }
    }
    runs
}

/// The bands and their ends below the picture.
fn bar(drawing: &mut Drawing, size: f64) {
    let width = size / (BANDS + 2) as f64;
    for band in 0..BANDS {
        let corner = [(band + 1) as f64 * width, size + 10.0];
        drawing.area(corner, [width, 16.0], &colour(band));
        if band % 2 == 0 && band > 0 {
            let end = format!("{:.0}", FIRST + band as f64 * BAND).replace('-', "−");
            drawing.text([corner[0], size + 46.0], 18.0, Anchor::Middle, &end);
        }
    }
    drawing.text([size - 4.0, size + 46.0], 18.0, Anchor::End, "kT/e");
}
