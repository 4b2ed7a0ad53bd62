//! Vectors of charges: to the device, through attempts, and their fields to the host.

use std::sync::OnceLock;
use std::time::Instant;

use kernels_gpu::check::ResultFacts;
use kernels_gpu::device::View;
use kernels_gpu::machine::Launcher;
use kernels_gpu::memory::Grown;

use super::delivery::{Delivery, Early};
use super::{Account, Outcome, Taken};
use crate::api::{Error, Field, Report, Seconds, Stage};
use crate::choose::Algorithm;
use crate::engine::{Charges, Heavy, Scalar, VectorFacts};
use crate::gpu::Number;
use crate::gpu::engine::GpuEngine;
use crate::gpu::host_slices::{Arrivals, send_rows};
use crate::gpu::memory::together::{ChargeMemory, Together};
use crate::gpu::pipeline::looks::refuse_not_finite;
use crate::verify;

/// Charges of one vector in the memory of a device, that no evaluation has begun with.
struct Sent<M: Launcher, T: Number> {
    memory: ChargeMemory<M, T>,
    /// All, and those that act through expansions.
    views: [View<T>; 2],
    facts: VectorFacts,
    heavy: Heavy<T>,
    seconds: Seconds,
}

/// An evaluation whose results cores read, or are to read.
struct Sum<S, T> {
    outcome: Outcome,
    results: ResultFacts,
    /// Results that no core has read.
    arrivals: Option<Arrivals<S, T>>,
    /// The moment from which on the host waits for results alone.
    since: Instant,
}

