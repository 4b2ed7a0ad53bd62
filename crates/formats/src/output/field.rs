//! Potential and gradient at receivers, as writers take them: at once, or part after part.

use std::borrow::Cow;
use std::io;

use crate::error::Fault;

/// A field at its receivers. All arrays have the same length N and order.
#[derive(Clone, Copy, Debug)]
pub struct FieldTable<'a> {
    /// Positions of the receivers: shape (N, 3).
    pub positions: &'a [[f64; 3]],
    /// Charges of the receivers: shape (N); `None` where receivers are not sources.
    pub charges: Option<&'a [f64]>,
    /// Potential Φ: shape (N).
    pub potential: &'a [f64],
    /// Gradient ∇Φ: shape (N, 3).
    pub gradient: &'a [[f64; 3]],
}

/// An array of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldArray {
    /// Positions of the receivers.
    Positions,
    /// Charges of the receivers.
    Charges,
    /// Potential Φ.
    Potential,
    /// Gradient ∇Φ.
    Gradient,
}

/// A field of which a writer takes one part at a time, so that nobody has to hold all of it. The receivers of a part follow
/// those of the part before.
pub trait FieldParts {
    /// Number of receivers of each part.
    fn lengths(&self) -> Vec<usize>;

    /// Whether the receivers have charges.
    fn has_charges(&self) -> bool;

    /// Values of an array in a part: [`FieldArray::width`] numbers a receiver.
    ///
    /// # Errors
    /// Values that cannot be had.
    fn values(&mut self, part: usize, array: FieldArray) -> io::Result<Cow<'_, [f64]>>;
}

impl FieldArray {
    const ALL: [Self; 4] = [Self::Positions, Self::Charges, Self::Potential, Self::Gradient];

    /// Numbers a receiver.
    pub fn width(self) -> usize {
        match self {
            Self::Positions | Self::Gradient => 3,
            Self::Charges | Self::Potential => 1,
        }
    }

    /// Name in archives and in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Positions => "positions",
            Self::Charges => "charges",
            Self::Potential => "potential",
            Self::Gradient => "gradient",
        }
    }

    /// Names of the columns.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Positions => &["x", "y", "z"],
            Self::Charges => &["charge"],
            Self::Potential => &["potential"],
            Self::Gradient => &["gradient_x", "gradient_y", "gradient_z"],
        }
    }
}

/// The arrays of a field, in the order of their columns.
pub(crate) fn arrays(field: &dyn FieldParts) -> impl Iterator<Item = FieldArray> + use<> {
    let has_charges = field.has_charges();
    FieldArray::ALL.into_iter().filter(move |array| has_charges || *array != FieldArray::Charges)
}

/// Names of the columns of a field.
pub(crate) fn names(field: &dyn FieldParts) -> Vec<&'static str> {
    arrays(field).flat_map(FieldArray::columns).copied().collect()
}

/// Gives the values of an array to `put`, part after part.
pub(crate) fn each_part(
    field: &mut dyn FieldParts,
    array: FieldArray,
    mut put: impl FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    for (part, length) in field.lengths().into_iter().enumerate() {
        put(&checked(field, part, array, length)?)?;
    }
    Ok(())
}

/// Gives the rows of a field to `put`, one after the other: the values of all arrays at a receiver.
pub(crate) fn each_row(
    field: &mut dyn FieldParts,
    mut put: impl FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    for (part, length) in field.lengths().into_iter().enumerate() {
        let mut columns = Vec::new();
        for array in arrays(field) {
            columns.push((array.width(), checked(field, part, array, length)?.into_owned()));
        }
        let mut row = Vec::new();
        for i in 0..length {
            row.clear();
            columns.iter().for_each(|(width, values)| row.extend(&values[width * i..][..*width]));
            put(&row)?;
        }
    }
    Ok(())
}

/// Values of a part, as many as there have to be.
fn checked(
    field: &mut dyn FieldParts,
    part: usize,
    array: FieldArray,
    length: usize,
) -> io::Result<Cow<'_, [f64]>> {
    let values = field.values(part, array)?;
    let (found, expected) = (values.len(), array.width() * length);
    match found == expected {
        true => Ok(values),
        false => {
            let name = array.name();
            Err(io::Error::other(format!(
                "part {part} has {found} numbers of {name}, not {expected}"
            )))
        }
    }
}

impl FieldTable<'_> {
    /// Compares the lengths of the arrays.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let expected = self.positions.len();
        let lengths = [
            ("charges", self.charges.map_or(expected, <[f64]>::len)),
            ("potential", self.potential.len()),
            ("gradient", self.gradient.len()),
        ];
        match lengths.into_iter().find(|&(_, found)| found != expected) {
            Some((array, found)) => Err(Fault::Length { array, found, expected }),
            None => Ok(()),
        }
    }
}

impl FieldParts for FieldTable<'_> {
    fn lengths(&self) -> Vec<usize> {
        vec![self.positions.len()]
    }

    fn has_charges(&self) -> bool {
        self.charges.is_some()
    }

    fn values(&mut self, _part: usize, array: FieldArray) -> io::Result<Cow<'_, [f64]>> {
        Ok(Cow::Borrowed(match array {
            FieldArray::Positions => self.positions.as_flattened(),
            FieldArray::Charges => self.charges.unwrap_or_default(),
            FieldArray::Potential => self.potential,
            FieldArray::Gradient => self.gradient.as_flattened(),
        }))
    }
}
