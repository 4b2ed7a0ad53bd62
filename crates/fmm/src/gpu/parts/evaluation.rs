//! Evaluation in parts: charges in, fields out.

use std::time::Instant;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Machine, MachineError};
use rayon::prelude::*;

use super::{PartsEngine, State};
use crate::api::{DeviceMemory, Error, Field, Report, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{Charges, Heavy, Scalar, Signs, charge_unit, is_concentrated};
use crate::gpu::Number;
use crate::gpu::evaluation::{check_range, heavy_pairs, to_field};
use crate::gpu::form::Expansions;
use crate::gpu::run::Run;
use crate::verify;

/// An evaluation of one vector under way. All arrays are in Morton order.
pub(super) struct Evaluation<'e, M: Machine, T: Number> {
    pub(super) engine: &'e PartsEngine<M, T>,
    pub(super) state: &'e mut State<M, T>,
    pub(super) charges: &'e [T],
    /// The same with zeros for the heavy ones, where there are some.
    light: Option<&'e [T]>,
    heavy: &'e Heavy<T>,
    pub(super) unit: f64,
    signs: Signs,
    /// The earlier gradient for a criterion that is relative to it, if it is known.
    earlier: &'e [Vec4<T>],
    report: Report,
    seconds: Seconds,
    /// Field of the last run.
    pub(super) values: Vec<Vec4<T>>,
}

impl<M, T> PartsEngine<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// The field of the k-th vector of charges.
    pub(super) fn evaluate_vector(
        &self,
        k: usize,
        charges: &Charges<'_, T>,
    ) -> Result<Field<T>, Error> {
        let (vector, outputs) = (charges.vectors[k], self.request.outputs);
        let mut seconds = Seconds::of_stage(Stage::Transfer, charges.seconds);
        let start = Instant::now();
        let sorted = self.sources.sorted(vector);
        let takes_heavy = self.request.is_relative() && self.expands && is_concentrated(vector);
        let mut light = takes_heavy.then(|| sorted.clone());
        let heavy = light.as_deref_mut().map(Heavy::take_from).unwrap_or_default();
        let vectors = |gradient: &[[T; 3]]| {
            let sorted = self.receivers().sorted(gradient);
            sorted.into_iter().map(|[x, y, z]| Vec4([x, y, z, T::narrow(0.0)])).collect()
        };
        let earlier: Vec<Vec4<T>> = charges.earlier.map(vectors).unwrap_or_default();
        seconds.add(Stage::Transfer, start.elapsed().as_secs_f64());
        let mut guard = self.state();
        let mut evaluation = Evaluation {
            engine: self,
            state: &mut guard,
            charges: &sorted,
            light: light.as_deref(),
            heavy: &heavy,
            unit: charge_unit(vector),
            signs: charges.signs_by_vector[k],
            earlier: &earlier,
            report: Report { n_vectors: charges.vectors.len(), ..self.report.clone() },
            seconds,
            values: Vec::new(),
        };
        let error = self.chooser.evaluate(&self.tree, charges.signs, &mut evaluation)?;
        let Evaluation { values, mut report, mut seconds, .. } = evaluation;
        drop(guard);
        let mut field = Field::default();
        seconds.time(Stage::Transfer, || {
            let ordered = self.receivers().ordered(&values);
            check_range(k, &ordered, outputs)?;
            to_field(&ordered, outputs, &mut field);
            Ok::<(), Error>(())
        })?;
        report.p2p_pairs += heavy_pairs(&heavy, &report);
        report.seconds = report.seconds + seconds;
        report.estimated_error = error;
        if self.tree.counts.one_set && outputs.has_gradient() {
            report.net_force = Some(verify::net_force(vector, &field.gradient));
        }
        field.report = report;
        Ok(field)
    }
}

impl<M, T> Evaluation<'_, M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// Runs a scheme on a pair of parts, and adds to the values of the receivers.
    fn run_pair(&mut self, scheme: &Scheme, pair: [usize; 2]) -> Result<(), Error> {
        let Self { engine, state, values, seconds, .. } = self;
        *seconds = *seconds + engine.build_pair(state, pair)?;
        let (machine, parts) = (&engine.machine, engine.parts);
        let sources = engine.sources.part(pair[0], parts[0]);
        let receivers = engine.receivers().part(pair[1], parts[1]);
        // The direct sum is one over all charges.
        let light = self.light.filter(|_| scheme.algorithm != Algorithm::Direct);
        let charges = &light.unwrap_or(self.charges)[sources];
        let State { pipeline, points, charges: on_device, host_field: host, .. } = &mut **state;
        seconds.time(Stage::Transfer, || on_device.upload(machine, charges))?;
        pipeline.put_charges(on_device.view(charges.len()), self.unit)?;
        if light.is_some() && pair[0] == 0 {
            let length = pipeline.unit;
            let heavy = self.heavy.indices.iter().zip(&self.heavy.charges);
            let source = |(at, charge): (&usize, &T)| {
                let [x, y, z] = engine.sources.points[*at].map(|x| length.shrink(x.widen()));
                Vec4([x, y, z, charge.widen() / self.unit].map(T::narrow))
            };
            pipeline.put_heavy_sources(&heavy.map(source).collect::<Vec<_>>())?;
        }

        // The points as they came are in their places.
        let n = receivers.len();
        points.reserve(machine, n)?;
        let output = points.view_mut(n);
        let run = Run { scheme, softening: engine.request.softening, signs: self.signs };
        let earlier = self.earlier.get(receivers.clone()).unwrap_or_default();
        let (ran, counts) = pipeline.run(run, earlier, output)?;
        *seconds = *seconds + ran;
        let memory = pipeline.memory(Expansions::of(scheme));
        let report = &mut self.report;
        if memory.peak > report.bytes {
            report.bytes = memory.peak;
            report.device_memory = Some(DeviceMemory { taken_in: parts, ..memory });
        }
        if let Some([m2p, p2p]) = counts {
            report.m2p_pairs += m2p;
            report.p2p_pairs += p2p;
        }
        Ok(seconds.time(Stage::Transfer, || {
            host.clear();
            host.resize(n, Vec4::default());
            machine.read(output.read_only(), host)?;
            let add = |(Vec4(sum), Vec4(part)): (&mut Vec4<T>, &Vec4<T>)| {
                *sum = [0, 1, 2, 3].map(|of| sum[of] + part[of]);
            };
            values[receivers].par_iter_mut().zip(&*host).for_each(add);
            Ok::<(), MachineError>(())
        })?)
    }
}

impl<M, T> Attempts for Evaluation<'_, M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        self.values.clear();
        self.values.resize(self.engine.receivers().len(), Vec4::default());
        if self.engine.expands {
            scheme.report(&mut self.report);
        }
        if scheme.algorithm.walks() {
            [self.report.m2p_pairs, self.report.p2p_pairs] = [0; 2];
        }
        let [sources, receivers] = self.engine.parts;
        let pairs = (0..receivers).flat_map(|r| (0..sources).map(move |s| [s, r]));
        pairs.into_iter().try_for_each(|pair| self.run_pair(scheme, pair))
    }

    fn error(&mut self, count: usize) -> Result<f64, Error> {
        let start = Instant::now();
        let error = self.estimate(count);
        self.seconds.add(Stage::Check, start.elapsed().as_secs_f64());
        error
    }
}