impl<M, T> GpuEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// Brings the k-th vector of charges to the device, in `memory`.
    fn send(
        &self,
        k: usize,
        charges: &Charges<'_, T>,
        mut memory: ChargeMemory<M, T>,
    ) -> Result<Sent<M, T>, Error> {
        let vector = charges.vectors[k];
        let mut seconds = Seconds::default();
        let send = |vector: &[T], memory: &mut Grown<M, T>| {
            send_rows(&self.machine, vector.as_chunks::<1>().0, memory)?;
            Ok::<_, Error>(memory.view(vector.len()))
        };
        seconds
            .time(Stage::Transfer, || {
                let all = send(vector, &mut memory[0])?;
                let facts = match charges.facts.get(k) {
                    Some(facts) => *facts,
                    None => self.state().pipeline.look_at_vector(all, (k, vector))?,
                };
                if !facts.have_heavy(&self.request, self.tree.expands) {
                    return Ok((facts, [all, all], Heavy::default()));
                }
                let mut light = vector.to_vec();
                let heavy = Heavy::take_from(&mut light);
                Ok((facts, [all, send(&light, &mut memory[1])?], heavy))
            })
            .map(|(facts, views, heavy)| Sent { memory, views, facts, heavy, seconds })
    }

    /// The fields of consecutive vectors of charges, from the k-th on: no more than `MOST_VECTORS`, whose near pairs are summed
    /// together if there is memory for them.
    pub(crate) fn evaluate_vectors(
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
            // Sums over heavy charges take the place of those through expansions.
            together.may_go_ahead = sent.iter().all(|of_vector| of_vector.heavy.len() == 0);
        }
        if !sent.is_empty() {
            let state = &mut *self.state();
            std::mem::swap(&mut state.pipeline.together, &mut together);
            for (place, Sent { views: [_, light], facts, .. }) in sent.iter().enumerate() {
                state.pipeline.put_charges(*light, facts.unit())?;
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
        let vectors = (vectors, self.tree.scheme.algorithm != Algorithm::Direct);
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
        let Sent { memory, views: [all, light], facts, heavy, mut seconds } = sent;
        let mut before = Grown::new();
        let send = || charges.earlier.map(|rows| send_rows(&self.machine, rows, &mut before));
        seconds.time(Stage::Transfer, send).transpose()?;
        let earlier = charges.earlier.map(|rows| before.view(3 * rows.len()));
        let mut account = Account { report: report.clone(), seconds, earlier };
        let taken = Taken { all, light, heavy: &heavy, facts };

        let (outputs, read, into) = (self.request.outputs, OnceLock::new(), &mut *field);
        let mut results = Grown::new();
        let sum = rayon::in_place_scope(|scope| {
            let mut delivery = Delivery::new(scope, outputs, Early { field: into, read: &read });
            let state = &mut *self.state();
            let idle = state.take_charges();
            [state.charges, state.light] = memory;
            if let Some(together) = together.as_mut().filter(|of| of.current > 0) {
                together.idle.push(idle);
            }
            std::mem::swap(&mut state.pipeline.together, together);
            let kind = charges.kind_with(facts);
            let outcome = self.attempt(state, kind, &taken, &mut account, Some(&mut delivery));
            std::mem::swap(&mut state.pipeline.together, together);
            let looked = outcome.and_then(|outcome| {
                let field = state.field.view(account.report.n_receivers);
                Ok((outcome, state.pipeline.look_at_results(field)?))
            });
            if looked.is_err() {
                delivery.stop(&self.machine)?;
            }
            let (outcome, facts) = looked?;
            // Another evaluation may begin while results arrive.
            results = std::mem::take(&mut state.field);
            let since = Instant::now();
            Ok::<_, Error>(Sum { outcome, results: facts, arrivals: delivery.end(), since })
        })?;
        let Sum { outcome, results: facts, arrivals, since } = sum;
        match arrivals {
            Some(arrivals) => arrivals.read(outputs, field)?,
            None => read.into_inner().unwrap_or(Ok(()))?,
        }
        self.state().end_evaluation(results);

        account.seconds.add(Stage::Transfer, since.elapsed().as_secs_f64());
        refuse_not_finite::<T>(k, &facts, outputs)?;
        let has_force = self.tree.counts.have_net_force(&self.request);
        field.report = Report {
            net_force: has_force.then(|| verify::net_force_of(facts.forces)),
            estimated_error: outcome.error,
            ..account.ended(heavy.len())
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use octree::Depth;

    use super::*;
    use crate::api::{Method, Opening, Request, Tolerance, Treecode};
    use crate::engine::{Engine, PointSets, Workspace};
    use crate::gpu::limited_machine::LimitedMachine;

    type Rows = Vec<([f64; 3], f64)>;

    fn points(n: u32) -> Vec<[f64; 3]> {
        let roots = [2.0_f64, 3.0, 5.0].map(f64::sqrt);
        (0..n).map(|i| roots.map(|root| (root * f64::from(i * i)).fract())).collect()
    }

    /// Charges of both signs; of the third vector, few outweigh all others.
    fn vector(k: usize, n: usize) -> Vec<f64> {
        let charge =
            |i: usize| if (i * (k + 3) + k) % 17 < 8 { -1.0 } else { 1.0 + (i % 5) as f64 / 8.0 };
        let heavy = |i: usize| if k == 2 && i % 150 == 7 { 1e5 } else { 1.0 };
        (0..n).map(|i| charge(i) * heavy(i)).collect()
    }

    fn engine(request: Request, points: &PointSets<'_, f64>) -> GpuEngine<LimitedMachine, f64> {
        let machine = LimitedMachine::new(usize::MAX);
        let mut engine = GpuEngine::new(machine, request).unwrap();
        engine.build(points).unwrap();
        engine
    }

    fn evaluated(engine: &GpuEngine<LimitedMachine, f64>, vectors: &[Vec<f64>]) -> Vec<Rows> {
        let slices: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
        let charges = Charges::new(&slices, slices[0].len(), None).unwrap();
        let mut fields = vec![Field::default(); slices.len()];
        engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
        let rows = |field: Field<f64>| field.gradient.into_iter().zip(field.potential).collect();
        fields.into_iter().map(rows).collect()
    }

    /// Relative L2 error of the potential against plain sums.
    fn error(found: &Rows, points: &PointSets<'_, f64>, charges: &[f64], softening: f64) -> f64 {
        let receivers = points.receivers.unwrap_or(points.sources);
        let mut sums = [0.0; 2];
        for ((_, potential), at) in found.iter().zip(receivers) {
            let mut exact = 0.0;
            for (source, q) in points.sources.iter().zip(charges) {
                let r2: f64 = (0..3).map(|k| (source[k] - at[k]).powi(2)).sum();
                exact += if r2 > 0.0 { q / (r2 + softening * softening).sqrt() } else { 0.0 };
            }
            sums[0] += (potential - exact).powi(2);
            sums[1] += exact * exact;
        }
        (sums[0] / sums[1]).sqrt()
    }

    fn request(method: Method) -> Request {
        let depth = Some(Depth::Adaptive { leaf_capacity: 30 });
        Request { method, tolerance: Tolerance::L2(1e-4), depth, ..Request::default() }
    }

    #[test]
    fn vectors_that_share_distances_have_the_bits_of_each() {
        let (sources, others) = (points(1100), points(100));
        let on_lists = Method::Treecode(Treecode::new().opening(Opening::Neighbours));
        let cases = [
            (Method::Fmm, &sources[..], None, 0.01, vec![2, 3]),
            (Method::Fmm, &sources, Some(&others[..]), 0.0, vec![2]),
            (on_lists, &sources, Some(&others), 0.0, vec![2]),
            (Method::Direct, &sources[..300], None, 0.01, vec![5]),
            (Method::Direct, &sources[..300], Some(&others), 0.0, vec![2, 3]),
        ];
        for (method, sources, receivers, softening, counts) in cases {
            let vectors: Vec<_> = (0..5).map(|k| vector(k, sources.len())).collect();
            let points = PointSets { sources, receivers };
            let engine = engine(Request { softening, ..request(method) }, &points);
            let largest = counts[counts.len() - 1];
            let alone: Vec<_> = vectors[..largest]
                .iter()
                .map(|vector| evaluated(&engine, std::slice::from_ref(vector)).remove(0))
                .collect();
            assert!(engine.state().together.is_none());
            for count in counts {
                let found = evaluated(&engine, &vectors[..count]);
                // The distances were shared, by four vectors at most.
                let ahead = engine.state().together.as_ref().map(|together| {
                    assert!(together.is_summed());
                    together.ahead.is_some()
                });
                // The third vector has heavy charges.
                assert_eq!(ahead, Some(method != Method::Direct && count == 2));
                for (k, found) in found.iter().enumerate() {
                    assert!(*found == alone[k], "{method:?}, vector {k} of {count}");
                }
            }
            for (k, found) in alone.iter().enumerate() {
                let error = error(found, &points, &vectors[k], softening);
                assert!(error < 1e-4, "{method:?}, vector {k}: {error:e}");
            }
        }
    }

    #[test]
    fn walks_and_plans_without_room_take_vectors_one_by_one() {
        let sources = points(1500);
        let points = PointSets { sources: &sources, receivers: None };
        let vectors: Vec<_> = (0..3).map(|k| vector(k, sources.len())).collect();
        let walks = Request { depth: None, ..request(Method::Treecode(Treecode::default())) };
        let roomy = engine(request(Method::Fmm), &points);
        let taken = roomy.state().memory.peak;
        let tight = Request { memory_limit: Some(taken + 100_000), ..request(Method::Fmm) };
        for engine in [engine(walks, &points), engine(tight, &points)] {
            for (k, found) in evaluated(&engine, &vectors).iter().enumerate() {
                let error = error(found, &points, &vectors[k], 0.0);
                assert!(error < 1e-4, "vector {k}: {error:e}");
            }
            assert!(engine.state().together.is_none());
        }
    }

    #[test]
    fn memory_of_several_vectors_is_told() {
        let sources = points(3000);
        let points = PointSets { sources: &sources, receivers: None };
        let engine = engine(request(Method::Fmm), &points);
        let vectors: Vec<_> = (0..4).map(|k| vector(k + 3, sources.len())).collect();
        let slices: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
        let charges = Charges::new(&slices, sources.len(), None).unwrap();
        let mut fields = vec![Field::default(); 4];
        engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
        let (told, counted) = (fields[0].report.bytes, engine.machine.peak());
        assert!(counted <= told && told < counted + counted / 5, "{told} {counted}");
    }
}
