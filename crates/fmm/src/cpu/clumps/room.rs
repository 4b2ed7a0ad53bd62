//! Memory of an evaluation of a clump.

use crate::api::Field;
use crate::engine::Workspace;

/// Charges, fields and workspace of one clump.
#[derive(Debug)]
pub(crate) struct InnerRoom<T> {
    pub(super) workspace: Workspace,
    /// Charges of each vector.
    pub(super) charges: Vec<Vec<T>>,
    pub(super) fields: Vec<Field<T>>,
}

impl<T> Default for InnerRoom<T> {
    fn default() -> Self {
        Self { workspace: Workspace::new(), charges: Vec::new(), fields: Vec::new() }
    }
}

impl<T> InnerRoom<T> {
    /// Memory of charges and fields in bytes; the report of a field has that of the workspace.
    pub(super) fn bytes(&self) -> usize {
        let charges: usize = self.charges.iter().map(Vec::len).sum();
        let field = |field: &Field<T>| field.potential.len() + 3 * field.gradient.len();
        (charges + self.fields.iter().map(field).sum::<usize>()) * size_of::<T>()
    }
}
