//! Evaluation in parts: charges in, fields out.

use std::time::Instant;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Launcher, words};

use super::{PartsEngine, State};
use crate::api::{DeviceMemory, Error, Field, Report, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{Charges, Heavy, ResultRange, Scalar, VectorFacts};
use crate::gpu::Number;
use crate::gpu::check::timed_check;
use crate::gpu::evaluation::run::{Earlier, Run, takes_earlier};
use crate::gpu::evaluation::{are_uneven, heavy_pairs, to_field};
use crate::gpu::pipeline::form::Expansions;
use crate::verify::{self, Estimate};

/// Receivers whose values one task adds.
const TASK: usize = 1 << 13;

/// An evaluation of one vector under way. All arrays are in Morton order.
pub(super) struct Evaluation<'e, M: Launcher, T: Number> {
    pub(super) engine: &'e PartsEngine<M, T>,
    pub(super) charges: &'e [T],
    /// Charges with zeros for the heavy ones, where there are some.
    light: Option<&'e [T]>,
    heavy: &'e Heavy<T>,
    pub(super) facts: VectorFacts,
    /// The earlier gradient for a criterion that is relative to it, if it is known.
    earlier: &'e [Vec4<T>],
    report: Report,
    seconds: Seconds,
    /// Results of the last pair of parts.
    results: Vec<Vec4<T>>,
    /// Field of the last run.
    pub(super) values: Vec<Vec4<T>>,
    /// Squares of the errors to expect of the places of the receivers, added up over the parts of the sources.
    pub(super) expected_errors: Vec<[f32; 2]>,
    /// Bits of those of the last pair of parts.
    bits: Vec<u32>,
}

impl<M, T> PartsEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// The field of the k-th vector of charges.
    pub(super) fn evaluate_vector(
        &self,
        k: usize,
        charges: &Charges<'_, T>,
    ) -> Result<Field<T>, Error> {
        let (vector, facts) = (charges.vectors[k], charges.facts[k]);
        let outputs = self.request.outputs;
        let mut seconds = Seconds::of_stage(Stage::Transfer, charges.seconds);
        let start = Instant::now();
        let sorted = self.sources.sorted(vector);
        let takes_heavy = facts.have_heavy(&self.request, self.tree.expands);
        let mut light = takes_heavy.then(|| sorted.clone());
        let heavy = light.as_deref_mut().map(Heavy::take_from).unwrap_or_default();
        let vectors = |gradient: &[[T; 3]]| {
            let sorted = self.receivers().sorted(gradient);
            sorted.into_iter().map(|[x, y, z]| Vec4([x, y, z, T::narrow(0.0)])).collect()
        };
        let earlier: Vec<Vec4<T>> = charges.earlier.map(vectors).unwrap_or_default();
        seconds.add(Stage::Transfer, start.elapsed().as_secs_f64());
        let mut evaluation = Evaluation {
            engine: self,
            charges: &sorted,
            light: light.as_deref(),
            heavy: &heavy,
            facts,
            earlier: &earlier,
            report: Report { n_vectors: charges.vectors.len(), ..self.report.clone() },
            seconds,
            results: Vec::new(),
            values: Vec::new(),
            expected_errors: Vec::new(),
            bits: Vec::new(),
        };
        let error = self.chooser.evaluate(&self.tree, charges.kind, &mut evaluation)?;
        let Evaluation { values, mut report, mut seconds, .. } = evaluation;
        let mut field = Field::default();
        seconds.time(Stage::Transfer, || {
            let ordered = self.receivers().ordered(&values);
            to_field(&ordered, outputs, &mut field);
            ResultRange::check_field::<T, T>(k, &field, [0.0; 2], |place| place)
        })?;
        report.p2p_pairs += heavy_pairs(heavy.len(), &report);
        report.seconds = report.seconds + seconds;
        report.estimated_error = error;
        if self.tree.counts.have_net_force(&self.request) {
            report.net_force = Some(verify::net_force(vector, &field.gradient));
        }
        field.report = report;
        Ok(field)
    }
}

