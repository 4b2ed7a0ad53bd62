//! Fields of earlier evaluations, whose memory later ones use.

use std::mem;

use crate::api::{Error, Field};

/// Fields that an evaluation writes to before the caller gets them, so that a failure leaves the caller's as they were. Memory
/// of more fields stays for later evaluations of as many vectors.
#[derive(Debug)]
pub(crate) struct SpareFields<T>(Vec<Field<T>>);

impl<T> SpareFields<T> {
    /// No fields.
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes the fields out, to be put back.
    pub(crate) fn take(&mut self) -> Self {
        mem::replace(self, Self::new())
    }
}

impl<T: Default> SpareFields<T> {
    /// Writes as many fields as the caller has, and exchanges them for the caller's unless `write` fails.
    pub(crate) fn exchange(
        &mut self,
        fields: &mut [Field<T>],
        write: impl FnOnce(&mut [Field<T>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Self(spare) = self;
        spare.resize_with(fields.len().max(spare.len()), Field::default);
        let spare = &mut spare[..fields.len()];
        write(spare)?;
        fields.swap_with_slice(spare);
        Ok(())
    }
}
