//! The file of a field over ranks: rank 0 writes it, and asks the others for one array of their part at a time.
//!
//! Parts follow each other in the order of the points of the file, so that rank 0 holds the part of one rank besides its own.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use bytemuck::cast_slice;
use distributed::{Communicator, all_gather};
use fmm::{Field, Scalar};
use formats::{Cells, FieldArray, FieldParts, write_field_parts};

use crate::command::error::Error;

/// Part of a rank: its receivers and the field there.
pub(super) struct Part<'a, T> {
    pub(super) positions: &'a [[f64; 3]],
    /// Charges of the receivers, where these are the sources.
    pub(super) charges: Option<&'a [f64]>,
    pub(super) field: &'a Field<T>,
}

/// Requests of rank 0: an array, or nothing more.
const ARRAYS: [FieldArray; 4] =
    [FieldArray::Positions, FieldArray::Charges, FieldArray::Potential, FieldArray::Gradient];
const END: u8 = ARRAYS.len() as u8;

impl<T: Scalar> Part<'_, T> {
    fn values(&self, array: FieldArray) -> Cow<'_, [f64]> {
        let wide = |values: &[T]| values.iter().map(|value| value.widen()).collect();
        match array {
            FieldArray::Positions => Cow::Borrowed(self.positions.as_flattened()),
            FieldArray::Charges => Cow::Borrowed(self.charges.unwrap_or_default()),
            FieldArray::Potential => Cow::Owned(wide(&self.field.potential)),
            FieldArray::Gradient => Cow::Owned(wide(self.field.gradient.as_flattened())),
        }
    }
}

/// Parts of all ranks, as rank 0 sees them.
struct OfRanks<'a, T> {
    ranks: &'a dyn Communicator,
    lengths: Vec<usize>,
    own: &'a Part<'a, T>,
}

impl<T: Scalar> FieldParts for OfRanks<'_, T> {
    fn lengths(&self) -> Vec<usize> {
        self.lengths.clone()
    }

    fn has_charges(&self) -> bool {
        self.own.charges.is_some()
    }

    fn values(&mut self, part: usize, array: FieldArray) -> io::Result<Cow<'_, [f64]>> {
        if part == self.ranks.rank() {
            return Ok(self.own.values(array));
        }
        let place = ARRAYS.iter().position(|other| *other == array).unwrap_or_default();
        self.ranks.send(part, vec![place as u8]).map_err(io::Error::other)?;
        let bytes = self.ranks.receive(part).map_err(io::Error::other)?;
        let numbers = bytes.as_chunks().0.iter().map(|number| f64::from_ne_bytes(*number));
        Ok(Cow::Owned(numbers.collect()))
    }
}

/// Writes the field of all ranks, on rank 0, with the cells that it read. Collective.
pub(super) fn write<T: Scalar>(
    path: &Path,
    ranks: &dyn Communicator,
    part: &Part<'_, T>,
    cells: &Cells,
) -> Result<(), Error> {
    let lengths = all_gather(ranks, &[part.positions.len() as u64])?.concat();
    if ranks.rank() > 0 {
        return serve(ranks, part);
    }
    let lengths = lengths.into_iter().map(|length| length as usize).collect();
    let written = write_field_parts(path, &mut OfRanks { ranks, lengths, own: part }, cells);
    // Others wait for requests, also where writing failed.
    (1..ranks.size()).try_for_each(|rank| ranks.send(rank, vec![END]))?;
    Ok(written?)
}

/// Gives rank 0 the arrays of this rank's part that it asks for.
fn serve<T: Scalar>(ranks: &dyn Communicator, part: &Part<'_, T>) -> Result<(), Error> {
    loop {
        let request = ranks.receive(0)?;
        let array = request.first().and_then(|place| ARRAYS.get(usize::from(*place)));
        match array {
            Some(array) => ranks.send(0, cast_slice(&part.values(*array)).to_vec())?,
            None => return Ok(()),
        }
    }
}
