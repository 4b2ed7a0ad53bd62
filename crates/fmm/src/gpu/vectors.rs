//! Vectors of charges: to the device, through attempts, and their fields to the host.

use kernels_gpu::device::View;
use kernels_gpu::machine::Machine;
use kernels_gpu::memory::Grown;

use super::Number;
use super::engine::GpuEngine;
use super::evaluation::{Account, Outcome, Taken, heavy_pairs};
use super::host_slices::send_rows;
use super::together::{ChargeMemory, Together};
use crate::api::{Error, Field, Report, Seconds, Stage};
use crate::engine::{Charges, Heavy, Scalar};
use crate::verify;

/// Charges of one vector in the memory of a device, that no evaluation has begun with.
struct Sent<M: Machine, T: Number> {
    memory: ChargeMemory<M, T>,
    /// All, and those that act through expansions.
    views: [View<T>; 2],
    heavy: Heavy<T>,
    seconds: Seconds,
}

impl<M, T> GpuEngine<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// Brings the k-th vector of charges to the device, in `memory`.
    fn send(
        &self,
        k: usize,
        charges: &Charges<'_, T>,
        mut memory: ChargeMemory<M, T>,
    ) -> Result<Sent<M, T>, Error> {
        let (vector, facts) = (charges.vectors[k], charges.facts[k]);
        let takes_heavy = self.request.is_relative() && self.state().expands && facts.concentrated;
        let (mut light, mut heavy) = (None, Heavy::default());
        let mut seconds = Seconds::default();
        seconds.time(Stage::Transfer, || {
            if takes_heavy {
                heavy = Heavy::take_from(light.insert(vector.to_vec()));
            }
            let vectors = [Some(vector), light.as_deref()].into_iter().flatten();
            let mut pairs = vectors.zip(&mut memory);
            let send = |(vector, memory): (&[T], &mut Grown<M, T>)| {
                send_rows(&self.machine, vector.as_chunks::<1>().0, memory)
            };
            pairs.try_for_each(send)
        })?;
        let all = memory[0].view(vector.len());
        let light = if takes_heavy { memory[1].view(vector.len()) } else { all };
        Ok(Sent { memory, views: [all, light], heavy, seconds })
    }

    /// The fields of consecutive vectors of charges, from the k-th on: no more than [`MOST_VECTORS`], whose near pairs are summed
    /// together if there is memory for them.
    pub(super) fn evaluate_vectors(
        &self,
        k: usize,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        report: &Report,
    ) -> Result<(), Error> {
        let mut together = self.room_for(fields.len())?;
        let (mut sent, mut bytes) = (Vec::new(), 0);
        if let Some(together) = &mut together {
            for place in 0..fields.len() {
                let memory = match place {
                    0 => self.state().take_charges(),
                    _ => together.idle.pop().unwrap_or_default(),
                };
                let of_vector = self.send(k + place, charges, memory)?;
                bytes += of_vector.memory.iter().map(Grown::capacity).sum::<usize>();
                sent.push(of_vector);
            }
            together.charge_bytes = bytes * size_of::<T>();
        }
        if !sent.is_empty() {
            let state = &mut *self.state();
            std::mem::swap(&mut state.pipeline.together, &mut together);
            for (place, Sent { views: [_, light], .. }) in sent.iter().enumerate() {
                state.pipeline.put_charges(*light, charges.facts[k + place].unit)?;
                state.pipeline.take_vector(place)?;
            }
            std::mem::swap(&mut state.pipeline.together, &mut together);
        }
        let mut sent = sent.into_iter();
        for (place, field) in fields.iter_mut().enumerate() {
            let sent = match sent.next() {
                Some(sent) => sent,
                None => {
                    let memory = self.state().take_charges();
                    self.send(k + place, charges, memory)?
                }
            };
            if let Some(together) = &mut together {
                together.current = place;
            }
            let vector = (k + place, sent);
            self.evaluate_vector(vector, charges, &mut together, field, report)?;
        }
        if together.is_some() {
            self.state().together = together;
        }
        Ok(())
    }

    /// Memory for the near pairs of so many vectors, if they share them: all but walks do, whose cells are about centres of charge.
    fn room_for(&self, vectors: usize) -> Result<Option<Together<M, T>>, Error> {
        let state = &mut *self.state();
        let walks = self.tree.scheme.algorithm.walks();
        if vectors < 2 || walks || state.keeps_least() {
            return Ok(None);
        }
        let mut together = state.together.take().unwrap_or_else(Together::new);
        let limit = self.request.memory_limit.unwrap_or(usize::MAX);
        let left = limit.saturating_sub(state.memory.peak);
        let fits = together.reserve(&self.machine, vectors, self.tree.counts, left)?;
        Ok(fits.then_some(together))
    }

    /// The field of a vector of charges that has been sent.
    fn evaluate_vector(
        &self,
        (k, sent): (usize, Sent<M, T>),
        charges: &Charges<'_, T>,
        together: &mut Option<Together<M, T>>,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error> {
        let (vector, facts) = (charges.vectors[k], charges.facts[k]);
        let Sent { memory, views: [all, light], heavy, mut seconds } = sent;
        let mut before = Grown::new();
        let earlier = seconds.time(Stage::Transfer, || {
            let Some(earlier) = charges.earlier else { return Ok(None) };
            send_rows(&self.machine, earlier, &mut before)?;
            Ok::<_, Error>(Some(before.view(3 * earlier.len())))
        })?;
        let mut account = Account { report: report.clone(), seconds, earlier };

        let mut guard = self.state();
        let state = &mut *guard;
        let idle = state.take_charges();
        [state.charges, state.light] = memory;
        if let Some(together) = together.as_mut().filter(|of| of.current > 0) {
            together.idle.push(idle);
        }
        let one_set = state.pipeline.tree().sources_are_receivers();
        let taken = Taken { all, light, heavy: &heavy, unit: facts.unit, signs: facts.signs };
        std::mem::swap(&mut state.pipeline.together, together);
        let outcome = self.attempt(state, charges.signs, &taken, &mut account, true);
        std::mem::swap(&mut state.pipeline.together, together);
        let Outcome { error, arrivals, .. } = outcome?;
        // Another evaluation may begin while results arrive.
        let results = std::mem::take(&mut state.field);
        drop(guard);

        let Account { mut report, mut seconds, .. } = account;
        let outputs = self.request.outputs;
        if let Some(arrivals) = arrivals {
            let at_receivers = if one_set { vector } else { &[] };
            let read = || arrivals.read(outputs, at_receivers, field);
            let arrived = seconds.time(Stage::Transfer, read)?;
            arrived.check_range::<T>(k)?;
            report.net_force =
                (one_set && outputs.has_gradient()).then(|| verify::net_force_of(arrived.forces));
        }
        self.state().end_evaluation(results);
        report.p2p_pairs += heavy_pairs(&heavy, &report);
        report.seconds = report.seconds + seconds;
        report.estimated_error = error;
        field.report = report;
        Ok(())
    }
}
