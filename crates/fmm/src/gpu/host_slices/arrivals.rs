//! A field on its way to the host.

use std::ops::Range;

use rayon::prelude::*;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Machine, MachineError, StagingBuffer};

use super::super::Number;
use super::{chunk, staging};
use crate::api::{Error, Field, Output, Outputs};
use crate::engine::{Scalar, all_finite, make_room};
use crate::verify::{added, forces};

/// A field on its way to the host. As much of it as staging buffers hold travels at once, the rest when it is read.
pub(in crate::gpu) struct Arrivals<M: Machine, T: Number> {
    field: View<Vec4<T>>,
    staging: Vec<M::Staging>,
}

/// Results that cores read as they arrive.
pub(in crate::gpu) struct Arrived {
    /// The first result that is not finite, for each output in the order of [`Outputs::each`].
    not_finite: Option<(Output, usize)>,
    /// The parts of Σ q ∇Φ, and Σ |q ∇Φ|.
    pub(in crate::gpu) forces: [f64; 4],
}

/// Part of a field in the caller's arrays. An output that was not asked for has no items.
struct Piece<'a, T> {
    first: usize,
    potential: &'a mut [T],
    gradient: &'a mut [[T; 3]],
    /// Charges of the receivers; none where the sources are others.
    charges: &'a [T],
}

impl<M: Machine, T: Scalar + Number> Arrivals<M, T> {
    /// Begins to copy a field, which launches before write; nothing may write it until it is [read](Self::read).
    pub(in crate::gpu) fn begin(machine: &M, field: View<Vec4<T>>) -> Result<Self, MachineError> {
        let side = machine.fork()?;
        let staging = staging::<M, T>(&side, 4 * field.len())?;
        let mut arrivals = Self { field, staging };
        for k in 0..arrivals.staging.len() {
            let part = arrivals.part(k);
            arrivals.staging[k].fetch(part)?;
        }
        Ok(arrivals)
    }

    /// Waits until nothing reads the field, whose results nobody wants.
    pub(in crate::gpu) fn end(mut self) -> Result<(), MachineError> {
        self.staging.iter_mut().try_for_each(|buffer| buffer.fetched::<Vec4<T>, ()>(|_| ()))
    }

    /// Number of receivers of a chunk.
    fn chunk(&self) -> usize {
        chunk::<Vec4<T>>(self.field.len(), self.staging.len())
    }

    /// Receivers of a chunk.
    fn range(&self, chunk: usize) -> Range<usize> {
        let (n, each) = (self.field.len(), self.chunk());
        (chunk * each).min(n)..((chunk + 1) * each).min(n)
    }

    fn part(&self, chunk: usize) -> View<Vec4<T>> {
        let Range { start, end } = self.range(chunk);
        self.field.part(start, end - start)
    }

    /// Writes the results of `outputs` to `field`, and adds up the forces on `charges` at the receivers. Cores read chunks while
    /// others travel.
    pub(in crate::gpu) fn read(
        mut self,
        outputs: Outputs,
        charges: &[T],
        field: &mut Field<T>,
    ) -> Result<Arrived, MachineError> {
        let (n, each, n_buffers) = (self.field.len(), self.chunk(), self.staging.len());
        make_room(&mut field.potential, if outputs.has_potential() { n } else { 0 });
        make_room(&mut field.gradient, if outputs.has_gradient() { n } else { 0 });
        let mut potential = field.potential.chunks_mut(each);
        let mut gradient = field.gradient.chunks_mut(each);
        let mut charges = charges.chunks(each);
        let piece = |k| Piece {
            first: k * each,
            potential: potential.next().unwrap_or_default(),
            gradient: gradient.next().unwrap_or_default(),
            charges: charges.next().unwrap_or_default(),
        };
        let mut pieces: Vec<_> = (0..n.div_ceil(each)).map(piece).collect();
        let mut parts = Vec::new();
        for (wave, pieces) in pieces.chunks_mut(n_buffers).enumerate() {
            let next: Vec<_> =
                (0..n_buffers).map(|k| self.part((wave + 1) * n_buffers + k)).collect();
            let chunks = self.staging.par_iter_mut().with_max_len(1).zip(pieces).zip(next);
            let read = chunks.map(|((buffer, piece), next)| {
                let found = buffer.fetched(|values| piece.take(values, outputs))?;
                buffer.fetch(next)?;
                Ok(found)
            });
            parts.extend(read.collect::<Result<Vec<Arrived>, MachineError>>()?);
        }
        let first = |output| {
            let of_output = |part: &Arrived| part.not_finite.filter(|found| found.0 == output);
            parts.iter().find_map(of_output)
        };
        Ok(Arrived {
            not_finite: outputs.each().find_map(first),
            forces: added(parts.iter().map(|part| part.forces)),
        })
    }
}

impl Arrived {
    /// Refuses results of a vector that are not finite.
    pub(in crate::gpu) fn check_range<T: Scalar>(&self, vector: usize) -> Result<(), Error> {
        let (exponent, precision) = (f64::NAN, T::NAME);
        self.not_finite.map_or(Ok(()), |(output, index)| {
            Err(Error::ResultRange { vector, index, output, exponent, precision })
        })
    }
}

impl<T: Scalar> Piece<'_, T> {
    /// Takes the part's values (gx, gy, gz, Φ).
    fn take(&mut self, values: &[Vec4<T>], outputs: Outputs) -> Arrived
    where
        Vec4<T>: Copy,
    {
        for (to, Vec4(value)) in self.potential.iter_mut().zip(values) {
            *to = value[3];
        }
        for (to, Vec4([x, y, z, _])) in self.gradient.iter_mut().zip(values) {
            *to = [*x, *y, *z];
        }
        let bad = |output| {
            let numbers = match output {
                Output::Potential => &*self.potential,
                Output::Gradient => self.gradient.as_flattened(),
            };
            let each = numbers.len() / values.len().max(1);
            if all_finite(numbers) {
                return None;
            }
            let at = numbers.iter().position(|x| !x.is_finite())?;
            Some((output, self.first + at / each))
        };
        Arrived {
            not_finite: outputs.each().find_map(bad),
            forces: forces(self.charges, self.gradient),
        }
    }
}
