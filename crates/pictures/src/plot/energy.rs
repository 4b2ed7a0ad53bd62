//! Energy and momentum against time.

use std::path::Path;

use formats::{Charges, Column, Fault, PointTable, PositionColumns, Selection, read_points};

use super::{Axis, Figure, Panel, Series};
use crate::error::Error;

/// Conserved quantities of a simulation at several times; all arrays have one length and order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// Times.
    pub times: Vec<f64>,
    /// Kinetic, potential and total energy.
    pub energies: Vec<[f64; 3]>,
    /// Momentum.
    pub momenta: Vec<[f64; 3]>,
    /// Angular momentum.
    pub angular_momenta: Vec<[f64; 3]>,
}

impl Diagnostics {
    /// Reads the table that `farfield simulate` writes, or one with short names: time; kinetic, potential, and energy or
    /// total; momentum_x or px and so on; angular_momentum_x or lx and so on.
    ///
    /// # Errors
    /// Errors of [`formats::read_points`]: a missing file or column, or a field that is no number.
    pub fn read(path: &Path) -> Result<Diagnostics, Error> {
        let energies = columns(path, &["kinetic,potential,energy", "kinetic,potential,total"])?;
        let momenta = columns(path, &["momentum_x,momentum_y,momentum_z", "px,py,pz"])?;
        let long = "angular_momentum_x,angular_momentum_y,angular_momentum_z";
        let angular_momenta = columns(path, &[long, "lx,ly,lz"])?;
        Ok(Diagnostics {
            times: energies.charges,
            energies: energies.positions,
            momenta: momenta.positions,
            angular_momenta: angular_momenta.positions,
        })
    }
}

/// Reads three columns and the time, by the first names that the table has.
fn columns(path: &Path, names: &[&str]) -> Result<PointTable, Error> {
    let mut missing = None;
    for names in names {
        let columns = names.split(',').map(|name| Column::Name(name.to_owned()));
        let columns: Vec<Column> = columns.collect();
        let positions = columns.try_into().ok().map(PositionColumns);
        let charges = Charges::Column(Column::Name("time".to_owned()));
        match read_points(path, &Selection { positions, charges }) {
            Ok(table) => return Ok(table),
            Err(error) if matches!(error.fault, Fault::NoColumn { .. }) => {
                missing.get_or_insert(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(missing.map_or_else(|| Error::NoNumbers(path.display().to_string()), Error::from))
}

/// Energies against time, and below the changes of energy, momentum and angular momentum since the first time. The change
/// of energy is relative to its first value; those of momentum and angular momentum are lengths of the difference, as they
/// may begin at zero.
pub fn energy(diagnostics: &Diagnostics, time_unit: &str) -> Figure {
    let Diagnostics { times, energies, momenta, angular_momenta } = diagnostics;
    let time = || Axis::linear(with_unit("time", time_unit));
    let line = |name: &str, values: &mut dyn Iterator<Item = f64>| Series {
        name: name.to_owned(),
        points: times.iter().copied().zip(values).collect(),
    };
    let part = |name, k: usize| line(name, &mut energies.iter().map(|energy| energy[k]));
    let first = energies.first().map_or(1.0, |energy| energy[2]);
    let relative = energies.iter().map(|energy| ((energy[2] - first) / first).abs());
    let changes = vec![
        line("|ΔE / E₀|", &mut { relative }),
        line("|ΔP|", &mut change(momenta)),
        line("|ΔL|", &mut change(angular_momenta)),
    ];
    let moved = changes.iter().any(|series| series.points.iter().filter(|p| p.1 > 0.0).count() > 1);
    let above = Panel {
        title: "Energy".to_owned(),
        x: time(),
        y: Axis::linear("energy"),
        series: vec![part("kinetic", 0), part("potential", 1), part("total", 2)],
    };
    let axis = if moved { Axis::logarithmic } else { Axis::linear };
    let below = Panel {
        title: "Change of conserved quantities".to_owned(),
        x: time(),
        y: axis("change".to_owned()),
        series: changes,
    };
    Figure { panels: vec![above, below] }
}

/// Length of the difference from the first vector.
fn change(vectors: &[[f64; 3]]) -> impl Iterator<Item = f64> {
    let first = vectors.first().copied().unwrap_or_default();
    vectors.iter().map(move |vector| {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|k| vector[k] - first[k]);
        x.hypot(y).hypot(z)
    })
}

pub(super) fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} / {unit}") }
}
