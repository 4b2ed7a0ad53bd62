//! Evaluation on the cores: charges in, fields out.

use rayon::prelude::*;

use super::CpuEngine;
use super::buffers::Buffers;
use super::near_device::NearDevice;
use super::passes::Passes;
use super::points::gather_charges;
use crate::api::{Error, Field, Report, SampledError, Seconds, Stage};
use crate::choose::{
    Algorithm, CHECKED, Geometry as Known, Scheme, Walk, evaluate_by_trial, worse, worse_output,
};
use crate::engine::{Charges, Heavy, Scalar, Workspace};
use crate::verify;

/// Receivers that one task scatters at least: some 10 µs of work, ten times the start of a task.
const SCATTER: usize = 1 << 13;

/// Fields, memory and seconds of one evaluation.
struct Output<'a, T> {
    fields: &'a mut [Field<T>],
    buffers: &'a mut Buffers<T>,
    seconds: Seconds,
}

impl<T: Scalar> CpuEngine<T> {
    /// The fields of charge vectors, with the near pairs on another device if there is one.
    pub(crate) fn evaluate_beside(
        &self,
        near: Option<&dyn NearDevice<T>>,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let buffers = workspace.buffers();
        let mut output =
            Output { fields, buffers, seconds: Seconds::of_stage(Stage::Other, charges.seconds) };
        if !self.tree.remote {
            let scheme = self.chooser.choose(Known::Tree(&self.tree), Some(charges.signs))?;
            return self.run(&scheme, near, charges, &mut output);
        }
        let error = evaluate_by_trial(&self.chooser, &self.tree, |algorithm| {
            let scheme = Scheme { algorithm, ..self.tree.scheme };
            self.run(&scheme, near, charges, &mut output)?;
            let Output { fields, seconds, .. } = &mut output;
            Ok(seconds.time(Stage::Other, || self.largest_error(charges.vectors, fields)))
        })?;
        for Field { report, .. } in output.fields {
            report.seconds = self.report.seconds + output.seconds;
            report.predicted_error = error;
        }
        Ok(())
    }

    /// The largest error of the fields where they are checked.
    fn largest_error(&self, charges: &[&[T]], fields: &[Field<T>]) -> f64 {
        let checked = charges.iter().zip(fields);
        let errors = checked.map(|(charges, field)| self.compare_sample(charges, field, CHECKED));
        errors.map(|errors| worse_output(&errors)).fold(0.0, worse)
    }

    /// Evaluates by a scheme.
    fn run(
        &self,
        scheme: &Scheme,
        near: Option<&dyn NearDevice<T>>,
        charges: &Charges<'_, T>,
        output: &mut Output<'_, T>,
    ) -> Result<(), Error> {
        let (geometry, n_vectors) = (&self.geometry, charges.vectors.len());
        let Output { fields, buffers, seconds } = output;
        let order = scheme.algorithm.order().unwrap_or(1);
        let tables = seconds.time(Stage::Other, || self.tables(order));
        seconds.time(Stage::Other, || gather(charges.vectors, self, buffers));
        let passes = Passes {
            geometry,
            tables,
            outputs: self.request.outputs,
            accuracy: scheme.pairs,
            softening: T::narrow(geometry.unit.shrink(self.request.softening)),
            n_vectors,
            near,
        };
        let heavy =
            seconds.time(Stage::Other, || self.take_heavy(scheme.algorithm, buffers, n_vectors));
        let mut report = self.report.clone();
        match scheme.algorithm {
            Algorithm::Direct => passes.run_direct(buffers, seconds)?,
            Algorithm::Fmm { m2l, .. } => passes.run_fmm(m2l, buffers, seconds)?,
            Algorithm::TreecodeLists { order } => {
                passes
                    .run_treecode(&Walk::on_lists(order), None, buffers, seconds)
                    .report(&mut report);
            }
            Algorithm::TreecodeWalk(walk) => {
                let counts = passes.run_treecode(&walk, charges.earlier, buffers, seconds);
                counts.report(&mut report);
            }
        }
        for (heavy, sums) in heavy.iter().zip(&mut buffers.sums) {
            seconds.time(Stage::P2p, || passes.add_heavy(heavy, sums));
            report.p2p_pairs += (heavy.len() * report.n_receivers) as u64;
        }
        seconds.time(Stage::Other, || self.scatter(buffers, fields));

        report.n_vectors = n_vectors;
        if geometry.has_expansions() {
            scheme.report(&mut report);
        }
        // Tables of far pairs were made when they were first needed.
        let near_bytes = near.map_or(0, NearDevice::bytes);
        report.bytes = geometry.bytes() + near_bytes + buffers.bytes();
        report.seconds = report.seconds + *seconds;
        for (field, charges) in fields.iter_mut().zip(charges.vectors) {
            let one_set = geometry.tree.sources_are_receivers() && !field.gradient.is_empty();
            let net_force = one_set.then(|| verify::net_force(charges, &field.gradient));
            field.report = Report { net_force, ..report.clone() };
        }
        Ok(())
    }

