//! Results of an evaluation: the file of the field, and the report.

use std::path::Path;

use fmm::{Field, Report, SampledError, Scalar};
use formats::{Cells, FieldTable, write_field_parts};

use super::arguments::Arguments;
use super::totals::Totals;
use crate::command::error::Error;
use crate::command::narrow::room;
use crate::command::report;

/// Points at which a field is, in the order of the file.
pub(super) struct Receivers<'a> {
    pub(super) positions: &'a [[f64; 3]],
    /// Charges of the receivers, where these are the sources.
    pub(super) charges: Option<&'a [f64]>,
    /// Cells that join the receivers.
    pub(super) cells: &'a Cells,
}

/// Writes the field at the receivers.
pub(super) fn write<T: Scalar>(
    path: &Path,
    receivers: &Receivers<'_>,
    field: &Field<T>,
) -> Result<(), Error> {
    let mut potential: Vec<f64> = room(field.potential.len())?;
    potential.extend(field.potential.iter().map(|&value| value.widen()));
    let mut gradient: Vec<[f64; 3]> = room(field.gradient.len())?;
    gradient.extend(field.gradient.iter().map(|v| v.map(T::widen)));
    let Receivers { positions, charges, cells } = *receivers;
    let mut table = FieldTable { positions, charges, potential: &potential, gradient: &gradient };
    Ok(write_field_parts(path, &mut table, cells)?)
}

/// Prints the report, with a warning where the tolerance was not reached, and where softenings of single particles are not used.
pub(super) fn tell(
    arguments: &Arguments,
    report: &Report,
    error: Option<&SampledError>,
    totals: Option<&Totals>,
) -> Result<(), Error> {
    report::warn(report);
    report::warn_of_softenings(arguments.input_path(), report.softening);
    match arguments.json {
        true => report::print(report::json(report, error, totals)),
        false => {
            let output = arguments.output.as_deref();
            report::print(report::text(report, error, totals, output))
        }
    }
}
