//! Results on their way from the owners of receivers to the ranks that brought them.

use std::ops::Range;

use bytemuck::Pod;
use distributed::Redistribution;

use super::Evaluation;
use crate::api::{Error, Field, Outputs, Stage};
use crate::cpu::{self, Buffers};
use crate::engine::{ResultRange, Scalar};
use crate::ranks::Group;

/// Receivers whose results one task makes.
const TASK: usize = parallel::min_length(1.3);

impl<T: Scalar> Evaluation<'_, T> {
    /// The fields of the last run. Collective.
    pub(in crate::ranks) fn fields(&mut self) -> Result<Vec<Field<T>>, Error> {
        let Self { stretch, group, own, buffers, seconds, .. } = self;
        let (layout, outputs) = (&stretch.layout, stretch.request.outputs);
        let places = &layout.geometry.receiver_positions;
        let back = Back { group, way: layout.ways.receivers(), places };
        let Buffers { sums, charge_units, .. } = &**buffers;
        seconds.time(Stage::Exchange, || {
            let mut fields = Vec::with_capacity(own.len());
            for (vector, (sums, unit)) in sums.iter().zip(charge_units).take(own.len()).enumerate()
            {
                let result = cpu::in_callers_units(&layout.geometry, sums, *unit);
                let field = back.field(outputs, result)?;
                ResultRange::check_field::<T, T>(vector, &field, [0.0; 2], |place| place)?;
                fields.push(field);
            }
            Ok(fields)
        })
    }
}

/// Way back of results.
struct Back<'a> {
    group: &'a Group,
    way: &'a Redistribution,
    /// Tree position of each receiver, in the order in which they came.
    places: &'a [u32],
}

impl Back<'_> {
    /// The field at the receivers that this rank brought, from results (gx, gy, gz, Φ) at those that it owns. Collective.
    fn field<T: Scalar>(
        &self,
        outputs: Outputs,
        result: impl Fn(&u32) -> [T; 4] + Sync,
    ) -> Result<Field<T>, Error> {
        let n = |wanted: bool| if wanted { self.way.rows() } else { 0 };
        let mut field = Field {
            potential: vec![T::ZERO; n(outputs.has_potential())],
            gradient: vec![[T::ZERO; 3]; n(outputs.has_gradient())],
            ..Field::default()
        };
        let Field { potential, gradient, .. } = &mut field;
        // One trip, in which a receiver's numbers are side by side.
        match (outputs.has_potential(), outputs.has_gradient()) {
            (true, true) => self.send(&result, |row, [x, y, z, phi]| {
                (potential[row], gradient[row]) = (phi, [x, y, z]);
            })?,
            (false, _) => {
                self.send(
                    |place| {
                        let [x, y, z, _] = result(place);
                        [x, y, z]
                    },
                    |row, g| gradient[row] = g,
                )?;
            }
            (true, false) => {
                self.send(|place| result(place)[3], |row, phi| potential[row] = phi)?;
            }
        }
        Ok(field)
    }

    /// Sends a value of each owned receiver to where it came from, and puts those that come in their rows. Collective.
    fn send<A: Pod + Default + Send + Sync>(
        &self,
        value: impl Fn(&u32) -> A + Sync,
        put: impl FnMut(usize, A),
    ) -> Result<(), Error> {
        let value = |i: usize| value(&self.places[i]);
        let bytes = |places: Range<usize>| {
            let mut bytes = vec![0; places.len() * size_of::<A>()];
            parallel::for_chunks(&mut bytes, TASK * size_of::<A>(), |first, chunk| {
                let first = places.start + first / size_of::<A>();
                for (i, bytes) in (first..).zip(chunk.chunks_exact_mut(size_of::<A>())) {
                    bytes.copy_from_slice(bytemuck::bytes_of(&value(i)));
                }
            });
            bytes
        };
        // Where there are several threads, they make the rank's own results too, of which one thread puts all in their rows.
        let own = match rayon::current_num_threads() {
            1 => 0..0,
            _ => self.way.from_rank(self.group.rank()),
        };
        let made = parallel::collect(own.len(), TASK, |k| value(own.start + k));
        let value = |i: usize| if own.contains(&i) { made[i - own.start] } else { value(i) };
        Ok(self.way.give_back(self.group.communicator(), bytes, value, put)?)
    }
}
