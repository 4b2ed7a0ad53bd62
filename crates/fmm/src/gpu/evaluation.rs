//! Evaluation on a GPU: charges in, fields out.

use std::ops::Range;
use std::time::Instant;

use rayon::prelude::*;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Machine;

use super::Number;
use super::check::PairDigits;
use super::engine::GpuEngine;
use super::form::Expansions;
use super::run::Run;
use super::state::State;
use crate::api::{Error, Field, Method, Output, Outputs, Report, SampledError, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{Charges, Heavy, Scalar, Signs, charge_unit, is_concentrated};
use crate::verify::{self, Alone, Direct};

/// Points that one task of the host copies at least: some 10 µs of work, ten times the start of a task.
const TASK: usize = 1 << 13;

/// Charges of one vector in the memory of a device, in a unit of charge.
pub(super) struct Taken<'a, T> {
    pub(super) all: View<T>,
    /// The same with zeros for the heavy ones.
    pub(super) light: View<T>,
    pub(super) heavy: &'a Heavy<T>,
    pub(super) unit: f64,
    pub(super) signs: Signs,
}

/// Report and seconds of an evaluation under way.
pub(super) struct Account<T> {
    pub(super) report: Report,
    pub(super) seconds: Seconds,
    /// The earlier gradient for a criterion that is relative to it, if it is known.
    pub(super) earlier: Vec<Vec4<T>>,
}

/// An evaluation of one vector under way. Nothing of it runs on the cores' pool: the state is locked.
struct Evaluation<'e, M: Machine, T: Number> {
    engine: &'e GpuEngine<M, T>,
    state: &'e mut State<M, T>,
    taken: &'e Taken<'e, T>,
    account: &'e mut Account<T>,
    /// Whether the sources on the device have the light charges.
    charged: bool,
    /// Whether the last run was found to have results that are not finite.
    overflowed: bool,
}

impl<M, T> GpuEngine<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
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

        let mut guard = self.state();
        let state = &mut *guard;
        let one_set = state.pipeline.tree().sources_are_receivers();
        let n_receivers = account.report.n_receivers;
        let all = account.seconds.time(Stage::Transfer, || {
            taken.as_deref().map_or(Ok(()), |light| state.light.upload(&self.machine, light))?;
            state.take_charges(&self.machine, vector, n_receivers, taken.is_none())
        })?;
        let light = if taken.is_some() { state.light.view(vector.len()) } else { all };
        let taken = Taken { all, light, heavy: &heavy, unit, signs };
        let (error, _) = self.attempt(state, charges.signs, &taken, &mut account)?;
        let mut values = std::mem::take(&mut state.host_field);
        account.seconds.time(Stage::Transfer, || {
            values.resize(n_receivers, Vec4::default());
            self.machine.read(state.field_mut(n_receivers).read_only(), &mut values)
        })?;
        drop(guard);

        account.seconds.time(Stage::Transfer, || {
            check_range(k, &values, self.request.outputs)?;
            to_field(&values, self.request.outputs, field);
            Ok::<(), Error>(())
        })?;
        self.state().host_field = values;
        let Account { mut report, seconds, .. } = account;
        report.p2p_pairs += heavy_pairs(&heavy, &report);
        report.seconds = report.seconds + seconds;
        report.estimated_error = error;
        if one_set && !field.gradient.is_empty() {
            report.net_force = Some(verify::net_force(vector, &field.gradient));
        }
        field.report = report;
        Ok(())
    }

    /// Runs attempts until one keeps the tolerance. Gives the estimated error, and whether results are known not to be
    /// finite; the field is on the device.
    pub(super) fn attempt(
        &self,
        state: &mut State<M, T>,
        signs: Signs,
        taken: &Taken<'_, T>,
        account: &mut Account<T>,
    ) -> Result<(Option<f64>, bool), Error> {
        let mut evaluation =
            Evaluation { engine: self, state, taken, account, charged: false, overflowed: false };
        let error = self.chooser.evaluate(&self.tree, signs, &mut evaluation)?;
        Ok((error, evaluation.overflowed))
    }

    /// Computes the field on the device.
    fn run_scheme(
        &self,
        state: &mut State<M, T>,
        scheme: &Scheme,
        signs: Signs,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        let report = &mut account.report;
        let output = state.field_mut(report.n_receivers);
        if state.expands {
            scheme.report(report);
        }
        let run = Run { scheme, softening: self.request.softening, signs };
        let (seconds, counts) = state.pipeline.run(run, &account.earlier, output)?;
        if let Some(counts) = counts {
            [report.m2p_pairs, report.p2p_pairs] = counts;
        }
        let memory = state.pipeline.memory(Expansions::of(scheme));
        if memory.peak > report.bytes {
            (report.bytes, report.device_memory) = (memory.peak, Some(memory));
        }
        account.seconds = account.seconds + seconds;
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
            let axis = |point: &Vec4<T>, axis: usize| length.shrink(point.0[axis].widen());
            let sources = |range: Range<usize>| {
                let axes =
                    [0, 1, 2].map(|of| points[range.clone()].iter().map(|p| axis(p, of)).collect());
                let [x, y, z]: [Vec<f64>; 3] = axes;
                [x, y, z, charges[range].iter().map(|q| q.widen() / unit).collect()]
            };
            let at = [0, 1, 2]
                .map(|of| which.iter().map(|i| axis(&points[first + *i as usize], of)).collect());
            let softening = length.shrink(softening);
            let n_sources = charges.len();
            let sums = Direct { n_sources, sources: &sources, at: &at, softening, totals: &Alone }
                .sums()?;
            sums.into_iter().map(|sums| verify::in_units(sums, length, unit)).collect()
        } else {
            let on_device = state.take_charges(&self.machine, charges, n_receivers, true)?;
            state.pipeline.put_charges(on_device, unit)?;
            state.references(n_receivers, &which, softening, PairDigits::Double)?
        };
        let checked = which.iter().zip(references);
        let checked = checked.map(|(i, sums)| (verify::value_at(field, *i as usize), sums));
        Ok(verify::compare(checked, self.request.outputs))
    }
}

