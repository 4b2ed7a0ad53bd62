//! Evaluation on a GPU: charges in, fields out.

use rayon::prelude::*;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Machine;

use super::Number;
use super::engine::{GpuEngine, State};
use super::treecode::WalkAccuracy;
use crate::api::{Error, Field, Outputs, Report, SampledError, Seconds, Stage};
use crate::choose::{Algorithm, CHECKED, Geometry, Scheme, evaluate_by_trial, worse_output};
use crate::engine::{Charges, Heavy, Scalar, Signs, charge_unit, is_concentrated};
use crate::verify;

/// Points that one task of the host copies at least: some 10 µs of work, ten times the start of a task.
const TASK: usize = 1 << 13;

/// Charges of one vector: heavy ones apart from the others, in a unit of charge.
struct Taken<'a, T> {
    light: &'a [T],
    heavy: &'a Heavy<T>,
    unit: f64,
}

/// Report and seconds of an evaluation under way.
struct Account<T> {
    report: Report,
    seconds: Seconds,
    /// The earlier gradient for a criterion that is relative to it, if it is known.
    earlier: Vec<Vec4<T>>,
}

impl<M, T> GpuEngine<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The field of the k-th vector of charges.
    pub(super) fn evaluate_vector(
        &self,
        k: usize,
        charges: &Charges<'_, T>,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error> {
        let (vector, signs) = (charges.vectors[k], charges.signs_by_vector[k]);
        let mut seconds = Seconds::default();
        let earlier = seconds.time(Stage::Transfer, || vectors(charges.earlier));
        let mut account = Account { report: report.clone(), seconds, earlier };
        let takes_heavy = self.request.is_relative() && self.state().expands;
        let (unit, mut taken) = account.seconds.time(Stage::Transfer, || {
            let concentrated = takes_heavy && is_concentrated(vector);
            (charge_unit(vector), concentrated.then(|| vector.to_vec()))
        });
        let heavy = taken.as_deref_mut().map(Heavy::take_from).unwrap_or_default();
        let light = taken.as_deref().unwrap_or(vector);
        let taken = Taken { light, heavy: &heavy, unit };

        // Under the lock, nothing runs on the cores.
        let mut guard = self.state();
        let state = &mut *guard;
        if self.tree.remote {
            self.evaluate_by_trial(state, vector, &taken, &mut account)?;
        } else {
            let scheme = self.chooser.choose(Geometry::Tree(&self.tree), Some(charges.signs))?;
            self.put(state, &taken, &mut account)?;
            self.run(state, &scheme, signs, &mut account)?;
        }
        let mut values = std::mem::take(&mut state.host_field);
        account.seconds.time(Stage::Transfer, || {
            values.resize(report.n_receivers, Vec4::default());
            state.field.download(&self.machine, &mut values)
        })?;
        let one_set = state.pipeline.tree().sources_are_receivers();
        drop(guard);

        account.seconds.time(Stage::Transfer, || to_field(&values, self.request.outputs, field));
        self.state().host_field = values;
        let Account { mut report, seconds, .. } = account;
        report.p2p_pairs += (heavy.len() * report.n_receivers) as u64;
        report.seconds = report.seconds + seconds;
        if one_set && !field.gradient.is_empty() {
            report.net_force = Some(verify::net_force(vector, &field.gradient));
        }
        field.report = report;
        Ok(())
    }

    /// Gives the sources charges, heavy ones apart.
    fn put(
        &self,
        state: &mut State<M, T>,
        taken: &Taken<'_, T>,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        account.seconds.time(Stage::Transfer, || {
            state.charges.upload(&self.machine, taken.light)?;
            state.pipeline.put_charges(state.charges.view(taken.light.len()), taken.unit)?;
            Ok(state.pipeline.put_heavy(state.points.view(state.n_points), taken.heavy)?)
        })
    }

    /// Computes the field on the device.
    fn run(
        &self,
        state: &mut State<M, T>,
        scheme: &Scheme,
        signs: Signs,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        let State { pipeline, field, expands, .. } = state;
        let (softening, report) = (self.request.softening, &mut account.report);
        let n_receivers = pipeline.tree().n_receivers();
        field.reserve(&self.machine, n_receivers)?;
        let output = field.view_mut(n_receivers);
        if *expands {
            scheme.report(report);
        }
        let seconds = match scheme.algorithm {
            Algorithm::Direct => pipeline.sum_all_pairs(softening, output)?,
            Algorithm::Fmm { order, .. } | Algorithm::TreecodeLists { order } => {
                pipeline.evaluate(order, softening, output)?
            }
            Algorithm::TreecodeWalk(walk) => {
                let accuracy = WalkAccuracy { softening, signs, error: scheme.predicted_error };
                let mut before = Seconds::default();
                if let Some(first) = walk.first() {
                    if account.earlier.is_empty() {
                        (before, _) = pipeline.evaluate_by_walks(first, accuracy, output)?;
                    } else {
                        let upload = || field.upload(&self.machine, &account.earlier);
                        before.time(Stage::Transfer, upload)?;
                    }
                }
                let (seconds, counts) = pipeline.evaluate_by_walks(walk, accuracy, output)?;
                [report.m2p_pairs, report.p2p_pairs] = counts;
                before + seconds
            }
        };
        report.bytes = report.bytes.max(pipeline.bytes());
        account.seconds = account.seconds + seconds;
        Ok(())
    }

    /// Evaluates until the tolerance is kept at some receivers, whose right sums the device finds first.
    fn evaluate_by_trial(
        &self,
        state: &mut State<M, T>,
        vector: &[T],
        taken: &Taken<'_, T>,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        let n_receivers = account.report.n_receivers;
        let which = indices(n_receivers, CHECKED);
        let all = Taken { light: vector, heavy: &Heavy::default(), unit: taken.unit };
        self.put(state, &all, account)?;
        let softening = self.request.softening;
        let references = account.seconds.time(Stage::Other, || {
            state.pipeline.references(state.receivers(n_receivers), &which, softening)
        })?;
        if taken.heavy.len() > 0 {
            self.put(state, taken, account)?;
        }
        let attempt = |algorithm: Algorithm| -> Result<f64, Error> {
            let scheme = Scheme { algorithm, ..self.tree.scheme };
            self.run(state, &scheme, Signs::Mixed, account)?;
            account.seconds.time(Stage::Other, || {
                let values = state.pipeline.values(state.field.view(n_receivers), &which)?;
                let checked = values.into_iter().zip(references.iter().copied());
                Ok(worse_output(&verify::compare(checked, self.request.outputs)))
            })
        };
        let error = evaluate_by_trial(&self.chooser, &self.tree, attempt)?;
        account.report.predicted_error = error;
        Ok(())
    }

    /// Errors of a field of these charges at `count` receivers.
    ///
    /// The device's direct sum in f64 checks all other sums, and the cores check the direct sum.
    pub(super) fn check(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let unit = charge_unit(charges);
        let n_receivers = self.report.n_receivers;
        let which = indices(n_receivers, count);
        let softening = self.request.softening;
        let mut guard = self.state();
        let state = &mut *guard;
        let references = if self.tree.scheme.algorithm == Algorithm::Direct {
            let mut points = vec![Vec4::default(); state.n_points];
            state.points.download(&self.machine, &mut points)?;
            let length = state.pipeline.unit;
            drop(guard);
            let first = points.len() - n_receivers;
            let axes = |points: &mut dyn Iterator<Item = &Vec4<T>>| -> [Vec<f64>; 3] {
                let mut axes = [(); 3].map(|()| Vec::new());
                for Vec4(point) in points {
                    for (axis, x) in axes.iter_mut().zip(point) {
                        axis.push(length.shrink(x.widen()));
                    }
                }
                axes
            };
            let sources = axes(&mut points.iter().take(charges.len()));
            let at = axes(&mut which.iter().map(|i| &points[first + *i as usize]));
            let charges: Vec<f64> = charges.iter().map(|q| q.widen() / unit).collect();
            let sums = verify::direct_sums(&sources, &charges, &at, length.shrink(softening));
            sums.into_iter().map(|sums| verify::in_units(sums, length, unit)).collect()
        } else {
            state.charges.upload(&self.machine, charges)?;
            state.pipeline.put_charges(state.charges.view(charges.len()), unit)?;
            state.pipeline.references(state.receivers(n_receivers), &which, softening)?
        };
        let checked = which.iter().zip(references);
        let checked = checked.map(|(i, sums)| (verify::value_at(field, *i as usize), sums));
        Ok(verify::compare(checked, self.request.outputs))
    }
}

/// Receivers that are checked, of `n`.
fn indices(n: usize, count: usize) -> Vec<u32> {
    verify::sample(n, count).into_iter().map(|i| i as u32).collect()
}

/// Vectors of three as the kernels take them.
fn vectors<T: Scalar + Number>(gradient: Option<&[[T; 3]]>) -> Vec<Vec4<T>> {
    let vector = |&[x, y, z]: &[T; 3]| Vec4([x, y, z, T::narrow(0.0)]);
    gradient.unwrap_or_default().par_iter().with_min_len(TASK).map(vector).collect()
}

/// Gradients and potentials side by side, to the field's arrays.
fn to_field<T: Scalar + Number>(values: &[Vec4<T>], outputs: Outputs, field: &mut Field<T>) {
    let values = || values.par_iter().with_min_len(TASK);
    field.potential.clear();
    field.gradient.clear();
    if outputs.has_potential() {
        values().map(|Vec4(v)| v[3]).collect_into_vec(&mut field.potential);
    }
    if outputs.has_gradient() {
        let gradient = |Vec4([x, y, z, _]): &Vec4<T>| [*x, *y, *z];
        values().map(gradient).collect_into_vec(&mut field.gradient);
    }
}
