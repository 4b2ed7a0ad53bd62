//! Results on their way from the owners of receivers to the ranks that brought them.

use super::evaluation::Evaluation;
use crate::api::{Error, Field, Output, Outputs, Stage};
use crate::cpu;
use crate::engine::{ResultRange, Scalar};

impl<T: Scalar> Evaluation<'_, T> {
    /// The fields of the last run. Collective.
    pub(super) fn fields(&mut self) -> Result<Vec<Field<T>>, Error> {
        let Self { stretch, group, own, buffers, seconds, .. } = self;
        let (layout, outputs) = (&stretch.layout, stretch.request.outputs);
        let mut fields: Vec<Field<T>> = own.iter().map(|_| Field::default()).collect();
        seconds.time(Stage::Other, || {
            cpu::scatter(&layout.geometry, outputs, buffers, &mut fields);
        });
        let way = layout.ways.receivers();
        seconds.time(Stage::Exchange, || {
            for (vector, field) in fields.iter_mut().enumerate() {
                let communicator = group.communicator();
                if outputs.has_potential() {
                    field.potential = way.to_origins(communicator, &field.potential)?;
                }
                if outputs.has_gradient() {
                    field.gradient = way.to_origins(communicator, &field.gradient)?;
                }
                check_range(vector, outputs, field)?;
            }
            Ok(fields)
        })
    }
}

/// Refuses results that their float type does not hold.
pub(super) fn check_range<T: Scalar>(
    vector: usize,
    outputs: Outputs,
    field: &Field<T>,
) -> Result<(), Error> {
    for output in outputs.each() {
        let range = ResultRange { vector, output, factor: 0.0 };
        match output {
            Output::Potential => range.check::<T, T>(&field.potential, |place| place)?,
            Output::Gradient => {
                range.check::<T, T>(field.gradient.as_flattened(), |place| place / 3)?;
            }
        }
    }
    Ok(())
}
