//! Tables and other text: points, whose velocities are columns vx, vy and vz if there are such.

use std::path::Path;

use super::Snapshot;
use crate::error::{At, Error, Fault};
use crate::input::read_points;
use crate::points::column::{Column, PositionColumns};
use crate::points::selection::{Charges, Selection};

/// Names of the columns of velocities, of which the first that are there count.
pub(super) const VELOCITIES: [[&str; 3]; 4] = [
    ["vx", "vy", "vz"],
    ["v_x", "v_y", "v_z"],
    ["vel_x", "vel_y", "vel_z"],
    ["velocity_x", "velocity_y", "velocity_z"],
];

/// Reads points with their velocities, or at rest.
pub(super) fn read(path: &Path, selection: &Selection) -> Result<Snapshot, Error> {
    let points = read_points(path, selection)?;
    let velocities = velocities(path)?;
    let snapshot = Snapshot::at_rest(points).map_err(|fault| At::from(fault).of(path))?;
    Ok(match velocities {
        Some(velocities) => Snapshot { velocities, ..snapshot },
        None => snapshot,
    })
}

/// Velocities of columns of which one is there: then all three have to be.
fn velocities(path: &Path) -> Result<Option<Vec<[f64; 3]>>, Error> {
    for names in VELOCITIES {
        let columns = names.map(|name| Column::Name(name.to_owned()));
        let positions = Some(PositionColumns::Each(columns));
        let error = match read_points(path, &Selection { positions, charges: Charges::Ignored }) {
            Ok(moving) => return Ok(Some(moving.positions)),
            Err(error) => error,
        };
        let has = |name: &str| names.iter().any(|column| name.eq_ignore_ascii_case(column));
        match &error.fault {
            Fault::NoColumn { available, .. }
                if !available.names().iter().any(|name| has(name)) => {}
            _ => return Err(error),
        }
    }
    Ok(None)
}
