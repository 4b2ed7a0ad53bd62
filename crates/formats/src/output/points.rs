//! Points to files: with their charges, or with masses and velocities.

use std::path::Path;

use super::{archive, check, flat, put, stream, text};
use crate::error::{At, Error, Fault};
use crate::memory::reserve_exact;
use crate::path::Format;
use crate::points::PointTable;
use crate::snapshot::{Snapshot, write_snapshot};
use crate::text::xyz;
use crate::{npy, vtk};

/// Writes points; the extension names the format. A file of that name is replaced, at the end. Readers of points give
/// back the same points by their defaults.
///
/// | extension | content |
/// |---|---|
/// | `.csv` | a row of names x, y, z, charge; then rows |
/// | `.dat`, `.txt` | the same, separated by spaces, the names as a comment |
/// | `.tsv` | the same, separated by tabs, the names as a row |
/// | `.xyz` | extended XYZ, the element is X |
/// | `.npy` | an array (N, 4), or (N, 3) of points without charges |
/// | `.npz` | arrays `positions` (N, 3) and `charges` (N) |
/// | `.vtk` | legacy VTK, an unstructured grid of vertices, with charge as point data |
/// | `.tipsy`, `.gadget` | snapshots as [`write_snapshot`] writes them, of particles at rest whose masses are the charges: f32. They are made of a copy in memory |
///
/// `.gz` on top of an extension compresses text, NPY and VTK.
///
/// # Errors
/// An unknown extension, charges of another number than the points, a path that names no file, and a failure to write; then
/// the folder is left as it was. For TIPSY and GADGET also points without charges, a negative charge, and numbers beyond f32.
pub fn write_points(path: impl AsRef<Path>, points: &PointTable) -> Result<(), Error> {
    let (path, PointTable { positions, charges }) = (path.as_ref(), points);
    let of_path = |fault: Fault| At::from(fault).of(path);
    let expected = positions.len();
    if !charges.is_empty() && charges.len() != expected {
        let found = charges.len();
        return Err(of_path(Fault::Length { array: "charges", found, expected }));
    }
    match Format::of(path, &FORMATS).map_err(of_path)? {
        (Format::Tipsy | Format::Gadget, _) => {
            write_snapshot(path, &masses_at_rest(points).map_err(of_path)?)
        }
        format => put_points(path, format, positions, charges).map_err(of_path),
    }
}

/// Writes particles with their velocities in any format of [`write_points`]. In tables the columns vx, vy and vz
/// follow x, y and z, and [`read_snapshot`](crate::read_snapshot) reads them; `.npz`, `.vtk`, `.tipsy` and `.gadget`
/// are those of [`write_snapshot`]. `.xyz` and `.npy` have no place for velocities and are written without. Tables, `.xyz`
/// and `.npy` have no place for time, step and identity numbers.
///
/// # Errors
/// Errors of [`write_snapshot`].
pub fn write_moving_points(path: impl AsRef<Path>, particles: &Snapshot) -> Result<(), Error> {
    let path = path.as_ref();
    let of_path = |fault: Fault| At::from(fault).of(path);
    let (format, gzip) = Format::of(path, &FORMATS).map_err(of_path)?;
    let put = || match format {
        Format::Csv | Format::Table | Format::Tsv => put_moving(path, (format, gzip), particles),
        _ => put_points(path, (format, gzip), &particles.positions, &particles.masses),
    };
    match format {
        Format::Npz | Format::Vtk | Format::Tipsy | Format::Gadget => {
            write_snapshot(path, particles)
        }
        _ => particles.check().and_then(|()| put()).map_err(of_path),
    }
}

/// Tells before a long computation whether [`write_points`] knows the extension and may write to the folder.
///
/// # Errors
/// Errors of [`check_field_path`](crate::check_field_path).
pub fn check_points_path(path: impl AsRef<Path>) -> Result<(), Error> {
    check(path.as_ref(), &FORMATS)
}

const FORMATS: [Format; 9] = [
    Format::Csv,
    Format::Table,
    Format::Tsv,
    Format::Xyz,
    Format::Npy,
    Format::Npz,
    Format::Vtk,
    Format::Tipsy,
    Format::Gadget,
];

/// A copy of points as particles at rest, for formats that hold masses.
fn masses_at_rest(points: &PointTable) -> Result<Snapshot, Fault> {
    let PointTable { positions, charges } = points;
    if let Some(index) = charges.iter().position(|&charge| charge < 0.0) {
        let (place, value) = (format!("charges[{index}]"), charges[index]);
        return Err(Fault::NegativeMass { place, value });
    }
    if charges.len() != positions.len() {
        let (found, expected) = (charges.len(), positions.len());
        return Err(Fault::Length { array: "charges", found, expected });
    }
    let mut copy = PointTable::default();
    reserve_exact(&mut copy.positions, positions.len())?;
    reserve_exact(&mut copy.charges, charges.len())?;
    copy.positions.extend_from_slice(positions);
    copy.charges.extend_from_slice(charges);
    Snapshot::at_rest(copy)
}

fn put_points(
    path: &Path,
    (format, gzip): (Format, bool),
    positions: &[[f64; 3]],
    charges: &[f64],
) -> Result<(), Fault> {
    let width = if charges.is_empty() { 3 } else { 4 };
    let row = |i: usize| positions[i].into_iter().chain(charges.get(i).copied()).collect();
    put(path, |file| match format {
        Format::Npz => archive(file, |arrays| {
            arrays.array("positions", 3, flat(positions))?;
            if charges.is_empty() {
                return Ok(());
            }
            arrays.array("charges", 1, charges.iter().copied())
        }),
        Format::Npy => stream(file, gzip, |output| {
            let value = |k: usize| match (k / width, k % width) {
                (i, 3) => charges[i],
                (i, axis) => positions[i][axis],
            };
            npy::write(output, width as u64, (0..width * positions.len()).map(value))
        }),
        Format::Xyz => stream(file, gzip, |output| xyz::write(output, positions, charges)),
        Format::Vtk => stream(file, gzip, |output| vtk::write_points(output, positions, charges)),
        format => stream(file, gzip, |output| {
            let names = &["x", "y", "z", "charge"][..width];
            text(output, format, names, (0..positions.len()).map(row))
        }),
    })
}

fn put_moving(
    path: &Path,
    (format, gzip): (Format, bool),
    particles: &Snapshot,
) -> Result<(), Fault> {
    let Snapshot { positions, velocities, masses, .. } = particles;
    let row = |i: usize| [&positions[i][..], &velocities[i], &masses[i..=i]].concat();
    let names = ["x", "y", "z", "vx", "vy", "vz", "mass"];
    put(path, |file| {
        stream(file, gzip, |output| text(output, format, &names, (0..positions.len()).map(row)))
    })
}