impl<M, T> Attempts for Evaluation<'_, M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        let Self { engine, state, taken, account, .. } = self;
        // The direct sum is one over all charges.
        let all = scheme.algorithm == Algorithm::Direct && taken.heavy.len() > 0;
        if all {
            state.pipeline.put_charges(taken.all, taken.unit)?;
        } else if !self.charged {
            state.pipeline.put_charges(taken.light, taken.unit)?;
            state.put_heavy(taken.heavy)?;
        }
        self.charged = !all;
        engine.run_scheme(state, scheme, taken.signs, account)
    }

    fn error(&mut self, receivers: usize) -> Result<f64, Error> {
        let Self { engine, state, taken, account, .. } = self;
        let n = account.report.n_receivers;
        let start = Instant::now();
        if taken.heavy.len() > 0 {
            // References are sums over all charges.
            state.pipeline.put_charges(taken.all, taken.unit)?;
            self.charged = false;
        }
        let request = (engine.request.outputs, engine.request.softening);
        let checked = state.checked(n);
        let estimate = state.pipeline.estimate(checked, receivers, request)?;
        account.seconds.add(Stage::Check, start.elapsed().as_secs_f64());
        self.overflowed = !estimate.is_finite;
        Ok(estimate.error)
    }
}

/// Pairs of heavy charges and receivers beside those of the lists, or of walks.
pub(super) fn heavy_pairs<T: Scalar>(heavy: &Heavy<T>, report: &Report) -> u64 {
    match report.method {
        Method::Direct => 0,
        _ => (heavy.len() * report.n_receivers) as u64,
    }
}

/// Refuses results that are not finite.
pub(super) fn check_range<T: Scalar + Number>(
    vector: usize,
    values: &[Vec4<T>],
    outputs: Outputs,
) -> Result<(), Error> {
    let parts = |output| if output == Output::Potential { 3..4 } else { 0..3 };
    for output in outputs.each() {
        let bad = |Vec4(v): &Vec4<T>| parts(output).any(|part| !v[part].widen().is_finite());
        if let Some(index) = values.par_iter().with_min_len(TASK).position_first(bad) {
            let (exponent, precision) = (f64::NAN, T::NAME);
            return Err(Error::ResultRange { vector, index, output, exponent, precision });
        }
    }
    Ok(())
}

/// Receivers that are checked, of `n`.
pub(super) fn indices(n: usize, count: usize) -> Vec<u32> {
    verify::sample(n, count).into_iter().map(|i| i as u32).collect()
}

/// Vectors of three as the kernels take them.
fn vectors<T: Scalar + Number>(gradient: Option<&[[T; 3]]>) -> Vec<Vec4<T>> {
    let vector = |&[x, y, z]: &[T; 3]| Vec4([x, y, z, T::narrow(0.0)]);
    gradient.unwrap_or_default().par_iter().with_min_len(TASK).map(vector).collect()
}

/// Gradients and potentials side by side, to the field's arrays.
pub(super) fn to_field<T: Scalar + Number>(
    values: &[Vec4<T>],
    outputs: Outputs,
    field: &mut Field<T>,
) {
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
