//! Columns and arrays that look like velocities, and that readers of snapshots leave out.

use std::path::Path;

use super::text;
use crate::error::Fault;
use crate::input::read_points;
use crate::npz;
use crate::points::column::{Column, PositionColumns};
use crate::points::selection::{Charges, Selection};

/// Names of columns or arrays that look like velocities, though [`read_snapshot`](crate::read_snapshot) reads none of such a
/// name; empty where the file cannot be read, and for pipes. Programs can tell so of points that are at rest.
///
/// Cost: the names alone; in VTK and binary snapshots the whole file.
pub fn unread_velocities(path: impl AsRef<Path>) -> Vec<String> {
    let path = path.as_ref();
    if !path.is_file() {
        return Vec::new();
    }
    // No column has a name with a line feed, so that the message names all that are there.
    let columns = [(); 3].map(|()| Column::Name("\n".to_owned()));
    let positions = Some(PositionColumns::Each(columns));
    let selection = Selection { positions, charges: Charges::Ignored };
    match read_points(path, &selection).map_err(|error| error.fault) {
        Err(Fault::NoColumn { available, .. } | Fault::NoArray { available, .. }) => {
            available.names().iter().filter(|name| is_unread(name)).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a name looks like that of a velocity or of one component, and is none that is read.
fn is_unread(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut read = text::VELOCITIES.as_flattened().iter().chain(&npz::VELOCITIES);
    let components = ["x", "y", "z", "1", "2", "3"];
    let is_velocity = ["velo", "vel", "v"].iter().any(|word| {
        let rest = name.strip_prefix(word).map(|rest| rest.trim_matches(['_', '[', ']']));
        // A column v may be anything, such as a volume or a magnitude.
        rest.is_some_and(|rest| components.contains(&rest) || (rest.is_empty() && *word != "v"))
    });
    (is_velocity || name.starts_with("veloc")) && !read.any(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::is_unread;

    #[test]
    fn names_of_velocities_are_known() {
        for name in ["v1", "v_1", "VelX", "v[x]", "velo", "velo_1", "Velocity_km_s", "velocities_1"]
        {
            assert!(is_unread(name), "{name}");
        }
        for name in
            ["vx", "V_Y", "vel_z", "velocity", "Velocities", "v", "V", "x", "level", "volume", "vr"]
        {
            assert!(!is_unread(name), "{name}");
        }
    }
}
