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
    /// Mass Σ m and moment of inertia Σ m x² at the first time, where they are known.
    pub extent: Option<[f64; 2]>,
}

impl Diagnostics {
    /// Reads the table that `farfield simulate` writes, or one with short names: time; kinetic, potential, and energy or
    /// total; momentum_x or px and so on; angular_momentum_x or lx and so on; mass and inertia, if they are there.
    ///
    /// # Errors
    /// Errors of [`formats::read_points`]: a missing file or column, or a field that is no number.
    pub fn read(path: &Path) -> Result<Diagnostics, Error> {
        let energies = columns(path, &["kinetic,potential,energy", "kinetic,potential,total"])?;
        let momenta = columns(path, &["momentum_x,momentum_y,momentum_z", "px,py,pz"])?;
        let long = "angular_momentum_x,angular_momentum_y,angular_momentum_z";
        let angular_momenta = columns(path, &[long, "lx,ly,lz"])?;
        let extent = match columns(path, &["mass,inertia,time"]) {
            Ok(table) => table.positions.first().map(|&[mass, inertia, _]| [mass, inertia]),
            Err(Error::File(error)) if matches!(error.fault, Fault::NoColumn { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Diagnostics {
            times: energies.charges,
            energies: energies.positions,
            momenta: momenta.positions,
            angular_momenta: angular_momenta.positions,
            extent,
        })
    }
}

/// Reads three columns and the time, by the first names that the table has.
fn columns(path: &Path, names: &[&str]) -> Result<PointTable, Error> {
    let mut missing = None;
    for names in names {
        let columns = names.split(',').map(|name| Column::Name(name.to_owned()));
        let columns: Vec<Column> = columns.collect();
        let positions = columns.try_into().ok().map(PositionColumns::Each);
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
/// of energy is relative to its first value. Momentum P and angular momentum L may begin at zero, so that the lengths of
/// their differences are relative to √(2MT) and √(2IT), which Σ m |v| and Σ m |x × v| do not exceed: M is the mass, I the
/// moment of inertia at the first time, T the largest kinetic energy. Without M and I they are absolute.
pub fn energy(diagnostics: &Diagnostics, time_unit: &str) -> Figure {
    let Diagnostics { times, energies, momenta, angular_momenta, extent } = diagnostics;
    let time = || Axis::linear(with_unit("time", time_unit));
    let line = |name: &str, values: &mut dyn Iterator<Item = f64>| Series {
        name: name.to_owned(),
        points: times.iter().copied().zip(values).collect(),
    };
    let part = |name, k: usize| line(name, &mut energies.iter().map(|energy| energy[k]));
    let first = energies.first().map_or(1.0, |energy| energy[2]);
    let relative = energies.iter().map(|energy| ((energy[2] - first) / first).abs());
    let kinetic = energies.iter().map(|energy| energy[0]).fold(0.0, f64::max);
    // A scale of 0 is that of particles which never move.
    let scale = |extent: f64| match (2.0 * kinetic).sqrt() * extent.sqrt() {
        scale if scale > 0.0 => scale,
        _ => 1.0,
    };
    let (scales, names, label) = match extent {
        Some(extent) => (extent.map(scale), ["|ΔP| / √(2MT)", "|ΔL| / √(2IT)"], "relative change"),
        None => ([1.0; 2], ["|ΔP|", "|ΔL|"], "change"),
    };
    let changes = vec![
        line("|ΔE / E₀|", &mut { relative }),
        line(names[0], &mut change(momenta).map(|change| change / scales[0])),
        line(names[1], &mut change(angular_momenta).map(|change| change / scales[1])),
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
        y: axis(label.to_owned()),
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
