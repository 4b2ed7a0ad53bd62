//! A field on its way to the host.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Launcher, MachineError, StagingBuffer};

use super::{chunk, staging};
use crate::api::{Field, Outputs};
use crate::engine::{Scalar, make_room};
use crate::gpu::Number;

/// Values that are taken at once: their numbers are in a core's first cache for each of the outputs.
const AT_ONCE: usize = 512;

/// A field on its way to the host. As much of it as staging buffers hold travels at once, the rest when it is read.
pub(crate) struct Arrivals<S, T> {
    field: View<Vec4<T>>,
    staging: Vec<S>,
    is_stopped: Arc<Mutex<bool>>,
}

/// The order of copies of a field that other threads may be reading.
pub(crate) struct Course<M> {
    side: M,
    is_stopped: Arc<Mutex<bool>>,
}

/// Part of a field in the caller's arrays. An output that was not asked for has no items.
struct Piece<'a, T> {
    potential: &'a mut [T],
    gradient: &'a mut [[T; 3]],
}

impl<M: Launcher> Course<M> {
    /// Ends the copies of a field whose results nobody wants: later launches of the machine, which may write the field, follow
    /// the copies so far, and no other is begun.
    pub(crate) fn stop(self, machine: &M) -> Result<(), MachineError> {
        // A copy is begun under this lock, or not at all.
        *self.is_stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        machine.join(&self.side)
    }
}

impl<S: StagingBuffer, T: Scalar + Number> Arrivals<S, T> {
    /// Begins to copy a field, which launches before write; nothing may write it until it is [read](Self::read), or its course
    /// is [stopped](Course::stop).
    pub(crate) fn begin<M: Launcher<Staging = S>>(
        machine: &M,
        field: View<Vec4<T>>,
    ) -> Result<(Self, Course<M>), MachineError> {
        let side = machine.fork()?;
        let staging = staging::<M, T>(&side, 4 * field.len())?;
        let is_stopped = Arc::new(Mutex::new(false));
        let course = Course { side, is_stopped: Arc::clone(&is_stopped) };
        let mut arrivals = Self { field, staging, is_stopped };
        for k in 0..arrivals.staging.len() {
            let part = arrivals.part(k);
            arrivals.staging[k].fetch(part)?;
        }
        Ok((arrivals, course))
    }

    /// Whether the field is large enough for several cores.
    pub(crate) fn is_large(&self) -> bool {
        self.staging.len() > 1
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

    /// Writes the results of `outputs` to `field`. Cores read chunks while others travel. Results are of no use if the course
    /// was stopped.
    pub(crate) fn read(
        mut self,
        outputs: Outputs,
        field: &mut Field<T>,
    ) -> Result<(), MachineError> {
        let (n, each, n_buffers) = (self.field.len(), self.chunk(), self.staging.len());
        make_room(&mut field.potential, if outputs.has_potential() { n } else { 0 });
        make_room(&mut field.gradient, if outputs.has_gradient() { n } else { 0 });
        let mut potential = field.potential.chunks_mut(each);
        let mut gradient = field.gradient.chunks_mut(each);
        let piece = |_| Piece {
            potential: potential.next().unwrap_or_default(),
            gradient: gradient.next().unwrap_or_default(),
        };
        let mut pieces: Vec<_> = (0..n.div_ceil(each)).map(piece).collect();
        for (wave, pieces) in pieces.chunks_mut(n_buffers).enumerate() {
            let next: Vec<_> =
                (0..n_buffers).map(|k| self.part((wave + 1) * n_buffers + k)).collect();
            let is_stopped = &self.is_stopped;
            let chunks = self.staging.iter_mut().zip(pieces).zip(next);
            let outcomes = parallel::map_parts(chunks, |_, ((buffer, piece), next)| {
                buffer.fetched(|values| piece.take(values))?;
                if next.is_empty() {
                    return Ok(());
                }
                let is_stopped = is_stopped.lock().unwrap_or_else(PoisonError::into_inner);
                if *is_stopped { Ok(()) } else { buffer.fetch(next) }
            });
            outcomes.into_iter().collect::<Result<(), _>>()?;
        }
        Ok(())
    }
}

impl<T: Scalar> Piece<'_, T> {
    /// Takes the part's values (gx, gy, gz, Φ).
    fn take(&mut self, values: &[Vec4<T>])
    where
        Vec4<T>: Copy,
    {
        let mut potential = self.potential.chunks_mut(AT_ONCE);
        let mut gradient = self.gradient.chunks_mut(AT_ONCE);
        for values in values.chunks(AT_ONCE) {
            for (to, Vec4(value)) in potential.next().unwrap_or_default().iter_mut().zip(values) {
                *to = value[3];
            }
            for (to, Vec4([x, y, z, _])) in
                gradient.next().unwrap_or_default().iter_mut().zip(values)
            {
                *to = [*x, *y, *z];
            }
        }
    }
}
