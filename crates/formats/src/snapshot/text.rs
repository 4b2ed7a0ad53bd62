//! Tables and other text: points, whose velocities are columns vx, vy and vz if there are such.

use std::path::Path;

use super::Snapshot;
use crate::error::{At, Error, Fault};
use crate::input::read_points;
use crate::points::column::{Column, PositionColumns};
use crate::points::selection::{Charges, Selection};

/// Names of the columns of velocities.
const VELOCITIES: [&str; 3] = ["vx", "vy", "vz"];

/// Reads points with their velocities, or at rest.
pub(super) fn read(path: &Path) -> Result<Snapshot, Error> {
    let points = read_points(path, &Selection::of_masses())?;
    let columns = VELOCITIES.map(|name| Column::Name(name.to_owned()));
    let selection =
        Selection { positions: Some(PositionColumns::Each(columns)), charges: Charges::Ignored };
    let velocities = match read_points(path, &selection) {
        Ok(moving) => Some(moving.positions),
        Err(Error { fault: Fault::NoColumn { available, .. }, .. }) if !has_any(&available) => None,
        Err(error) => return Err(error),
    };
    let snapshot = Snapshot::at_rest(points).map_err(|fault| At::from(fault).of(path))?;
    Ok(match velocities {
        Some(velocities) => Snapshot { velocities, ..snapshot },
        None => snapshot,
    })
}

/// Whether a velocity is among columns whose names stand in a list: then all three have to be.
fn has_any(available: &str) -> bool {
    available.split(", ").any(|name| VELOCITIES.contains(&name))
}