    /// Takes heavy charges out of those that expansions are made of, where a relative error is asked for.
    fn take_heavy(
        &self,
        algorithm: Algorithm,
        buffers: &mut Buffers<T>,
        n_vectors: usize,
    ) -> Vec<Heavy<T>> {
        let expands = self.geometry.has_expansions() && algorithm != Algorithm::Direct;
        let count = if self.request.is_relative() && expands { n_vectors } else { 0 };
        let vectors = buffers.charges[..count].iter_mut();
        vectors.map(|charges| Heavy::take_from(charges)).collect()
    }

    /// From tree order and the plan's unit to the caller's.
    fn scatter(&self, buffers: &mut Buffers<T>, fields: &mut [Field<T>]) {
        let (unit, rank) = (self.geometry.unit, &self.geometry.receiver_rank);
        let receivers = rank.par_iter().with_min_len(SCATTER);
        let scaled = |x: T, factor: f64| T::narrow(x.widen() * factor);
        let outputs = self.request.outputs;
        let Buffers { sums, charge_units, results, .. } = buffers;
        for ((field, sums), charge) in fields.iter_mut().zip(sums).zip(charge_units) {
            let (factor, gradient_factor) = (unit.potential(*charge), unit.gradient(*charge));
            let Field { potential, gradient, .. } = field;
            if !outputs.has_gradient() {
                let value = |at: &u32| scaled(sums.potential[*at as usize], factor);
                receivers.clone().map(value).collect_into_vec(potential);
                gradient.clear();
                continue;
            }
            // A receiver's numbers side by side are in one cache line, not in four.
            results.resize(rank.len(), [T::ZERO; 4]);
            let [x, y, z] = &sums.gradient;
            results.par_iter_mut().with_min_len(SCATTER).enumerate().for_each(|(i, row)| {
                let [x, y, z] = [x[i], y[i], z[i]].map(|part| scaled(part, gradient_factor));
                *row = [scaled(sums.potential[i], factor), x, y, z];
            });
            let row = |at: &u32| {
                let [potential, x, y, z] = results[*at as usize];
                (potential, [x, y, z])
            };
            if outputs.has_potential() {
                receivers.clone().map(row).unzip_into_vecs(potential, gradient);
            } else {
                potential.clear();
                receivers.clone().map(|at| row(at).1).collect_into_vec(gradient);
            }
        }
    }

    /// Errors of a field of these charges at about `count` receivers.
    pub(super) fn compare_sample(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> SampledError {
        let (geometry, tree) = (&self.geometry, &self.geometry.tree);
        let (sources, receivers) = (geometry.sources(), geometry.receivers());
        let widen = |slice: &[T]| -> Vec<f64> { slice.iter().map(|x| x.widen()).collect() };
        let coordinates = sources.slices(0..sources.len()).map(widen);
        let charges: Vec<f64> = tree
            .source_permutation()
            .iter()
            .map(|index| charges[*index as usize].widen())
            .collect();
        let places = verify::sample(receivers.len(), count);
        let all = receivers.slices(0..receivers.len());
        let at = all.map(|c| places.iter().map(|place| c[*place].widen()).collect());
        let softening = geometry.unit.shrink(self.request.softening);
        let sums = verify::direct_sums(&coordinates, &charges, &at, softening);
        let checked = places.iter().zip(&sums).map(|(place, sums)| {
            let index = tree.receiver_permutation()[*place] as usize;
            (verify::value_at(field, index), verify::in_units(*sums, geometry.unit, 1.0))
        });
        verify::compare(checked, self.request.outputs)
    }
}

/// Brings charges into tree order and units of their own.
fn gather<T: Scalar>(vectors: &[&[T]], engine: &CpuEngine<T>, buffers: &mut Buffers<T>) {
    buffers.reserve_vectors(vectors.len());
    let Buffers { charges, charge_units, .. } = buffers;
    for ((vector, to), unit) in vectors.iter().zip(charges).zip(charge_units) {
        *unit = gather_charges(vector, engine.geometry.tree.source_permutation(), to);
    }
}