impl<M, T> Evaluation<'_, M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// Runs a scheme on a pair of parts, and adds to the values of the receivers.
    fn add_pair(&mut self, scheme: &Scheme, pair: [usize; 2]) -> Result<(), Error> {
        self.run_pair(scheme, pair)?;
        let Self { engine, values, results, seconds, .. } = self;
        let receivers = engine.receivers().part(pair[1], engine.parts[1]);
        seconds.time(Stage::Transfer, || {
            let add = |(Vec4(sum), Vec4(part)): (&mut Vec4<T>, &Vec4<T>)| {
                *sum = [0, 1, 2, 3].map(|of| sum[of] + part[of]);
            };
            let tasks = values[receivers].chunks_mut(TASK).zip(results.chunks(TASK));
            parallel::for_parts(tasks, |_, (sums, parts)| sums.iter_mut().zip(parts).for_each(add));
        });
        Ok(())
    }

    /// Runs a scheme on a pair of parts, for its results and the places of the receivers. Nothing of it runs on the cores' pool:
    /// the memory is locked.
    fn run_pair(&mut self, scheme: &Scheme, pair: [usize; 2]) -> Result<(), Error> {
        let Self { engine, results, seconds, report, expected_errors, bits, .. } = self;
        let mut memory = engine.memory();
        *seconds = *seconds + engine.build_pair(&mut memory, pair)?;
        let (machine, parts) = (&engine.machine, engine.parts);
        let sources = engine.sources.part(pair[0], parts[0]);
        let receivers = engine.receivers().part(pair[1], parts[1]);
        // The direct sum is one over all charges.
        let light = self.light.filter(|_| scheme.algorithm != Algorithm::Direct);
        let charges = &light.unwrap_or(self.charges)[sources];
        let State { pipeline, field, charges: on_device, .. } = &mut memory.state;
        seconds.time(Stage::Transfer, || on_device.upload(machine, charges))?;
        pipeline.put_charges(on_device.view(charges.len()), self.facts.unit())?;
        on_device.release();
        if light.is_some() && pair[0] == 0 {
            let (length, unit) = (pipeline.unit, self.facts.unit());
            let heavy = self.heavy.indices.iter().zip(&self.heavy.charges);
            let source = |(at, charge): (&usize, &T)| {
                let [x, y, z] = engine.sources.points[*at].map(|x| length.shrink(x.widen()));
                Vec4([x, y, z, charge.widen() / unit].map(T::narrow))
            };
            pipeline.put_heavy_sources(&heavy.map(source).collect::<Vec<_>>())?;
        }

        let n = receivers.len();
        let earlier = match self.earlier.get(receivers.clone()) {
            Some(earlier) if n > 0 && takes_earlier(scheme) => {
                seconds.time(Stage::Transfer, || field.upload(machine, earlier))?;
                Earlier::InOutput
            }
            _ => Earlier::None,
        };
        let softening = engine.request.softening;
        let run = Run { scheme, softening, kind: self.facts.kind(), earlier };
        let ran = pipeline.run(run, field)?;
        *seconds = *seconds + ran.seconds()?;
        let taken = pipeline.memory(Expansions::of(scheme));
        if taken.peak > report.bytes {
            report.bytes = taken.peak;
            report.device_memory = Some(DeviceMemory { taken_in: parts, ..taken });
        }
        if let Some([m2p, p2p]) = ran.counts {
            report.m2p_pairs += m2p;
            report.p2p_pairs += p2p;
        }
        let output = field.view_mut(n);
        results.clear();
        results.resize(n, Vec4::default());
        seconds.time(Stage::Transfer, || machine.read(output.read_only(), results))?;
        if engine.request.is_relative() && pipeline.local_order.is_some() {
            let errors = words(output).part(0, 2 * n);
            pipeline.expected_errors(errors)?;
            bits.resize(2 * n, 0);
            machine.read(errors.read_only(), bits)?;
            let sums = expected_errors[receivers].as_flattened_mut().iter_mut();
            sums.zip(bits).for_each(|(sum, bits)| *sum += f32::from_bits(*bits));
        }
        Ok(())
    }
}

impl<M, T> Attempts for Evaluation<'_, M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        self.values.clear();
        let n = self.engine.receivers().len();
        self.values.resize(n, Vec4::default());
        self.expected_errors.clear();
        self.expected_errors.resize(n, [0.0; 2]);
        scheme.report(self.engine.tree.expands, &mut self.report);
        if scheme.algorithm.walks() {
            [self.report.m2p_pairs, self.report.p2p_pairs] = [0; 2];
        }
        let [sources, receivers] = self.engine.parts;
        let pairs = (0..receivers).flat_map(|r| (0..sources).map(move |s| [s, r]));
        pairs.into_iter().try_for_each(|pair| self.add_pair(scheme, pair))
    }

    fn are_uneven(&mut self, algorithm: Algorithm) -> Result<bool, Error> {
        let facts = [self.facts, self.heavy.left_of(self.facts)];
        Ok(are_uneven(algorithm, facts, self.engine.tree.counts.n_sources))
    }

    fn check(&mut self, count: usize) -> Result<Estimate, Error> {
        let (seconds, estimate) = timed_check(|| self.estimate_at(count));
        self.seconds = self.seconds + seconds;
        estimate
    }
}
