//! Memory of an evaluation of a clump.

use std::ops::Range;

use crate::api::Field;
use crate::cpu::geometry::receivers::Sums;
use crate::engine::{Scalar, Unit, Workspace};

/// Charges, fields and workspace of one clump.
#[derive(Debug)]
pub(crate) struct InnerRoom<T> {
    pub(crate) workspace: Workspace,
    /// Charges of each vector.
    charges: Vec<Vec<T>>,
    pub(crate) fields: Vec<Field<T>>,
}

impl<T> Default for InnerRoom<T> {
    fn default() -> Self {
        Self { workspace: Workspace::new(), charges: Vec::new(), fields: Vec::new() }
    }
}

impl<T: Scalar> InnerRoom<T> {
    /// Takes the charges at these tree positions out of vectors in tree order and in units of their own.
    pub(crate) fn take_charges(
        &mut self,
        vectors: &[Vec<T>],
        units: &[f64],
        sources: &[Range<usize>],
    ) {
        self.charges.resize_with(vectors.len(), Vec::new);
        self.fields.resize_with(vectors.len(), Field::default);
        for ((to, from), unit) in self.charges.iter_mut().zip(vectors).zip(units) {
            let charges = sources.iter().flat_map(|run| &from[run.clone()]);
            to.clear();
            to.extend(charges.map(|q| T::narrow(q.widen() * unit)));
        }
    }

    /// Charges of each vector, and what an evaluation writes to.
    pub(crate) fn parts(&mut self) -> (Vec<&[T]>, &mut [Field<T>], &mut Workspace) {
        let vectors = self.charges.iter().map(Vec::as_slice).collect();
        (vectors, &mut self.fields, &mut self.workspace)
    }

    /// Adds the fields to sums at these tree positions, in a unit of length and units of charge.
    pub(crate) fn add_to(
        &self,
        receivers: &[Range<usize>],
        unit: Unit,
        charge_units: &[f64],
        sums: &mut [Sums<T>],
    ) {
        let places = || receivers.iter().cloned().flatten();
        for ((sums, charge), inner) in sums.iter_mut().zip(charge_units).zip(&self.fields) {
            for (place, value) in places().zip(&inner.potential) {
                let value = value.widen() / unit.potential(*charge);
                sums.potential[place] += T::narrow(value);
            }
            for (place, value) in places().zip(&inner.gradient) {
                for (sum, part) in sums.gradient.iter_mut().zip(value) {
                    sum[place] += T::narrow(part.widen() / unit.gradient(*charge));
                }
            }
        }
    }

    /// Memory of charges and fields in bytes; the report of a field has that of the workspace.
    pub(crate) fn bytes(&self) -> usize {
        let charges: usize = self.charges.iter().map(Vec::len).sum();
        let field = |field: &Field<T>| field.potential.len() + 3 * field.gradient.len();
        (charges + self.fields.iter().map(field).sum::<usize>()) * size_of::<T>()
    }
}
